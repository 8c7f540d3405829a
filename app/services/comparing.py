"""The other side of a comparison: finds its version, document or still, names it, and explains when it is missing."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from app.model.comparison_target import SOURCE, DocumentTarget, EyeTarget, StillTarget, VersionTarget
from app.services.other_eye import eyes_of, is_second_eye, other_eye

if TYPE_CHECKING:
    from app.model.document import Document
    from app.model.still import Still
    from app.model.versions import Version
    from engine import FileLook, Grade

STEREO = ("side by side", "anaglyph")
"""Ways to compare that are made for the two eyes of a stereo image."""
SIDES = ("wipe", "split", "difference", *STEREO)
"""Ways to compare that show both sides."""
CHOOSE = "; choose another in the Compare panel"


class Others(NamedTuple):
    """What the shown document can be compared with: versions of its own, other documents, and stills.

    `still` finds a still by its ID; `knows_stills` is whether the folder of stills has been read, and
    `chosen` the selected one.
    """

    shown: Document
    documents: Sequence[Document]
    still: Callable[[str], Still | None]
    knows_stills: bool
    chosen: Still | None = None


def version_compared(document: Document) -> Version | None:
    """Return the version that a document is compared with; None if it is not a version or was deleted."""
    target = document.view.against
    items = document.versions.items if isinstance(target, VersionTarget) else ()
    return next((each for each in items if isinstance(target, VersionTarget) and each.number == target.number), None)


def grades_shown(document: Document) -> list[Grade]:
    """Return the grades through which the image of a document is shown: its own, and that of a compared version."""
    version = version_compared(document) if document.view.compare in SIDES else None
    return [document.grade] if version is None else [document.grade, version.grade]


def document_compared(document: Document, documents: Sequence[Document]) -> Document | None:
    """Return the one of the open `documents` that a document is compared with; None if it is none or was closed."""
    target = document.view.against
    wanted = target.id if isinstance(target, DocumentTarget) else ""
    return next((each for each in documents if each.id == wanted), None)


def still_compared(document: Document, others: Others) -> Still | None:
    """Return the still that a document is compared with; None if it is not one, or the folder has none of its ID."""
    target = document.view.against
    return others.still(target.id) if isinstance(target, StillTarget) else None


def name_compared(document: Document, others: Others, previewed: FileLook | None) -> str:
    """Return a label for the other side of the comparison; `previewed` is the previewed LUT or CDL file, if any."""
    target = document.view.against
    if previewed is not None:
        return f"The grade without {Path(previewed.path).name}"
    if isinstance(target, VersionTarget):
        version = version_compared(document)
        return version.name if version is not None else "Deleted version"
    if isinstance(target, DocumentTarget):
        other = document_compared(document, others.documents)
        path = other.image_path if other is not None else None
        return path.name if path is not None else "Closed image"
    if isinstance(target, StillTarget):
        still = still_compared(document, others)
        return still.name if still is not None else "Still" if not others.knows_stills else "Deleted still"
    if isinstance(target, EyeTarget):
        return f"The {eyes_of(document.image)[1] or 'other'} eye"
    return "The source"


def labels_compared(document: Document, others: Others, previewed: FileLook | None) -> tuple[str, str]:
    """Return short labels for the displayed image and for the other side of the comparison."""
    if previewed is not None:
        name = Path(previewed.path).name
        return f"With {name}", f"Without {name}"
    target, image = document.view.against, document.image
    if isinstance(target, EyeTarget) and other_eye(image) is not None:
        shown, other = (f"{eye} eye".capitalize() for eye in eyes_of(image))
        return (other, shown) if document.view.compare in STEREO and is_second_eye(image) else (shown, other)
    if isinstance(target, DocumentTarget):
        return document.name or "Grade", name_compared(document, others, None)
    return "Grade", "Source" if target == SOURCE else name_compared(document, others, None)


def missing_reason(document: Document, others: Others, previewed: FileLook | None) -> str:
    """Return why a requested comparison can't be shown, as one line; '' if nothing is missing."""
    target = document.view.against
    if document.view.compare not in SIDES or previewed is not None:
        return ""
    if isinstance(target, VersionTarget) and version_compared(document) is None:
        return f"The version to compare with was deleted{CHOOSE}, or undo the deletion."
    if isinstance(target, DocumentTarget) and document_compared(document, others.documents) is None:
        return f"The image to compare with was closed{CHOOSE}."
    if isinstance(target, StillTarget) and others.knows_stills and still_compared(document, others) is None:
        return f"The still to compare with is not in the folder of stills{CHOOSE}."
    if isinstance(target, EyeTarget) and document.image is not None and not other_eye(document.image):
        return "This layer has no counterpart in another view; choose another layer, or Off in the Compare panel."
    return ""

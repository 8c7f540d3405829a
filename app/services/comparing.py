"""The other side of a comparison: finds its version or document, names it, and explains when it is missing."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.comparison_target import SOURCE, DocumentTarget, EyeTarget, VersionTarget
from app.services.other_eye import eyes_of, is_second_eye, other_eye

if TYPE_CHECKING:
    from app.model.document import Document
    from app.model.versions import Version
    from app.services.open_documents import OpenDocuments
    from engine import FileLook

STEREO = ("side by side", "anaglyph")
"""Ways to compare that are made for the two eyes of a stereo image."""
SIDES = ("wipe", "split", "difference", *STEREO)
"""Ways to compare that show both sides."""
CHOOSE = "; choose another in the Compare panel"


def version_compared(documents: OpenDocuments) -> Version | None:
    """Return the version that the current document is compared with; None if it is not a version or was deleted."""
    target = documents.view.against
    items = documents.current.versions.items if isinstance(target, VersionTarget) else ()
    return next((each for each in items if isinstance(target, VersionTarget) and each.number == target.number), None)


def document_compared(documents: OpenDocuments) -> Document | None:
    """Return the document that the current one is compared with; None if it is not a document or was closed."""
    target = documents.view.against
    wanted = target.id if isinstance(target, DocumentTarget) else ""
    return next((each for each in documents.items if each.id == wanted), None)


def name_compared(documents: OpenDocuments, previewed: FileLook | None) -> str:
    """Return a label for the other side of the comparison; `previewed` is the previewed LUT or CDL file, if any."""
    target = documents.view.against
    if previewed is not None:
        return f"The grade without {Path(previewed.path).name}"
    if isinstance(target, VersionTarget):
        version = version_compared(documents)
        return version.name if version is not None else "Deleted version"
    if isinstance(target, DocumentTarget):
        document = document_compared(documents)
        path = document.image_path if document is not None else None
        return path.name if path is not None else "Closed image"
    if isinstance(target, EyeTarget):
        return f"The {eyes_of(documents.current.image)[1] or 'other'} eye"
    return "The source"


def labels_compared(documents: OpenDocuments, previewed: FileLook | None) -> tuple[str, str]:
    """Return short labels for the displayed image and for the other side of the comparison."""
    if previewed is not None:
        name = Path(previewed.path).name
        return f"With {name}", f"Without {name}"
    target, image = documents.view.against, documents.current.image
    if isinstance(target, EyeTarget) and other_eye(image) is not None:
        shown, other = (f"{eye} eye".capitalize() for eye in eyes_of(image))
        return (other, shown) if documents.view.compare in STEREO and is_second_eye(image) else (shown, other)
    if isinstance(target, DocumentTarget):
        return documents.current.name or "Grade", name_compared(documents, None)
    return "Grade", "Source" if target == SOURCE else name_compared(documents, None)


def missing_reason(documents: OpenDocuments, previewed: FileLook | None) -> str:
    """Return why a requested comparison can't be shown, as one line; '' if nothing is missing."""
    target = documents.view.against
    if documents.view.compare not in SIDES or previewed is not None:
        return ""
    if isinstance(target, VersionTarget) and version_compared(documents) is None:
        return f"The version to compare with was deleted{CHOOSE}, or undo the deletion."
    if isinstance(target, DocumentTarget) and document_compared(documents) is None:
        return f"The image to compare with was closed{CHOOSE}."
    if isinstance(target, EyeTarget) and documents.current.image is not None and not other_eye(documents.current.image):
        return "This layer has no counterpart in another view; choose another layer, or Off in the Compare panel."
    return ""

"""The other side of a comparison: which version or document it is now, and what is said where it has gone."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from app.model.comparison_target import DocumentTarget, VersionTarget

if TYPE_CHECKING:
    from app.model.document import Document
    from app.model.versions import Version
    from app.shell.workspace import Workspace

SIDES = ("wipe", "split", "difference")
"""Ways to compare that show both sides."""
CHOOSE = "; choose another in the Compare panel"


def version_compared(workspace: Workspace) -> Version | None:
    """The version of the current document that it is compared with; None where it is none, or has gone."""
    target = workspace.view.against
    items = workspace.document.versions.items if isinstance(target, VersionTarget) else ()
    return next((each for each in items if isinstance(target, VersionTarget) and each.number == target.number), None)


def document_compared(workspace: Workspace) -> Document | None:
    """The document that the current one is compared with; None where it is none, or has gone."""
    target = workspace.view.against
    wanted = target.id if isinstance(target, DocumentTarget) else ""
    return next((each for each in workspace.documents if each.id == wanted), None)


def name_compared(workspace: Workspace) -> str:
    """What the current document is compared with, for a label."""
    target, tried = workspace.view.against, workspace.stage.tried
    if tried is not None:
        return f"The grade without {Path(tried.path).name}"
    if isinstance(target, VersionTarget):
        version = version_compared(workspace)
        return version.name if version is not None else "Deleted version"
    if isinstance(target, DocumentTarget):
        document = document_compared(workspace)
        path = document.image_path if document is not None else None
        return path.name if path is not None else "Closed image"
    return "The source"


def what_is_missing(workspace: Workspace) -> str:
    """Why nothing is compared although that is wanted, as a line; '' where all is there or on its way."""
    target = workspace.view.against
    if workspace.view.compare not in SIDES or workspace.stage.tried is not None:
        return ""
    if isinstance(target, VersionTarget) and version_compared(workspace) is None:
        return f"The version to compare with was deleted{CHOOSE}, or undo the deletion."
    if isinstance(target, DocumentTarget) and document_compared(workspace) is None:
        return f"The image to compare with was closed{CHOOSE}."
    return ""

"""What closing a document would lose, in words."""

from __future__ import annotations

from app.model.document_state import DocumentState
from app.model.entries import name_of
from app.model.versions import Version, same_versions

NAMED = 3
"""How many entries or versions are named; further ones are counted."""


def unsaved_work(state: DocumentState) -> list[str]:
    """Return a line for the grade and for the versions, as far as they differ from the grade file."""
    saved = state.saved
    lines = []
    if state.grade != saved.grade:
        names = _listed([name_of(entry) for entry in state.grade.entries]) or "no entries"
        since = f"as changed since {saved.path.name} was saved" if saved.path is not None else names
        lines.append(f"the grade ({since})")
    kept = [each for each in state.versions.items if not _holds(saved.versions, each)]
    if kept:
        lines.append(f"{len(kept)} version{'s' * (len(kept) != 1)} ({_listed([each.name for each in kept])})")
    left = {each.name for each in state.versions.items}
    gone = [each.name for each in saved.versions if each.name not in left]
    if gone:
        lines.append(f"the removal of {len(gone)} version{'s' * (len(gone) != 1)} ({_listed(gone)})")
    return lines


def _holds(versions: tuple[Version, ...], wanted: Version) -> bool:
    return any(same_versions((each,), (wanted,)) for each in versions)


def _listed(names: list[str]) -> str:
    more = len(names) - NAMED
    return ", ".join(names[:NAMED]) + (f" and {more} more" if more > 0 else "")

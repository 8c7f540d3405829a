"""The mattes of entries."""

from __future__ import annotations

from app.model.grade_rows import Path, entry_at, matte_of
from engine import Grade
from engine.mattes.tree import Matte


def matte_at(grade: Grade, path: Path) -> Matte | None:
    """Return the matte of the entry at a path; None without one, or without such an entry."""
    try:
        return matte_of(entry_at(grade, path)) if path else None
    except IndexError:
        return None

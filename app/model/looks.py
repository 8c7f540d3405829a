"""The looks that come with Tessera: grades with one group each, in the folder of resources."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import resources
from app.model.preset import SUFFIX, Preset
from engine.core.records import dataclass
from engine.grade.grade import load_grade

PREFIX = "look/"
"""The beginning of the key of a look among the favourites."""


@dataclass(frozen=True)
class Look:
    """A look by its title, and the file of its grade."""

    title: str
    path: Path

    @property
    def key(self) -> str:
        """The key of the look among the favourites."""
        return PREFIX + self.title

    @property
    def preset(self) -> Preset:
        """The look as a preset. Raises UnreadableFile if its file was damaged."""
        return Preset(self.path.with_name(f"{self.title}{SUFFIX}"), load_grade(self.path))


@cache
def looks() -> tuple[Look, ...]:
    """Return all looks, sorted by title."""
    found = sorted(resources.path("looks").glob(f"*{SUFFIX}"))
    return tuple(Look(path.stem.replace("_", " ").capitalize(), path) for path in found)


def look_of(key: str) -> Look | None:
    """Return the look of a key; None if there is none."""
    return next((look for look in looks() if look.key == key), None)

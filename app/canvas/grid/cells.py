"""What the cells of a compare grid show: their labels, images and grades."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.model.data_view import ShownData
from engine import FileLook, Grade
from engine.color.management import Managed
from engine.core.records import dataclass

NOW = "Current grade"
"""The label of the current image among its versions, stills and LUTs."""


@dataclass(frozen=True)
class Source:
    """What a cell shows, by its kind: the ID of a document or a still, the number of a version, the part and name of a
    layer, or the path of a LUT; `key` is None for the current image with its current grade."""

    kind: str
    key: Any
    label: str
    tip: str = ""


@dataclass(frozen=True)
class Content:
    """The image of a cell, as it was opened, with its grade and spaces. `note` says why there is none yet."""

    image: Any = None
    grade: Grade = Grade()
    managed: Managed | None = None
    data: ShownData | None = None
    note: str = ""


@dataclass(frozen=True)
class Kind:
    """A kind of grid: its label, what it lists, what opens a cell or makes it current, and what an empty one says."""

    name: str
    label: str
    sources: Callable[[], list[Source]]
    content: Callable[[Source], Content]
    take: Callable[[Source], None]
    choose: Callable[[Source], None]
    want: Callable[[list[Source]], None]
    empty: str


def with_look(grade: Grade, look: FileLook) -> Grade:
    """Return a grade with a LUT or CDL file at its end."""
    return grade.with_entries((*grade.entries, look))

"""What the cells of a compare grid show: their labels, images and grades."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from app.model.data_view import ShownData
from engine import FileLook, Grade
from engine.color.management import Managed
from engine.viewing.data_kinds import IMAGE, KINDS, kind_of, sampled_range, shown_kind

SAMPLES = 160
"""The most columns and rows of pixels that are sampled for the range of data."""
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
    grade: Grade = Grade()  # noqa: RUF009 (a frozen value)
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


def shown_data(image: Any) -> ShownData | None:
    """Return how a layer is shown if its name says that it holds data, in the range of its values; else None."""
    kind = kind_of(image.part, image.layer)
    if kind == IMAGE:
        return None
    if KINDS[kind].shown == "ids":
        return ShownData(kind, plain=not all(image.part.channel(name).type == "uint" for name in image.layer.channels))
    if not hasattr(image, "pixels"):
        return ShownData(kind)
    down, across = (-(-length // SAMPLES) for length in image.pixels.shape[:2])
    values = np.asarray(image.pixels[::down, ::across], np.float64)[..., :3]
    found = shown_kind(kind, image.layer.name or image.part.name, values)
    if found == IMAGE:
        return None
    return ShownData(found, sampled_range(found, values)) if KINDS[found].shown == "range" else ShownData(found)


def with_look(grade: Grade, look: FileLook) -> Grade:
    """Return a grade with a LUT or CDL file at its end."""
    return grade.with_entries((*grade.entries, look))

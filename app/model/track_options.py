"""What is tracked, and what of it becomes keys. It loads nothing that tracks."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from threading import Event
from typing import Any, NamedTuple

from engine import Grade
from engine.color.management import Managed
from engine.core.records import dataclass
from engine.grade.curves import Curve
from engine.grade.key_moves import NODE
from engine.mattes.source import MatteSource

OPTIONS = ("position", "scale", "rotation", "graded")


@dataclass(frozen=True)
class TrackOptions:
    """What becomes keys: position, scale and rotation, all of which are found; and whether on the graded image."""

    position: bool = True
    scale: bool = True
    rotation: bool = True
    graded: bool = False

    @property
    def any(self) -> bool:
        """Whether there is anything to track."""
        return self.position or self.scale or self.rotation


class TrackedWindow(NamedTuple):
    """A window that is tracked: its source at the first frame, in the pixels of its matte, and the number of its node.

    `fit` are the factors from those pixels to the ones of the image, across and down.
    """

    source: MatteSource
    number: int
    fit: tuple[float, float] = (1.0, 1.0)

    @property
    def in_image(self) -> MatteSource:
        """The source in pixels of the image."""
        return self.source if self.fit == (1.0, 1.0) else self.source.scaled(*self.fit)

    @property
    def prefix(self) -> str:
        """What the paths of its numbers begin with."""
        return f"{NODE}{self.number}."


class TrackJob(NamedTuple):
    """What is tracked: a window from the first of some frames on, in images of a size.

    `known` are the curves of its entry, `grade` is what is applied to the frames, None for nothing.
    """

    window: TrackedWindow
    options: TrackOptions
    numbers: list[int]
    size: tuple[int, int]
    known: Mapping[str, Curve]
    read: Callable[[int], tuple[Any, Managed]]
    grade: Grade | None
    create_executor: Callable[[], Any]
    stop: Event


def can_track(source: MatteSource) -> bool:
    """Return whether a source is a window, which can be tracked."""
    return source.family == "Windows"

"""A drag of a handle of a window of a matte, as a value."""

from __future__ import annotations

from app.model.matte_geometry import Handle, Held, Shape, Snapped
from app.model.matte_path_shape import BEZIER
from app.model.matte_paths import Point
from app.model.matte_shapes import SIDES
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.mattes.source import MatteSource

DRAG = "matte on the canvas"
"""The key under which the edits of a drag are merged."""
NONE = ("", -1)
"""The key of no handle."""
_WHAT = {"center": "position", "whole": "position", "softness_in": "softness", "softness_out": "softness"}
_WHAT |= dict.fromkeys(SIDES, "size") | dict.fromkeys(BEZIER, "handle")
"""What handles change, where that is not their name."""


@dataclass(frozen=True)
class Drag:
    """A drag of a handle of `shape`, from the place `start` of the image, pressed at a place of the canvas.

    `began` is the window that Escape restores, `source` the window now, `pushed` the one that the grade has.
    """

    handle: Handle
    shape: Shape
    began: MatteSource
    start: Point
    pressed: Point
    source: MatteSource
    pushed: MatteSource
    has_moved: bool = False
    snap: Snapped | None = None

    def moved_to(self, now: Point, held: Held, metric: Point) -> MatteSource:
        """Return the window with the mouse at another place; as it is now where it can't be drawn so far away."""
        try:
            return self.shape.dragged(self.handle, self.start, now, held, metric)
        except GradeError:
            return self.source


def text_of(source: MatteSource, handle: Handle) -> str:
    """Return the text of the step that a handle makes."""
    return f"{source.title().lower()} {_WHAT.get(handle.name, handle.name)}"

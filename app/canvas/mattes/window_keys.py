"""What keys on the canvas do to the selected window of a matte."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeyEvent

from app.model import matte_paths
from app.model.matte_geometry import LARGE_NUDGE, NUDGE, Handle, Shape
from app.model.matte_path_shape import BEZIER, PathShape
from app.model.matte_paths import Point
from engine.errors import GradeError
from engine.mattes.source import MatteSource

ARROWS: dict[int, Point] = {
    Qt.Key.Key_Left: (-1.0, 0.0),
    Qt.Key.Key_Right: (1.0, 0.0),
    Qt.Key.Key_Up: (0.0, -1.0),
    Qt.Key.Key_Down: (0.0, 1.0),
}
"""The directions of the arrow keys."""
DELETING = (Qt.Key.Key_Delete, Qt.Key.Key_Backspace)
Edit = tuple[MatteSource | None, Handle]
"""The window after a key, None if it stays as it is, and the handle that is chosen then."""


def modifiers_of(event: QKeyEvent) -> Qt.KeyboardModifier:
    """Return the modifiers of a key, but for the one that says that it is on the keypad."""
    return event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier


def key_edit(shape: Shape, handle: Handle, event: QKeyEvent) -> Edit | None:
    """Return what a key does to a window with a chosen handle; None if it has no meaning for it.

    Arrows move the handle by a pixel or a degree, with Shift by ten. In a path, Insert adds a vertex after the chosen
    one, Delete and Backspace remove it or its chosen Bezier handle, and Return makes it smooth or a corner.
    """
    keys, shift = modifiers_of(event), Qt.KeyboardModifier.ShiftModifier
    if event.key() in ARROWS and keys in (Qt.KeyboardModifier.NoModifier, shift):
        step = LARGE_NUDGE if keys == shift else NUDGE
        dx, dy = (step * each for each in ARROWS[event.key()])
        try:
            return shape.nudged(handle, dx, dy), handle
        except GradeError:
            return None, handle  # it is as far as it can be
    if not isinstance(shape, PathShape) or keys != Qt.KeyboardModifier.NoModifier:
        return None
    if event.key() == Qt.Key.Key_Insert:
        return _inserted(shape, handle)
    if handle.name not in ("vertex", *BEZIER):
        return None
    if event.key() in DELETING:
        return _deleted(shape, handle)
    if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
        points = matte_paths.with_turned_corner(shape.points, handle.index)
        return shape.source.replace(points=points), _vertex(points, handle.index)
    return None


def _inserted(shape: PathShape, handle: Handle) -> Edit:
    index = handle.index if handle.name in ("vertex", *BEZIER) else 0
    points = matte_paths.with_inserted(shape.points, index, 0.5)
    return shape.source.replace(points=points), _vertex(points, index + 1)


def _deleted(shape: PathShape, handle: Handle) -> Edit:
    if handle.name in BEZIER:
        x, y = shape.points[handle.index][:2]
        points = matte_paths.with_handle(shape.points, handle.index, handle.name, x, y, alone=True)
        return shape.source.replace(points=points), _vertex(points, handle.index)
    points = matte_paths.without(shape.points, handle.index)
    if points == shape.points:
        return None, handle
    return shape.source.replace(points=points), _vertex(points, max(handle.index - 1, 0))


def _vertex(points: matte_paths.Vertices, index: int) -> Handle:
    return Handle("vertex", (points[index][0], points[index][1]), index)

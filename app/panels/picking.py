"""Pick a colour in the image for an op."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent
from shiboken6 import isValid

from app.canvas.canvas import Canvas
from app.canvas.tools import Tool
from app.model.view_ops import grade_ops
from app.panels.bodies import Colour, PickingBody
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.messages import Messages
from engine import Grade
from engine.color.management import Managed
from engine.core.geometry import Rect
from engine.kernel.op import ColorOp, Op
from engine.viewing import Levels

REACH = 2
"""Pixels on each side of the clicked one that are averaged."""


class PixelPicker(Tool):
    """Waits for a click on the canvas and passes the result for its colour to the body that asked.

    It is on top of the canvas's tools while it waits. Return picks the centre of the canvas.
    """

    is_temporary = True

    def __init__(
        self,
        current: CurrentDocument,
        canvas: Canvas,
        levels: Callable[[], Levels | None],
        jobs: Jobs,
        messages: Messages,
    ) -> None:
        """`levels` returns the pixels of the displayed image."""
        self._current, self._canvas, self._levels = current, canvas, levels
        self._jobs, self._messages = jobs, messages
        self._body: PickingBody | None = None
        self._place: Callable[[], int | None] = lambda: None

    def pick(self, body: PickingBody, wanted: bool, place: Callable[[], int | None]) -> None:
        """Start or stop picking for a body; release its button at the end. `place` returns the index of its entry in
        the grade, None once it is removed."""
        self._canvas.tools.remove(self)  # also when it waits for another body
        if wanted:
            self._body, self._place = body, place
            self._canvas.tools.push(self)
            self._canvas.setFocus()  # it handles Esc
            self._messages.note(f"{body.wanted}; Return picks the centre, Esc cancels")

    def mouse_press(self, event: QMouseEvent) -> bool:
        if event.button() != Qt.MouseButton.LeftButton:
            return False
        self._pick_at(event.position())
        return True

    def key_press(self, event: QKeyEvent) -> bool:
        if event.key() not in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
            return False
        self._pick_at(QPointF(self._canvas.rect().center()))
        return True

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        return Qt.CursorShape.CrossCursor

    def removed(self) -> None:
        """Release the button of the body."""
        if self._body is not None and isValid(self._body):
            self._body.pick.setChecked(False)
            self._body.pick.setFocus()

    def _pick_at(self, position: QPointF) -> None:
        """Take the colour at a position of the canvas; beside the image, wait for another click."""
        pixel = self._canvas.pixel_at(position)
        if pixel is not None:
            self._canvas.tools.remove(self)
            self._take(*pixel)

    def _take(self, column: int, row: int) -> None:
        body, place, index = self._body, self._place, self._place()
        document, levels = self._current.document, self._levels()
        if body is None or not isValid(body) or index is None or levels is None:
            return
        op, grade, managed, mark, find = body.op, document.grade, document.managed, body.mark(), body.finder()

        def take(found: object) -> None:
            if document is self._current.document and place() is not None and body.op == op:
                body.take(found)

        def work() -> object:
            return find(arriving(levels, column, row, grade, index, managed, mark))

        self._jobs.latest(body, "pick", work, take, self._messages.warn)


def arriving(levels: Levels, column: int, row: int, grade: Grade, index: int, managed: Managed, mark: Op) -> Colour:
    """Return the mean colour of the pixels around (column, row) as it enters an entry of a grade, in the colour space
    of the entry. `mark` is an op that works in that space and is not an identity."""
    columns = range(max(0, column - REACH), min(levels.width, column + REACH + 1))
    rows = range(max(0, row - REACH), min(levels.height, row + REACH + 1))
    pixels = np.concatenate([levels.exact(Rect(x, y, 1, 1)) for y in rows for x in columns]).astype(np.float64)
    rgba = np.concatenate([pixels, np.ones_like(pixels[..., :1])], axis=-1)[..., :4]
    before = grade.without_solo().entries[:index]
    for op in grade_ops(managed, grade.with_entries((*before, mark))):
        if op is mark:
            break
        if isinstance(op, ColorOp):
            rgba = op.reference(rgba)
    mean = np.nan_to_num(rgba[..., :3], nan=0.0, posinf=0.0, neginf=0.0).mean(axis=(0, 1))
    return (float(mean[0]), float(mean[1]), float(mean[2]))

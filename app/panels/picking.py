"""Picks a place of the image, for an op that makes something of its colour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.panels.bodies import Colour, PickingBody
from app.render.view_ops import grade_ops
from app.shell.workspace import Workspace
from engine import Grade
from engine.color.management import Managed
from engine.core.geometry import Rect
from engine.kernel.op import ColorOp, Op
from engine.viewing import Levels

REACH = 2
"""Pixels on each side of the one that is clicked whose mean is taken."""


class PixelPicker(QObject):
    """Waits for a click on the canvas; the body that asked takes what it makes of the place's colour."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._body: PickingBody | None = None
        self._place: Callable[[], int | None] = lambda: None
        workspace.canvas.picked.connect(self._take)
        workspace.canvas.picking_ended.connect(self._release)

    def pick(self, body: PickingBody, wanted: bool, place: Callable[[], int | None]) -> None:
        """Begin or end picking for a body; its button is released when it is over. `place` tells where in the grade its
        entry is, None once it is gone."""
        if wanted:
            self._workspace.canvas.pick(False)  # for the body before
            self._body, self._place = body, place
        self._workspace.canvas.pick(wanted)
        if wanted:
            self._workspace.canvas.setFocus()  # which has the key that ends it
            self._workspace.note(f"{body.wanted}; Return takes the middle, Esc ends it")

    def _release(self) -> None:
        if self._body is not None and isValid(self._body):
            self._body.pick.setChecked(False)
            self._body.pick.setFocus()

    def _take(self, column: int, row: int) -> None:
        body, place, index = self._body, self._place, self._place()
        document, levels = self._workspace.document, self._workspace.preview.levels
        if body is None or index is None or levels is None:
            return
        op, grade, managed, mark, find = body.op, document.grade, document.managed, body.mark(), body.finder()

        def take(found: object) -> None:
            if document is self._workspace.document and place() is not None and body.op == op:
                body.take(found)

        def work() -> object:
            return find(arriving(levels, column, row, grade, index, managed, mark))

        self._workspace.jobs.latest(body, "pick", work, take, self._workspace.tell)


def arriving(levels: Levels, column: int, row: int, grade: Grade, index: int, managed: Managed, mark: Op) -> Colour:
    """The mean colour of a few pixels as it arrives at an entry of a grade, in the light that the entry works in: that
    of `mark`, an op that changes something."""
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

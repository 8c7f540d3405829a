"""Picks a place of the picture, for an op that makes something of its colour."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject
from shiboken6 import isValid

from app.panels.bodies import Colour, PickingBody
from app.view_ops import grade_ops
from app.workspace import Workspace
from engine import Grade
from engine.grade import bare
from engine.managed import Managed
from engine.op import ColorOp, Op
from engine.tiling import Rect
from engine.viewing import Levels

REACH = 2
"""Pixels on each side of the one that is clicked whose mean is taken."""


class PixelPicker(QObject):
    """Waits for a click on the canvas; the body that asked takes what it makes of the place's colour."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._index: int | None = None
        self._body: PickingBody | None = None
        workspace.canvas.picked.connect(self._take)
        workspace.canvas.picking_ended.connect(self._release)

    def pick(self, index: int, wanted: bool, body: PickingBody) -> None:
        """Begin or end picking for an entry; the body's button is released when it is over."""
        self._index, self._body = (index, body) if wanted else (self._index, self._body)
        self._workspace.canvas.pick(wanted)
        if wanted:
            self._workspace.note(f"{body.wanted}; Esc ends it")

    def _release(self) -> None:
        if self._body is not None and isValid(self._body):
            self._body.pick.setChecked(False)

    def _take(self, column: int, row: int) -> None:
        (index, body), (self._index, self._body) = (self._index, self._body), (None, None)
        document, levels = self._workspace.document, self._workspace.preview.levels
        if index is None or body is None or levels is None or not _is_at(body, index, document.grade):
            return

        def take(found: object) -> None:
            if document is self._workspace.document and _is_at(body, index, document.grade):
                body.take(found)

        grade, managed, mark, find = document.grade, document.managed, body.mark(), body.finder()
        self._workspace.jobs.run(
            lambda: find(arriving(levels, column, row, grade, index, managed, mark)), take, self._workspace.tell
        )


def _is_at(body: PickingBody, index: int, grade: Grade) -> bool:
    """Whether the body still shows the entry at a place of a grade."""
    return isValid(body) and index < len(grade.entries) and bare(grade.entries[index]) == body.op


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

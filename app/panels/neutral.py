"""Picks something grey in the picture and balances the white by it."""

from __future__ import annotations

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton

from app.view_ops import grade_ops
from app.workspace import Workspace
from engine import Grade, ops
from engine.managed import Managed
from engine.op import ColorOp
from engine.tiling import Rect
from engine.viewing import Levels

REACH = 2
"""Pixels on each side of the one that is clicked whose mean is taken."""


class NeutralPicker(QObject):
    """Waits for a click on the canvas; the entry that asked becomes the white balance that makes the place grey."""

    def __init__(self, workspace: Workspace, parent: QObject) -> None:
        super().__init__(parent)
        self._workspace = workspace
        self._index: int | None = None
        self._button: QAbstractButton | None = None
        workspace.canvas.picked.connect(self._take)
        workspace.canvas.picking_ended.connect(self._release)

    def pick(self, index: int, wanted: bool, button: QAbstractButton) -> None:
        """Begin or end picking for an entry; `button` is released when it is over."""
        self._index, self._button = (index, button) if wanted else (self._index, None)
        self._workspace.canvas.pick(wanted)
        if wanted:
            self._workspace.note("Click something grey in the picture; Esc ends it")

    def _release(self) -> None:
        button, self._button = self._button, None
        if button is not None:
            button.setChecked(False)

    def _take(self, column: int, row: int) -> None:
        index, self._index = self._index, None
        document, levels = self._workspace.document, self._workspace.preview.levels
        if index is None or levels is None or index >= len(document.grade.entries):
            return
        entry = document.grade.entries[index]

        def balance(found: ops.WhiteBalance) -> None:
            entries = document.grade.entries
            if index < len(entries) and entries[index] is entry:
                document.edit_entry(index, found, "picking a neutral")

        grade, managed = document.grade, document.managed
        self._workspace.jobs.run(
            lambda: ops.WhiteBalance.neutralising(arriving(levels, column, row, grade, index, managed)),
            balance,
            self._workspace.tell,
        )


def arriving(
    levels: Levels, column: int, row: int, grade: Grade, index: int, managed: Managed
) -> tuple[float, float, float]:
    """The mean colour of a few pixels as it arrives at an entry of a grade, in the light that the entry works in."""
    columns = range(max(0, column - REACH), min(levels.width, column + REACH + 1))
    rows = range(max(0, row - REACH), min(levels.height, row + REACH + 1))
    pixels = np.concatenate([levels.exact(Rect(x, y, 1, 1)) for y in rows for x in columns]).astype(np.float64)
    rgba = np.concatenate([pixels, np.ones_like(pixels[..., :1])], axis=-1)[..., :4]
    mark = ops.WhiteBalance(5000.0, direction="reverse")
    before = grade.without_solo().entries[:index]
    for op in grade_ops(managed, grade.with_entries((*before, mark))):
        if op is mark:
            break
        if isinstance(op, ColorOp):
            rgba = op.reference(rgba)
    mean = np.nan_to_num(rgba[..., :3], nan=0.0, posinf=0.0, neginf=0.0).mean(axis=(0, 1))
    return (float(mean[0]), float(mean[1]), float(mean[2]))

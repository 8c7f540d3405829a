"""Picks something grey in the picture and balances the white by it."""

from __future__ import annotations

from typing import Any

import numpy as np
from PySide6.QtCore import QObject
from PySide6.QtWidgets import QAbstractButton

from app.workspace import Workspace
from engine import ops
from engine.errors import GradeError
from engine.grade import bare
from engine.op import ColorOp, Op

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
        document = self._workspace.document
        entries = document.grade.entries
        if index is None or document.picture is None or index >= len(entries):
            return
        op = bare(entries[index])
        if not isinstance(op, ops.WhiteBalance):
            return
        try:
            found = ops.WhiteBalance.neutralising(arriving(document, index, column, row))
        except GradeError as error:
            self._workspace.tell(str(error))
            return
        document.edit_entry(index, found.replace(direction="forward"), "picking a neutral")


def arriving(document: Any, index: int, column: int, row: int) -> tuple[float, float, float]:
    """The mean colour of a few pixels as it arrives at an entry of the grade, in the light that the entry works in."""
    pixels = document.picture.pixels
    part = pixels[max(0, row - REACH) : row + REACH + 1, max(0, column - REACH) : column + REACH + 1]
    rgba = np.ones((*part.shape[:2], 4))
    rgba[..., : part.shape[2]] = part
    mark = ops.WhiteBalance(5000.0)
    before = document.grade.without_solo().entries[:index]
    run: list[Op] = list(document.grade.with_entries((*before, mark)).effective)
    for op in run[:-1]:
        if isinstance(op, ColorOp):
            rgba = op.reference(rgba)
    mean = np.nan_to_num(rgba[..., :3], nan=0.0, posinf=0.0, neginf=0.0).mean(axis=(0, 1))
    return (float(mean[0]), float(mean[1]), float(mean[2]))

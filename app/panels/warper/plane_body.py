"""What the editors of colour warps share: a plane of colours that shows those of the image, and where its map folds."""

from __future__ import annotations

from abc import abstractmethod

from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QWidget

from app.panels.dragging_body import DraggingBody
from app.widgets.elided import ElidedLabel
from engine.kernel.op import Op


class PlaneBody(DraggingBody):
    """Edits an op on a plane of colours. It wants samples of the image each time it is shown."""

    def __init__(self, op: Op, plane: QWidget) -> None:
        super().__init__(op)
        self._plane = plane
        self.note = ElidedLabel()
        self._ready = False  # whether everything is built

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.samples_wanted.emit(self)

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        if self._ready:
            self._show()

    def refresh(self) -> None:
        super().refresh()
        if self._ready:
            self._show()

    def first_control(self) -> QWidget | None:
        return self._plane if self.isAncestorOf(self._plane) else None

    @abstractmethod
    def _show(self) -> None:
        """Show the values of the op."""

    def _show_folds(self, folds: bool, tip: str) -> None:
        """Say whether the map folds."""
        text = "Folds here" if folds else ""
        if text != self.note.whole:
            self.note.show_text(text)
            self.note.setToolTip(tip if folds else "")

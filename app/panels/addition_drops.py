"""Operations and presets that are dragged from their menu to a place between the cards."""

from __future__ import annotations

from PySide6.QtCore import QEvent, QMimeData, QObject, QPoint, Signal
from PySide6.QtGui import QDrag, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QWidget

from app.model.looks import look_of
from app.model.preset import FAVOURITE, Preset
from app.panels.card_stack import CardStack
from app.panels.entry_moves import EntryMoves
from app.services.presets import Presets
from engine.kernel.op import REGISTRY, Op

MIME = "application/x-tessera-addition"
"""The type of the dragged data: a key as among the favourites."""


def drag_addition(key: str, source: QWidget) -> None:
    """Let the mouse drag what is called by a key, until it is dropped."""
    drag, data = QDrag(source), QMimeData()
    data.setData(MIME, key.encode())
    drag.setMimeData(data)
    drag.exec()


class AdditionDrops(QObject):
    """Shows where a dragged operation or preset would go, and adds it there."""

    added = Signal(int)  # the index of the first new entry

    def __init__(self, stack: CardStack, moves: EntryMoves, presets: Presets) -> None:
        super().__init__(stack)
        self._stack, self._moves, self._presets = stack, moves, presets
        stack.setAcceptDrops(True)
        stack.installEventFilter(self)

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if isinstance(event, QDropEvent) and event.mimeData().hasFormat(MIME):
            where = self._stack.mapToGlobal(event.position().toPoint())
            if isinstance(event, QDragMoveEvent):
                self._moves.show_gap(where)
            else:
                self._stack.line.hide()
                self._drop(event.mimeData().data(MIME).toStdString(), where)
            event.acceptProposedAction()
            return True
        if event.type() == QEvent.Type.DragLeave:
            self._stack.line.hide()
        return super().eventFilter(watched, event)

    def _drop(self, key: str, where: QPoint) -> None:
        chosen = self._chosen(key)
        at = None if chosen is None else self._moves.add(chosen, where)
        if at is not None:
            self.added.emit(at)

    def _chosen(self, key: str) -> type[Op] | Preset | None:
        """Return what is called by a key; None if it was deleted meanwhile."""
        if (look := look_of(key)) is not None:
            return look.preset
        return self._presets.find(key.removeprefix(FAVOURITE)) if key.startswith(FAVOURITE) else REGISTRY.get(key)

"""The base of panels that show one entry of the grade larger than its card: wheels, and warps."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Sequence
from typing import Any

from PySide6.QtCore import QPoint
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QWidget

from app.model.grade_rows import entries_of
from app.panels.key_menu import key_menu
from app.services.event_loop import turn_queue
from app.services.keyframes import Keyframes
from app.services.messages import Messages
from engine import Grade
from engine.errors import GradeError
from engine.grade.grade import bare
from engine.kernel.op import Op


def nearest_entry(grade: Grade, current: int, suits: Callable[[Any], object]) -> int:
    """Return the index of the current entry if its op suits, else of the nearest that does; -1 if there is none."""
    found = [index for index, entry in enumerate(entries_of(grade)) if suits(bare(entry))]
    return min(found, key=lambda index: abs(index - current), default=-1)


class EntryPanel(QWidget):
    """Follows the selected entry of the current document. Its entry is selected once the focus enters its controls."""

    def __init__(self, keyframes: Keyframes, messages: Messages) -> None:
        super().__init__()
        self._current = current = keyframes.current
        self._keyframes, self._messages = keyframes, messages
        self._index = -1
        self._waiting = False  # to show its entry in another turn
        current.grade_changed.connect(self.show_entry)
        current.image_changed.connect(self._follow_frame)
        current.selected_changed.connect(self.show_entry)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    # -- for subclasses

    @staticmethod
    @abstractmethod
    def _suits(op: Any) -> object:
        """Return whether the panel shows an op."""

    @abstractmethod
    def _show_op(self, op: Op | None) -> None:
        """Show an op; None if the grade has none that suits."""

    @abstractmethod
    def _holds(self, widget: QWidget) -> bool:
        """Return whether a widget is a control of the entry."""

    def _follow_editor(self, editor: Any) -> None:
        """Follow the drags and the diamonds of an editor."""
        editor.marks.toggled.connect(self._toggle_key)
        editor.marks.menu_wanted.connect(self._show_key_menu)
        editor.drag_started.connect(lambda: self._current.document.begin_drag())
        editor.drag_ended.connect(lambda: self._current.document.end_drag())

    def _show_in(self, editor: Any, op: Op) -> None:
        """Show an op and its keys in an editor."""
        editor.set_op(op)
        editor.marks.show_keys(self._keyframes.curves(self._index), self._keyframes.frame)

    def _change(self, editor: Any, changes: dict[str, Any], what: str) -> None:
        """Change fields of the op that an editor shows; `what` is what the step says of them."""
        try:
            op = editor.op.replace(**changes)
        except GradeError as error:
            self._messages.warn(str(error))
            editor.refresh()
            return
        key = f"{self._index}.{','.join(changes)}"
        self._current.document.edit_entry(self._index, op, f"{op.title()} {what}", key)

    def _add(self, op: Op) -> None:
        """Add an op after the current entry, and select it."""
        document = self._current.document
        document.select(document.insert(document.current_entry + 1, [op], f"adding {op.title()}"))

    # -- showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_entry()

    def show_entry(self, _grade: object = None) -> None:
        """Show the entry that the panel follows; in the next turn of the event loop, or before the next input, if this
        turn is busy. Do nothing while the panel is hidden."""
        if self.isVisible() and not self._waiting:
            self._waiting = turn_queue().put_off(self, self._show_now, before_input=True)
            if not self._waiting:
                self._show_now()

    def _show_now(self) -> None:
        self._waiting = False
        if not self.isVisible():
            return
        document = self._current.document
        self._index = nearest_entry(document.grade, document.current_entry, self._suits)
        op = bare(document.entries_at_frame[self._index]) if self._index >= 0 else None
        self._show_op(op if isinstance(op, Op) else None)

    def _follow_frame(self) -> None:
        """Show the values at another frame."""
        if self._current.document.grade.is_animated:
            self.show_entry()

    # -- inside

    def _toggle_key(self, paths: Sequence[str], name: str) -> None:
        self._current.document.select(self._index)
        self._keyframes.toggle(self._index, paths, name)

    def _show_key_menu(self, paths: Sequence[str], name: str, where: QPoint) -> None:
        self._current.document.select(self._index)
        key_menu(self._keyframes, self._index, paths, name, self).popup(where)

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        if now is not None and self._index >= 0 and self._holds(now):
            self._current.document.select(self._index)

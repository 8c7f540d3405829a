"""The Warper panel, which follows the selected entry of the grade: the editor of a colour warp or grid, larger."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Any

from PySide6.QtCore import QPoint, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import QApplication, QVBoxLayout, QWidget

from app.model.grade_rows import entries_of
from app.panels.empty_page import EmptyPage
from app.panels.key_menu import key_menu
from app.panels.picking import PixelPicker
from app.panels.warper.grid_body import GridBody
from app.panels.warper.warp_body import WarpBody
from app.services.keyframes import Keyframes
from app.services.messages import Messages
from app.widgets.scrolling import scroll_area
from engine import Grade
from engine.errors import GradeError
from engine.grade.grade import bare
from engine.ops import ColorWarp, HueLumaGrid

LEAST_WIDTH = 320
WARPS = (ColorWarp, HueLumaGrid)
Editor = WarpBody | GridBody


def shown_entry(grade: Grade, current: int) -> int:
    """Return the index of the current entry if it is a warp or a grid, else of the nearest one; -1 if there is none."""
    found = [index for index, entry in enumerate(entries_of(grade)) if isinstance(bare(entry), WARPS)]
    return min(found, key=lambda index: abs(index - current), default=-1)


class WarperPanel(QWidget):
    """A large editor of a warp or grid of the current document. Its entry is selected once the focus enters it."""

    def __init__(self, keyframes: Keyframes, messages: Messages, picker: PixelPicker) -> None:
        super().__init__()
        self._current = current = keyframes.current
        self._keyframes, self._messages, self._picker = keyframes, messages, picker
        self._index = -1
        self._bodies: dict[type, Editor] = {}
        self.body: Editor | None = None
        """The editor on screen; None if the grade has no warp."""
        tip = "Add a colour warp after the current entry"
        self.empty = EmptyPage("No entry of the grade is a colour warp.", "Add colour warp", tip, self.add)
        self._content = QWidget()
        self._content.setObjectName("cards")
        self._column = QVBoxLayout(self._content)
        self._column.setContentsMargins(10, 6, 10, 6)
        self._column.addWidget(self.empty)
        outer = QVBoxLayout(self)
        outer.setContentsMargins(0, 0, 0, 0)
        outer.addWidget(scroll_area(self._content))
        current.grade_changed.connect(self.show_entry)
        current.image_changed.connect(self._follow_frame)
        current.selected_changed.connect(self.show_entry)
        app = QApplication.instance()
        assert isinstance(app, QApplication)
        app.focusChanged.connect(self._focus_moved)

    def sizeHint(self) -> QSize:
        return QSize(2 * LEAST_WIDTH, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, 160)

    # -- showing

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self.show_entry()

    def show_entry(self, _grade: object = None) -> None:
        """Show the entry that the panel follows; do nothing while the panel is hidden."""
        if not self.isVisible():
            return
        document = self._current.document
        self._index = shown_entry(document.grade, document.current_entry)
        op = bare(document.entries_at_frame[self._index]) if self._index >= 0 else None
        self.empty.setVisible(op is None)
        self.body = None
        if isinstance(op, WARPS):
            self.body = body = self._bodies.get(type(op)) or self._new_body(op)
            body.set_op(op)
            body.marks.show_keys(self._keyframes.curves(self._index), self._keyframes.frame)
        for each in self._bodies.values():
            each.setVisible(each is self.body)

    def _follow_frame(self) -> None:
        """Show the values at another frame."""
        if self._current.document.grade.is_animated:
            self.show_entry()

    def _new_body(self, op: ColorWarp | HueLumaGrid) -> Editor:
        body = WarpBody(op, large=True) if isinstance(op, ColorWarp) else GridBody(op, large=True)
        self._bodies[type(op)] = body
        body.edited.connect(partial(self._edit, body))
        body.drag_started.connect(lambda: self._current.document.begin_drag())
        body.drag_ended.connect(lambda: self._current.document.end_drag())
        body.pick_wanted.connect(partial(self._picker.pick, body, place=self._place))
        body.samples_wanted.connect(partial(self._picker.sample, place=self._place))
        body.marks.toggled.connect(self._toggle_key)
        body.marks.menu_wanted.connect(self._show_key_menu)
        body.finish()
        self._column.addWidget(body, 1)
        return body

    def _place(self) -> int | None:
        """Return the index of the entry that is shown."""
        return self._index if self._index >= 0 else None

    # -- edits

    def add(self) -> None:
        """Add a colour warp after the current entry, and select it."""
        document = self._current.document
        at = document.insert(document.current_entry + 1, [ColorWarp()], f"adding {ColorWarp.title()}")
        document.select(at)
        if self.body is not None:
            (self.body.first_control() or self.body).setFocus(Qt.FocusReason.OtherFocusReason)

    def _edit(self, body: Editor, changes: dict[str, Any], what: str) -> None:
        if body is not self.body:
            return  # a box that loses the focus when its entry is removed
        try:
            op = body.op.replace(**changes)
        except GradeError as error:
            self._messages.warn(str(error))
            body.refresh()
            return
        key = f"{self._index}.{','.join(changes)}"
        self._current.document.edit_entry(self._index, op, f"{op.title()} {what}", key)

    def _toggle_key(self, paths: Sequence[str], name: str) -> None:
        self._current.document.select(self._index)
        self._keyframes.toggle(self._index, paths, name)

    def _show_key_menu(self, paths: Sequence[str], name: str, where: QPoint) -> None:
        self._current.document.select(self._index)
        key_menu(self._keyframes, self._index, paths, name, self).popup(where)

    def _focus_moved(self, _before: QWidget | None, now: QWidget | None) -> None:
        if self.body is not None and now is not None and self.body.isAncestorOf(now) and self._index >= 0:
            self._current.document.select(self._index)

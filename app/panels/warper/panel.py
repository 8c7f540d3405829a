"""The Warper panel, which follows the selected entry of the grade: the editor of a colour warp or grid, larger."""

from __future__ import annotations

from functools import partial
from typing import Any

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QVBoxLayout, QWidget

from app.panels.empty_page import EmptyPage
from app.panels.entry_panel import EntryPanel
from app.panels.picking import PixelPicker
from app.panels.warper.grid_body import GridBody
from app.panels.warper.warp_body import WarpBody
from app.services.keyframes import Keyframes
from app.services.messages import Messages
from app.widgets.scrolling import scroll_area
from engine.kernel.op import Op
from engine.ops import ColorWarp, HueLumaGrid

LEAST_WIDTH = 320
WARPS = (ColorWarp, HueLumaGrid)
Editor = WarpBody | GridBody


class WarperPanel(EntryPanel):
    """A large editor of a warp or grid of the current document. Its entry is selected once the focus enters it."""

    def __init__(self, keyframes: Keyframes, messages: Messages, picker: PixelPicker) -> None:
        super().__init__(keyframes, messages)
        self._picker = picker
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

    def sizeHint(self) -> QSize:
        return QSize(2 * LEAST_WIDTH, 340)

    def minimumSizeHint(self) -> QSize:
        return QSize(LEAST_WIDTH, 160)

    def add(self) -> None:
        """Add a colour warp after the current entry, and select it."""
        self._add(ColorWarp())
        if self.body is not None:
            (self.body.first_control() or self.body).setFocus(Qt.FocusReason.OtherFocusReason)

    # -- inside

    @staticmethod
    def _suits(op: Any) -> bool:
        return isinstance(op, WARPS)

    def _show_op(self, op: Op | None) -> None:
        self.empty.setVisible(op is None)
        self.body = None
        if isinstance(op, WARPS):
            self.body = self._bodies.get(type(op)) or self._new_body(op)
            self._show_in(self.body, op)
        for each in self._bodies.values():
            each.setVisible(each is self.body)

    def _holds(self, widget: QWidget) -> bool:
        return self.body is not None and self.body.isAncestorOf(widget)

    def _new_body(self, op: ColorWarp | HueLumaGrid) -> Editor:
        body = WarpBody(op, large=True) if isinstance(op, ColorWarp) else GridBody(op, large=True)
        self._bodies[type(op)] = body
        body.edited.connect(partial(self._edit, body))
        body.pick_wanted.connect(partial(self._picker.pick, body, place=self._place))
        body.samples_wanted.connect(partial(self._picker.sample, place=self._place))
        self._follow_editor(body)
        body.finish()
        self._column.addWidget(body, 1)
        return body

    def _place(self) -> int | None:
        """Return the index of the entry that is shown."""
        return self._index if self._index >= 0 else None

    def _edit(self, body: Editor, changes: dict[str, Any], what: str) -> None:
        if body is self.body:  # else a box that loses the focus when its entry is removed
            self._change(body, changes, what)

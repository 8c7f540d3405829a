"""The message bar: warnings and offers at the bottom of the canvas."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QEvent, QObject, QSize, Qt
from PySide6.QtGui import QShowEvent
from PySide6.QtWidgets import (
    QFrame,
    QHBoxLayout,
    QLabel,
    QPushButton,
    QSizePolicy,
    QToolButton,
)

from app.canvas.presenting.scene import SceneWidget
from app.services.messages import Warned
from app.widgets.style import icon

TOGETHER, MOST_LINES = 1.5, 4
"""Warnings that arrive within TOGETHER seconds are shown together, at most MOST_LINES of them."""
EDGE = 12
"""Distance from the edges of the canvas, in pixels."""


class MessageBar(QFrame):
    """Shows a message at the bottom of its parent until it is dismissed or replaced.

    Warnings that arrive together, for example when several files are dropped, are shown together.
    """

    def __init__(self, parent: SceneWidget) -> None:
        super().__init__(parent)
        self._canvas = parent
        parent.bars.append(self)
        self.setObjectName("messageBar")
        self.setAccessibleName("Message")
        self._mark = mark = QLabel()
        mark.setPixmap(icon("warning").pixmap(QSize(16, 16)))
        self.label = QLabel()
        self.label.setTextFormat(Qt.TextFormat.PlainText)  # messages contain file names
        self.label.setWordWrap(True)
        self.label.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Preferred)
        self.label.setTextInteractionFlags(Qt.TextInteractionFlag.TextSelectableByMouse)
        self.label.setAccessibleName("Message")
        self.button = QPushButton()
        self.button.setToolTip("Accept what this message offers")
        self.button.setAccessibleName("Accept offer")
        self.button.clicked.connect(self._accept)
        self._run: Callable[[], None] | None = None
        self._shown: list[Warned] = []
        self._shown_at = 0.0
        self.close_button = QToolButton()
        self.close_button.setIcon(icon("remove"))
        self.close_button.setToolTip("Dismiss this message (Esc)")
        self.close_button.setAccessibleName("Dismiss message")
        self.close_button.clicked.connect(self.hide)
        row = QHBoxLayout(self)
        row.setContentsMargins(12, 6, 6, 6)
        row.setSpacing(10)
        row.addWidget(mark, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.label, 1)
        row.addWidget(self.button, 0, Qt.AlignmentFlag.AlignVCenter)
        row.addWidget(self.close_button, 0, Qt.AlignmentFlag.AlignVCenter)
        self.hide()
        parent.installEventFilter(self)

    def warn(self, warned: Warned) -> None:
        """Show a warning, together with those that arrived a moment ago."""
        together = self.isVisible() and time.monotonic() - self._shown_at < TOGETHER
        self._shown = [*(self._shown if together else []), warned]
        self._shown_at = time.monotonic()
        self._show_warnings()

    def withdraw(self, warned: Warned) -> None:
        """Remove a warning that does not apply any more."""
        if warned in self._shown and self.isVisible():
            self._shown.remove(warned)
            self._show_warnings()
            self.setVisible(bool(self._shown))

    def _show_warnings(self) -> None:
        texts = list(dict.fromkeys(each.text for each in self._shown))
        lines, more = texts[-MOST_LINES:], len(texts) - MOST_LINES
        self._show("\n".join([*lines, *([f"and {more} more like these"] if more > 0 else [])]), None)

    def offer(self, line: str, name: str, run: Callable[[], None]) -> None:
        """Show a line with a button called `name` that calls `run`."""
        self._shown = []
        self.button.setText(name)
        self._show(line, run)

    def dismiss(self) -> bool:
        """Hide the message; return whether there was one."""
        visible = self.isVisible()
        self.hide()
        return visible

    def _accept(self) -> None:
        run = self._run
        self.hide()
        if run is not None:
            run()

    def _show(self, line: str, run: Callable[[], None] | None) -> None:
        self._run = run
        self.button.setVisible(run is not None)
        self._mark.setVisible(run is None)
        self.label.setText(line)
        self.show()
        self.raise_()

    @property
    def text(self) -> str:
        """The visible text, or ''."""
        return self.label.text() if self.isVisible() else ""

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.Resize and self.isVisible():
            self._place()
        return False

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._place()

    def event(self, event: QEvent) -> bool:
        """Place the bar once its text has changed: only once, however many warnings come together."""
        handled = super().event(event)
        if event.type() == QEvent.Type.LayoutRequest:
            self._place()
        return handled

    def _place(self) -> None:
        """Place the bar at the lower edge of its parent. Measuring a text of several lines takes milliseconds."""
        parent = self._canvas
        width = min(parent.width() - 2 * EDGE, 760)
        height = self.heightForWidth(width) if self.hasHeightForWidth() else self.sizeHint().height()
        self.setGeometry((parent.width() - width) // 2, parent.height() - height - EDGE, width, height)

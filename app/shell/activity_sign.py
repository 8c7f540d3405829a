"""The quiet sign in the status bar for work that takes longer than a moment."""

from __future__ import annotations

import math
import time

from PySide6.QtCore import QRectF, Qt, QTimer
from PySide6.QtGui import QColor, QFontMetrics, QHideEvent, QPainter, QPaintEvent, QPen, QShowEvent
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QWidget

from app.services.activity import Activity
from app.widgets.style import ACCENT, icon

TURN_SECONDS = 1.2
FRAME_MS = 60
WIDEST = 200
STOP_SIDE = 14
"""The side of the button, which leaves the status bar as high as it is."""


class Arc(QWidget):
    """A part of a circle that turns while it is visible."""

    def __init__(self) -> None:
        super().__init__()
        self.setFixedSize(14, 14)
        self._turning = QTimer(self, interval=FRAME_MS)
        self._turning.timeout.connect(self.update)

    def showEvent(self, event: QShowEvent) -> None:
        self._turning.start()

    def hideEvent(self, event: QHideEvent) -> None:
        self._turning.stop()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            pen = QPen(QColor(ACCENT), 1.8)
            pen.setCapStyle(Qt.PenCapStyle.RoundCap)
            painter.setPen(pen)
            turn = math.fmod(time.monotonic() / TURN_SECONDS, 1.0)
            painter.drawArc(QRectF(2, 2, 10, 10), round(-turn * 360 * 16), 100 * 16)


class ActivitySign(QWidget):
    """A turning arc, what is worked on beside it, and a button if that can be stopped; hidden while nothing lasts."""

    def __init__(self, activity: Activity) -> None:
        super().__init__()
        self._label = QLabel()
        self._label.setObjectName("note")
        row = QHBoxLayout(self)
        row.setContentsMargins(4, 0, 4, 0)
        row.setSpacing(2)
        row.addWidget(Arc())
        row.addWidget(self._label)
        self.stop = QToolButton()
        self.stop.setIcon(icon("stop"))
        self.stop.setFixedSize(STOP_SIDE, STOP_SIDE)
        self.stop.setToolTip("Stop this work")
        self.stop.setAccessibleName("Stop the work in progress")
        self.stop.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.stop.clicked.connect(activity.stop)
        row.addWidget(self.stop)
        self._activity = activity
        self.setAccessibleName("Work in progress")
        activity.changed.connect(self._show)
        self.hide()

    @property
    def text(self) -> str:
        """What is shown, or ''."""
        return "" if self.isHidden() else self._label.text()

    def _show(self, text: str | None) -> None:
        shown = (text or "").rstrip("…")
        metrics = QFontMetrics(self._label.font())
        self._label.setText(metrics.elidedText(shown, Qt.TextElideMode.ElideMiddle, WIDEST))
        self.setToolTip(f"{shown}. You can go on working.")
        self.stop.setVisible(self._activity.can_stop)
        self.setVisible(text is not None)

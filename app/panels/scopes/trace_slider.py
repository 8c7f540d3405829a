"""A small slider for the look of traces, with its value written on it."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent

from app.widgets.slider import TrackSlider
from app.widgets.style import ACCENT, TEXT
from engine.kernel.op import Slider

GROUND, FILL = QColor("#2e2e2e"), QColor("#505050")


class TraceSlider(TrackSlider):
    """A bar with a label that shows and edits a number."""

    def __init__(self, label: str, kind: Slider, step: float) -> None:
        super().__init__(kind, kind.default, step)
        self._label = label
        self.setFixedHeight(20)
        self.setMinimumWidth(108)
        self.setMaximumWidth(140)
        self.setAccessibleName(f"{label} of the traces")
        self.setToolTip(
            f"{label} of the traces, {kind.unit}. {kind.help}.\n"
            "Drag, or use the arrow keys or the wheel; hold Shift for fine steps, Alt for coarse ones; "
            f"double click or Delete to reset to {kind.default:g}."
        )
        self.reset.connect(lambda: self._move_to(kind.default))

    def set_number(self, number: float) -> None:
        super().set_number(number)
        self.setAccessibleDescription(self.text())

    def text(self) -> str:
        """Return the label and the value."""
        sign = "+" if self._kind.low < 0.0 else ""
        value = f"{self.number:{sign}.3g}" if self.number else "0"
        return f"{self._label} {value} {self._kind.unit}".replace("-", "−")

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
            painter.setPen(QColor(ACCENT) if self.hasFocus() else Qt.PenStyle.NoPen)
            painter.setBrush(GROUND)
            painter.drawRoundedRect(box, 3, 3)
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(FILL)
            start, end = sorted((self._place(max(0.0, self._kind.low)), self._place(self.number)))
            painter.drawRect(QRectF(start, 2, end - start, self.height() - 4))
            painter.setPen(QColor(TEXT))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, self.text())

"""The slider for the mix of an entry."""

from __future__ import annotations

from PySide6.QtCore import QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent

from app.widgets.slider import TrackSlider
from app.widgets.style import ACCENT, TEXT
from engine.kernel.op import Slider

_MIX = Slider(100.0, 0.0, 100.0, "%", 0.0, "Mix of the entry's result with its input")


class MixSlider(TrackSlider):
    """A small bar that shows and edits the mix of an entry, in percent."""

    def __init__(self, name: str) -> None:
        super().__init__(_MIX, 100.0, step=1.0)
        self.setFixedSize(46, 18)
        self.setAccessibleName(f"{name} mix")
        self.setToolTip(
            f"Mix of {name}, %. {_MIX.help}; 100 % is only the result.\nDrag, or use the arrow keys or the wheel; "
            "hold Shift for fine steps, Alt for coarse ones; double click to reset to 100."
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        box = QRectF(self.rect()).adjusted(0.5, 0.5, -0.5, -0.5)
        painter.setPen(QColor(ACCENT) if self.hasFocus() else Qt.PenStyle.NoPen)
        painter.setBrush(QColor(46, 46, 46))
        painter.drawRoundedRect(box, 3, 3)
        painter.setPen(Qt.PenStyle.NoPen)
        painter.setBrush(QColor(88, 88, 88))
        share = min(max(self.number / 100.0, 0.0), 1.0)
        painter.drawRoundedRect(QRectF(1, 1, (self.width() - 2) * share, self.height() - 2), 2, 2)
        painter.setPen(QColor(TEXT))
        painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, f"{self.number:.3g} %")

"""Small sliders for percentages in rows: the mix of an entry, the opacity of a node of a matte."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, Qt
from PySide6.QtGui import QColor, QPainter, QPaintEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.widgets.key_mark import KeySpot
from app.widgets.slider import TrackSlider
from app.widgets.style import ACCENT, TEXT
from engine.kernel.op import Slider

SPACE = 9
"""Pixels before a slider for the diamond of its keys."""
_MIX = Slider(100.0, 0.0, 100.0, "%", 0.0, "Mix of the entry's result with its input")


class KeyedPercent(QWidget):
    """A slider for a percentage, with space before it for the diamond of its keys."""

    def __init__(self, slider: PercentSlider) -> None:
        super().__init__()
        self._slider = slider
        row = QHBoxLayout(self)
        row.setContentsMargins(SPACE, 0, 0, 0)
        row.addWidget(slider)

    def key_spot(self) -> KeySpot:
        """Return where the diamond goes."""
        return KeySpot(self, lambda: QPoint(SPACE // 2, self.height() // 2), self._slider.accessibleName())


class PercentSlider(TrackSlider):
    """A small bar that shows and edits a percentage; 100 is its default."""

    def __init__(self, kind: Slider, name: str, tip: str) -> None:
        """`tip` says what it changes."""
        super().__init__(kind, 100.0, step=1.0)
        self.setFixedSize(42, 18)
        self.describe(name, tip)

    def describe(self, name: str, tip: str) -> None:
        """Set the accessible name, and what the tooltip says."""
        self.setAccessibleName(name)
        self.setToolTip(
            f"{tip}\nDrag, or use the arrow keys or the wheel; "
            "hold Shift for fine steps, Alt for coarse ones; double click to reset to 100."
        )

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
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


class MixSlider(PercentSlider):
    """Shows and edits the mix of an entry."""

    def __init__(self, name: str) -> None:
        super().__init__(_MIX, f"{name} mix", mix_tip(name))


def mix_tip(name: str) -> str:
    """Return what the tooltip of the mix of an entry says."""
    return f"Mix of {name}, %. {_MIX.help}; 100 % is only the result."

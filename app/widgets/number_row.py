"""A row of controls for one number: label, track, reset and box."""

from __future__ import annotations

from PySide6.QtCore import QPoint, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QHideEvent, QPainter, QPaintEvent, QPen, QResizeEvent
from PySide6.QtWidgets import QAbstractButton, QHBoxLayout, QWidget

from app.widgets.key_mark import KeySpot
from app.widgets.scrubbing import ScrubLabel
from app.widgets.slider import NumberBox, TrackSlider
from app.widgets.style import ACCENT, FAINT, MUTED, TEXT
from engine.kernel.op import Slider

LABEL_WIDTH = 82
BOX_WIDTH = 78
GAP = 8
_DOT, _DOT_WIDTH = 6.0, 12
DISABLED_DOT = QColor(FAINT).darker(150)


class ResetDot(QAbstractButton):
    """A dot beside a number that is not at its default; it resets the number."""

    def __init__(self, name: str, default: float, parent: QWidget) -> None:
        super().__init__(parent)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAccessibleName(f"Reset {name}")
        self.setToolTip(f"{name} is changed. Click to reset to {default:g} (Delete on the slider).")

    def sizeHint(self) -> QSize:
        return QSize(_DOT_WIDTH, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            dot = QRectF(0.0, 0.0, _DOT, _DOT)
            dot.moveCenter(QRectF(self.rect()).center())
            painter.setPen(Qt.PenStyle.NoPen)
            painter.setBrush(QColor(DISABLED_DOT if not self.isEnabled() else TEXT if self.underMouse() else MUTED))
            painter.drawEllipse(dot)
            if self.hasFocus():
                painter.setPen(QPen(QColor(ACCENT), 1.0))
                painter.setBrush(Qt.BrushStyle.NoBrush)
                painter.drawEllipse(dot.adjusted(-2.0, -2.0, 2.0, 2.0))


def number_box(kind: Slider, name: str) -> NumberBox:
    """Return a box on its own, named and described."""
    box = NumberBox(kind)
    box.setAccessibleName(name)
    box.setToolTip(f"{name}, {kind.unit or 'no unit'}. {kind.help}.\nDrag across it, or type a value.")
    return box


class NumberRow(QWidget):
    """A row with label, track and box for one number, and a dot that resets it while it differs from its default."""

    edited = Signal(float)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(
        self, label: str, kind: Slider, default: float, name: str, indent: bool = False, label_width: int = LABEL_WIDTH
    ) -> None:
        super().__init__()
        self._number = self._default = default
        self._name = name
        self.dot: ResetDot | None = None  # made when the number first differs from its default
        self.track, self.box = TrackSlider(kind, default), NumberBox(kind)
        self.label = ScrubLabel(label, self.box.scrub)
        self.label.setFixedWidth(label_width)
        self.label.setProperty("sub", indent)
        self.box.setFixedWidth(BOX_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(GAP)
        for widget in (self.label, self.track, self.box):
            layout.addWidget(widget)
        self._describe(kind, name)
        self.track.edited.connect(self._edit)
        self.label.reset.connect(self.reset)
        self.track.reset.connect(self.reset)
        self.track.drag_started.connect(self.drag_started)
        self.track.drag_ended.connect(self.drag_ended)
        self.box.valueChanged.connect(self._edit)
        self.box.drag_started.connect(self._begin_drag)
        self.box.drag_ended.connect(self._end_drag)
        self.set_number(default)

    @property
    def number(self) -> float:
        return self._number

    def key_spot(self, parts: tuple[int, ...] | None = None) -> KeySpot:
        """Return where the diamond goes: into the gap before the track."""
        return KeySpot(self, lambda: QPoint(self.track.x() - GAP // 2, self.height() // 2), self._name, parts)

    def set_number(self, number: float) -> None:
        """Show a value without announcing it."""
        self._number = number
        self.track.set_number(number)
        blocked = self.box.blockSignals(True)
        self.box.setValue(number)
        self.box.blockSignals(blocked)
        self.mark_changed(number != self._default)

    def mark_changed(self, changed: bool) -> None:
        """Show the dot, or hide it. A row for several numbers is changed if one of them is."""
        if changed and self.dot is None:
            self.dot = ResetDot(self._name, self._default, self)
            self.dot.clicked.connect(self.reset)
            QWidget.setTabOrder(self.track, self.dot)
            QWidget.setTabOrder(self.dot, self.box)
            self._place_dot()
        if self.dot is not None and changed == self.dot.isHidden():
            if self.dot.hasFocus():
                self.track.setFocus()
            self.dot.setVisible(changed)

    def reset(self) -> None:
        """Set the number to its default."""
        if self.dot is not None and not self.dot.isHidden():
            self.set_number(self._default)
            self.edited.emit(self._default)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._place_dot()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.box.scrub.finish()

    def _place_dot(self) -> None:
        """Put the dot in the gap before the box."""
        if self.dot is not None:
            at = self.width() - self.box.width() - (GAP + _DOT_WIDTH) // 2
            self.dot.setGeometry(at, (self.height() - 20) // 2, _DOT_WIDTH, 20)

    def _begin_drag(self) -> None:
        self.track.keeps_range = True
        self.drag_started.emit()

    def _end_drag(self) -> None:
        self.track.keeps_range = False
        self.drag_ended.emit()

    def _edit(self, number: float) -> None:
        if number != self._number:
            self.set_number(number)
            self.edited.emit(number)

    def _describe(self, kind: Slider, name: str) -> None:
        unit = f", {kind.unit}" if kind.unit else ", no unit"
        what = f"{name}{unit}. {kind.help}".rstrip(". ")
        shift = "hold Shift for fine steps, Alt for coarse ones"
        self.track.setToolTip(
            f"{what}.\nDrag, or use the arrow keys or the wheel; {shift}; double click to reset to {self._default:g}."
        )
        self.box.setToolTip(f"{what}.\nDrag across it, or click and type a value, or use the arrow keys; {shift}.")
        self.label.setToolTip(f"{what}.\nDrag to change it; {shift}; double click to reset to {self._default:g}.")
        self.label.setBuddy(self.box)
        self.track.setAccessibleName(f"{name} slider")
        self.box.setAccessibleName(name)

"""Controls for one number: a track to drag and a box to type in."""

from __future__ import annotations

import math

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFocusEvent, QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QValidator, QWheelEvent
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QHBoxLayout, QLabel, QSizePolicy, QSlider, QWidget

from app.widgets.arithmetic import LETTERS, number_of
from app.widgets.gestures import FINE, fineness
from app.widgets.style import ACCENT, FAINT
from engine.kernel.op import Slider

LABEL_WIDTH = 82
BOX_WIDTH = 78
UNLIMITED = 1e6
"""Range of a box whose slider sets no limit."""
_GROOVE, _FILL, _KNOB, _MARK = QColor(38, 38, 38), QColor(140, 140, 140), QColor(214, 214, 214), QColor(104, 104, 104)
_ACCENT, _OFF = QColor(ACCENT), QColor(FAINT).darker(150)


def step_of(kind: Slider) -> float:
    """Return a step of 1, 2 or 5 times a power of ten; some 200 steps span the control."""
    rough = (kind.high - kind.low) / 200
    power = 10.0 ** math.floor(math.log10(rough))
    return power * max(factor for factor in (1, 2, 5) if factor * power <= rough * 1.0001)


def decimals_of(kind: Slider) -> int:
    """Return the number of decimals that are always shown: those of a fine step."""
    return max(0, 1 - math.floor(math.log10(step_of(kind)) + 1e-9))


def number_text(value: float, shown: int) -> str:
    """Format a value with `shown` to 4 decimals; with 7 digits if it is large, and with 6 decimals if fewer would
    show 0."""
    most = max(0, min(4, 7 - len(f"{abs(value):.0f}")))
    if value and abs(value) < 0.00005:
        most = 6
    whole, _, decimals = f"{value:.{most}f}".partition(".")
    kept = decimals.rstrip("0").ljust(min(shown, most), "0")
    text = f"{whole}.{kept}" if kept else whole
    return text if float(text) else text.lstrip("-")


def is_fine() -> bool:
    return bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)


class TrackSlider(QSlider):
    """A slider for floats. Dragging changes the value by the dragged distance, so a click alone changes nothing."""

    edited = Signal(float)
    drag_started = Signal()
    drag_ended = Signal()
    reset = Signal()

    def __init__(self, kind: Slider, default: float) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._kind, self._default, self._step = kind, default, step_of(kind)
        self._number = default
        self._grabbed: QPointF | None = None
        self.setRange(0, round((kind.high - kind.low) / self._step))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.actionTriggered.connect(self._on_action)

    @property
    def number(self) -> float:
        return self._number

    def set_number(self, number: float) -> None:
        """Show a value; a value out of range appears at the end of the track."""
        self._number = number
        clamped = min(max(number, self._kind.low), self._kind.high)
        self.setValue(round((clamped - self._kind.low) / self._step))
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(80, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        middle, value, rest = self.height() / 2, self._place(self._number), self._place(self._default)
        painter.setBrush(_GROOVE)
        painter.drawRoundedRect(QRectF(0, middle - 2, self.width(), 4), 2, 2)
        painter.setBrush(_FILL)
        if self.isEnabled():
            painter.drawRect(QRectF(min(value, rest), middle - 2, abs(value - rest), 4))
        painter.setBrush(_MARK)
        painter.drawRect(QRectF(rest - 0.5, middle - 6, 1, 12))
        painter.setBrush(_OFF if not self.isEnabled() else _ACCENT if self.hasFocus() else _KNOB)
        painter.drawRoundedRect(QRectF(value - 3.5, middle - 7, 7, 14), 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = event.position()
            self.drag_started.emit()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is None:
            return
        distance = (event.position().x() - self._grabbed.x()) / max(1.0, self.width() - 8.0) * fineness(event)
        self._grabbed = event.position()
        self._move_to(self._number + distance * (self._kind.high - self._kind.low))

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self._grabbed is not None and event.button() == Qt.MouseButton.LeftButton:
            self._grabbed = None
            self.drag_ended.emit()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset.emit()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if not self.hasFocus():
            event.ignore()  # the panel scrolls
            return
        delta = event.angleDelta().y() or event.angleDelta().x()
        self._move_by_steps(delta / 120 * fineness(event))
        event.accept()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        steps = {
            Qt.Key.Key_Left: -1,
            Qt.Key.Key_Down: -1,
            Qt.Key.Key_Right: 1,
            Qt.Key.Key_Up: 1,
            Qt.Key.Key_PageDown: -10,
            Qt.Key.Key_PageUp: 10,
        }
        if event.key() in steps:
            self._move_by_steps(steps[Qt.Key(event.key())] * fineness(event))
        elif event.key() in (Qt.Key.Key_Delete, Qt.Key.Key_Backspace):
            self.reset.emit()
        else:
            event.ignore()

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        self.update()

    def _move_by_steps(self, steps: float) -> None:
        self._move_to(self._number + steps * self._step)

    def _move_to(self, number: float) -> None:
        """Set the value, clamped to the range; a typed value out of range is not pulled in."""
        low, high = min(self._kind.low, self._number), max(self._kind.high, self._number)
        number = round(min(max(number, low), high), decimals_of(self._kind) + 1)
        if number != self._number:
            self.set_number(number)
            self.edited.emit(number)

    def _on_action(self, _action: int) -> None:
        """Follow a slider action, such as that of a screen reader."""
        self._move_to(self._kind.low + self.sliderPosition() * self._step)

    def _place(self, number: float) -> float:
        share = (number - self._kind.low) / (self._kind.high - self._kind.low)
        return 4.0 + min(max(share, 0.0), 1.0) * (self.width() - 8.0)


class NumberBox(QDoubleSpinBox):
    """A spin box for a value and its unit. Shows as many decimals as the value has, up to 4, fewer if it is large.
    Shift makes steps fine."""

    def __init__(self, kind: Slider) -> None:
        super().__init__()
        self._shown = 0
        self.setDecimals(6)
        self.set_kind(kind)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setAlignment(Qt.AlignmentFlag.AlignRight)

    def set_kind(self, kind: Slider) -> None:
        """Use decimals, range, step and unit of another slider."""
        self._shown = decimals_of(kind)
        self.setRange(-UNLIMITED if kind.minimum is None else kind.minimum, UNLIMITED)
        self.setSingleStep(step_of(kind))
        self.setSuffix(f" {kind.unit}" if kind.unit else "")

    def textFromValue(self, value: float) -> str:
        return number_text(value, self._shown)

    def valueFromText(self, text: str) -> float:
        value = number_of(self._bare(text))
        return self.value() if value is None else value

    def validate(self, text: str, pos: int) -> tuple[QValidator.State, str, int]:
        """Accept arithmetic; report text that is not a number yet, or out of range, as intermediate."""
        bare = self._bare(text)
        value = number_of(bare)
        if value is not None and self.minimum() <= value <= self.maximum():
            return QValidator.State.Acceptable, text, pos
        return (QValidator.State.Intermediate if set(bare) <= LETTERS else QValidator.State.Invalid), text, pos

    def _bare(self, text: str) -> str:
        """Return the text without the unit."""
        return text.removesuffix(self.suffix()).strip()

    def sizeHint(self) -> QSize:
        """Return the least height, so that all boxes have the same height however much space there is."""
        return QSize(super().sizeHint().width(), max(self.minimumHeight(), self.fontMetrics().height() + 4))

    def minimumSizeHint(self) -> QSize:
        return QSize(super().minimumSizeHint().width(), self.sizeHint().height())

    def stepBy(self, steps: int) -> None:
        """Step from the exact value, not from the rounded text in the box."""
        self.setValue(self.value() + steps * self.singleStep() * (FINE if is_fine() else 1.0))

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        if event.key() == Qt.Key.Key_Escape:
            self.lineEdit().setText(self.textFromValue(self.value()) + self.suffix())  # discard what was typed
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.clearFocus()  # so that letters are shortcuts again


class NumberRow(QWidget):
    """A row with label, track and box for one number."""

    edited = Signal(float)
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(
        self, label: str, kind: Slider, default: float, name: str, indent: bool = False, label_width: int = LABEL_WIDTH
    ) -> None:
        super().__init__()
        self._number = self._default = default
        self.label = QLabel(label)
        self.label.setFixedWidth(label_width)
        self.label.setProperty("sub", indent)
        self.track, self.box = TrackSlider(kind, default), NumberBox(kind)
        self.box.setFixedWidth(BOX_WIDTH)
        layout = QHBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(8)
        for widget in (self.label, self.track, self.box):
            layout.addWidget(widget)
        self._describe(kind, name)
        self.track.edited.connect(self._edit)
        self.track.reset.connect(lambda: self._edit(self._default))
        self.track.drag_started.connect(self.drag_started)
        self.track.drag_ended.connect(self.drag_ended)
        self.box.valueChanged.connect(self._edit)
        self.set_number(default)

    @property
    def number(self) -> float:
        return self._number

    def set_number(self, number: float) -> None:
        """Show a value without announcing it."""
        self._number = number
        self.track.set_number(number)
        blocked = self.box.blockSignals(True)
        self.box.setValue(number)
        self.box.blockSignals(blocked)

    def _edit(self, number: float) -> None:
        if number != self._number:
            self.set_number(number)
            self.edited.emit(number)

    def _describe(self, kind: Slider, name: str) -> None:
        unit = f", {kind.unit}" if kind.unit else ", no unit"
        what = f"{name}{unit}. {kind.help}".rstrip(". ")
        how = "Drag, or use the arrow keys or the wheel; hold Shift for fine steps; double click to reset to"
        self.track.setToolTip(f"{what}.\n{how} {self._default:g}.")
        self.box.setToolTip(f"{what}.\nType a value or use the arrow keys; hold Shift for fine steps.")
        self.label.setToolTip(f"{what}.")
        self.label.setBuddy(self.box)
        self.track.setAccessibleName(f"{name} slider")
        self.box.setAccessibleName(name)

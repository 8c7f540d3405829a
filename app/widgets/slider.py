"""Controls for one number: a track to drag, and a box to drag or type in."""

from __future__ import annotations

import math

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import (
    QColor,
    QContextMenuEvent,
    QFocusEvent,
    QHideEvent,
    QKeyEvent,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QValidator,
    QWheelEvent,
)
from PySide6.QtWidgets import QApplication, QDoubleSpinBox, QSizePolicy, QSlider

from app.widgets.arithmetic import LETTERS, number_of
from app.widgets.gestures import FINE, fineness
from app.widgets.key_mark import mark_of
from app.widgets.scrubbing import SWEEP, Scrub
from app.widgets.style import ACCENT, FAINT
from engine.kernel.op import Slider

UNLIMITED = 1e6
"""Range of a box whose slider sets no limit."""
_GROOVE, _FILL, _KNOB, _MARK = QColor(38, 38, 38), QColor(140, 140, 140), QColor(214, 214, 214), QColor(168, 168, 168)
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


def range_for(kind: Slider, number: float) -> tuple[float, float]:
    """Return the range that a control shows for a value: the visible one, the whole one beyond it, or up to the value
    if it lies outside."""
    low, high = kind.visible or (kind.low, kind.high)
    if not low <= number <= high:
        low, high = kind.low, kind.high
    return min(low, number), max(high, number)


def limited(kind: Slider, number: float, before: float) -> float:
    """Return a number within the ends of a slider; a value that was typed `before` beyond them is not pulled in."""
    return min(max(number, min(kind.low, before)), max(kind.high, before))


def is_fine() -> bool:
    return bool(QApplication.keyboardModifiers() & Qt.KeyboardModifier.ShiftModifier)


class TrackSlider(QSlider):
    """A slider for floats. Dragging changes the value by the dragged distance, so a click alone changes nothing.

    It shows the visible range of its kind and widens when the value leaves it. While the value is dragged or stepped,
    the range only grows, so that the knob never jumps.
    """

    edited = Signal(float)
    drag_started = Signal()
    drag_ended = Signal()
    reset = Signal()

    def __init__(self, kind: Slider, default: float, step: float | None = None) -> None:
        super().__init__(Qt.Orientation.Horizontal)
        self._kind, self._default, self._step = kind, default, step or step_of(kind)
        self._number = default
        self._range = (0.0, 0.0)
        self._scrub = Scrub(self)
        self._span = 0.0  # of the track, when the drag began
        self.keeps_range = False
        self._show_range(range_for(kind, default))
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self.actionTriggered.connect(self._on_action)

    @property
    def number(self) -> float:
        return self._number

    @property
    def visible_range(self) -> tuple[float, float]:
        """The values at the ends of the track."""
        return self._range

    def set_number(self, number: float) -> None:
        """Show a value."""
        if number != self._number:
            low, high = self._range
            holds = self.keeps_range or self._scrub.active
            self._show_range((min(low, number), max(high, number)) if holds else range_for(self._kind, number))
            self._number = number
            self.update()  # the value of the slider may be the same
        self.setValue(round((number - self._range[0]) / self._step))

    def sizeHint(self) -> QSize:
        return QSize(80, 20)

    def minimumSizeHint(self) -> QSize:
        return QSize(40, 20)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHint(QPainter.RenderHint.Antialiasing)
            painter.setPen(Qt.PenStyle.NoPen)
            middle, value, rest = self.height() / 2, self._place(self._number), self._place(self._default)
            painter.setBrush(_GROOVE)
            painter.drawRoundedRect(QRectF(0, middle - 2, self.width(), 4), 2, 2)
            painter.setBrush(_FILL)
            if self.isEnabled():
                painter.drawRect(QRectF(min(value, rest), middle - 2, abs(value - rest), 4))
            painter.setBrush(_MARK if self.isEnabled() else _OFF)
            painter.drawRect(QRectF(round(rest) - 0.5, middle - 6, 1, 12))
            painter.setBrush(_OFF if not self.isEnabled() else _ACCENT if self.hasFocus() else _KNOB)
            painter.drawRoundedRect(QRectF(value - 3.5, middle - 7, 7, 14), 2, 2)

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self._scrub.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self._scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        self._scrub.release(event)

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        if event.button() == Qt.MouseButton.LeftButton:
            self.reset.emit()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._scrub.finish()

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

    def _show_range(self, visible: tuple[float, float]) -> None:
        if visible != self._range:
            self._range = visible
            self.setRange(0, round((visible[1] - visible[0]) / self._step))

    def begin_drag(self) -> None:
        self._span = self._range[1] - self._range[0]
        self.drag_started.emit()

    def drag(self, pixels: float) -> None:
        self._move_to(self._number + pixels / max(1.0, self.width() - 8.0) * self._span)

    def _move_by_steps(self, steps: float) -> None:
        self._move_to(self._number + steps * self._step)

    def _move_to(self, number: float) -> None:
        number = round(limited(self._kind, number, self._number), decimals_of(self._kind) + 1)
        if number != self._number:
            kept, self.keeps_range = self.keeps_range, True
            self.set_number(number)
            self.keeps_range = kept
            self.edited.emit(number)

    def _on_action(self, _action: int) -> None:
        """Follow a slider action, such as that of a screen reader."""
        self._move_to(self._range[0] + self.sliderPosition() * self._step)

    def _place(self, number: float) -> float:
        low, high = self._range
        share = (number - low) / (high - low)
        return 4.0 + min(max(share, 0.0), 1.0) * (self.width() - 8.0)


class NumberBox(QDoubleSpinBox):
    """A box for a value and its unit. Drag across it to change the value, click it to type one.

    Shows as many decimals as the value has, up to 4, fewer if it is large. Shift makes steps and drags fine.
    """

    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, kind: Slider) -> None:
        super().__init__()
        self._shown = 0
        self.setDecimals(6)
        self.set_kind(kind)
        self.setKeyboardTracking(False)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)  # a press may be a drag; a click takes the focus
        self.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.setCursor(Qt.CursorShape.SizeHorCursor)
        self._at = self._span = 0.0  # of a drag: the value, not rounded, and the range that it sweeps
        self.scrub = Scrub(self)
        self._edit_by_mouse(False)

    def set_kind(self, kind: Slider) -> None:
        """Use decimals, range, step and unit of another slider."""
        self._kind, self._shown = kind, decimals_of(kind)
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

    def begin_typing(self) -> None:
        """Take the focus with the number selected, so that typing replaces it."""
        self.setFocus(Qt.FocusReason.OtherFocusReason)
        self.selectAll()

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.scrub.press(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        self.scrub.move(event)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        if self.scrub.release(event):
            self.begin_typing()
            self._edit_by_mouse(True)

    def focusOutEvent(self, event: QFocusEvent) -> None:
        super().focusOutEvent(event)
        if event.reason() != Qt.FocusReason.PopupFocusReason:
            self._edit_by_mouse(False)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        """Leave the menu to a row that can be animated, unless text is edited by mouse."""
        edits = not self.lineEdit().testAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        if edits or mark_of(self) is None:
            super().contextMenuEvent(event)
        else:
            event.ignore()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self.scrub.finish()

    def wheelEvent(self, event: QWheelEvent) -> None:
        if self.hasFocus():
            super().wheelEvent(event)
        else:
            event.ignore()

    def keyPressEvent(self, event: QKeyEvent) -> None:
        entered = self.textFromValue(self.value()) + self.suffix()
        discards = event.key() == Qt.Key.Key_Escape and self.text() != entered
        if discards:
            self.lineEdit().setText(entered)
        super().keyPressEvent(event)
        if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter, Qt.Key.Key_Escape):
            self.clearFocus()  # so that letters are shortcuts again
        event.setAccepted(discards or event.isAccepted())  # Esc that discards nothing is left to the window

    def _edit_by_mouse(self, editing: bool) -> None:
        """Pass the mouse to the text, to set its cursor and selection, or keep it to drag the number."""
        self.lineEdit().setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents, not editing)

    def begin_drag(self) -> None:
        self.interpretText()
        low, high = range_for(self._kind, self.value())
        self._at, self._span = self.value(), high - low
        self.drag_started.emit()

    def drag(self, pixels: float) -> None:
        self._at = limited(self._kind, self._at + pixels / SWEEP * self._span, self.value())
        self.setValue(round(self._at, decimals_of(self._kind) + 1))

"""The plot of a curve editor: the curves of parameters over the frames, whose keys are selected and moved."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from PySide6.QtCore import QEvent, QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QKeyEvent, QMouseEvent, QPainter, QPaintEvent, QResizeEvent, QWheelEvent

from app.model import curve_lines
from app.model.curve_lines import CurveLine, Selection
from app.widgets.gestures import FINE, arrow_of
from app.widgets.key_axes import fitted
from app.widgets.key_editing import KeyEditing
from app.widgets.key_painting import KeyPainting
from app.widgets.scrubbing import DEAD_ZONE

NEAR = 8.0
"""Greatest distance of a click from the key or curve that it means, in pixels."""
LEFT, RIGHT, TOP, BOTTOM = 46.0, 8.0, 4.0, 17.0
"""Margins around the curves, in pixels: of the values, and of the frames below."""
PAN = 0.1
"""Part of the view that Ctrl and an arrow key move it by."""
_STEPS = {Qt.Key.Key_PageUp: 1, Qt.Key.Key_PageDown: -1}
ZOOM = 1.25
"""Factor of a notch of the wheel."""
INTERPOLATIONS = {Qt.Key.Key_L: "linear", Qt.Key.Key_S: "smooth", Qt.Key.Key_H: "hold"}
TIP = (
    "Click a key or drag around several to select them, with Ctrl more of them; drag them to move them (Shift: only in "
    "frames or only in value). Double click a curve to add a key.\n"
    "Arrow keys nudge, Delete removes, L, S and H set linear, smooth and hold, Page Up and Page Down go to the next "
    "key (Shift: add it), Insert sets one at this frame, Ctrl+C and Ctrl+V copy and paste.\n"
    "The wheel, + and - zoom frames, with Ctrl values; drag with the middle button or with Alt, or press Ctrl and an "
    "arrow key, to move the view; F fits it."
)


class KeyPlot(KeyEditing):
    """Shows curves, and emits others for those whose keys the user changes."""

    sought = Signal(int)  # a frame
    key_wanted = Signal()  # at the current frame
    copy_wanted = Signal()
    paste_wanted = Signal()
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Curves")
        self.setAccessibleDescription(TIP)
        self.setToolTip(TIP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setMouseTracking(True)
        self.frame = 0
        self._frames: Sequence[int] = ()
        self._drag = ""  # keys, band, pan or seek
        self._pressed = self._last = QPointF()
        self._began: tuple[tuple[CurveLine, ...], Selection] = ((), frozenset())  # when a drag of keys began
        self._has_moved = False
        self._painting = KeyPainting()

    # -- showing

    def show_lines(self, lines: Sequence[CurveLine], frames: Sequence[int]) -> None:
        """Show curves; `frames` are the first and the last one of the sequence. Other curves are fitted into view."""
        is_other = [line.id for line in lines] != [line.id for line in self.lines]
        self.lines, self._frames = tuple(lines), frames
        if not self._drag:
            self._select(curve_lines.existing(lines, self.selection))
        if is_other:
            self.fit()
        self.update()

    def show_frame(self, frame: int) -> None:
        """Show the current frame."""
        if frame != self.frame:
            self.frame = frame
            self.update()

    def fit(self) -> None:
        """Show all keys, or those that are selected if there are several, and all frames."""
        chosen = curve_lines.keys_of(self.lines, self.selection)
        if len({key.frame for _, key in chosen}) > 1:
            kept = curve_lines.copied(self.lines, self.selection)
            lines = [
                replace(line, curve=curve_lines.pasted(None, kept[line.id], 0))
                for line in self.lines
                if line.id in kept
            ]
            self.axes = fitted(self._box(), lines, ())
        else:
            self.axes = fitted(self._box(), self.lines, self._frames)
        self.update()

    def sizeHint(self) -> QSize:
        return QSize(400, 170)

    def minimumSizeHint(self) -> QSize:
        return QSize(200, 110)

    def _box(self) -> QRectF:
        return QRectF(LEFT, TOP, max(1.0, self.width() - LEFT - RIGHT), max(1.0, self.height() - TOP - BOTTOM))

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self.axes = replace(self.axes, box=self._box())

    # -- mouse

    def mousePressEvent(self, event: QMouseEvent) -> None:
        at, left = event.position(), event.button() == Qt.MouseButton.LeftButton
        self._pressed = self._last = at
        self._has_moved = False
        alt = bool(event.modifiers() & Qt.KeyboardModifier.AltModifier)
        if event.button() == Qt.MouseButton.MiddleButton or (left and alt):
            self._drag = "pan"
        elif left and at.y() > self._box().bottom():
            self._drag = "seek"
            self._seek(at)
        elif left:
            self._press(at, bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier))

    def _press(self, at: QPointF, adds: bool) -> None:
        """Select the key at a position and begin to drag it with the others; elsewhere begin to drag around some."""
        found = self._key_at(at)
        if found is None:
            self._drag = "band"
            self._began = (self.lines, self.selection if adds else frozenset())
            return
        if adds:
            self._select(self.selection ^ {found})
        elif found not in self.selection:
            self._select(frozenset({found}))
        self._drag, self._began = "keys", (self.lines, self.selection)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        if not self._drag:
            near = self._key_at(at) is not None
            self.setCursor(Qt.CursorShape.SizeAllCursor if near else Qt.CursorShape.ArrowCursor)
            return
        if not self._has_moved and (at - self._pressed).manhattanLength() <= DEAD_ZONE:
            return
        if self._drag == "keys" and not self._has_moved:
            self.drag_started.emit()
        self._has_moved = True
        before, self._last = self._last, at
        if self._drag == "pan":
            self.axes = self.axes.panned(at - before)
        elif self._drag == "seek":
            self._seek(at)
        elif self._drag == "band":
            self._band(at)
        else:
            self._move_keys(at, bool(event.modifiers() & Qt.KeyboardModifier.ShiftModifier))
        self.update()

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        drag, self._drag = self._drag, ""
        if drag == "keys" and self._has_moved:
            self.drag_ended.emit()
            self._select(curve_lines.existing(self.lines, self.selection))
        elif drag == "band" and not self._has_moved:
            self._select(self._began[1])
        self.update()

    def mouseDoubleClickEvent(self, event: QMouseEvent) -> None:
        at = event.position()
        line = self._line_at(at) if event.button() == Qt.MouseButton.LeftButton else None
        if line is not None and self._key_at(at) is None:
            frame = round(self.axes.frame_at(at.x()))
            self.edited.emit({line.id: curve_lines.inserted(line, frame)}, f"key of {{}} at {frame}")
            self.select(frozenset({(line.id, frame)}))

    def wheelEvent(self, event: QWheelEvent) -> None:
        notches = (event.angleDelta().y() or event.angleDelta().x()) / 120.0
        by_value = bool(event.modifiers() & Qt.KeyboardModifier.ControlModifier)
        self._zoom(event.position(), notches, by_value)
        event.accept()

    def _zoom(self, at: QPointF, notches: float, by_value: bool) -> None:
        factor = ZOOM**-notches
        self.axes = self.axes.zoomed(at, 1.0 if by_value else factor, factor if by_value else 1.0)
        self.update()

    def _pan(self, right: float, up: float) -> None:
        """Move the view by a tenth of its size."""
        self.axes = self.axes.panned(QPointF(-right * PAN * self.width(), up * PAN * self.height()))
        self.update()

    def _seek(self, at: QPointF) -> None:
        self.sought.emit(round(self.axes.frame_at(at.x())))

    def _band(self, at: QPointF) -> None:
        """Select the keys within a rectangle, and those that were selected before with Ctrl."""
        band = QRectF(self._pressed, at).normalized()
        inside = {
            (line.id, key.frame)
            for line in self.lines
            for key in line.curve.keys
            if band.contains(self.axes.spot(key.frame, key.value))
        }
        self._select(self._began[1] | inside)

    def _move_keys(self, at: QPointF, locked: bool) -> None:
        """Move the selected keys from where they were when the drag began."""
        away = at - self._pressed
        if locked:
            away = QPointF(away.x(), 0.0) if abs(away.x()) >= abs(away.y()) else QPointF(0.0, away.y())
        lines, selection = self._began
        chosen = {line_id for line_id, _ in selection}
        step = min((line.step for line in lines if line.id in chosen), default=0.01) / 10.0
        value = round(-away.y() * self.axes.values_per_pixel / step) * step
        frames = round(away.x() * self.axes.frames_per_pixel)
        curves, self.selection = curve_lines.moved(lines, selection, frames, value)
        self.edited.emit(curves, "move of keys of {}")
        self.selected.emit()

    def _key_at(self, at: QPointF) -> tuple[object, int] | None:
        """Return the key at a position; selected ones first."""
        reach, middle = NEAR * self.axes.frames_per_pixel, self.axes.frame_at(at.x())
        found = [
            ((line.id, key.frame) not in self.selection, away, (line.id, key.frame))
            for line in self.lines
            for key in curve_lines.between(line.curve, middle - reach, middle + reach)
            if (away := (at - self.axes.spot(key.frame, key.value)).manhattanLength()) <= NEAR
        ]
        return min(found, key=lambda each: each[:2])[2] if found else None

    def _line_at(self, at: QPointF) -> CurveLine | None:
        """Return the line whose curve is at a position."""
        frame = self.axes.frame_at(at.x())
        found = [(abs(self.axes.spot(frame, line.curve.at(frame)).y() - at.y()), line) for line in self.lines]
        away, line = min(found, key=lambda each: each[0], default=(NEAR + 1.0, None))
        return line if away <= NEAR else None

    # -- keys

    def event(self, event: QEvent) -> bool:
        """Keep the keys that edit curves from the commands of the window that share them."""
        if event.type() == QEvent.Type.ShortcutOverride and isinstance(event, QKeyEvent) and self._command(event):
            event.accept()
            return True
        return super().event(event)

    def keyPressEvent(self, event: QKeyEvent) -> None:
        command = self._command(event)
        if command is None:
            event.ignore()
        else:
            command()

    def _command(self, event: QKeyEvent) -> Callable[[], object] | None:
        """Return the function of a key; None for a key that has none."""
        key, modifiers = Qt.Key(event.key()), event.modifiers() & ~Qt.KeyboardModifier.KeypadModifier
        way = arrow_of(event)
        if way is not None and modifiers in (Qt.KeyboardModifier.NoModifier, Qt.KeyboardModifier.ShiftModifier):
            return _nudge(self, way, modifiers == Qt.KeyboardModifier.ShiftModifier)
        if way is not None and modifiers == Qt.KeyboardModifier.ControlModifier:
            return lambda: self._pan(*way)
        if modifiers == Qt.KeyboardModifier.ShiftModifier and key in _STEPS:
            return lambda: self.step(_STEPS[key], adds=True)
        if modifiers == Qt.KeyboardModifier.ControlModifier:
            return {
                Qt.Key.Key_Plus: lambda: self._zoom(self._box().center(), 1.0, True),
                Qt.Key.Key_Equal: lambda: self._zoom(self._box().center(), 1.0, True),
                Qt.Key.Key_Minus: lambda: self._zoom(self._box().center(), -1.0, True),
                Qt.Key.Key_A: self.select_all,
                Qt.Key.Key_C: self.copy_wanted.emit,
                Qt.Key.Key_V: self.paste_wanted.emit,
            }.get(key)
        if modifiers:
            return None
        if key in _STEPS:
            return lambda: self.step(_STEPS[key])
        if key in INTERPOLATIONS:
            return lambda: self.interpolate(INTERPOLATIONS[key])
        return {
            Qt.Key.Key_Delete: self.remove,
            Qt.Key.Key_Backspace: self.remove,
            Qt.Key.Key_F: self.fit,
            Qt.Key.Key_Insert: self.key_wanted.emit,
            Qt.Key.Key_Plus: lambda: self._zoom(self._box().center(), 1.0, False),
            Qt.Key.Key_Equal: lambda: self._zoom(self._box().center(), 1.0, False),
            Qt.Key.Key_Minus: lambda: self._zoom(self._box().center(), -1.0, False),
        }.get(key)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            band = QRectF(self._pressed, self._last).normalized() if self._drag == "band" and self._has_moved else None
            self._painting.paint(painter, self.axes, self.lines, self.selection, self.frame, band, self.hasFocus())


def _nudge(plot: KeyPlot, way: tuple[float, float], shift: bool) -> Callable[[], object]:
    """Return the function of an arrow key: one frame, or ten with Shift; a step of the value, or a tenth with Shift."""
    chosen = {line_id for line_id, _ in plot.selection}
    step = min((line.step for line in plot.lines if line.id in chosen), default=0.0)
    frames, value = int(way[0]) * (10 if shift else 1), way[1] * step * (FINE if shift else 1.0)
    return lambda: plot.nudge(frames, value)

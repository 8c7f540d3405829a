"""A timeline: the frames of a sequence, the current frame, in and out, and decoded and missing frames."""

from __future__ import annotations

from PySide6.QtCore import QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.widgets.style import MUTED, SUNK, TEXT

HEIGHT = 40
BAR = 6
"""Height of the bar of frames, in pixels."""
MARGIN = 10
LEAST_GAP = 56
"""Least distance between two numbers, in pixels."""
DECODED, THERE, OUTSIDE, BAD, EDGE = "#8c8c8c", "#5a5a5a", "#404040", "#b0685c", "#9a9a9a"
STEPS = tuple(step * 10**power for power in range(7) for step in (1, 2, 5))


class Timeline(QWidget):
    """Shows frames. Click or drag to seek; Left and Right step one frame, or ten with Shift; Home and End jump."""

    sought = Signal(int)  # a frame, while the mouse drags
    stepped = Signal(int)  # number of frames

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Timeline")
        self.setToolTip("Drag to scrub. Left and Right step one frame, or ten with Shift; Home and End go to the ends.")
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._frames: list[int] = []
        self._decoded: frozenset[int] = frozenset()
        self._bad: frozenset[int] = frozenset()
        self._span = (0, 0)
        self._at = 0

    def show_frames(
        self, frames: list[int], first: int, last: int, decoded: frozenset[int], bad: frozenset[int]
    ) -> None:
        """Show the sorted frames on disk, the range `first`..`last` from in to out, and decoded and bad frames."""
        self._frames, self._span, self._decoded, self._bad = frames, (first, last), decoded, bad
        self._describe()
        self.update()

    def show_at(self, frame: int) -> None:
        """Show the current frame."""
        self._at = frame
        self._describe()
        self.update()

    def _describe(self) -> None:
        text = f"Frame {self._at} of {self._frames[0]} to {self._frames[-1]}" if self._frames else "No sequence"
        self.setAccessibleDescription(text)

    def sizeHint(self) -> QSize:
        return QSize(400, HEIGHT)

    def minimumSizeHint(self) -> QSize:
        return QSize(160, HEIGHT)

    # -- places

    @property
    def _count(self) -> int:
        return self._frames[-1] - self._frames[0] + 1

    def x_of(self, frame: float) -> float:
        """Return the left edge of a frame, in pixels."""
        return MARGIN + (frame - self._frames[0]) * (self.width() - 2 * MARGIN) / self._count

    def frame_at(self, x: float) -> int:
        """Return the frame at a horizontal position, clamped to the sequence."""
        across = (x - MARGIN) * self._count / max(1, self.width() - 2 * MARGIN)
        return self._frames[0] + min(max(int(across), 0), self._count - 1)

    # -- mouse and keys

    def mousePressEvent(self, event: QMouseEvent) -> None:
        self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if self._frames and event.buttons() & Qt.MouseButton.LeftButton:
            self.sought.emit(self.frame_at(event.position().x()))

    def keyPressEvent(self, event: QKeyEvent) -> None:
        many = 10 if event.modifiers() & Qt.KeyboardModifier.ShiftModifier else 1
        steps = {Qt.Key.Key_Left: -many, Qt.Key.Key_Right: many}
        if event.key() in steps:
            self.stepped.emit(steps[Qt.Key(event.key())])
        elif self._frames and event.key() in (Qt.Key.Key_Home, Qt.Key.Key_End):
            self.sought.emit(self._frames[0 if event.key() == Qt.Key.Key_Home else -1])
        else:
            super().keyPressEvent(event)

    # -- painting

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        if not self._frames:
            painter.setPen(QColor(MUTED))
            painter.drawText(self.rect(), Qt.AlignmentFlag.AlignCenter, "Open a frame of a numbered sequence")
            return
        top = self.height() - BAR - 8
        painter.fillRect(QRectF(MARGIN, top, self.width() - 2 * MARGIN, BAR), QColor(SUNK))
        for first, last, colour in self._runs():
            left = self.x_of(first)
            painter.fillRect(QRectF(left, top, max(1.0, self.x_of(last + 1) - left), BAR), QColor(colour))
        self._paint_span(painter, top)
        self._paint_numbers(painter, top)
        self._paint_head(painter, top)
        if self.hasFocus():
            painter.setPen(QColor(EDGE))
            painter.drawRect(self.rect().adjusted(0, 0, -1, -1))

    def _runs(self) -> list[tuple[int, int, str]]:
        """Return runs of adjacent frames with the same colour: first, last, colour."""
        runs: list[tuple[int, int, str]] = []
        for frame in self._frames:
            inside = self._span[0] <= frame <= self._span[1]
            there = DECODED if frame in self._decoded else THERE if inside else OUTSIDE
            colour = BAD if frame in self._bad else there
            if runs and runs[-1][1] == frame - 1 and runs[-1][2] == colour:
                runs[-1] = (runs[-1][0], frame, colour)
            else:
                runs.append((frame, frame, colour))
        return runs

    def _paint_span(self, painter: QPainter, top: float) -> None:
        """Paint brackets at in and out, unless they are at the ends."""
        painter.setPen(QColor(TEXT))
        for frame, end, way in ((self._span[0], self._frames[0], 3), (self._span[1], self._frames[-1], -3)):
            if frame != end:
                x = self.x_of(frame if way > 0 else frame + 1)
                painter.drawLine(round(x), round(top - 3), round(x), round(top + BAR + 3))
                painter.drawLine(round(x), round(top - 3), round(x + way), round(top - 3))
                painter.drawLine(round(x), round(top + BAR + 3), round(x + way), round(top + BAR + 3))

    def _paint_numbers(self, painter: QPainter, top: float) -> None:
        wide = (self.width() - 2 * MARGIN) / self._count
        step = next((step for step in STEPS if step * wide >= LEAST_GAP), STEPS[-1])
        painter.setPen(QColor(MUTED))
        first = -(-self._frames[0] // step) * step
        for frame in range(first, self._frames[-1] + 1, step):
            x = self.x_of(frame + 0.5)
            painter.drawLine(round(x), round(top - 4), round(x), round(top - 1))
            text = QRectF(x - LEAST_GAP / 2, 0, LEAST_GAP, top - 4)
            if abs(frame - self._at) * wide >= LEAST_GAP:
                painter.drawText(text, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, str(frame))

    def _paint_head(self, painter: QPainter, top: float) -> None:
        x = self.x_of(self._at + 0.5)
        painter.setPen(QColor(TEXT))
        painter.drawLine(round(x), round(top - 5), round(x), self.height() - 3)
        left = min(max(x - LEAST_GAP / 2, 0.0), self.width() - LEAST_GAP)
        text = QRectF(left, 0, LEAST_GAP, top - 4)
        font = painter.font()
        font.setBold(True)
        painter.setFont(font)
        painter.drawText(text, Qt.AlignmentFlag.AlignHCenter | Qt.AlignmentFlag.AlignBottom, str(self._at))

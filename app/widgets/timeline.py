"""A timeline: the frames of a sequence, the current frame, in and out, and decoded, missing and failed frames."""

from __future__ import annotations

from PySide6.QtCore import QPointF, QRectF, QSize, Qt, Signal
from PySide6.QtGui import QColor, QFont, QKeyEvent, QMouseEvent, QPainter, QPaintEvent
from PySide6.QtWidgets import QSizePolicy

from app.widgets.gestures import Painted
from app.widgets.key_mark import diamond
from app.widgets.style import ACCENT, MUTED, TEXT

TRACK = 14
"""Height of the scrub track, in pixels."""
NUMBERS = 12
"""Height of the row of numbers above the track, in pixels."""
HEIGHT = NUMBERS + TRACK
BAR = 5
"""Height of the bar that marks decoded and missing frames, in pixels."""
KEY = 4.0
"""Half the size of the diamond of a key, in pixels."""
SELECTED_KEY, OTHER_KEY = ACCENT, "#8c8c8c"
"""Keys of the selected entry, and of others."""
MARGIN = 10
LEAST_GAP = 56
"""Least distance between two numbers, in pixels."""
THERE, OUTSIDE, HOLE = "#5c5c5c", "#3f3f3f", "#262626"
DECODED, MISSING, FAILED = "#7fa88f", "#c79a52", "#d0695c"
STEPS = tuple(step * 10**power for power in range(7) for step in (1, 2, 5))
_LEGEND = ((DECODED, "cached"), (THERE, "not cached"), (MISSING, "missing"), (FAILED, "failed"), (OUTSIDE, "outside"))
TIP = (
    "<p>Drag to scrub, with Shift to set in and out. Left and Right step one frame, or ten with Shift; Home and End go "
    "to the ends.</p><p>"
    + " &nbsp; ".join(f'<span style="color:{colour}">&#9632;</span> {name}' for colour, name in _LEGEND)
    + f' in and out &nbsp; <span style="color:{SELECTED_KEY}">&#9670;</span> key of the selected entry &nbsp; '
    f'<span style="color:{OTHER_KEY}">&#9670;</span> of others</p>'
)


class Timeline(Painted):
    """Shows frames. Click or drag to seek, drag with Shift to set in and out; Left and Right step one frame, or ten
    with Shift; Home and End jump."""

    sought = Signal(int)  # a frame, while the mouse drags
    stepped = Signal(int)  # number of frames
    marked = Signal(int, int)  # in and out, while the mouse drags

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Timeline")
        self.setToolTip(TIP)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Fixed)
        self._frames: list[int] = []
        self._decoded: frozenset[int] = frozenset()
        self._failed: frozenset[int] = frozenset()
        self._span = (0, 0)
        self._at = 0
        self._keys: tuple[frozenset[int], frozenset[int]] = (frozenset(), frozenset())  # selected entry, others
        self._anchor: int | None = None  # where a drag that sets in and out started

    def show_frames(
        self, frames: list[int], first: int, last: int, decoded: frozenset[int], failed: frozenset[int]
    ) -> None:
        """Show the sorted frames on disk, the range `first`..`last` from in to out, and decoded and failed frames."""
        self._frames, self._span, self._decoded, self._failed = frames, (first, last), decoded, failed
        self._describe()
        self.update()

    def show_at(self, frame: int) -> None:
        """Show the current frame."""
        self._at = frame
        self._describe()
        self.update()

    def show_keys(self, selected: frozenset[int], others: frozenset[int]) -> None:
        """Show the frames at which the selected entry has keys, and those of the others."""
        if (selected, others) != self._keys:
            self._keys = selected, others
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
        marks = self._frames and event.modifiers() & Qt.KeyboardModifier.ShiftModifier
        self._anchor = self.frame_at(event.position().x()) if marks else None
        if self._anchor is None:
            self.mouseMoveEvent(event)

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        if not self._frames or not event.buttons() & Qt.MouseButton.LeftButton:
            return
        frame = self.frame_at(event.position().x())
        if self._anchor is None:
            self.sought.emit(frame)
        else:
            self.marked.emit(min(frame, self._anchor), max(frame, self._anchor))

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
        with QPainter(self) as painter:
            track = QRectF(MARGIN, self.height() - TRACK, self.width() - 2 * MARGIN, TRACK)
            if not self._frames:
                painter.setPen(QColor(MUTED))
                painter.drawText(
                    track, Qt.AlignmentFlag.AlignCenter, "This image is not a frame of a numbered sequence"
                )
                return
            painter.fillRect(track, QColor(HOLE))
            for first, last, (fill, mark) in self.runs():
                box = QRectF(self.x_of(first), track.top(), max(1.0, self.x_of(last + 1) - self.x_of(first)), TRACK)
                painter.fillRect(box, QColor(fill))
                if mark:
                    painter.fillRect(box.adjusted(0, TRACK - BAR, 0, 0), QColor(mark))
            self._paint_keys(painter, track)
            self._paint_span(painter, track)
            self._paint_numbers(painter)
            self._paint_head(painter, track)
            if self.hasFocus():
                painter.setPen(QColor(ACCENT))
                painter.drawRect(track.adjusted(-1, 0, 0, -1))

    def runs(self) -> list[tuple[int, int, tuple[str, str]]]:
        """Return runs of adjacent frames that look the same: first, last, and the colours of track and bar, or ''."""
        runs: list[tuple[int, int, tuple[str, str]]] = []
        previous = self._frames[0] - 1
        for frame in self._frames:
            if frame > previous + 1:
                runs.append((previous + 1, frame - 1, (HOLE, MISSING)))
            previous = frame
            inside = self._span[0] <= frame <= self._span[1]
            fill = FAILED if frame in self._failed else THERE if inside else OUTSIDE
            look = fill, DECODED if frame in self._decoded else ""
            if runs and runs[-1][1] == frame - 1 and runs[-1][2] == look:
                runs[-1] = (runs[-1][0], frame, look)
            else:
                runs.append((frame, frame, look))
        return runs

    def _paint_keys(self, painter: QPainter, track: QRectF) -> None:
        """Paint a diamond at each frame that has a key."""
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        painter.setPen(Qt.PenStyle.NoPen)
        selected, others = self._keys
        for frames, colour in ((others - selected, OTHER_KEY), (selected, SELECTED_KEY)):
            painter.setBrush(QColor(colour))
            for frame in frames:
                if self._frames[0] <= frame <= self._frames[-1]:
                    middle = QPointF(self.x_of(frame + 0.5), track.top() + (TRACK - BAR) / 2 + 0.5)
                    painter.drawPolygon(diamond(middle, KEY))
        painter.restore()

    def _paint_span(self, painter: QPainter, track: QRectF) -> None:
        """Paint brackets at in and out, unless they are at the ends."""
        painter.setPen(QColor(TEXT))
        top, bottom = round(track.top()), round(track.bottom()) - 1
        for frame, end, way in ((self._span[0], self._frames[0], 3), (self._span[1], self._frames[-1], -3)):
            if frame != end:
                x = round(self.x_of(frame if way > 0 else frame + 1))
                painter.drawLine(x, top, x, bottom)
                painter.drawLine(x, top, x + way, top)
                painter.drawLine(x, bottom, x + way, bottom)

    def _paint_numbers(self, painter: QPainter) -> None:
        """Paint numbers at round frames, except where the one of the current frame is."""
        wide = (self.width() - 2 * MARGIN) / self._count
        step = next((step for step in STEPS if step * wide >= LEAST_GAP), STEPS[-1])
        font = QFont(painter.font())
        font.setPixelSize(10)
        painter.setFont(font)
        painter.setPen(QColor(MUTED))
        at = self._number_box(self._at)
        first = -(-self._frames[0] // step) * step
        for frame in range(first, self._frames[-1] + 1, step):
            box = self._number_box(frame)
            if not box.adjusted(10, 0, -10, 0).intersects(at):
                painter.drawText(box, Qt.AlignmentFlag.AlignCenter, str(frame))

    def _number_box(self, frame: int) -> QRectF:
        left = min(max(self.x_of(frame + 0.5) - LEAST_GAP / 2, 0.0), self.width() - LEAST_GAP)
        return QRectF(left, 0, LEAST_GAP, NUMBERS)

    def _paint_head(self, painter: QPainter, track: QRectF) -> None:
        """Paint the current frame: its number, and a line across the track or a frame around its cell."""
        left, right = self.x_of(self._at), self.x_of(self._at + 1)
        painter.setPen(QColor(TEXT))
        if right - left >= 6:
            painter.drawRect(QRectF(round(left), track.top(), round(right) - round(left) - 1, TRACK - 1))
        else:
            painter.fillRect(QRectF(round((left + right) / 2) - 1, track.top(), 2, TRACK), QColor(TEXT))
        font = QFont(painter.font())
        font.setBold(True)
        painter.setFont(font)
        painter.drawText(self._number_box(self._at), Qt.AlignmentFlag.AlignCenter, str(self._at))

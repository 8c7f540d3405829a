"""Widgets that draw the scopes: trace, graticule and numbers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPaintEvent, QPen, QPolygonF, QResizeEvent
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.panels.scopes.graticule import (
    BOTTOM,
    CLIPPED,
    FIELD,
    GROUND,
    LEFT,
    LINE,
    NAME,
    NUMBER,
    RIGHT,
    STRONG,
    TOP,
    line,
    marks_of,
    paint_levels,
    paint_name,
    paint_values,
)
from app.panels.scopes.scope_settings import PaneChoices, Trace
from app.panels.scopes.traces import GREY, as_image, histogram_trace, vectorscope_trace, waveform_trace
from app.services.event_loop import turn_queue
from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.core.colorimetry import LUMA
from engine.viewing.scopes import VECTOR_EXTENT, ScopeReading

SKIN_ANGLE = 123.0
"""Angle of the skin tone line, anticlockwise from Cb in degrees: the I axis of NTSC, near which all skin tones lie."""
TARGETS = {"R": (1, 0, 0), "Yl": (1, 1, 0), "G": (0, 1, 0), "Cy": (0, 1, 1), "B": (0, 0, 1), "Mg": (1, 0, 1)}
MARK = 3
"""Thickness of the marks of values beyond the ends of the axis, in pixels."""


class ScopePlot(QWidget):
    """Base of all scopes: a dark field."""

    LINES: ClassVar[tuple[QColor, ...]] = (LINE, STRONG)
    """The colours of straight lines across the trace."""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumSize(120, 90)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self.reading: ScopeReading | None = None
        self.transfer, self.gamut, self.choices = "", "", PaneChoices("")
        self._image: QImage | None = None
        self._is_to_fit = False  # whether the trace is to be drawn for another size

    def sizeHint(self) -> QSize:
        return QSize(260, 160)

    def show_reading(
        self,
        reading: ScopeReading | None,
        choices: PaneChoices | None = None,
        gamut: str = "",
        transfer: str = "",
    ) -> None:
        """Show a reading, with a scale in nits if `transfer` is PQ or HLG; None for an empty field.

        `gamut` is the one that is chosen, a key of GAMUTS or ''.
        """
        self.reading, self.transfer, self.gamut = reading, transfer, gamut
        self.choices = choices or PaneChoices("")
        self._follow_choices()
        self._is_to_fit = False
        self._redraw()

    def _follow_choices(self) -> None:
        """Decide what to show before a reading is drawn."""

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Stretch the trace, and draw it for the size in a later turn: it may change several times in this one."""
        super().resizeEvent(event)
        if not self._is_to_fit:
            self._is_to_fit = True
            turn_queue().put(self, self._fit)

    def _fit(self) -> None:
        if self._is_to_fit:
            self._is_to_fit = False
            self._redraw()

    def _redraw(self) -> None:
        """Make the image of the trace for the size of the widget."""
        self._image = None if self.reading is None else self._drawn(self.reading, self.choices.trace)
        self.update()

    def field(self) -> QRectF:
        """Return the rectangle of the trace."""
        return QRectF(self.rect()).adjusted(LEFT, TOP, -RIGHT, -TOP)

    def pixels(self, place: QRectF) -> tuple[int, int]:
        """Return the width and height of a rectangle in device pixels."""
        ratio = self.devicePixelRatioF()
        return round(place.width() * ratio), round(place.height() * ratio)

    def paint_trace(self, painter: QPainter, place: QRectF, image: QImage) -> None:
        """Paint a trace additively, filtered so that no count is lost when it is scaled down."""
        size = QSize(*self.pixels(place))
        fitted = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
        painter.drawImage(place, fitted)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
            painter.fillRect(self.rect(), GROUND)
            font = QFont(self.font())
            font.setPixelSize(10)
            painter.setFont(font)
            self._paint(painter, self.field())

    @abstractmethod
    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        """Return the image of the trace."""

    @abstractmethod
    def _paint(self, painter: QPainter, field: QRectF) -> None:
        """Paint trace, graticule and numbers."""

    def _beyond_colour(self) -> QColor:
        """Return the colour of marks for values beyond the axis: red where the display clips them."""
        return CLIPPED if self.reading is not None and self.reading.options.values == "display" else NUMBER


class WaveformPlot(ScopePlot):
    """Waveform of luma, or of R, G and B overlaid: image columns to the right, values upwards."""

    def __init__(self, name: str, tip: str, channels: Iterable[int]) -> None:
        super().__init__(name, tip)
        self._channels = tuple(channels)

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        if reading.waveform is None:
            return None
        return as_image(waveform_trace(reading, self._channels, trace, self.pixels(self.field())))

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        if self._image is None or self.reading is None:
            return
        self.paint_trace(painter, field, self._image)
        paint_levels(painter, [field], marks_of(self.reading, self.transfer))
        paint_beyond(painter, field, self.reading, self._channels, self._beyond_colour())


class ParadePlot(ScopePlot):
    """Waveforms of R, G and B side by side."""

    GAP = 3.0

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self._images: list[QImage] = []

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        size, channels = self.pixels(self.fields()[0]), range(3) if reading.waveform is not None else ()
        self._images = [as_image(waveform_trace(reading, (channel,), trace, size)) for channel in channels]
        return None

    def fields(self) -> list[QRectF]:
        """Return the rectangles of R, G and B."""
        whole = self.field()
        width = (whole.width() - 2 * self.GAP) / 3
        return [QRectF(whole.left() + n * (width + self.GAP), whole.top(), width, whole.height()) for n in range(3)]

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        fields = self.fields()
        for place in fields:
            painter.fillRect(place, FIELD)
        if not self._images or self.reading is None:
            return
        for image, place in zip(self._images, fields, strict=True):
            self.paint_trace(painter, place, image)
        paint_levels(painter, fields, marks_of(self.reading, self.transfer))
        for channel, place in enumerate(fields):
            paint_beyond(painter, place, self.reading, (channel,), self._beyond_colour())


class VectorscopePlot(ScopePlot):
    """Vectorscope: Cb to the right, Cr upwards, with the targets of colour bars and the skin tone line, if chosen."""

    def field(self) -> QRectF:
        area = QRectF(self.rect()).adjusted(8, TOP, -8, -TOP)
        side = min(area.width(), area.height())
        return QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)

    def place(self, rgb: tuple[float, float, float]) -> QPointF:
        """Return the position of a colour in the widget."""
        luma = sum(weight * value for weight, value in zip(LUMA, rgb, strict=True))
        cb, cr = (rgb[2] - luma) / CB_SCALE, (rgb[0] - luma) / CR_SCALE
        field = self.field()
        scale = field.width() / (2.0 * VECTOR_EXTENT)
        return field.center() + QPointF(cb * scale, -cr * scale)

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        if reading.vectorscope is None:
            return None
        return as_image(vectorscope_trace(reading, trace, self.pixels(self.field())))

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        if self._image is not None:
            self.paint_trace(painter, field, self._image)
        middle, radius = field.center(), field.width() * 0.5 / (2.0 * VECTOR_EXTENT)
        line(painter, QPointF(field.left(), middle.y()), QPointF(field.right() - 1, middle.y()), False)
        line(painter, QPointF(middle.x(), field.top()), QPointF(middle.x(), field.bottom() - 1), False)
        painter.setPen(QPen(LINE, 1.5))
        for share in (0.5, 1.0):
            painter.drawEllipse(middle, radius * share, radius * share)
        marks = self.choices.vectorscope
        if marks.skin:
            skin = math.radians(SKIN_ANGLE)
            painter.setPen(QPen(STRONG, 1.5))
            painter.drawLine(middle, middle + QPointF(radius * math.cos(skin), -radius * math.sin(skin)))
        shares = [share for share, is_shown in ((0.75, marks.bars_75), (1.0, marks.bars_100)) if is_shown]
        if shares:
            self._paint_targets(painter, middle, max(3.0, field.width() * 0.016), shares)

    def _paint_targets(self, painter: QPainter, middle: QPointF, half: float, shares: list[float]) -> None:
        """Paint a box for each target at 75 %, a smaller one at 100 %, and its name."""
        for name, (r, g, b) in TARGETS.items():
            tint = QColor.fromRgbF(*(0.45 + 0.5 * value for value in (r, g, b)))
            painter.setPen(QPen(tint, 1.5))
            for share in shares:
                at = self.place((share * r, share * g, share * b))
                size = half if share < 1.0 else 0.6 * half
                painter.drawRect(QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size))
            outwards = self.place((shares[0] * r, shares[0] * g, shares[0] * b)) - middle
            length = math.hypot(outwards.x(), outwards.y())
            paint_name(painter, middle + outwards * ((length - half - 9.0) / length), name, NAME)


class HistogramPlot(ScopePlot):
    """Histogram: values to the right, number of pixels upwards; R, G and B filled, luma as a line."""

    def field(self) -> QRectF:
        return QRectF(self.rect()).adjusted(8, TOP, -8, -BOTTOM)

    def _drawn(self, reading: ScopeReading, trace: Trace) -> QImage | None:
        heights = self.heights()
        return None if heights is None else as_image(histogram_trace(heights[:3], trace))

    def heights(self) -> NDArray[np.float64] | None:
        """Return heights (4, bins), 0..1, of R, G, B and luma, relative to the fullest bin that is not at an end."""
        if self.reading is None or self.reading.histogram is None:
            return None
        counts = self.reading.histogram.astype(np.float64)
        inner = counts[:, 1:-1]
        return np.minimum(counts / max(float(inner.max()), 1.0), 1.0)

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        heights = self.heights()
        if heights is None or self.reading is None or self._image is None:
            return
        self.paint_trace(painter, field, self._image)
        paint_values(painter, field, marks_of(self.reading, self.transfer), self.width())
        painter.setPen(QPen(QColor(*GREY), 1))
        painter.drawPolyline(QPolygonF(self._line(field, heights[3])))
        for end, left in ((0, field.left()), (-1, field.right() - MARK)):
            high = float(heights[:3, end].max()) * field.height()
            if high > 0.0:
                high = max(high, 2.0)
                painter.fillRect(QRectF(left, field.bottom() - high, MARK, high), self._beyond_colour())

    @staticmethod
    def _line(field: QRectF, heights: NDArray[np.float64]) -> list[QPointF]:
        """Return the points of a line through the centres of the bins."""
        left, bottom, step, high = field.left(), field.bottom(), field.width() / len(heights), field.height()
        return [QPointF(left + (n + 0.5) * step, bottom - height * high) for n, height in enumerate(heights.tolist())]


def paint_beyond(
    painter: QPainter, field: QRectF, reading: ScopeReading, channels: tuple[int, ...], colour: QColor
) -> None:
    """Mark the columns with values at or beyond the ends of the axis, at the upper and the lower edge of a field."""
    assert reading.waveform is not None
    counts = reading.waveform[list(channels)]
    for found, y in ((counts[:, -1], field.top()), (counts[:, 0], field.bottom() - MARK)):
        where = np.flatnonzero(found.any(axis=0))
        if len(where) == 0:
            continue
        breaks = np.flatnonzero(np.diff(where) > 1)
        starts, ends = where[np.concatenate([[0], breaks + 1])], where[np.concatenate([breaks, [len(where) - 1]])] + 1
        step = field.width() / counts.shape[2]
        for start, end in zip(starts.tolist(), ends.tolist(), strict=True):
            painter.fillRect(QRectF(field.left() + start * step, y, max(1.0, (end - start) * step), MARK), colour)

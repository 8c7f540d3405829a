"""Widgets that draw the scopes: trace, graticule and numbers."""

from __future__ import annotations

import math
from abc import abstractmethod
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QLineF, QPointF, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QImage, QPainter, QPaintEvent, QPen, QPolygonF
from PySide6.QtWidgets import QSizePolicy, QWidget

from app.panels.scopes.traces import WHITE, as_image, histogram_trace, vectorscope_trace, waveform_trace
from engine.compute.statistics import CB_SCALE, CR_SCALE, Axis
from engine.core.colorimetry import LUMA, MID_GREY
from engine.viewing.scopes import STOPS, VECTOR_EXTENT, ScopeReading

GROUND, FIELD = QColor("#232323"), QColor("#161616")
LINE, STRONG, NUMBER = QColor(255, 255, 255, 26), QColor(255, 255, 255, 58), QColor("#9a9a9a")
NAME = QColor("#c8c8c8")
LEFT, RIGHT, TOP, BOTTOM = 38, 36, 24, 18
HEADING = 14
ENDS_FROM = 190
"""Width in pixels from which on a histogram shows the shares at its ends."""
SKIN_ANGLE = 123.0
"""Angle of the skin tone line, anticlockwise from Cb in degrees: the I axis of NTSC, near which all skin tones lie."""
TARGETS = {"R": (1, 0, 0), "Yl": (1, 1, 0), "G": (0, 1, 0), "Cy": (0, 1, 1), "B": (0, 0, 1), "Mg": (1, 0, 1)}
Mark = tuple[float, str, str]
"""A line of a graticule: its position on the axis, 0..1, the text on the left, and the text on the right."""


def marks_of(reading: ScopeReading) -> list[Mark]:
    """Return the graticule of a reading's axis.

    It shows percent and 8-bit codes, or stops from mid grey and scene-linear values, or only scene-linear values.
    """
    axis = reading.options.axis
    if reading.options.values == "display":
        return [(place_on(axis, n / 4), f"{25 * n} %", f"{round(255 * n / 4)}") for n in range(5)]
    if axis.log2:
        stops = range(-STOPS, STOPS + 1, 2)
        return [(place_on(axis, MID_GREY * 2.0**n), f"{n:+d}" if n else "0", light(MID_GREY * 2.0**n)) for n in stops]
    return [(place_on(axis, axis.high * n / 4), f"{axis.high * n / 4:g}", "") for n in range(5)]


def place_on(axis: Axis, value: float) -> float:
    """Return the position of a value on an axis, 0..1."""
    value = math.log2(value) if axis.log2 else value
    return (value - axis.start) * axis.scale / axis.bins


def light(value: float) -> str:
    """Format a scene-linear value with at most 5 characters."""
    if value >= 10:
        return f"{value:.0f}"
    return f"{value:.2g}".lstrip("0") if value >= 0.001 else f"{value:.4f}".lstrip("0")


class ScopePlot(QWidget):
    """Base of all scopes: a dark field with a title."""

    title = ""

    def __init__(self, name: str, tip: str) -> None:
        super().__init__()
        self.title = name
        self.setAccessibleName(name)
        self.setToolTip(tip)
        self.setMinimumSize(120, 110)
        self.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        self._reading: ScopeReading | None = None
        self._image: QImage | None = None

    def sizeHint(self) -> QSize:
        return QSize(260, 180)

    def show_reading(self, reading: ScopeReading | None) -> None:
        """Show a reading; None for an empty field."""
        self._reading = reading
        self._image = None if reading is None else self._drawn(reading)
        self.update()

    def field(self) -> QRectF:
        """Return the rectangle of the trace."""
        return QRectF(self.rect()).adjusted(LEFT, TOP, -RIGHT, -6)

    def paint_trace(self, painter: QPainter, place: QRectF, image: QImage) -> None:
        """Paint a trace additively, filtered so that no count is lost when it is scaled down."""
        ratio = self.devicePixelRatioF()
        size = QSize(round(place.width() * ratio), round(place.height() * ratio))
        fitted = image.scaled(size, Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_Plus)
        painter.drawImage(place, fitted)
        painter.setCompositionMode(QPainter.CompositionMode.CompositionMode_SourceOver)

    def paintEvent(self, event: QPaintEvent) -> None:
        painter = QPainter(self)
        painter.setRenderHints(QPainter.RenderHint.Antialiasing | QPainter.RenderHint.SmoothPixmapTransform)
        painter.fillRect(self.rect(), GROUND)
        font = QFont(self.font())
        font.setPixelSize(10)
        painter.setFont(font)
        painter.setPen(NUMBER)
        heading = QRectF(6, 2, self.width() - 12, HEADING)
        painter.drawText(heading, Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, self.title)
        self._paint(painter, self.field())
        painter.end()

    @abstractmethod
    def _drawn(self, reading: ScopeReading) -> QImage | None:
        """Return the image of the trace."""

    @abstractmethod
    def _paint(self, painter: QPainter, field: QRectF) -> None:
        """Paint trace, graticule and numbers."""


class WaveformPlot(ScopePlot):
    """Waveform of luma, or of R, G and B overlaid: image columns to the right, values upwards."""

    def __init__(self, name: str, tip: str, channels: Iterable[int]) -> None:
        super().__init__(name, tip)
        self._channels = tuple(channels)

    def _drawn(self, reading: ScopeReading) -> QImage | None:
        return None if reading.waveform is None else as_image(waveform_trace(reading, self._channels))

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        if self._image is not None:
            self.paint_trace(painter, field, self._image)
        if self._reading is not None:
            paint_levels(painter, field, marks_of(self._reading))


class ParadePlot(ScopePlot):
    """Waveforms of R, G and B side by side."""

    GAP = 3.0

    def __init__(self, name: str, tip: str) -> None:
        super().__init__(name, tip)
        self._images: list[QImage] = []

    def _drawn(self, reading: ScopeReading) -> QImage | None:
        counted = reading.waveform is not None
        self._images = [as_image(waveform_trace(reading, (channel,))) for channel in range(3)] if counted else []
        return None

    def fields(self) -> list[QRectF]:
        """Return the rectangles of R, G and B."""
        whole = self.field()
        width = (whole.width() - 2 * self.GAP) / 3
        return [QRectF(whole.left() + n * (width + self.GAP), whole.top(), width, whole.height()) for n in range(3)]

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        for number, place in enumerate(self.fields()):
            painter.fillRect(place, FIELD)
            if self._images and self._reading is not None:
                self.paint_trace(painter, place, self._images[number])
        if self._reading is not None:
            paint_levels(painter, field, marks_of(self._reading))


class VectorscopePlot(ScopePlot):
    """Vectorscope: Cb to the right, Cr upwards, with the targets of colour bars and the skin tone line."""

    def field(self) -> QRectF:
        area = QRectF(self.rect()).adjusted(8, HEADING + 4, -8, -6)
        side = min(area.width(), area.height())
        return QRectF(area.center().x() - side / 2, area.center().y() - side / 2, side, side)

    def place(self, rgb: tuple[float, float, float]) -> QPointF:
        """Return the position of a colour in the widget."""
        luma = sum(weight * value for weight, value in zip(LUMA, rgb, strict=True))
        cb, cr = (rgb[2] - luma) / CB_SCALE, (rgb[0] - luma) / CR_SCALE
        field = self.field()
        scale = field.width() / (2.0 * VECTOR_EXTENT)
        return field.center() + QPointF(cb * scale, -cr * scale)

    def _drawn(self, reading: ScopeReading) -> QImage | None:
        return None if reading.vectorscope is None else as_image(vectorscope_trace(reading))

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        if self._image is not None:
            self.paint_trace(painter, field, self._image)
        middle, radius = field.center(), field.width() * 0.5 / (2.0 * VECTOR_EXTENT)
        painter.setPen(QPen(LINE, 1))
        painter.drawLine(QLineF(field.left(), middle.y(), field.right(), middle.y()))
        painter.drawLine(QLineF(middle.x(), field.top(), middle.x(), field.bottom()))
        for share in (0.5, 1.0):
            painter.drawEllipse(middle, radius * share, radius * share)
        painter.setPen(QPen(STRONG, 1))
        skin = math.radians(SKIN_ANGLE)
        painter.drawLine(QLineF(middle, middle + QPointF(radius * math.cos(skin), -radius * math.sin(skin))))
        half = max(3.0, field.width() * 0.016)
        for name, (r, g, b) in TARGETS.items():
            for share in (0.75, 1.0):
                at = self.place((share * r, share * g, share * b))
                size = half if share < 1.0 else 0.6 * half
                painter.drawRect(QRectF(at.x() - size, at.y() - size, 2 * size, 2 * size))
            outwards = self.place((0.75 * r, 0.75 * g, 0.75 * b)) - middle
            length = math.hypot(outwards.x(), outwards.y())
            inwards = middle + outwards * ((length - half - 9.0) / length)
            paint_name(painter, inwards, name)
            painter.setPen(QPen(STRONG, 1))


class HistogramPlot(ScopePlot):
    """Histogram: values to the right, number of pixels upwards; R, G and B filled, luma as a line."""

    def field(self) -> QRectF:
        return QRectF(self.rect()).adjusted(8, HEADING + 4, -8, -BOTTOM)

    def _drawn(self, reading: ScopeReading) -> QImage | None:
        heights = self.heights()
        return None if heights is None else as_image(histogram_trace(heights[:3]))

    def heights(self) -> NDArray[np.float64] | None:
        """Return heights (4, bins), 0..1, of R, G, B and luma, relative to the fullest bin that is not at an end."""
        if self._reading is None or self._reading.histogram is None:
            return None
        counts = self._reading.histogram.astype(np.float64)
        inner = counts[:, 1:-1]
        return np.minimum(counts / max(float(inner.max()), 1.0), 1.0)

    def ends(self) -> tuple[float, float]:
        """Return the shares of luma, 0..1, in the first and the last bin: at or beyond the ends of the axis."""
        if self._reading is None or self._reading.histogram is None:
            return 0.0, 0.0
        luma = self._reading.histogram[3]
        total = max(int(luma.sum()), 1)
        return float(luma[0]) / total, float(luma[-1]) / total

    def _paint(self, painter: QPainter, field: QRectF) -> None:
        painter.fillRect(field, FIELD)
        heights = self.heights()
        if heights is None or self._reading is None:
            return
        if self._image is not None:
            self.paint_trace(painter, field, self._image)
        painter.setPen(QPen(QColor(*WHITE), 1))
        painter.drawPolyline(QPolygonF(self._line(field, heights[3])))
        self._paint_numbers(painter, field)

    @staticmethod
    def _line(field: QRectF, heights: NDArray[np.float64]) -> list[QPointF]:
        """Return the points of a line through the centres of the bins."""
        left, bottom, step, high = field.left(), field.bottom(), field.width() / len(heights), field.height()
        return [QPointF(left + (n + 0.5) * step, bottom - height * high) for n, height in enumerate(heights.tolist())]

    def _paint_numbers(self, painter: QPainter, field: QRectF) -> None:
        assert self._reading is not None
        marks = marks_of(self._reading)
        every = 1 if field.width() / len(marks) > 34 else 2
        for number, (place, text, _) in enumerate(marks):
            x = field.left() + place * field.width()
            painter.setPen(QPen(STRONG if text == "0" and self._reading.options.axis.log2 else LINE, 1))
            painter.drawLine(QLineF(x, field.top(), x, field.bottom()))
            if number % every == 0:
                painter.setPen(NUMBER)
                box = QRectF(min(max(x - 24, 2.0), self.width() - 50.0), field.bottom() + 1, 48, BOTTOM - 2)
                side = Qt.AlignmentFlag.AlignHCenter
                if x - 24 < 2.0:
                    side = Qt.AlignmentFlag.AlignLeft
                elif x + 24 > self.width() - 2:
                    side = Qt.AlignmentFlag.AlignRight
                painter.drawText(box, side | Qt.AlignmentFlag.AlignVCenter, text)
        if field.width() < ENDS_FROM:
            return
        low, high = self.ends()
        painter.setPen(NUMBER)
        head = QRectF(field.left(), 2, field.width(), HEADING)
        label = f"ends {_percent(low)} · {_percent(high)}"
        painter.drawText(head, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, label)


def paint_name(painter: QPainter, at: QPointF, name: str) -> None:
    """Paint a name centred on a point, with a dark outline so that it is legible on a trace."""
    box = QRectF(at.x() - 10, at.y() - 7, 20, 14)
    painter.setPen(FIELD)
    for dx, dy in ((-1, 0), (1, 0), (0, -1), (0, 1)):
        painter.drawText(box.translated(dx, dy), Qt.AlignmentFlag.AlignCenter, name)
    painter.setPen(NAME)
    painter.drawText(box, Qt.AlignmentFlag.AlignCenter, name)


def paint_levels(painter: QPainter, field: QRectF, marks: list[Mark]) -> None:
    """Paint lines across a field at the marks, with their numbers on both sides."""
    every = 1 if field.height() / len(marks) > 11 else 2
    for number, (place, text, other) in enumerate(marks):
        y = field.bottom() - place * field.height()
        painter.setPen(QPen(STRONG if text == "0" and len(marks) > 5 else LINE, 1))
        painter.drawLine(QLineF(field.left(), y, field.right(), y))
        if number % every == 0:
            painter.setPen(NUMBER)
            middle = Qt.AlignmentFlag.AlignVCenter
            painter.drawText(QRectF(0, y - 7, LEFT - 4, 14), Qt.AlignmentFlag.AlignRight | middle, text)
            painter.drawText(QRectF(field.right() + 4, y - 7, RIGHT, 14), Qt.AlignmentFlag.AlignLeft | middle, other)


def _percent(share: float) -> str:
    return f"{100.0 * share:.2g} %" if share < 0.9995 else "100 %"

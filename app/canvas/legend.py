"""The legend of false colour and of differences, at the edge of the image."""

from __future__ import annotations

from typing import NamedTuple

from PySide6.QtCore import QLineF, QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFont, QFontMetricsF, QPainter, QPen

from app.canvas.canvas import Canvas
from app.model.data_view import ShownData
from app.model.view_state import GAMUT_NAMES
from app.model.viewport import Viewport
from app.render.comparison import Comparison
from app.render.requests import FALSE_COLOUR, GAMUT, View
from engine.viewing.data_kinds import KINDS
from engine.viewing.differences import HEAT_STOPS
from engine.viewing.viewer_ops import DATA_COLOURS, LADDER

GROUND, TEXT, FRAME = QColor(26, 26, 26, 235), QColor("#e4e4e4"), QColor("#8c8c8c")
FONT, LINE = 11, 15
"""Font size and line height, in logical pixels."""
PADDING, GAP, BAR, TICK = 8, 6, 16, 4
"""Space around the content and between its parts, width of the bar and length of its ticks, in logical pixels."""
TOP, EDGE = 44, 12
"""Distances from the top of the canvas, where the state of the view is shown, and from its other edges."""
STEP, LEAST_STEP = 18, 9
"""Preferred and least height of a step of a bar, in logical pixels."""
SHORT = 6
"""Steps of a bar that is a gradient."""
EQUAL = 0.1
"""Share of the bar of a heat map that is black, for equal values."""
Label = tuple[float, str]
"""A position on a bar, 0..1 from its bottom, and a text."""


class Scale(NamedTuple):
    """A bar of colours with its labels. `limits` are labels with a tick, `notes` stand in a column of their own.

    `colours` are positions 0..1 from the bottom and colours: of a gradient, or of `bands` that begin there. `steps` is
    its height in multiples of STEP.
    """

    title: str
    colours: tuple[tuple[float, QColor], ...]
    limits: tuple[Label, ...]
    notes: tuple[Label, ...] = ()
    steps: int = SHORT
    bands: bool = False


def scales_of(view: View) -> tuple[Scale, ...]:
    """Return the scales that explain a frame of this view."""
    comparison = view.comparison if view.comparison and view.comparison.mode == "difference" else None
    scales = [_difference_scale(comparison)] if comparison else []
    follows_view = comparison is None or comparison.difference == "absolute"
    if FALSE_COLOUR in view.overlays and follows_view and view.data is None:
        scales.append(_ladder())
    if GAMUT in view.overlays and comparison is None and view.data is None:
        scales.append(_gamut_scale(view.gamut))
    if view.data is not None and view.data.coloured and follows_view:
        scales.append(_data_scale(view.data))
    return tuple(scales)


def _difference_scale(comparison: Comparison) -> Scale:
    gain = comparison.gain
    title = f"Difference × {gain:.4g}"
    end = f"{1.0 / gain:.3g}" if gain > 0.0 else "∞"
    greys = (0.0, QColor(0, 0, 0)), (1.0, QColor(255, 255, 255))
    if comparison.difference == "signed":
        return Scale(title, greys, ((0.0, f"−{end}"), (0.5, "grey = equal"), (1.0, f"+{end}")))
    if comparison.difference == "heat":
        above = tuple((EQUAL + (1.0 - EQUAL) * max(at, 0.001), QColor.fromRgbF(*rgb)) for at, rgb in HEAT_STOPS)
        return Scale(title, (greys[0], (EQUAL, greys[0][1]), *above), ((0.0, "black = equal"), (1.0, f"{end} or more")))
    return Scale(title, greys, ((0.0, "black = equal"), (1.0, "lighter = more")))


def _data_scale(data: ShownData) -> Scale:
    """Return the scale of data in false colours: the values at its ends, and 0 if that is between them."""
    last = len(DATA_COLOURS) - 1
    colours = tuple((n / last, QColor.fromRgbF(*rgb)) for n, rgb in enumerate(DATA_COLOURS))
    low, high = (f"{value:.3g}".replace("-", "−") for value in data.range)
    zero = ((0.5, "0"),) if data.range[0] < 0.0 < data.range[1] else ()
    return Scale(KINDS[data.kind].label, colours, ((0.0, low), *zero, (1.0, high)))


def _gamut_scale(gamut: str) -> Scale:
    """Return the scale of the marks outside of a gamut: how far is a share of the largest component."""
    from engine.viewing.gamut_ops import BANDS

    count = len(BANDS)
    colours = tuple((n / count, QColor(*rgb)) for n, (_, rgb) in enumerate(BANDS))
    limits = tuple((n / count, f"{100.0 * share:g} %") for n, (share, _) in enumerate(BANDS))
    return Scale(f"Outside of {GAMUT_NAMES[gamut]}", colours, limits, (), count, True)


def _ladder() -> Scale:
    """Return the scale of false colour: each colour with the stops at which it begins and ends."""
    count = len(LADDER)
    colours = [(n / count, QColor.fromRgbF(*rgb)) for n, (_, rgb, _) in enumerate(LADDER)]
    limits = [((n + 1) / count, f"{above:+g}".replace("-", "−")) for n, (above, _, _) in enumerate(LADDER[:-1])]
    notes = [((n + 0.5) / count, note) for n, (_, _, note) in enumerate(LADDER) if note]
    return Scale("Stops from mid grey", tuple(colours), tuple(limits), tuple(notes), count, True)


class Legend:
    """Draws the scales of the frame on the canvas: beside the image where there is room, else over its right edge."""

    def __init__(self, canvas: Canvas) -> None:
        self._canvas = canvas
        self.scales: tuple[Scale, ...] = ()
        self.places: list[QRectF] = []
        """The rectangles of the scales as they were painted last, in device pixels."""
        canvas.scene.overlays.append(self)

    def show(self, view: View) -> None:
        """Explain another frame, made for a view."""
        scales = scales_of(view)
        if scales != self.scales:
            self.scales = scales
            self._canvas.redraw()

    def drawn(self) -> bool:
        """Return whether the frame needs a legend."""
        return bool(self.scales)

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        """Paint the scales in device pixels; `ratio` is device pixels per logical pixel."""
        if not self.scales:
            return
        painter.save()
        painter.setRenderHint(QPainter.RenderHint.Antialiasing)
        font = QFont(painter.font())
        font.setPixelSize(round(FONT * ratio))
        painter.setFont(font)
        self.places = places_of(self.scales, viewport, ratio, QFontMetricsF(font))
        for scale, place in zip(self.scales, self.places, strict=True):
            _paint_scale(painter, scale, place, ratio)
        painter.restore()


def places_of(scales: tuple[Scale, ...], viewport: Viewport, ratio: float, metrics: QFontMetricsF) -> list[QRectF]:
    """Return a rectangle for each scale, one above the other, at the right edge of the visible image."""
    width = max(_width(scale, metrics, ratio) for scale in scales)
    fixed = sum((2 * PADDING + LINE + GAP + LINE) * ratio for _ in scales) + (len(scales) - 1) * GAP * ratio
    top, bottom = TOP * ratio, viewport.height - EDGE * ratio
    steps = sum(scale.steps for scale in scales)
    step = min(max((bottom - top - fixed) / steps, LEAST_STEP * ratio), STEP * ratio)
    left, above, across, down = viewport.on_screen(viewport.data)
    x = left + across + GAP * ratio
    if x + width > viewport.width - GAP * ratio:  # no room beside the image
        x = min(left + across, viewport.width) - width - EDGE * ratio
    total = fixed + step * steps
    middle = (max(above, 0.0) + min(above + down, viewport.height)) / 2.0
    y = max(top, min(middle - total / 2.0, bottom - total))
    places = []
    for scale in scales:
        height = (2 * PADDING + LINE + GAP + LINE) * ratio + step * scale.steps
        places.append(QRectF(round(max(x, 0.0)), round(y), round(width), round(height)))
        y += height + GAP * ratio
    return places


def _width(scale: Scale, metrics: QFontMetricsF, ratio: float) -> float:
    """Return the width of a scale with its labels and padding."""
    numbers, notes = (
        max((metrics.horizontalAdvance(t) for _, t in c), default=0.0) for c in (scale.limits, scale.notes)
    )
    labels = numbers + (notes + GAP * ratio if notes else 0.0)
    content = max(metrics.horizontalAdvance(scale.title), (BAR + TICK + GAP) * ratio + labels)
    return content + 2 * PADDING * ratio + 2.0


def _paint_scale(painter: QPainter, scale: Scale, place: QRectF, ratio: float) -> None:
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(GROUND)
    painter.drawRoundedRect(place, 4 * ratio, 4 * ratio)
    inner = place.adjusted(*((sign * PADDING * ratio) for sign in (1, 1, -1, -1)))
    painter.setPen(TEXT)
    left = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter
    painter.drawText(QRectF(inner.left(), inner.top(), inner.width(), LINE * ratio), left, scale.title)
    top, bottom = inner.top() + (LINE + GAP + LINE / 2) * ratio, inner.bottom() - LINE / 2 * ratio
    bar = QRectF(inner.left(), round(top), BAR * ratio, round(bottom - top))
    _paint_colours(painter, scale, bar)
    painter.setBrush(Qt.BrushStyle.NoBrush)
    painter.setPen(QPen(FRAME, 1))
    painter.drawRect(bar.adjusted(-0.5, -0.5, 0.5, 0.5))
    column = bar.right() + (TICK + GAP / 2) * ratio
    _paint_labels(painter, scale.limits, bar, column, ratio, ticks=True)
    numbers = max(painter.fontMetrics().horizontalAdvance(text) for _, text in scale.limits)
    _paint_labels(painter, scale.notes, bar, column + numbers + GAP * ratio, ratio, ticks=False)


def _paint_colours(painter: QPainter, scale: Scale, bar: QRectF) -> None:
    if scale.bands:
        for at, colour in scale.colours:  # each covers the upper part of the one before
            painter.fillRect(QRectF(bar.left(), bar.top(), bar.width(), round((1.0 - at) * bar.height())), colour)
        return
    from PySide6.QtGui import QLinearGradient  # its 169 presets take long to make, and few images have a legend

    gradient = QLinearGradient(bar.bottomLeft(), bar.topLeft())
    for at, colour in scale.colours:
        gradient.setColorAt(at, colour)
    painter.fillRect(bar, gradient)


def _paint_labels(
    painter: QPainter, labels: tuple[Label, ...], bar: QRectF, x: float, ratio: float, ticks: bool
) -> None:
    """Paint labels beside a bar, from the bottom up; those that would touch the one before are left out."""
    middle, last = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter, float("inf")
    for at, text in labels:
        y = bar.bottom() - at * bar.height()
        if ticks:
            painter.setPen(QPen(FRAME, 1))
            painter.drawLine(QLineF(QPointF(bar.right() + 1, y), QPointF(bar.right() + TICK * ratio, y)))
        if last - y >= (FONT + 1) * ratio:
            painter.setPen(TEXT)
            painter.drawText(QRectF(x, y - LINE * ratio / 2, bar.width() * 20, LINE * ratio), middle, text)
            last = y

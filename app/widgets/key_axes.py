"""The axes of a curve editor: which frames and values it shows, and where they are."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QTransform

from app.model.curve_lines import CurveLine
from engine.core.records import dataclass

PADDING = 0.08
"""Space beside the curves after a fit, as a share of the axis."""
LEAST_FRAMES, LEAST_VALUES = 4.0, 1e-6
_FACTORS = (1.0, 2.0, 5.0, 10.0)


@dataclass(frozen=True)
class Axes:
    """The frames and values at the edges of a `box` of pixels."""

    box: QRectF
    first: float = 0.0
    last: float = 100.0
    low: float = 0.0
    high: float = 1.0

    def spot(self, frame: float, value: float) -> QPointF:
        """Return the position of a value at a frame."""
        across, up = (frame - self.first) / (self.last - self.first), (value - self.low) / (self.high - self.low)
        return QPointF(self.box.left() + across * self.box.width(), self.box.bottom() - up * self.box.height())

    def frame_at(self, x: float) -> float:
        return self.first + (x - self.box.left()) * self.frames_per_pixel

    def value_at(self, y: float) -> float:
        return self.low + (self.box.bottom() - y) * self.values_per_pixel

    @property
    def frames_per_pixel(self) -> float:
        return (self.last - self.first) / max(1.0, self.box.width())

    @property
    def values_per_pixel(self) -> float:
        return (self.high - self.low) / max(1.0, self.box.height())

    @property
    def transform(self) -> QTransform:
        """The transform from frames and values to pixels."""
        x, y = 1.0 / self.frames_per_pixel, -1.0 / self.values_per_pixel
        start = self.spot(0.0, 0.0)
        return QTransform(x, 0.0, 0.0, y, start.x(), start.y())

    def zoomed(self, at: QPointF, frames: float, values: float) -> Axes:
        """Return the axes with factors for their spans; what lies at a position stays there."""
        frame, value = self.frame_at(at.x()), self.value_at(at.y())
        frames = max(frames, LEAST_FRAMES / (self.last - self.first))
        values = max(values, LEAST_VALUES / (self.high - self.low))
        return replace(
            self,
            first=frame - (frame - self.first) * frames,
            last=frame + (self.last - frame) * frames,
            low=value - (value - self.low) * values,
            high=value + (self.high - value) * values,
        )

    def panned(self, by: QPointF) -> Axes:
        """Return the axes after the curves were moved by some pixels."""
        frames, values = by.x() * self.frames_per_pixel, by.y() * self.values_per_pixel
        first, last = self.first - frames, self.last - frames
        return replace(self, first=first, last=last, low=self.low + values, high=self.high + values)

    def showing(self, frame: float) -> Axes:
        """Return the axes with a frame in sight."""
        by = min(frame - self.first, 0.0) + max(frame - self.last, 0.0)
        return replace(self, first=self.first + by, last=self.last + by) if by else self


def fitted(box: QRectF, lines: Sequence[CurveLine], frames: Sequence[int]) -> Axes:
    """Return axes that show all keys of the lines, and these frames."""
    keys = [key for line in lines for key in line.curve.keys]
    numbers, values = [*frames, *(key.frame for key in keys)] or [0], [key.value for key in keys] or [0.0, 1.0]
    first, last, low, high = float(min(numbers)), float(max(numbers)), min(values), max(values)
    least = min((line.step for line in lines), default=0.1) * 10.0
    if high - low < least / 10.0:
        middle = (low + high) / 2.0
        low, high = middle - least, middle + least
    if last - first < LEAST_FRAMES:
        first, last = first - LEAST_FRAMES, last + LEAST_FRAMES
    across, up = PADDING * (last - first), PADDING * (high - low)
    return Axes(box, first - across, last + across, low - up, high + up)


def marks(low: float, high: float, most: int, least: float = 0.0) -> Iterator[float]:
    """Yield at most `most` round numbers in a range, at least `least` apart."""
    rough = max((high - low) / max(1, most), least)
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in _FACTORS if factor * power >= rough * 0.999)
    for number in range(math.ceil(low / step), math.floor(high / step) + 1):
        yield number * step

"""Arguments and results of reductions over an image, shared by all backends. All arithmetic is float32."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.errors import GradeError

CB_SCALE, CR_SCALE = 1.8556, 1.5748
"""Cb = (B - Y) / 1.8556, Cr = (R - Y) / 1.5748: ITU-R BT.709-6, item 3.3."""
PART_SHAPE = (7, 4)
"""Words of a part of the statistics: least, largest, total; finite, NaN, Inf, negative; of four channels each."""
TOTAL_UNIT = 2.0**32
"""The unit of the total of a part, so that no sum overflows."""


@dataclass(frozen=True)
class Axis:
    """The bins of a histogram over low..high; `log2` spaces them evenly in stops (low is then above 0).

    A value x falls in bin floor((f(x) - f(low)) * scale) with scale = bins / (f(high) - f(low)), where f is log2 or
    the identity, rounded to float32 at each step and clamped to 0..bins-1. NaN is in no bin.
    """

    bins: int = 256
    low: float = 0.0
    high: float = 1.0
    log2: bool = False

    def __post_init__(self) -> None:
        if self.bins < 1 or not self.low < self.high or (self.log2 and self.low <= 0.0):
            raise GradeError(f"an axis of {self.bins} bins from {self.low:g} to {self.high:g} is not valid")

    @property
    def start(self) -> float:
        """f(low)."""
        return math.log2(self.low) if self.log2 else self.low

    @property
    def scale(self) -> float:
        """The number of bins per unit of f(x)."""
        end = math.log2(self.high) if self.log2 else self.high
        return self.bins / (end - self.start)


@dataclass(frozen=True)
class Statistics:
    """Minimum, maximum and mean of the finite values of each channel (NaN if there are none), and counts."""

    minimum: tuple[float, ...]
    maximum: tuple[float, ...]
    mean: tuple[float, ...]
    nan: tuple[int, ...]
    inf: tuple[int, ...]
    negative: tuple[int, ...]


def statistics_of(parts: NDArray[np.uint32]) -> Statistics:
    """Join parts, of (parts, 7, channels) words, to the statistics of the image, in float64."""
    values = parts[:, :3].view(np.float32).astype(np.float64)
    least, largest, total = values[:, 0].min(0), values[:, 1].max(0), values[:, 2].sum(0) * TOTAL_UNIT
    finite, nan, inf, negative = parts[:, 3:].sum(axis=0, dtype=np.int64)
    numbers = (least, largest, total / np.maximum(finite, 1))
    return Statistics(
        *(tuple(np.where(finite == 0, np.nan, x).tolist()) for x in numbers),
        *(tuple(x.tolist()) for x in (nan, inf, negative)),
    )

"""What reductions over an image are asked and answer, the same for every backend. float32 arithmetic throughout."""

from __future__ import annotations

import math
from dataclasses import dataclass

from engine.errors import GradeError

LUMA = (0.2126, 0.7152, 0.0722)
"""Weights of R, G and B in luma: ITU-R BT.709-6, item 3.2."""
CB_SCALE, CR_SCALE = 1.8556, 1.5748
"""Cb = (B - Y) / 1.8556, Cr = (R - Y) / 1.5748: ITU-R BT.709-6, item 3.3."""


@dataclass(frozen=True)
class Axis:
    """Bins of a histogram over low..high; `log2` spaces them evenly in stops (then low is above 0).

    A value x falls in bin floor((f(x) - f(low)) * scale) with scale = bins / (f(high) - f(low)), f being log2 or
    nothing, rounded to float32 at each step, and held within 0..bins-1. NaN is in no bin.
    """

    bins: int = 256
    low: float = 0.0
    high: float = 1.0
    log2: bool = False

    def __post_init__(self) -> None:
        if self.bins < 1 or not self.low < self.high or (self.log2 and self.low <= 0.0):
            raise GradeError(f"an axis of {self.bins} bins from {self.low:g} to {self.high:g} has no meaning")

    @property
    def start(self) -> float:
        """f(low)."""
        return math.log2(self.low) if self.log2 else self.low

    @property
    def scale(self) -> float:
        """Bins for each unit of f(x)."""
        end = math.log2(self.high) if self.log2 else self.high
        return self.bins / (end - self.start)


@dataclass(frozen=True)
class Statistics:
    """For each channel: least, largest and mean of the finite values (NaN where there are none), and counts."""

    minimum: tuple[float, ...]
    maximum: tuple[float, ...]
    mean: tuple[float, ...]
    nan: tuple[int, ...]
    inf: tuple[int, ...]
    negative: tuple[int, ...]

"""Grain."""

from __future__ import annotations

import hashlib
import math
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernel import pairs
from engine.kernel.op import ColorOp, derived, slider
from engine.kernel.pixel import (
    RANDOM_DEVIATION,
    Pixel,
    Scalar,
    Vec,
    clamp,
    exp2,
    floor,
    log2,
    low_order,
    random3,
    sqrt,
)

GREY = 0.18
TOE = GREY / 64.0
"""The exposure that is added before the logarithm: the density of film falls no further below it."""
BRIGHTEST = 65504.0
"""Beyond it the grain grows no more."""
ENDS = 4.0
"""The distance of shadows and highlights from middle grey, in stops, from which on their weights are whole."""
ANGLE = math.atan(0.5)
"""How far the lattice is turned: its rows lie along no rows of pixels."""
REACH = 16384.0
"""Exact up to so many pixels for each pixel of the lattice's spacing, and no further than FARTHEST."""
FARTHEST = 32768.0
FINEST = 0.5
_SAMPLES = 64
_HALF_LN2 = 0.5 * math.log(2.0)


class Grain(ColorOp):
    """Film grain, another one in each frame. Scene-linear RGB in and out; the mean stays what it is.

    A channel x becomes x + (x + t) * (2 ** (a n - a**2 ln 2 / 2) - 1) with t = 0.18 / 64: noise n is added to the
    logarithm of exposure, as grain is to the density of film, and the term with a**2 keeps the mean of normal noise. a
    is the amount in stops, times the weight of shadows, midtones and highlights: smooth functions of
    log2((x + t) / 0.18), which are whole from 4 stops below and above middle grey on.

    n has a variance of 1: a share `roughness` is white (a number for each pixel), the rest is noise on a lattice with
    the spacing `size`, whose value at a place is the sum of random numbers times k(u) k(v), with k = b(u) / sqrt(sum of
    b(u + i)**2) and b the quadratic B-spline, so that the variance is the same between points as on them. Its power
    spectrum is size * |K(size * f)|**2 along each axis, K being the Fourier transform of k. The noises of two channels
    have a correlation of 1 - `chroma`. Random numbers are hashes of place, seed and frame (`random3`). In views of mip
    levels the noise is as large as the mean of the pixels' noise.
    """

    home = "linear"
    placed = True
    temporal = True

    amount: float = slider(
        0.0,
        0.0,
        1.0,
        unit="EV",
        minimum=0.0,
        help="Standard deviation of the grain in stops; 0 is none",
        visible=(0.0, 0.5),
    )
    size: float = slider(
        1.5,
        FINEST,
        32.0,
        unit="px",
        minimum=FINEST,
        help="Size of the grains, in pixels of the image",
        visible=(0.5, 8.0),
    )
    roughness: float = slider(
        0.2, 0.0, 1.0, minimum=0.0, help="Share of the grain's power that is as fine as single pixels; 0 is softest"
    )
    chroma: float = slider(0.3, 0.0, 1.0, minimum=0.0, help="0 gives all channels the same grain, 1 gives each its own")
    shadows: float = slider(1.0, 0.0, 2.0, minimum=0.0, help="Share of the amount 4 stops below mid grey")
    midtones: float = slider(1.0, 0.0, 2.0, minimum=0.0, help="Share of the amount at mid grey")
    highlights: float = slider(0.6, 0.0, 2.0, minimum=0.0, help="Share of the amount 4 stops above mid grey")
    seed: float = slider(
        0.0, 0.0, 9999.0, minimum=0.0, help="Each whole number gives a different grain", visible=(0.0, 99.0)
    )
    frame: int = 0
    scale: float = 1.0

    @derived(2)
    def keys(self) -> tuple[float, ...]:
        """The keys of the random numbers of the lattice and of single pixels."""
        return float(self._random >> 40), float(self._random >> 16 & 0xFFFFFF)

    @derived(pairs.axes_size(2, 2))
    def axes(self) -> tuple[float, ...]:
        """The axes of the lattice, in units of its spacing. It lies elsewhere in each frame."""
        rest = (self._random & 0xFF) / 256.0, (self._random >> 8 & 0xFF) / 256.0
        across, down = math.cos(ANGLE) / self.size, math.sin(ANGLE) / self.size
        reach = min(REACH * self.size, FARTHEST)
        return pairs.axes([part * self.size for part in rest], ((across, down), (-down, across)), reach)

    @derived(2)
    def deviations(self) -> tuple[float, ...]:
        """The standard deviations of both noises in this view, for random numbers of RANDOM_DEVIATION."""
        parts = self._parts
        return parts[0] / RANDOM_DEVIATION, parts[1] / RANDOM_DEVIATION

    @derived()
    def growth(self) -> float:
        """What the logarithm of the mean grows by, in stops, for an amount of 1."""
        return _HALF_LN2 * (self._parts[0] ** 2 + self._parts[1] ** 2)

    @derived(2)
    def shares(self) -> tuple[float, ...]:
        """The shares of the mean of the three channels' numbers, and of their distances from it."""
        return math.sqrt(3.0 - 2.0 * min(self.chroma, 1.0)), math.sqrt(min(self.chroma, 1.0))

    @property
    def _parts(self) -> tuple[float, float]:
        rough, pixels = min(self.roughness, 1.0), max(1.0 / self.scale, 1.0)
        return math.sqrt(1.0 - rough) * mean_deviation(self.size, pixels), math.sqrt(rough) / pixels

    @property
    def _random(self) -> int:
        """64 bits that follow from seed and frame."""
        text = f"{int(self.seed)} {self.frame}".encode()
        return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest())

    def pixel(self, px: Pixel) -> Vec:
        noise = self._noise(px)
        found = []
        for x, n in zip(px.rgb, noise, strict=True):
            exposure = clamp(x, 0.0, BRIGHTEST) + TOE
            amount = self._weight(exposure) * self.amount
            found.append(x + exposure * (exp2(amount * (n - amount * self.growth)) - 1.0))
        return Vec(tuple(found))

    def _weight(self, exposure: Scalar) -> Scalar:
        distance = log2(exposure * (1.0 / GREY)) * (1.0 / ENDS)
        below, above = _smooth(-distance), _smooth(distance)
        return self.midtones + (below * (self.shadows - self.midtones) + above * (self.highlights - self.midtones))

    def _noise(self, px: Pixel) -> Vec:
        grains, pixels = self._of_lattice(px), random3(_cell(px.x), _cell(px.y), self.keys[1])
        both: Vec = grains * self.deviations[0] + pixels * self.deviations[1]
        mean = (both.r + both.g + both.b) * (1.0 / 3.0)
        return Vec(tuple(mean * self.shares[0] + (each - mean) * self.shares[1] for each in both))

    def _of_lattice(self, px: Pixel) -> Vec:
        (column, across), (row, down) = (_weights(pair) for pair in pairs.along(self.axes, (px.x, px.y)))
        squares = [a * a + b * b + c * c for a, b, c in (across, down)]
        total: Any = 0.0
        for j, weight in enumerate(down):
            line: Any = 0.0
            for i, share in enumerate(across):
                line = random3(column + float(i - 1), row + float(j - 1), self.keys[0]) * share + line
            total = line * weight + total
        result: Vec = total * (1.0 / sqrt(squares[0] * squares[1]))
        return result

    def at_scale(self, scale: float) -> Grain:
        return self.replace(scale=scale)

    def at_frame(self, frame: int) -> Grain:
        return self.replace(frame=frame)

    def is_identity(self) -> bool:
        return self.amount == 0.0


def _smooth(share: Scalar) -> Scalar:
    s = clamp(share, 0.0, 1.0)
    return s * s * (3.0 - 2.0 * s)


def _cell(place: Scalar) -> Scalar:
    """Return the pixel of a place, exact even where float32 rounds the place."""
    whole = floor(place)
    return whole + floor((place - whole) + low_order(place))


def _weights(position: pairs.Pair) -> tuple[Scalar, tuple[Scalar, Scalar, Scalar]]:
    """Return the point of the lattice nearest to a position, and the weights of the one before, it, and the one after.

    They are those of the quadratic B-spline.
    """
    high, low = position
    whole = floor(high)
    within = (high - whole) + low
    step = floor(within + 0.5)
    t = within - step
    before, after = 0.5 - t, 0.5 + t
    return whole + step, (0.5 * before * before, 0.75 - t * t, 0.5 * after * after)


def kernel(x: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return k(x), with x in units of the spacing."""
    t = x - np.floor(x + 0.5)
    squares = (0.5 * (0.5 - t) ** 2) ** 2 + (0.75 - t * t) ** 2 + (0.5 * (0.5 + t) ** 2) ** 2
    near = np.abs(x)
    spline = np.where(near < 0.5, 0.75 - near * near, 0.5 * np.maximum(1.5 - near, 0.0) ** 2)
    return np.asarray(spline / np.sqrt(squares))


@lru_cache(maxsize=1)
def _correlation() -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Return distances, in units of the spacing, and the autocorrelation of the noise along an axis at each."""
    x = (np.arange(6 * _SAMPLES) + 0.5) / _SAMPLES - 3.0
    values = kernel(x)
    found = np.correlate(values, values, "full")[len(values) - 1 :] / _SAMPLES
    return np.arange(len(found)) / _SAMPLES, found


@lru_cache(maxsize=64)
def mean_deviation(size: float, pixels: float) -> float:
    """Return the standard deviation of the mean of `pixels` x `pixels` pixels of the noise on a lattice."""
    distance = np.arange(math.ceil(pixels), dtype=np.float64)
    count = (pixels - distance) * np.where(distance > 0.0, 2.0, 1.0)
    alike = np.interp(distance / size, *_correlation(), right=0.0)
    return float((count * alike).sum() / count.sum())

"""Taps of filters such as resize and blur: their weights, computed on the host in float64 for all backends.

Along one axis each result is a weighted sum of neighbouring source pixels. Edge pixels are repeated outwards: weights
beyond the edge are added to that of the edge pixel.
"""

from __future__ import annotations

import math
from dataclasses import field, replace
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass

Float64s = NDArray[np.float64]
Size = tuple[int, int]
"""Width and height in pixels."""
_NO_PLACES = np.zeros((0, 0), np.int32)


@dataclass(frozen=True)
class Taps:
    """Result i is the sum of weights[i, k] * source[first[i] + k] for k < count[i]. `weights` is float32.

    `places` has a row of the numbers k of weights that are not 0, then -1, if most of them are 0; else it has no
    columns. It saves time on the CPU.
    """

    first: NDArray[np.int32]
    count: NDArray[np.int32]
    weights: NDArray[np.float32]
    places: NDArray[np.int32] = field(default_factory=lambda: _NO_PLACES)

    def part(self, start: int, stop: int, origin: int) -> Taps:
        """Return the taps of results start..stop for a source cut to the pixels from `origin` on."""
        if (start, stop, origin) == (0, len(self.first), 0):
            return self
        part = slice(start, stop)
        return Taps(self.first[part] - np.int32(origin), self.count[part], self.weights[part], self.places[part])

    @cached_property
    def even(self) -> tuple[int, int]:
        """The results from, and to (exclusive), around the middle that have the same weights one pixel apart."""
        middle = len(self.first) // 2
        same = (self.count == self.count[middle]) & (self.weights == self.weights[middle]).all(axis=1)
        same &= self.first - np.arange(len(self.first)) == self.first[middle] - middle
        others = np.flatnonzero(~same)
        at = int(np.searchsorted(others, middle))
        first = int(others[at - 1]) + 1 if at else 0
        return first, int(others[at]) if at < len(others) else len(self.first)

    @cached_property
    def all_used(self) -> bool:
        """Whether all results have as many weights, and none is 0."""
        return bool((self.count == self.weights.shape[1]).all() and self.weights.all())

    def span(self, start: int, stop: int) -> tuple[int, int]:
        """Return the range of source pixels that results start..stop need, as first and end (exclusive)."""
        first, count = self.first[start:stop], self.count[start:stop]
        return int(first.min()), int((first + count).max())


def _bilinear(x: Float64s) -> Float64s:
    return np.maximum(1.0 - np.abs(x), 0.0)


def _catmull_rom(x: Float64s) -> Float64s:
    """Evaluate the cubic with a = -1/2: Catmull and Rom, "A class of local interpolating splines", 1974."""
    x = np.abs(x)
    near = (1.5 * x - 2.5) * x * x + 1.0
    far = ((-0.5 * x + 2.5) * x - 4.0) * x + 2.0
    return np.where(x < 1.0, near, np.where(x < 2.0, far, 0.0))


def _lanczos3(x: Float64s) -> Float64s:
    """Evaluate the Lanczos kernel: Duchon, "Lanczos filtering in one and two dimensions", 1979."""
    return np.where(np.abs(x) < 3.0, np.sinc(x) * np.sinc(x / 3.0), 0.0)


KERNELS = {"bilinear": (_bilinear, 1.0), "catmull-rom": (_catmull_rom, 2.0), "lanczos3": (_lanczos3, 3.0)}
"""Kernels and their radii in pixels, for enlarging."""


@lru_cache(maxsize=64)
def resize_taps(filter_name: str, source: int, result: int, start: float = 0.0, extent: float | None = None) -> Taps:
    """Return the taps that resize the range start..start+extent (default: all) of `source` pixels to `result` pixels.

    `filter_name` is nearest, area, or a name of KERNELS. Kernels are widened when the image shrinks.
    """
    extent = float(source) if extent is None else extent
    scale = extent / result
    centres: Float64s = start + (np.arange(result, dtype=np.float64) + 0.5) * scale
    if filter_name == "nearest" or (filter_name == "area" and scale <= 1.0):
        return _clamped(np.floor(centres).astype(np.int64), np.ones((result, 1)), source)
    if filter_name == "area":
        return _area_taps(centres, scale, source)
    kernel, reach = KERNELS[filter_name]
    widened = max(scale, 1.0)
    first = np.floor(centres - reach * widened).astype(np.int64)
    offsets = np.arange(math.ceil(2.0 * reach * widened) + 2)
    positions = first[:, None] + offsets + 0.5
    return _clamped(first, kernel((positions - centres[:, None]) / widened), source)


def _area_taps(centres: Float64s, scale: float, source: int) -> Taps:
    """Weight each source pixel by the share of it that the result covers."""
    low, high = (centres - 0.5 * scale)[:, None], (centres + 0.5 * scale)[:, None]
    first = np.floor(low[:, 0]).astype(np.int64)
    pixels = first[:, None] + np.arange(math.ceil(scale) + 2)
    covered = np.minimum(pixels + 1, high) - np.maximum(pixels, low)
    return _clamped(first, np.maximum(covered, 0.0), source)


@lru_cache(maxsize=64)
def blur_taps(radius: float, source: int) -> Taps:
    """Return the taps of a Gaussian with a standard deviation of radius / 3, truncated at the radius; 0 is none."""
    reach = math.ceil(radius)
    offsets = np.arange(-reach, reach + 1)
    return _same_taps(np.exp(-0.5 * (offsets * 3.0 / (radius or 1.0)) ** 2) * (np.abs(offsets) <= radius), source)


@lru_cache(maxsize=64)
def weighted_taps(weights: tuple[float, ...], step: int, source: int) -> Taps:
    """Return taps with an odd number of weights for pixels `step` apart, around each pixel; 0 between them."""
    spread = np.zeros((len(weights) - 1) * step + 1)
    spread[::step] = weights
    taps = _same_taps(spread, source)
    return replace(taps, places=_places(taps.weights)) if step > 1 else taps


def _places(weights: NDArray[np.float32]) -> NDArray[np.int32]:
    """Return the numbers of the weights in each row that are not 0, then -1."""
    used = weights != 0.0
    places = np.argsort(~used, axis=1, kind="stable")[:, : used.sum(axis=1).max()]
    return np.where(np.take_along_axis(used, places, axis=1), places, -1).astype(np.int32)


@lru_cache(maxsize=64)
def magnified_taps(factor: float, center: float, most: int, source: int) -> Taps:
    """Return taps that scale pixels by `factor` about a position, by Catmull and Rom's cubic.

    No pixel is displaced by more than `most` - 2 pixels.
    """
    pixels = np.arange(source, dtype=np.float64)
    away = np.clip((pixels + 0.5 - center) * (1.0 / factor - 1.0), 2 - most, most - 2)
    whole = np.floor(away)
    weights = _catmull_rom((away - whole)[:, None] - np.arange(-1.0, 3.0))
    return _clamped((pixels + whole).astype(np.int64) - 1, weights, source)


def _same_taps(weights: Float64s, source: int) -> Taps:
    """Return taps with the same odd number of weights around each pixel.

    They are those of an image in which only the middle pixel is farther from the edges than the weights reach.
    """
    few, pixels = min(source, len(weights)), np.arange(source)
    some = _few_taps(weights.tobytes(), few)
    moved = np.clip(pixels - len(weights) // 2, 0, source - few)
    like = pixels - moved
    taps = Taps(some.first[like] + moved.astype(np.int32), some.count[like], some.weights[like])
    taps.__dict__["even"] = some.even[0], some.even[1] + source - few  # as comparing all weights would find
    return taps


@lru_cache(maxsize=64)
def _few_taps(weights: bytes, source: int) -> Taps:
    """Return taps with the same float64 weights around each pixel, for no more pixels than weights."""
    values = np.frombuffer(weights)
    return _clamped(np.arange(source) - len(values) // 2, np.broadcast_to(values, (source, len(values))), source)


def _clamped(first: NDArray[np.int64], weights: Any, source: int) -> Taps:
    """Clamp the taps to the image, normalise the weights of each row to a sum of 1, and drop zero weights."""
    rows, width = weights.shape
    wanted = np.clip(first[:, None] + np.arange(width), 0, source - 1)
    low = wanted.min(axis=1)
    span = int((wanted.max(axis=1) - low).max()) + 1
    gathered = np.zeros((rows, span))
    np.add.at(gathered, (np.arange(rows)[:, None], wanted - low[:, None]), weights)
    used = gathered != 0.0
    skip = used.argmax(axis=1)
    count = span - used[:, ::-1].argmax(axis=1) - skip
    columns = np.minimum(skip[:, None] + np.arange(int(count.max())), span - 1)
    packed = np.take_along_axis(gathered, columns, axis=1) * (np.arange(columns.shape[1]) < count[:, None])
    packed /= packed.sum(axis=1, keepdims=True)
    return Taps((low + skip).astype(np.int32), count.astype(np.int32), packed.astype(np.float32))

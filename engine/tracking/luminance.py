"""Luminance as it is compared: encoded by a logarithm, with its mip levels, and sampled between pixels.

Pixels that are NaN, infinite or outside the frame are NaN. Single ones are filled in by their neighbours.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.geometry import Rect
from engine.core.records import dataclass

Array = NDArray[np.float32]
FLOOR_SHARE = 0.1
"""Added to the luminance before its logarithm, as a share of the median: grain in the blacks stays small."""
LEAST_FLOOR = 1e-6
Kernel: TypeAlias = tuple[tuple[int, int, float], ...]
"""Offsets down and across, and weights."""
BINOMIAL: Kernel = tuple((y, x, (2 - abs(y)) * (2 - abs(x)) / 16.0) for y in (-1, 0, 1) for x in (-1, 0, 1))
SQUARE: Kernel = tuple((y, x, 0.25) for y in (0, 1) for x in (0, 1))
MOST_STOPS = 12.0
"""Luminance is compared up to this many stops above what is added: a bright pixel does not outweigh the others."""
LEAST_KNOWN = 0.5
"""The weight of the pixels that are known, from which on their average is."""


def floor_of(luminance: NDArray[Any]) -> float:
    """Return what is added to the luminance of a frame before its logarithm."""
    with np.errstate(invalid="ignore"):
        lit = luminance[np.isfinite(luminance) & (luminance > 0.0)]
    return max(float(np.median(lit)) * FLOOR_SHARE, LEAST_FLOOR) if lit.size else LEAST_FLOOR


def encoded(luminance: NDArray[Any], floor: float) -> Array:
    """Return luminance as a logarithm, so that a change of exposure adds a constant; NaN where it is not finite."""
    with np.errstate(invalid="ignore"):
        values = np.log2(np.clip(luminance, 0.0, floor * 2.0**MOST_STOPS, dtype=np.float32) + np.float32(floor))
    values[~np.isfinite(luminance)] = np.nan
    return np.asarray(values, np.float32)


@dataclass(frozen=True, eq=False)
class Levels:
    """A part of a frame, encoded, and its mip levels: each averages 2 x 2 pixels of the one before.

    Level `n` starts at the point `origin / 2**n` of its own pixels.
    """

    origin: tuple[int, int]
    images: tuple[Array, ...]

    @classmethod
    def of(cls, frame: NDArray[Any], part: Rect, floor: float, count: int) -> Levels:
        """Return `count` levels of a part of a frame; the part grows to whole pixels of the last level."""
        grid = 1 << (count - 1)
        left, top = part.x // grid * grid, part.y // grid * grid
        right, bottom = -(-part.right // grid) * grid, -(-part.bottom // grid) * grid
        whole = np.full((bottom - top, right - left), np.nan, np.float32)
        inside = Rect(left, top, right - left, bottom - top).clipped(frame.shape[1], frame.shape[0])
        rows, columns = inside.within(Rect(left, top, right - left, bottom - top))
        whole[rows, columns] = encoded(frame[inside.y : inside.bottom, inside.x : inside.right], floor)
        images = [smoothed(whole)]
        for _ in range(count - 1):
            images.append(halved(images[-1]))
        return cls((left, top), tuple(images))

    def local(self, points: Any, level: int) -> Any:
        """Return points of the frame in pixels of a level, where the centre of its first pixel is 0."""
        return (points - complex(*self.origin)) / (1 << level) - (0.5 + 0.5j)

    def samples(self, points: Any, level: int) -> NDArray[np.float32]:
        """Return the values of a level at points of the frame, interpolated linearly."""
        at = self.local(points, level)
        return bilinear(self.images[level], at.real, at.imag)


def smoothed(image: Array) -> Array:
    """Return an image after a binomial filter of 3 x 3 pixels, which leaves less grain and safer slopes."""
    half, quarter = np.float32(0.5), np.float32(0.25)
    down = image.copy()
    down[1:-1] = image[1:-1] * half + (image[:-2] + image[2:]) * quarter
    result = down.copy()
    result[:, 1:-1] = down[:, 1:-1] * half + (down[:, :-2] + down[:, 2:]) * quarter
    return _with_known(result, image, 1, BINOMIAL)


def halved(image: Array) -> Array:
    """Return the averages of 2 x 2 pixels of an image with even sides."""
    rows = image[0::2] + image[1::2]
    return _with_known((rows[:, 0::2] + rows[:, 1::2]) * np.float32(0.25), image, 2, SQUARE)


def _with_known(result: Array, image: Array, step: int, kernel: Kernel) -> Array:
    """Replace averages that are NaN by those of the pixels that are not, if these weigh LEAST_KNOWN or more."""
    unknown = np.flatnonzero(np.isnan(result))
    if not unknown.size:
        return result
    rows, columns = np.divmod(unknown, result.shape[1])
    total, known = np.zeros(unknown.size, np.float32), np.zeros(unknown.size, np.float32)
    for down, across, weight in kernel:
        y, x = rows * step + down, columns * step + across
        inside = (y >= 0) & (x >= 0) & (y < image.shape[0]) & (x < image.shape[1])
        value = image[np.where(inside, y, 0), np.where(inside, x, 0)]
        used = inside & np.isfinite(value)
        total += np.where(used, value, 0.0) * np.float32(weight)
        known += used * np.float32(weight)
    result.ravel()[unknown] = np.where(known >= LEAST_KNOWN, total / np.maximum(known, LEAST_KNOWN), np.nan)
    return result


def bilinear(image: Array, x: NDArray[Any], y: NDArray[Any]) -> Array:
    """Return the values of an image at positions in pixels, where the centre of the first pixel is 0."""
    height, width = image.shape
    left, top = np.floor(x), np.floor(y)
    outside = ~((left >= 0) & (top >= 0) & (left < width - 1) & (top < height - 1))
    if outside.any():
        left, top = np.where(outside, 0.0, left), np.where(outside, 0.0, top)
    across, down = (x - left).astype(np.float32), (y - top).astype(np.float32)
    at, flat = top.astype(np.intp) * width + left.astype(np.intp), image.ravel()
    upper, lower = flat[at], flat[at + width] if height > 1 else flat[at]
    upper = upper + across * (flat[np.minimum(at + 1, flat.size - 1)] - upper)
    lower = lower + across * (flat[np.minimum(at + width + 1, flat.size - 1)] - lower)
    found = upper + down * (lower - upper)
    if outside.any():
        found[outside] = np.nan
    return np.asarray(found, np.float32)

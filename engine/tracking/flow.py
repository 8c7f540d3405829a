"""Motion of single features from one frame to the next: pyramidal Lucas-Kanade, followed back as a check.

Sources: J.-Y. Bouguet, "Pyramidal implementation of the Lucas Kanade feature tracker", Intel, 2000; Z. Kalal,
K. Mikolajczyk and J. Matas, "Forward-backward error: automatic detection of tracking failures", ICPR 2010.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tracking.corners import REACH
from engine.tracking.luminance import Array, Levels
from engine.tracking.warp import Points

STEPS, BACK_STEPS = 4, 3
"""Iterations at each level, and of the way back at the last one."""
FARTHEST_BACK = 1.0
"""How far from its start, in pixels of the last level, a feature may arrive when it is followed back."""


def flow(before: Levels, after: Levels, points: Points, start: Points, levels: tuple[int, ...]) -> Points:
    """Return where points of the frame `before` are in the frame `after`, from `start` on; NaN if they are not found.

    `levels` are the mip levels to use, coarse ones first.
    """
    at = start.copy()
    for level in levels:
        at = _followed(before, after, points, at, level, STEPS)
    last = levels[-1]
    back = _followed(after, before, at, points, last, BACK_STEPS)
    with np.errstate(invalid="ignore"):
        found = np.abs(back - points) <= FARTHEST_BACK * (1 << last)
    return np.where(found, at, np.nan + 0.0j)


def _followed(before: Levels, after: Levels, points: Points, start: Points, level: int, steps: int) -> Points:
    """Return points after steps at one level; those that read NaN stay where they are."""
    wide = _squares(before.images[level], before.local(points, level), REACH + 1)
    across = (wide[:, 1:-1, 2:] - wide[:, 1:-1, :-2]) * 0.5
    down = (wide[:, 2:, 1:-1] - wide[:, :-2, 1:-1]) * 0.5
    square = _centred(wide[:, 1:-1, 1:-1])
    across, down = _centred(across), _centred(down)
    xx, xy, yy = (np.einsum("nij,nij->n", a, b) for a, b in ((across, across), (across, down), (down, down)))
    determinant = xx * yy - xy * xy
    at = after.local(start, level)
    with np.errstate(all="ignore"):
        for _ in range(steps):
            missing = square - _centred(_squares(after.images[level], at, REACH))
            x, y = np.einsum("nij,nij->n", across, missing), np.einsum("nij,nij->n", down, missing)
            step = (yy * x - xy * y) / determinant + 1j * (xx * y - xy * x) / determinant
            step = np.where(np.isfinite(step), step, 0.0)
            at = at + step / np.maximum(np.abs(step) / REACH, 1.0)
    return np.asarray((at + 0.5 + 0.5j) * (1 << level) + complex(*after.origin))


def _centred(squares: NDArray[Any]) -> NDArray[Any]:
    return np.asarray(squares - squares.mean(axis=(1, 2), keepdims=True))


def _squares(image: Array, at: Points, reach: int) -> Array:
    """Return the squares of pixels around points, interpolated linearly; NaN where they leave the image."""
    height, width = image.shape
    at = np.where(np.isfinite(at), at, -1e6)
    left, top = np.floor(at.real).astype(np.intp) - reach, np.floor(at.imag).astype(np.intp) - reach
    side = 2 * reach + 2
    outside = (left < 0) | (top < 0) | (left + side > width) | (top + side > height)
    left, top = np.where(outside, 0, left), np.where(outside, 0, top)
    offsets = np.arange(side)
    rows = np.minimum(top[:, None] + offsets, height - 1)
    columns = np.minimum(left[:, None] + offsets, width - 1)
    whole = image[rows[:, :, None], columns[:, None, :]]
    x = (at.real - np.floor(at.real)).astype(np.float32)[:, None, None]
    y = (at.imag - np.floor(at.imag)).astype(np.float32)[:, None, None]
    upper = whole[:, :, :-1] + x * (whole[:, :, 1:] - whole[:, :, :-1])
    found = upper[:, :-1] + y * (upper[:, 1:] - upper[:, :-1])
    found[outside] = np.nan
    return np.asarray(found, np.float32)

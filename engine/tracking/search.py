"""Large motions, and cuts: normalised cross-correlation of small mip levels.

Source: J. P. Lewis, "Fast normalized cross-correlation", Vision Interface, 1995.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.tracking.luminance import Array, Levels, encoded

BETTER = 0.05
"""By how much another place must correlate better than the predicted one to be taken."""
LEAST_OVERLAP = 0.5
"""The share of the window that must be inside the image at a place, for it to be compared."""
SMALL = 24
"""The longer side of a frame, in samples, when whole frames are compared."""
SAME = 0.35
"""Frames of one shot that follow each other correlate at least this well."""


def coarse_shift(before: Levels, after: Levels, inside: NDArray[np.bool_], level: int, move: complex) -> complex:
    """Return where the pixels `inside` a window of one frame are in the next one, as a move in pixels of the frame.

    `inside` is a mask of the level of `before`; `move` is the predicted move.
    """
    rows, columns = np.flatnonzero(inside.any(axis=1)), np.flatnonzero(inside.any(axis=0))
    if not rows.size:
        return move
    top, bottom, left, right = rows[0], rows[-1] + 1, columns[0], columns[-1] + 1
    pattern = before.images[level][top:bottom, left:right]
    mask = inside[top:bottom, left:right] & np.isfinite(pattern)
    if mask.sum() < 16:
        return move
    down, across = mask.shape[0] // 2 + 1, mask.shape[1] // 2 + 1  # places where the window is half outside
    scores = correlation_map(_padded(after.images[level], down, across), pattern, mask)
    scale = 1 << level
    offset = (complex(*before.origin) - complex(*after.origin)) / scale + complex(left + across, top + down)
    predicted = offset + move / scale
    y, x = np.unravel_index(int(np.argmax(scores)), scores.shape)
    row, column = round(predicted.imag), round(predicted.real)
    if 0 <= row < scores.shape[0] and 0 <= column < scores.shape[1]:
        near = scores[max(row - 1, 0) : row + 2, max(column - 1, 0) : column + 2]
        if scores[y, x] < near.max() + BETTER:
            return move
    return complex((complex(x, y) - offset) * scale)


def correlation_map(image: Array, pattern: Array, mask: NDArray[np.bool_]) -> NDArray[Any]:
    """Return how well a pattern, where its mask is true, correlates with each place of an image, -1..1."""
    known = np.isfinite(image)
    values = np.where(known, image, 0.0).astype(np.float64)
    shift = values.sum() / max(int(known.sum()), 1)
    values = np.where(known, values - shift, 0.0)
    held = np.where(mask, pattern, 0.0).astype(np.float64)
    held = np.where(mask, held - held.sum() / mask.sum(), 0.0)
    transforms = [_transform(part, image.shape) for part in (values, values * values, known.astype(np.float64))]
    of_mask, of_held, of_square = (
        np.conj(_transform(part, image.shape)) for part in (mask.astype(np.float64), held, held * held)
    )
    rows, columns = image.shape[0] - mask.shape[0] + 1, image.shape[1] - mask.shape[1] + 1

    def correlated(of_image: NDArray[Any], of_pattern: NDArray[Any]) -> NDArray[Any]:
        return np.asarray(np.fft.irfft2(of_image * of_pattern, image.shape)[:rows, :columns])

    count = np.maximum(correlated(transforms[2], of_mask), 1e-9)
    sums, squares = correlated(transforms[0], of_mask), correlated(transforms[1], of_mask)
    held_sums = correlated(transforms[2], of_held)
    product = correlated(transforms[0], of_held) - sums * held_sums / count
    spread = (squares - sums * sums / count) * (correlated(transforms[2], of_square) - held_sums**2 / count)
    least = 1e-9 * max(float((held * held).sum()), 1e-12) ** 2
    scores = np.where(spread > least, product / np.sqrt(np.maximum(spread, 1e-30)), -1.0)
    overlap = count / mask.sum()  # fewer pixels agree by chance more easily
    return np.where(overlap >= LEAST_OVERLAP, scores * np.sqrt(overlap), -1.0)


def is_cut(before: NDArray[Any], after: NDArray[Any], floor: float) -> bool:
    """Return whether two frames that follow each other are of different shots."""
    small, other = _thumbnail(before, floor), _thumbnail(after, floor)
    if small.shape != other.shape:
        return True
    rows, columns = small.shape[0] // 4, small.shape[1] // 4
    mask = np.isfinite(small)
    return bool(mask.sum() >= 16 and correlation_map(_padded(other, rows, columns), small, mask).max() < SAME)


def _thumbnail(frame: NDArray[Any], floor: float) -> Array:
    step = max(-(-max(frame.shape) // SMALL), 1)
    part = frame[: frame.shape[0] // step * step, : frame.shape[1] // step * step]
    thin = max(step // 8, 1)  # enough pixels of each sample
    step_down = step // thin
    part = part[::thin, ::thin]
    rows, columns = part.shape[0] // step_down, part.shape[1] // step_down
    squares = part[: rows * step_down, : columns * step_down].reshape(rows, step_down, columns, step_down)
    return np.asarray(encoded(squares, floor).mean(axis=(1, 3)))


def _padded(image: Array, rows: int, columns: int) -> Array:
    """Return an image with rows and columns of NaN on each side."""
    return np.pad(image, ((rows, rows), (columns, columns)), constant_values=np.nan)


def _transform(part: NDArray[Any], shape: tuple[int, ...]) -> NDArray[Any]:
    return np.asarray(np.fft.rfft2(part, shape))

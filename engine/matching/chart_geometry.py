"""Where the patches of a chart are in an image, from its four corners, and their colours there."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.errors import GradeError
from engine.matching.chart_values import COLUMNS, ROWS

Point = tuple[float, float]
Array = NDArray[np.float64]
SHARE = 0.5
"""The side of the square in the middle of a patch that is looked at, as a share of the patch."""
GRID = 12
"""Points that are looked at along each side of that square."""
LEAST_SIDE = 6.0
"""The least length of a side of the chart, in pixels."""
UNIT = ((0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0))


@dataclass(frozen=True)
class ChartPlace:
    """The corners of the field of patches, clockwise from that of the dark skin patch, in pixels of the image.

    Raises GradeError if they do not form a convex shape: what is seen of a rectangle in perspective.
    """

    corners: tuple[Point, Point, Point, Point]

    def __post_init__(self) -> None:
        at = np.array(self.corners, np.float64)
        if at.shape != (4, 2) or not np.isfinite(at).all():
            raise GradeError("a chart needs four corners", "give x and y of each")
        sides = np.roll(at, -1, axis=0) - at
        turns = np.cross(np.pad(sides, ((0, 0), (0, 1))), np.pad(np.roll(sides, -1, axis=0), ((0, 0), (0, 1))))[:, 2]
        if not ((turns > 0.0).all() or (turns < 0.0).all()):
            raise GradeError("the corners of the chart do not form a convex shape", "place them in turn around it")
        if np.hypot(*sides.T).min() < LEAST_SIDE:
            raise GradeError("the chart is too small in the image", "place the corners farther apart")

    @cached_property
    def perspective(self) -> Array:
        """The matrix (3, 3) from the unit square to the corners, in homogeneous coordinates."""
        rows, values = [], []
        for (u, v), (x, y) in zip(UNIT, self.corners, strict=True):
            rows += [[u, v, 1, 0, 0, 0, -u * x, -v * x], [0, 0, 0, u, v, 1, -u * y, -v * y]]
            values += [x, y]
        return np.append(np.linalg.solve(np.array(rows, np.float64), np.array(values)), 1.0).reshape(3, 3)

    def placed(self, points: Any) -> Array:
        """Return where points (..., 2) of the unit square are in the image."""
        flat = np.asarray(points, np.float64)
        at = np.concatenate([flat, np.ones_like(flat[..., :1])], axis=-1) @ self.perspective.T
        return np.asarray(at[..., :2] / at[..., 2:])

    def squares(self) -> Array:
        """Return the corners of the square in each patch that is looked at, (24, 4, 2)."""
        inner = (np.array(UNIT) - 0.5) * SHARE
        return self.placed(_in_patches(inner))

    def turned(self) -> ChartPlace:
        """Return the chart turned by a quarter: the next corner is that of the dark skin patch."""
        return ChartPlace((*self.corners[1:], self.corners[0]))

    def moved(self, number: int, to: Point) -> ChartPlace:
        """Return the chart with a corner elsewhere."""
        corners = [to if n == number else at for n, at in enumerate(self.corners)]
        return ChartPlace((corners[0], corners[1], corners[2], corners[3]))

    def bounds(self) -> tuple[int, int, int, int]:
        """Return the left, top, right and bottom of the pixels that the patches lie in."""
        at = np.array(self.corners)
        return (*map(int, np.floor(at.min(axis=0))), *map(int, np.ceil(at.max(axis=0)) + 1))  # type: ignore[return-value]

    def measured(self, pixels: NDArray[Any], origin: tuple[int, int] = (0, 0)) -> Array:
        """Return the mean RGB of each patch, (24, 3), in pixels (height, width, 3|4) whose first one is at `origin`.

        A patch is NaN if half of it or more is outside the pixels, or not finite.
        """
        steps = (np.arange(GRID) + 0.5) / GRID - 0.5
        inner = np.stack(np.meshgrid(steps, steps), axis=-1).reshape(-1, 2) * SHARE
        at = np.floor(self.placed(_in_patches(inner)) - origin).astype(np.intp)
        x, y = at[..., 0], at[..., 1]
        height, width = pixels.shape[:2]
        inside = (x >= 0) & (y >= 0) & (x < width) & (y < height)
        seen = pixels[np.clip(y, 0, height - 1), np.clip(x, 0, width - 1), :3].astype(np.float64)
        good = inside & np.isfinite(seen).all(axis=-1)
        sums, counts = np.where(good[..., None], seen, 0.0).sum(axis=1), good.sum(axis=1)
        enough = counts * 2 > GRID * GRID
        return np.asarray(np.where(enough[:, None], sums / np.maximum(counts, 1)[:, None], np.nan))


def chart_place(numbers: Sequence[float]) -> ChartPlace:
    """Return the chart whose corners are given as x and y in turn."""
    if len(numbers) != 8:
        raise GradeError("a chart needs four corners", "give x and y of each")
    x0, y0, x1, y1, x2, y2, x3, y3 = numbers
    return ChartPlace(((x0, y0), (x1, y1), (x2, y2), (x3, y3)))


def _in_patches(inner: Array) -> Array:
    """Return points of each patch (24, n, 2) in the unit square, from points around the middle of a patch."""
    rows, columns = np.divmod(np.arange(ROWS * COLUMNS), COLUMNS)
    middles = np.stack([columns, rows], axis=-1)[:, None] + 0.5
    return np.asarray((middles + inner) / (COLUMNS, ROWS))

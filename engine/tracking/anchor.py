"""The features of one frame, and their alignment as a whole in another one: what keeps a long track from drifting.

The alignment is inverse compositional, with a gain and an offset for changes of exposure and blur, and weights that
leave out what differs. Source: S. Baker and I. Matthews, "Lucas-Kanade 20 years on: a unifying framework",
International Journal of Computer Vision 56(3), 2004.
"""

from __future__ import annotations

import cmath
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.tracking.corners import REACH, corners
from engine.tracking.luminance import Levels
from engine.tracking.warp import Freedom, Points, Warp

MOST_FEATURES = 120
STEPS = 12
CONVERGED = 0.003
"""The alignment ends with a step shorter than this, in pixels of the level."""
TUKEY, MAD_TO_SIGMA = 4.685, 1.4826
"""Residuals beyond this many standard deviations have no weight; from the median of the magnitudes to one of these."""


@dataclass(frozen=True, eq=False)
class Anchor:
    """Features of a frame: squares of pixels of one mip level.

    `points` (n, pixels) are their positions in the frame, `values` what they hold, `columns` (n, pixels, 4) how these
    change if the window moves by a pixel in x or y, or its edge does by a change of size or a rotation about `pivot`.
    `warp` takes the window from the reference frame to this one.
    """

    level: int
    points: Points
    values: NDArray[Any]
    columns: NDArray[Any]
    pivot: complex
    radius: float
    warp: Warp

    @property
    def centers(self) -> Points:
        """The positions of the features."""
        return self.points[:, self.points.shape[1] // 2]

    @classmethod
    def of(cls, levels: Levels, level: int, allowed: NDArray[np.bool_], warp: Warp) -> Anchor:
        """Return the best features among the allowed pixels of a level."""
        image = levels.images[level]
        rows, columns = corners(image, allowed, MOST_FEATURES)
        offsets = np.arange(-REACH, REACH + 1)
        down, right = (part.ravel() for part in np.meshgrid(offsets, offsets, indexing="ij"))
        y, x = rows[:, None] + down, columns[:, None] + right
        points = (x + 0.5 + 1j * (y + 0.5)) * (1 << level) + complex(*levels.origin)
        pivot = complex(points.mean()) if points.size else 0.0j
        arms = (points - pivot) / (1 << level)
        radius = max(float(np.abs(arms).max(initial=1.0)), 1.0)
        across = (image[y, x + 1] - image[y, x - 1]) * 0.5
        slope_down = (image[y + 1, x] - image[y - 1, x]) * 0.5
        u, v = arms.real / radius, arms.imag / radius
        slopes = np.stack([across, slope_down, across * u + slope_down * v, slope_down * u - across * v], axis=-1)
        return cls(level, points, image[y, x].astype(np.float64), slopes.astype(np.float64), pivot, radius, warp)

    def aligned(self, levels: Levels, warp: Warp, freedom: Freedom, used: NDArray[np.bool_]) -> Warp | None:
        """Return the warp from this frame to another one, from `warp` on, by the features in use; None if it fails."""
        free = [True, True, freedom.scale, freedom.rotation]
        points, values, columns = self.points[used].ravel(), self.values[used].ravel(), self.columns[used][..., free]
        columns = columns.reshape(len(points), -1)
        weights = np.ones(len(points))
        for _ in range(STEPS):
            found = levels.samples(warp(points), self.level).astype(np.float64)
            known = np.isfinite(found)
            if known.sum() < 4 * columns.shape[1]:
                return None
            step, weights[known] = _step(found[known], values[known], columns[known], weights[known])
            if step is None:
                return None
            full = np.zeros(4)
            full[free] = step
            warp = warp.after(self._moved(full).inverse)
            if np.abs(full).max() < CONVERGED:
                break
        return warp

    def correlations(self, levels: Levels, warp: Warp) -> NDArray[Any]:
        """Return how well each feature matches another frame, -1..1; NaN where it leaves the image."""
        found = levels.samples(warp(self.points), self.level).astype(np.float64)
        found = found - found.mean(axis=1, keepdims=True)
        values = self.values - self.values.mean(axis=1, keepdims=True)
        norms = np.sqrt((found * found).sum(axis=1) * (values * values).sum(axis=1))
        return np.asarray((found * values).sum(axis=1) / np.maximum(norms, 1e-9))

    def _moved(self, step: NDArray[Any]) -> Warp:
        """Return the warp of a step, in the pixels of the level."""
        factor = cmath.exp(complex(step[2], step[3]) / self.radius)
        return Warp.about(self.pivot, factor, complex(step[0], step[1]) * (1 << self.level))


def _step(
    found: NDArray[Any], values: NDArray[Any], columns: NDArray[Any], weights: NDArray[Any]
) -> tuple[NDArray[Any] | None, NDArray[Any]]:
    """Return by how much the window is off, by weighted least squares, and new weights; None if that is not known."""
    centre, spread = np.median(values), max(float(values.std()), 1e-9)
    design = np.column_stack([columns, (values - centre) / spread, np.ones(len(values))])
    weighted = design * weights[:, None]
    try:
        solution = np.linalg.solve(weighted.T @ design, weighted.T @ found)
    except np.linalg.LinAlgError:
        return None, weights
    residuals = found - design @ solution
    width = TUKEY * MAD_TO_SIGMA * float(np.median(np.abs(residuals)))
    weights = np.square(np.maximum(1.0 - np.square(residuals / max(width, 1e-9)), 0.0))
    gain = solution[-2] / spread
    if not gain > 1e-3:
        return None, weights
    step = solution[:-2] / gain
    return np.asarray(step / max(1.0, float(np.abs(step).max()) / REACH)), weights

"""A smooth 3D LUT through pairs of colours: a linear map, and what is left as a smooth displacement on a grid.

The displacement minimises its distance from the pairs near each entry, plus its squared Laplacian (a thin plate), plus
a little of its size, so that it fades where there are no pairs. It is solved for by conjugate gradients, and made
smoother until the map does not fold.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table
from engine.matching.covariance import Affine
from engine.matching.samples import Samples
from engine.ops import Lut3d

Grid = NDArray[np.float64]
"""A displacement at each entry: (size, size, size, 3), indexed [r][g][b]."""
SIZE = 33
SMOOTHNESS = 0.3
"""The weight of the squared Laplacian against pairs that were spread evenly over the entries that they lie near."""
SMALLNESS = 1e-5
"""The weight of the displacement's own size."""
ROUNDS = 80
"""The most steps of conjugate gradients."""
CLOSE = 1e-4
"""The residual, as a share of that at the start, at which they end."""
FOLDS = 4
"""How many times the smoothness is raised, tenfold, if the map folds."""
LEAST_VOLUME = 0.02
"""The least volume that a cell of the grid keeps, as a share of that after the linear map."""


def fitted_lut(source: Samples, target: Samples, linear: Affine) -> Lut3d:
    """Return the LUT that brings the colours of `source` to those of `target`, which `linear` does roughly.

    It covers 0 to 1 and all of `source`, and is constant beyond.
    """
    low, high = np.minimum(source.min(axis=0), 0.0), np.maximum(source.max(axis=0), 1.0)
    weights, sums = _splatted(source, target - linear.apply(source), low, high)
    axes = [np.linspace(low[n], high[n], SIZE) for n in range(3)]
    entries = np.stack(np.meshgrid(*axes, indexing="ij"), axis=-1)
    straight = linear.apply(entries.reshape(-1, 3)).reshape(entries.shape)
    smoothness = SMOOTHNESS
    for _ in range(FOLDS + 1):
        found = straight + _solved(weights, sums, smoothness)
        if _least_volume(found) > LEAST_VOLUME * _least_volume(straight):
            break
        smoothness *= 10.0
    else:
        found = straight
    return Lut3d(Table(found), tuple(map(float, low)), tuple(map(float, high)))


def _splatted(source: Samples, moves: Samples, low: Any, high: Any) -> tuple[Grid, Grid]:
    """Return the weight of the pairs near each entry (size, size, size, 1), and the sums of their moves.

    Many pairs near an entry weigh little more than some: colours that are rare count, too.
    """
    at = (source - low) / (high - low) * (SIZE - 1)
    first = np.clip(np.floor(at).astype(np.intp), 0, SIZE - 2)
    part = at - first
    weights, sums = np.zeros(SIZE**3), np.zeros((SIZE**3, 3))
    for corner in np.ndindex(2, 2, 2):
        share = np.prod(np.where(corner, part, 1.0 - part), axis=1)
        place = np.ravel_multi_index(tuple((first + corner).T), (SIZE,) * 3)
        weights += np.bincount(place, share, SIZE**3)
        sums += np.stack([np.bincount(place, share * moves[:, n], SIZE**3) for n in range(3)], axis=1)
    typical = weights[weights > 0.0].mean()
    scale = 1.0 / np.sqrt((weights + 0.05 * typical) * typical)
    shape = (SIZE,) * 3
    return (weights * scale).reshape(*shape, 1), (sums * scale[:, None]).reshape(*shape, 3)


def _solved(weights: Grid, sums: Grid, smoothness: float) -> Grid:
    """Return the displacement, by conjugate gradients with the diagonal as preconditioner."""

    def applied(x: Grid) -> Grid:
        return weights * x + smoothness * _laplacian(_laplacian(x)) + SMALLNESS * x

    inverse = 1.0 / (weights + 42.0 * smoothness + SMALLNESS)  # 42: the middle of the squared Laplacian
    x = np.zeros_like(sums)
    left = sums.copy()
    ahead = inverse * left
    way, size = ahead.copy(), float((left * ahead).sum())
    enough = CLOSE**2 * size
    for _ in range(ROUNDS):
        if size <= enough or size == 0.0:
            break
        bent = applied(way)
        step = size / float((way * bent).sum())
        x += step * way
        left -= step * bent
        ahead = inverse * left
        before, size = size, float((left * ahead).sum())
        way = ahead + size / before * way
    return x


def _laplacian(x: Grid) -> Grid:
    """Return the sum of the differences from the neighbours along the three axes; none beyond the faces."""
    result = np.zeros_like(x)
    for axis in range(3):
        step = np.diff(x, axis=axis)
        ahead, behind = [slice(None)] * 4, [slice(None)] * 4
        ahead[axis], behind[axis] = slice(None, -1), slice(1, None)
        result[tuple(ahead)] -= step
        result[tuple(behind)] += step
    return result


def _least_volume(entries: Grid) -> float:
    """Return the least volume of a cell, negative where the map folds."""
    inner = entries[:-1, :-1, :-1]
    sides = (entries[1:, :-1, :-1] - inner, entries[:-1, 1:, :-1] - inner, entries[:-1, :-1, 1:] - inner)
    return float(np.einsum("...i,...i->...", sides[0], np.cross(sides[1], sides[2])).min())

"""Table access on float64 arrays: the reference of `lookup`, `search`, `lut3d`, `inverse_lut3d` and `path_distance` in
`engine.kernel.pixel`. Positions are in entries. A channel of a 1D LUT is (size,), a 3D LUT (size, size, size, 3)
[r][g][b]."""

from __future__ import annotations

from itertools import permutations
from typing import Any

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]

NEAR, FAR = -1e-9, -1e-3
"""A colour whose smallest weight in a tetrahedron is at least NEAR lies in it: a weight just below 0 is rounding. A
colour whose smallest weight is below FAR in every tetrahedron has no position."""
FARTHEST = float(np.finfo(np.float32).max)
"""The largest square of a distance to a polygon."""
PAIRS = 1 << 22
"""Number of pairs of a colour and a cell that are tested at once."""


def linear(curve: Array, index: Any, fraction: Any) -> Any:
    """Interpolate between entry `index` and the next; exact at both ends, even if one is Inf."""
    lower = np.asarray(index, np.float64).astype(np.int64)
    upper = np.minimum(lower + 1, len(curve) - 1)
    with np.errstate(all="ignore"):
        return np.where(fraction > 0.0, curve[lower] + (curve[upper] - curve[lower]) * fraction, curve[lower])


def last_below(curve: Array, x: Any, first: Any, last: Any, steps: int) -> Array:
    """Return the last entry from `first` to `last` below `x`, by `steps` bisection steps; `first` if there is none."""
    at, end = np.broadcast_arrays(np.asarray(first, np.int64), np.asarray(last, np.int64), x)[:2]
    for step in range(steps - 1, -1, -1):
        ahead = np.minimum(at + (1 << step), end)
        at = np.where(curve[ahead] < x, ahead, at)
    return at.astype(np.float64)


def in_cube(cube: Array, grid: tuple[Any, ...], tetrahedral: bool) -> Array:
    """Return the colours (..., 3) at `grid`, each component within 0..size-1."""
    low = [np.minimum(np.floor(x), cube.shape[0] - 2).astype(np.int64) for x in grid]
    fractions = [x - i for x, i in zip(grid, low, strict=True)]
    return np.asarray(_tetrahedral(cube, low, fractions) if tetrahedral else _trilinear(cube, low, fractions))


def _trilinear(cube: Array, low: list[Any], fractions: list[Any]) -> Any:
    total = 0.0
    for corner in np.ndindex(2, 2, 2):
        weight = 1.0
        for axis in range(3):
            weight = weight * (fractions[axis] if corner[axis] else 1.0 - fractions[axis])
        total = total + cube[low[0] + corner[0], low[1] + corner[1], low[2] + corner[2]] * np.asarray(weight)[..., None]
    return total


def _tetrahedral(cube: Array, low: list[Any], fractions: list[Any]) -> Any:
    """Walk from the low corner to the high one along the axes in descending order of their fractions.

    Source: Kasson, Nin, Plouffe, Hafner, "Performing color space conversions with three-dimensional linear
    interpolation", Journal of Electronic Imaging 4(3), 1995.
    """
    stacked = np.stack(np.broadcast_arrays(*fractions))
    order = np.argsort(-stacked, axis=0, kind="stable")
    at = np.stack(np.broadcast_arrays(*low))
    result = cube[tuple(at)]
    for step in range(3):
        axis = order[step : step + 1]
        previous = cube[tuple(at)]
        at = at.copy()
        np.put_along_axis(at, axis, np.take_along_axis(at, axis, 0) + 1, 0)
        fraction = np.take_along_axis(stacked, axis, 0)[0]
        result = result + (cube[tuple(at)] - previous) * fraction[..., None]
    return result


def position_in_cube(cube: Array, tree: Array, colours: tuple[Any, ...]) -> Array:
    """Return the positions (..., 3) in the 3D LUT where tetrahedral interpolation gives `colours`; 0 where none does.

    `tree` (nodes, 2, 4) comes from `engine.ops.cube_tree`. The cells whose box contains the colour are tried in the
    order of the tree; the first with a tetrahedron that contains the colour decides.
    """
    wanted = np.stack(np.broadcast_arrays(*colours), axis=-1).astype(np.float64)
    points, found = wanted.reshape(-1, 3), np.zeros((wanted.size // 3, 3))
    leaves = tree[tree[:, 1, 3] >= 0.0]
    step = max(1, PAIRS // len(leaves))
    for first in range(0, len(points), step):
        some = points[first : first + step]
        inside = np.ones((len(some), len(leaves)), bool)
        for axis in range(3):
            x = some[:, axis, None]
            inside &= (leaves[:, 0, axis] <= x) & (x <= leaves[:, 1, axis])
        point, leaf = np.nonzero(inside)
        score, position = _in_cell(cube, leaves[leaf, 1, 3].astype(np.int64), some[point])
        order = np.lexsort((-np.minimum(score, NEAR), point))
        order = order[np.flatnonzero(np.diff(point[order], prepend=-1))]
        order = order[score[order] > FAR]
        found[first + point[order]] = position[order]
    return found.reshape(wanted.shape)


def _in_cell(cube: Array, cell: NDArray[np.int64], points: Array) -> tuple[Array, Array]:
    """Return the best of a cell's six tetrahedra: its smallest weight (below 0 outside it), and the position."""
    low = np.stack(np.unravel_index(cell, cube.shape[:3]), axis=1)
    best, found = np.full(len(points), -np.inf), np.zeros_like(points)
    for order in permutations(range(3)):
        at, edges = low.copy(), []
        for axis in order:
            start = cube[tuple(at.T)]
            at[:, axis] += 1
            edges.append(cube[tuple(at.T)] - start)
        fractions = _solved(np.stack(edges, axis=-1), points - cube[tuple(low.T)])
        weights = -np.diff(np.pad(fractions, ((0, 0), (1, 1)), constant_values=((0, 0), (1, 0))), axis=1)
        score = np.nan_to_num(weights.min(axis=1), nan=-np.inf)
        better = score > best
        best[better] = score[better]
        found[np.ix_(better, order)] = low[np.ix_(better, order)] + np.clip(fractions[better], 0.0, 1.0)
    return best, found


def _solved(matrices: Array, right: Array) -> Array:
    """Solve by Cramer's rule; the result is not finite where there is no solution."""
    a, b, c = np.moveaxis(matrices, -1, 0)
    with np.errstate(all="ignore"):
        normals = np.stack([np.cross(b, c), np.cross(c, a), np.cross(a, b)], axis=1)
        scale = (a * normals[:, 0]).sum(axis=1)
        return np.asarray((normals * right[:, None]).sum(axis=2) / scale[:, None])


def to_polygon(vertices: Array, x: Any, y: Any) -> Array:
    """Return the distances of points to a closed polygon (vertices, 2), above 0 inside it by the even-odd rule."""
    x, y = np.broadcast_arrays(np.asarray(x, np.float64), np.asarray(y, np.float64))
    nearest, inside = np.full(x.shape, FARTHEST), np.zeros(x.shape, bool)
    with np.errstate(all="ignore"):
        for (ax, ay), (bx, by) in zip(np.roll(vertices, 1, axis=0), vertices, strict=True):
            ex, ey = bx - ax, by - ay
            along, across = (x - ax) * ex + (y - ay) * ey, ex * (y - ay) - ey * (x - ax)
            length = ex * ex + ey * ey
            beside = (along > 0.0) & (along < length)
            squared = np.where(beside, across * across / length, (x - bx) ** 2 + (y - by) ** 2)
            nearest = np.fmin(nearest, squared)
            inside ^= ((ay <= y) != (by <= y)) & ((across > 0.0) == (by > ay))
    return np.where(inside, 1.0, -1.0) * np.sqrt(nearest)

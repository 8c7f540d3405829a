"""`path_distance` of the pixel language for a block: distances of points to a closed polygon, in float32.

The loops over edges are outside, those over points inside, so that LLVM vectorises them. A run of points skips edges
that are further from all of them than the nearest vertex, and those that no ray from them crosses.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.intrinsics import (
    bits_of,
    div,
    f32,
    fabs,
    float_of,
    fma,
    inlined,
    load,
    select,
    select_int,
    sqrt,
    store,
    t_max,
    t_min,
)
from engine.compute.backends.cpu.layout import BLOCK, DISTANCES, EDGES, POINTS, SIDES

RUN = 64
"""Points that share the choice of edges."""
FARTHEST = np.finfo(np.float32).max
NEAR, LEVEL = f32(1.0), f32(2.0)
MARGIN = f32(1.001)
"""Keeps rounding from hiding an edge."""


@inlined
def _difference(a, b):
    """Return a - b and what its rounding loses (Knuth)."""
    whole = a - b
    back = whole - a
    return whole, (a - (whole - back)) - (b + back)


@inlined
def _across(ex, ey, ex_low, ey_low, qx, qy, qx_low, qy_low):
    """Return ex * qy - ey * qx, nearly as accurate as with a single rounding, for numbers with low-order parts."""
    second = ey * qx
    whole = fma(ex, qy, -second) + fma(-ey, qx, second)
    return whole + (fma(ex, qy_low, ex_low * qy) - fma(ey, qx_low, ey_low * qx))


@inlined
def _point(planes, i):
    at = POINTS * BLOCK + i
    x, y = load(planes, at), load(planes, at + BLOCK)
    return x, y, load(planes, at + 2 * BLOCK), load(planes, at + 3 * BLOCK)


@inlined
def _turned(planes, i, crosses):
    at = SIDES * BLOCK + i
    side = load(planes, at)
    store(planes, at, select(crosses, -side, side))


@njit(error_model="numpy")
def _near_edge(planes, start, result, ax, ay, bx, by):
    """Take an edge into account for a run of points: its distance, and whether a ray from the point crosses it."""
    (ex, ex_low), (ey, ey_low) = _difference(bx, ax), _difference(by, ay)
    length = fma(ex, ex, ey * ey)
    share, up = div(f32(1.0), length), by > ay
    for i in range(start, start + RUN):
        x, y, x_low, y_low = _point(planes, i)
        (qx, qx_lost), (qy, qy_lost) = _difference(x, ax), _difference(y, ay)
        qx_low, qy_low = qx_lost + x_low, qy_lost + y_low
        across = _across(ex, ey, ex_low, ey_low, qx, qy, qx_low, qy_low)
        along = fma(qx, ex, qy * ey)
        (fx, fx_lost), (fy, fy_lost) = _difference(x, bx), _difference(y, by)
        fx, fy_low = fx + (fx_lost + x_low), fy_lost + y_low
        to_end = fma(fx, fx, (fy + fy_low) * (fy + fy_low))
        squared = select((along > f32(0.0)) & (along < length), (across * share) * across, to_end)
        nearest = load(planes, result + i)
        store(planes, result + i, select(squared < nearest, squared, nearest))
        between = (qy + qy_low >= f32(0.0)) != (fy + fy_low >= f32(0.0))
        _turned(planes, i, between & ((across > f32(0.0)) == up))


@njit(error_model="numpy")
def _edge_beside(planes, start, ay, by):
    """Take an edge into account that is far to the right of a run of points: whether a ray from a point crosses it."""
    for i in range(start, start + RUN):
        _, y, _, y_low = _point(planes, i)
        (qy, qy_lost), (fy, fy_lost) = _difference(y, ay), _difference(y, by)
        _turned(planes, i, (qy + (qy_lost + y_low) >= f32(0.0)) != (fy + (fy_lost + y_low) >= f32(0.0)))


@njit(error_model="numpy")
def _box(planes, start):
    """Return the least and the largest x and y of a run of points, NaN aside, a little widened for low-order parts."""
    left, right, top, bottom = f32(np.inf), f32(-np.inf), f32(np.inf), f32(-np.inf)
    for i in range(start, start + RUN):
        x, y, _, _ = _point(planes, i)
        left, right, top, bottom = t_min(x, left), t_max(x, right), t_min(y, top), t_max(y, bottom)
    return _below(left), -_below(-right), _below(top), -_below(-bottom)


@inlined
def _below(x):
    return x - fabs(x) * f32(2.0**-22)


@inlined
def _gap(low, high, left, right):
    """Return how far the interval low..high is from left..right."""
    return t_max(t_max(low - right, left - high), f32(0.0))


@njit(error_model="numpy")
def _reach(path, count, left, right, top, bottom):
    """Return the square of the distance within which each point of a box has a vertex."""
    reach = bits_of(f32(FARTHEST))
    for k in range(count):
        x, y = load(path, k), load(path, count + 1 + k)
        across, down = t_max(x - left, right - x), t_max(y - top, bottom - y)
        squared = bits_of(fma(across, across, down * down))  # integers of the same order, for LLVM to vectorise
        reach = select_int(squared < reach, squared, reach)
    return float_of(reach) * MARGIN


@inlined
def _choice(ax, ay, bx, by, left, right, top, bottom, reach):
    """Return NEAR for an edge whose distance from points in a box matters, LEVEL if only rays may cross it, else 0."""
    beside = _gap(t_min(ax, bx), t_max(ax, bx), left, right)
    above = _gap(t_min(ay, by), t_max(ay, by), top, bottom)
    level = (above <= f32(0.0)) & (t_max(ax, bx) >= left)
    near = (fma(beside, beside, above * above) <= reach) | (level & (t_min(ax, bx) <= right))
    return select(near, NEAR, select(level, LEVEL, f32(0.0)))


@njit(error_model="numpy")
def _run(planes, path, count, result, start):
    """Take all edges into account for a run of points."""
    left, right, top, bottom = _box(planes, start)
    reach, ys = _reach(path, count, left, right, top, bottom), count + 1
    for first in range(0, count, BLOCK):
        end = min(first + BLOCK, count)
        before = first - 1 if first > 0 else count - 1
        ax, ay, bx, by = load(path, before), load(path, ys + before), load(path, first), load(path, ys + first)
        store(planes, EDGES * BLOCK, _choice(ax, ay, bx, by, left, right, top, bottom, reach))
        for k in range(first + 1, end):
            ax, ay, bx, by = load(path, k - 1), load(path, ys + k - 1), load(path, k), load(path, ys + k)
            chosen = _choice(ax, ay, bx, by, left, right, top, bottom, reach)
            store(planes, EDGES * BLOCK + k - first, chosen)
        for k in range(first, end):
            chosen = load(planes, EDGES * BLOCK + k - first)
            if chosen == NEAR:
                _near_edge(
                    planes,
                    start,
                    result,
                    load(path, before),
                    load(path, ys + before),
                    load(path, k),
                    load(path, ys + k),
                )
            elif chosen == LEVEL:
                _edge_beside(planes, start, load(path, ys + before), load(path, ys + k))
            before = k


@njit(error_model="numpy")
def t_path_distance(planes, path, size, number):
    """Store the distances of a block's points, number `number` of the op, as `engine.kernel.pixel.path_distance`."""
    count, result = np.int64(size), (DISTANCES + np.int64(number)) * BLOCK
    for i in range(BLOCK):
        store(planes, result + i, f32(FARTHEST))
        store(planes, SIDES * BLOCK + i, f32(-1.0))
    for start in range(0, BLOCK, RUN):
        _run(planes, path, count, result, start)
    for i in range(BLOCK):
        store(planes, result + i, load(planes, SIDES * BLOCK + i) * sqrt(load(planes, result + i)))

"""Editing of closed paths of cubic Bezier segments: vertices, their handles, and the polyline that shows them.

A vertex is (x, y, in x, in y, out x, out y): a position, and the handles of the segments that end and start there,
relative to it. A handle of length 0 makes its end of the segment straight; a vertex with two of them is a corner.
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

Point = tuple[float, float]
Vertex = tuple[float, float, float, float, float, float]
Vertices = tuple[Vertex, ...]

LEAST = 3
"""The least number of vertices of a closed path."""
STEPS = 24
"""The number of straight pieces that a curved segment is drawn with."""
COLLINEAR = 1e-3
"""The sine of the angle up to which the handles of a vertex count as one line."""
THIRD = 1.0 / 3.0


def corner(x: float, y: float) -> Vertex:
    """Return a vertex without handles."""
    return x, y, 0.0, 0.0, 0.0, 0.0


def is_corner(vertex: Vertex) -> bool:
    """Return whether both handles of a vertex have the length 0."""
    return not any(vertex[2:])


def is_smooth(vertex: Vertex) -> bool:
    """Return whether the handles of a vertex are one line through it."""
    before, after = math.hypot(vertex[2], vertex[3]), math.hypot(vertex[4], vertex[5])
    if not before or not after:
        return False
    cross = vertex[2] * vertex[5] - vertex[3] * vertex[4]
    dot = vertex[2] * vertex[4] + vertex[3] * vertex[5]
    return dot < 0.0 and abs(cross) <= COLLINEAR * before * after


def segment(points: Vertices, index: int) -> tuple[Point, Point, Point, Point]:
    """Return the four control points of the segment that starts at a vertex."""
    x, y, _, _, out_x, out_y = points[index]
    end_x, end_y, in_x, in_y, _, _ = points[(index + 1) % len(points)]
    return (x, y), (x + out_x, y + out_y), (end_x + in_x, end_y + in_y), (end_x, end_y)


def point_at(points: Vertices, index: int, t: float) -> Point:
    """Return the point of a segment at the parameter `t`, 0..1."""
    a, b, c, d = segment(points, index)
    s = 1.0 - t
    weights = s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t
    x, y = (sum(w * p[n] for w, p in zip(weights, (a, b, c, d), strict=True)) for n in (0, 1))
    return x, y


def polyline(points: Vertices, closed: bool = True, steps: int = STEPS) -> list[Point]:
    """Return the points of a polyline along a path; a closed one ends before it returns to its first point.

    A curved segment becomes `steps` straight pieces.
    """
    if not points:
        return []
    count = len(points) if closed else len(points) - 1
    at = np.asarray(points, np.float64)
    ends = np.roll(at, -1, axis=0)
    start, end = at[:, :2], ends[:, :2]
    controls = np.stack([start, start + at[:, 4:], end + ends[:, 2:4], end])[:, :count]
    curved = np.abs(np.concatenate([at[:, 4:], ends[:, 2:4]], axis=1)).sum(axis=1)[:count] > 0.0
    t = np.arange(1, steps + 1) / steps
    weights = np.stack([(1.0 - t) ** 3, 3.0 * (1.0 - t) ** 2 * t, 3.0 * (1.0 - t) * t**2, t**3])
    drawn = curved[:, None] | (np.arange(steps) == steps - 1)
    line = np.einsum("ws,wnc->nsc", weights, controls)[drawn]
    found: list[Point] = [(points[0][0], points[0][1]), *map(tuple, line.tolist())]
    return found[:-1] if closed else found


def bounds(points: Vertices) -> tuple[float, float, float, float]:
    """Return the left, top, right and bottom of a closed path."""
    line = polyline(points)
    xs, ys = [x for x, _ in line], [y for _, y in line]
    return min(xs), min(ys), max(xs), max(ys)


def contains(line: list[Point], at: Point) -> bool:
    """Return whether a point is inside a closed polyline, by the even-odd rule."""
    inside = False
    x, y = at
    for (x0, y0), (x1, y1) in zip(line, line[1:] + line[:1], strict=True):
        if (y0 > y) != (y1 > y) and x < x0 + (y - y0) * (x1 - x0) / (y1 - y0):
            inside = not inside
    return inside


def nearest(points: Vertices, at: Point, metric: Point = (1.0, 1.0)) -> tuple[float, int, float]:
    """Return the distance to the nearest place of a closed path, the index of its segment, and its parameter 0..1.

    `metric` scales x and y before distances are measured, such as to pixels of the screen.
    """
    best = (math.inf, 0, 0.0)
    for index in range(len(points)):
        before, start = 0.0, point_at(points, index, 0.0)
        for t in _parameters(points, index):
            end = point_at(points, index, t)
            away, share = distance_to_line(at, start, end, metric)
            if away < best[0]:
                best = away, index, before + share * (t - before)
            before, start = t, end
    return best


def distance_to_line(at: Point, start: Point, end: Point, metric: Point = (1.0, 1.0)) -> tuple[float, float]:
    """Return the distance from a point to a straight piece, and where on it the nearest point is, 0..1."""
    across, down = (end[0] - start[0]) * metric[0], (end[1] - start[1]) * metric[1]
    x, y = (at[0] - start[0]) * metric[0], (at[1] - start[1]) * metric[1]
    length = across * across + down * down
    share = min(max((x * across + y * down) / length, 0.0), 1.0) if length else 0.0
    return math.hypot(x - share * across, y - share * down), share


def moved(points: Vertices, dx: float, dy: float) -> Vertices:
    """Return the path moved by a distance."""
    return tuple((x + dx, y + dy, *handles) for x, y, *handles in points)  # type: ignore[misc]


def turned(points: Vertices, about: Point, degrees: float) -> Vertices:
    """Return the path rotated about a point; positive angles turn the x axis towards the y axis."""
    cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))
    return _mapped(points, about, (cos, -sin, sin, cos))


def scaled(points: Vertices, about: Point, x: float, y: float) -> Vertices:
    """Return the path scaled about a point."""
    return _mapped(points, about, (x, 0.0, 0.0, y))


def with_vertex(points: Vertices, index: int, vertex: Vertex) -> Vertices:
    """Return the path with another vertex at `index`."""
    return (*points[:index], vertex, *points[index + 1 :])


def with_position(points: Vertices, index: int, x: float, y: float) -> Vertices:
    """Return the path with a vertex moved to a position, its handles with it."""
    return with_vertex(points, index, (x, y, *points[index][2:]))


def with_handle(points: Vertices, index: int, side: str, x: float, y: float, alone: bool = False) -> Vertices:
    """Return the path with the end of a handle, `in` or `out`, at a position.

    The other handle of a smooth vertex turns with it and keeps its length, unless it is to move `alone`.
    """
    vertex = points[index]
    dx, dy = x - vertex[0], y - vertex[1]
    other = vertex[4:] if side == "in" else vertex[2:4]
    length = math.hypot(dx, dy)
    if is_smooth(vertex) and not alone and length:
        kept = math.hypot(*other) / length
        other = (-dx * kept, -dy * kept)
    handles = (dx, dy, *other) if side == "in" else (*other, dx, dy)
    return with_vertex(points, index, (vertex[0], vertex[1], *handles))


def with_symmetric_handles(points: Vertices, index: int, x: float, y: float) -> Vertices:
    """Return the path with the end of the `out` handle of a vertex at a position, and the other one opposite to it."""
    vertex = points[index]
    dx, dy = x - vertex[0], y - vertex[1]
    return with_vertex(points, index, (vertex[0], vertex[1], -dx, -dy, dx, dy))


def with_turned_corner(points: Vertices, index: int) -> Vertices:
    """Return the path with a corner made smooth, along the line between its neighbours, or a smooth vertex a corner."""
    vertex = points[index]
    if not is_corner(vertex):
        return with_vertex(points, index, corner(vertex[0], vertex[1]))
    before, after = points[index - 1], points[(index + 1) % len(points)]
    across, down = after[0] - before[0], after[1] - before[1]
    length = math.hypot(across, down) or 1.0
    back, ahead = (math.dist(each[:2], vertex[:2]) * THIRD / length for each in (before, after))
    handles = (-across * back, -down * back, across * ahead, down * ahead)
    return with_vertex(points, index, (vertex[0], vertex[1], *handles))


def with_inserted(points: Vertices, index: int, t: float) -> Vertices:
    """Return the path with a vertex more, on the segment that starts at `index`, without a change of its shape."""
    a, b, c, d = segment(points, index)
    start, end = points[index], points[(index + 1) % len(points)]
    ab, bc, cd = _between(a, b, t), _between(b, c, t), _between(c, d, t)
    abc, bcd = _between(ab, bc, t), _between(bc, cd, t)
    x, y = _between(abc, bcd, t)
    if not _is_curved(points, index):
        return (*points[: index + 1], corner(*_between(a, d, t)), *points[index + 1 :])
    new: Vertex = (x, y, abc[0] - x, abc[1] - y, bcd[0] - x, bcd[1] - y)
    first: Vertex = (*start[:4], ab[0] - a[0], ab[1] - a[1])
    last: Vertex = (*end[:2], cd[0] - d[0], cd[1] - d[1], *end[4:])
    made = with_vertex(with_vertex(points, index, first), (index + 1) % len(points), last)
    return (*made[: index + 1], new, *made[index + 1 :])


def without(points: Vertices, index: int) -> Vertices:
    """Return the path without a vertex; one of three vertices stays as it is."""
    return points if len(points) <= LEAST else (*points[:index], *points[index + 1 :])


def _between(start: Point, end: Point, t: float) -> Point:
    return start[0] + (end[0] - start[0]) * t, start[1] + (end[1] - start[1]) * t


def _is_curved(points: Vertices, index: int) -> bool:
    return any(points[index][4:]) or any(points[(index + 1) % len(points)][2:4])


def _parameters(points: Vertices, index: int) -> Iterator[float]:
    """Yield the parameters of the ends of the straight pieces of a segment."""
    steps = STEPS if _is_curved(points, index) else 1
    return (step / steps for step in range(1, steps + 1))


def _mapped(points: Vertices, about: Point, matrix: tuple[float, float, float, float]) -> Vertices:
    """Return the path under a matrix (xx, xy, yx, yy) about a point."""

    def turn(x: float, y: float) -> Point:
        return matrix[0] * x + matrix[1] * y, matrix[2] * x + matrix[3] * y

    found: list[Vertex] = []
    for x, y, in_x, in_y, out_x, out_y in points:
        dx, dy = turn(x - about[0], y - about[1])
        found.append((about[0] + dx, about[1] + dy, *turn(in_x, in_y), *turn(out_x, out_y)))
    return tuple(found)

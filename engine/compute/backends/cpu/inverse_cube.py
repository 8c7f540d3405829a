"""`inverse_lut3d` of the pixel language: a walk over the boxes around the cells of a 3D LUT, in float32.

The tree is that of `engine.ops.cube_tree`, with eight floats per node. The LUT has four floats per entry.
"""

import numpy as np

from engine.compute.backends.cpu.intrinsics import (
    div,
    f32,
    fabs,
    floor,
    fma,
    i32,
    i_add,
    i_mul,
    inlined,
    load_table,
    select,
    select_int,
    t_max,
    t_min,
)

NEAR, FAR = f32(-5e-7), f32(-1e-3)
"""A colour whose smallest weight in a tetrahedron is at least NEAR is inside or on its face, up to rounding. If it is
below FAR in all tetrahedra, the LUT does not contain the colour."""


@inlined
def _entry(cube, at):
    return load_table(cube, at), load_table(cube, i_add(at, i32(1))), load_table(cube, i_add(at, i32(2)))


@inlined
def _less(a, b):
    return a[0] - b[0], a[1] - b[1], a[2] - b[2]


@inlined
def _difference_of_products(a, b, c, d):
    """Return a * b - c * d, nearly as accurate as with a single rounding (Kahan)."""
    second = c * d
    return fma(a, b, -second) + fma(-c, d, second)


@inlined
def _cross(a, b):
    x = _difference_of_products(a[1], b[2], a[2], b[1])
    y = _difference_of_products(a[2], b[0], a[0], b[2])
    return x, y, _difference_of_products(a[0], b[1], a[1], b[0])


@inlined
def _dot(a, b):
    return fma(a[0], b[0], fma(a[1], b[1], a[2] * b[2]))


@inlined
def _solved(a, b, c, q):
    """Solve q = x a + y b + z c by Cramer's rule; return the determinant and x, y, z."""
    normal = _cross(b, c)
    scale = _dot(a, normal)
    return scale, div(_dot(q, normal), scale), div(_dot(q, _cross(c, a)), scale), div(_dot(q, _cross(a, b)), scale)


@inlined
def _left(q, a, b, c, x, y, z):
    """Return q - x a - y b - z c."""
    first, second, third = x * a, y * b, z * c
    low = fma(x, a, -first) + fma(y, b, -second) + fma(z, c, -third)
    return (((q - first) - second) - third) - low


@inlined
def _in_tetrahedron(cube, at, first, second, whole, colour):
    """Return the smallest weight of the corners, below 0 outside, and the colour's position along the three edges."""
    c0, c1 = _entry(cube, at), _entry(cube, i_add(at, first))
    c2, c3 = _entry(cube, i_add(at, i_add(first, second))), _entry(cube, i_add(at, whole))
    a, b, c, q = _less(c1, c0), _less(c2, c1), _less(c3, c2), _less(colour, c0)
    scale, x, y, z = _solved(a, b, c, q)
    rest = _left(q[0], a[0], b[0], c[0], x, y, z), _left(q[1], a[1], b[1], c[1], x, y, z)
    _, dx, dy, dz = _solved(a, b, c, (*rest, _left(q[2], a[2], b[2], c[2], x, y, z)))
    x, y, z = x + dx, y + dy, z + dz  # one step of refinement
    least = t_min(t_min(f32(1.0) - x, x - y), t_min(y - z, z))
    moved = t_max(t_max(fabs(dx), fabs(dy)), fabs(dz))
    sound = (fabs(scale) > f32(0.0)) & (fabs(scale) < f32(np.inf)) & (moved < f32(1e-3))
    return select(sound, least, f32(-np.inf)), x, y, z


@inlined
def _clamped(x):
    return t_min(t_max(x, f32(0.0)), f32(1.0))


@inlined
def t_inverse_lut3d(cube, tree, size, nodes, r, g, b):
    """Return the position of a colour in the LUT, in entries, as `engine.kernel.interpolation.position_in_cube`."""
    colour = (r, g, b)
    step_b = i32(4)
    step_g = i_mul(i32(size), step_b)
    step_r = i_mul(i32(size), step_g)
    whole = i_add(i_add(step_r, step_g), step_b)
    best, found_r, found_g, found_b = FAR, f32(0.0), f32(0.0), f32(0.0)
    at, last = i32(0), i32(nodes)
    while at < last and best < NEAR:
        node = i_mul(at, i32(8))
        low, high = _entry(tree, node), _entry(tree, i_add(node, i32(4)))
        inside = (low[0] <= r) & (r <= high[0]) & (low[1] <= g) & (g <= high[1]) & (low[2] <= b) & (b <= high[2])
        cell = load_table(tree, i_add(node, i32(7)))
        if inside and cell >= f32(0.0):
            corner = i_mul(i32(cell), i32(4))
            low_r = floor((cell + f32(0.5)) / (size * size))
            rest = cell - low_r * size * size
            low_g = floor((rest + f32(0.5)) / size)
            low_b = rest - low_g * size
            for k in range(6):
                first = select_int(k < 2, step_r, select_int(k < 4, step_g, step_b))
                second = select_int((k == 2) | (k == 4), step_r, select_int((k == 0) | (k == 5), step_g, step_b))
                score, x, y, z = _in_tetrahedron(cube, corner, first, second, whole, colour)
                if score > best:
                    best, x, y, z = score, _clamped(x), _clamped(y), _clamped(z)
                    found_r = low_r + select(first == step_r, x, select(second == step_r, y, z))
                    found_g = low_g + select(first == step_g, x, select(second == step_g, y, z))
                    found_b = low_b + select(first == step_b, x, select(second == step_b, y, z))
        at = select_int(inside, i_add(at, i32(1)), i32(load_table(tree, i_add(node, i32(3)))))
    return found_r, found_g, found_b

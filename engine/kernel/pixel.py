"""The pixel language: the functions that an op's `pixel()` may use.

The same Python code has two uses. On float64 NumPy arrays (or plain floats) every function computes the reference
result. On `Node`s it records a graph, which `engine.kernel.codegen` prints as numba, WGSL and CUDA C++.

A value is a scalar (float, array or Node) or a `Vec` of 2 to 4 of them; every function works componentwise on a Vec
and repeats a scalar. Comparisons return a condition, which only `select` accepts.

NaN: `minimum(a, b)` is `a if a < b else b` and `maximum(a, b)` is `a if a > b else b`, in every dialect, so that
`minimum(maximum(x, low), high)` turns NaN into `low`, as OpenColorIO's clamps do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from engine.core.records import dataclass
from engine.kernel import interpolation as gathers
from engine.kernel.primitives import HALF_MAX as HALF_MAX
from engine.kernel.primitives import RANDOM_DEVIATION as RANDOM_DEVIATION
from engine.kernel.primitives import random3 as hashed3
from engine.kernel.values import Node as Node
from engine.kernel.values import Scalar as Scalar
from engine.kernel.values import TableSymbol as TableSymbol
from engine.kernel.values import TableValues as TableValues
from engine.kernel.values import Value as Value
from engine.kernel.values import Vec as Vec
from engine.kernel.values import apply as apply
from engine.kernel.values import node as node

FLOAT_MIN = 1.1754943508222875e-38
"""Smallest normal float32: the lower limit of OpenColorIO's logarithms."""
LARGEST_FINITE = 2.0**40
"""The largest number that `finite` leaves as it is: its square is a float32, too."""
MOST_RANDOM = 2.0**24
"""The largest number that `random3` takes."""
MOST_PLANES = 8
"""Number of planes that a program can read."""


@dataclass(frozen=True)
class Pixel:
    """The argument of `pixel()`: the channels of one pixel (or arrays of them), its place, and its planes.

    `x` and `y` are in pixels of the display window at level 0, from its top left corner, with centres at .5. `planes`
    are up to MOST_PLANES more numbers of the pixel, such as the coverage of mattes.
    """

    r: Scalar
    g: Scalar
    b: Scalar
    a: Scalar
    x: Scalar = 0.0
    y: Scalar = 0.0
    planes: tuple[Scalar, ...] = ()

    def with_rgba(self, rgba: Iterable[Scalar]) -> Pixel:
        """Return the pixel with other channels, at the same place and with the same planes."""
        r, g, b, a = rgba
        return Pixel(r, g, b, a, self.x, self.y, self.planes)

    def with_planes(self, planes: tuple[Scalar, ...]) -> Pixel:
        """Return the pixel with other planes."""
        return Pixel(self.r, self.g, self.b, self.a, self.x, self.y, planes)

    @property
    def rgb(self) -> Vec:
        return Vec((self.r, self.g, self.b))

    @property
    def rgba(self) -> Vec:
        return Vec((self.r, self.g, self.b, self.a))


def completed(graded: Any, px: Pixel) -> Vec:
    """Return the RGBA result of an op on `px`; alpha is kept if the op returns three components."""
    return Vec((*graded, px.a)[:4])


def minimum(a: Value, b: Value) -> Value:
    """Return `a if a < b else b`."""
    return apply("min", a, b)


def maximum(a: Value, b: Value) -> Value:
    """Return `a if a > b else b`."""
    return apply("max", a, b)


def clamp(x: Value, low: Value, high: Value) -> Value:
    """Clamp `x` to low..high; NaN becomes `low`."""
    return minimum(maximum(x, low), high)


def finite(x: Value) -> Value:
    """Return `x`, with HALF_MAX for Inf and what is beyond LARGEST_FINITE, and 0 for NaN.

    For side images of filters, in which NaN and Inf would spread, and a larger number for Inf would cover all else.
    """
    ends = select(x > 0.0, HALF_MAX, select(x < 0.0, -HALF_MAX, 0.0))
    return select(absolute(x) <= LARGEST_FINITE, x, ends)


def absolute(x: Value) -> Value:
    return apply("abs", x)


def floor(x: Value) -> Value:
    return apply("floor", x)


def sqrt(x: Value) -> Value:
    """Return the square root; NaN below 0."""
    return apply("sqrt", x)


def exp2(x: Value) -> Value:
    """Return 2 to the power `x`; 0 or Inf outside the range of float32."""
    return apply("exp2", x)


def exp2_affine(x: Value, scale: Value, offset: Value) -> Value:
    """Return 2 to the power `scale * x + offset`, where `scale` and `offset` depend on sliders only.

    The exponent is computed in two float32, so that a large result is as exact as a small one.
    """
    return apply("exp2_affine", x, scale, offset)


def log2(x: Value) -> Value:
    """Return the binary logarithm of a normal positive number; -Inf at 0, NaN below."""
    return apply("log2", x)


def pow(x: Value, exponent: Value) -> Value:
    """Return `x` to the power `exponent`, for x >= 0 (NaN below); 0 to a positive power is 0."""
    return apply("pow", x, exponent)


def sin(x: Value) -> Value:
    """Return the sine of an angle in radians, for |x| up to 8000."""
    return apply("sin", x)


def cos(x: Value) -> Value:
    """Return the cosine of an angle in radians, for |x| up to 8000."""
    return apply("cos", x)


def atan2(y: Value, x: Value) -> Value:
    """Return the angle of the point (x, y) in radians, -pi..pi; 0 at the origin. The sign of a zero is ignored."""
    return apply("atan2", y, x)


def rounded(x: Value) -> Value:
    """Return `x`, which a compiler must compute as it is written, rounded, before it is used.

    WGSL lets compilers reorder sums: what a sum loses to rounding can't be computed without this.
    """
    return apply("rounded", x)


def low_order(x: Scalar) -> Scalar:
    """Return what float32 loses of `px.x` or `px.y`; 0 of anything else, and of numbers that are not traced."""
    return Node("place", (), x.payload + 2) if isinstance(x, Node) and x.op == "place" else 0.0


def select(condition: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where the condition holds, else `no`; both are computed."""
    return apply("select", condition, yes, no)


def where_equal(a: Value, b: Value, yes: Value, no: Value) -> Value:
    """Return `yes` where `a` equals `b`, else `no`."""
    return select(a <= b, select(b <= a, yes, no), no)


def mirrored(f: Callable[[Value], Value], x: Value) -> Value:
    """Apply `f` to the magnitude of `x` and restore its sign: an odd function."""
    y = f(absolute(x))
    return select(x < 0.0, -y, y)


def dot(a: Value, b: Value) -> Scalar:
    """Return the sum of the products of the components."""
    first, *rest = (x * y for x, y in zip(a, b, strict=True))
    return sum(rest, start=first)


def signed_pow(x: Value, exponent: Value) -> Value:
    """Return `x` to the power `exponent` of either sign, for x > 0."""
    power = pow(x, absolute(exponent))
    return select(exponent < 0.0, 1.0 / power, power)


def half_code(x: Value) -> Value:
    """Return the bit pattern, 0..65535, of `x` truncated to half precision; that of Inf beyond the range."""
    return apply("half_code", x)


def half_value(code: Value) -> Value:
    """Return the number whose half-precision bit pattern is `code`."""
    return apply("half_value", code)


def random3(x: Scalar, y: Scalar, key: Scalar) -> Vec:
    """Return three independent random numbers for each integer `x`, `y` and `key`, the same bits on every backend.

    They are integers of -510..510, nearly normal, with a mean of 0 and a standard deviation of RANDOM_DEVIATION.
    Numbers beyond MOST_RANDOM, and NaN, are clamped to it.
    """
    x, y = clamp(x, -MOST_RANDOM, MOST_RANDOM), clamp(y, -MOST_RANDOM, MOST_RANDOM)
    if any(isinstance(number, Node) for number in (x, y, key)):
        whole = Node("random3", (node(x), node(y), node(key)))
        return Vec(tuple(Node("component", (whole,), axis) for axis in range(3)))
    return Vec(hashed3(x, y, key))


def lookup(table: Any, channel: int, index: Scalar, fraction: Scalar) -> Scalar:
    """Interpolate channel `channel` of `table` linearly between entry `index` (an integer, 0..size-1) and the next.

    A fraction of 0 at the last entry gives that entry.
    """
    channel = min(channel, table.channels - 1)
    if isinstance(table, TableSymbol):
        return Node("lookup", (node(index), node(fraction)), (table, channel))
    return gathers.linear(table.array[:, channel], index, fraction)


def search(table: Any, channel: int, x: Scalar, first: Scalar, last: Scalar, steps: int) -> Scalar:
    """Return the last entry from `first` to `last` of channel `channel` that is below `x`; `first` if none is.

    These entries must not decrease, and number at most 2 ** steps.
    """
    channel = min(channel, table.channels - 1)
    if isinstance(table, TableSymbol):
        return Node("search", (node(x), node(first), node(last)), (table, (channel, steps)))
    return gathers.last_below(table.array[:, channel], x, first, last, steps)


def lut3d(table: Any, grid: Vec, tetrahedral: bool) -> Vec:
    """Interpolate a 3D LUT at `grid`, in entries (each component within 0..size-1), tetrahedrally or trilinearly."""
    if isinstance(table, TableSymbol):
        whole = Node("lut3d", tuple(node(x) for x in grid), (table, tetrahedral))
        return Vec(tuple(Node("component", (whole,), axis) for axis in range(3)))
    values = gathers.in_cube(table.array, tuple(grid), tetrahedral)
    return Vec(tuple(values[..., axis] for axis in range(3)))


def inverse_lut3d(table: Any, tree: Any, colour: Vec) -> Vec:
    """Return the position in a 3D LUT, in entries, where tetrahedral interpolation gives `colour`; 0 if there is none.

    `tree` is the LUT's tree from `engine.ops.cube_tree`.
    """
    if isinstance(table, TableSymbol):
        whole = Node("inverse_lut3d", tuple(node(x) for x in (*colour, tree.size)), (table, tree))
        return Vec(tuple(Node("component", (whole,), axis) for axis in range(3)))
    values = gathers.position_in_cube(table.array, tree.array, tuple(colour))
    return Vec(tuple(values[..., axis] for axis in range(3)))


def path_distance(table: Any, x: Scalar, y: Scalar) -> Scalar:
    """Return the distance of the point (x, y) to a closed polygon: above 0 inside it, by the even-odd rule, else below.

    `table` is (vertices, 3): the x and y of each, and 0. The last vertex is joined to the first. A point with NaN or
    Inf is outside, far away. The distance is most accurate if x and y are `px.x` and `px.y` themselves.
    """
    if isinstance(table, TableSymbol):
        return Node("path_distance", (node(x), node(y)), (table, None))
    return gathers.to_polygon(table.array[:, :2], x, y)

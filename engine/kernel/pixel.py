"""The pixel language: the functions that an op's `pixel()` may use.

The same Python code has two uses. On float64 NumPy arrays (or plain floats) every function computes the reference
result. On `Node`s it records a graph, which `engine.kernel.codegen` prints as numba, WGSL and CUDA C++.

A value is a scalar (float, array or Node) or a `Vec` of 2 to 4 of them; every function works componentwise on a Vec
and repeats a scalar. Comparisons return a condition, which only `select` accepts.

NaN: `minimum(a, b)` is `a if a < b else b` and `maximum(a, b)` is `a if a > b else b`, in every dialect, so that
`minimum(maximum(x, low), high)` turns NaN into `low`, as OpenColorIO's clamps do.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.kernel import interpolation as gathers
from engine.kernel.primitives import HALF_MAX as HALF_MAX
from engine.kernel.primitives import PRIMITIVES

Scalar: TypeAlias = Any
"""A float, a float64 array, or a Node."""
Value: TypeAlias = Any
"""A Scalar or a Vec."""

FLOAT_MIN = 1.1754943508222875e-38
"""Smallest normal float32: the lower limit of OpenColorIO's logarithms."""


class Arithmetic:
    """Arithmetic and comparison operators, implemented by `apply`."""

    __array_ufunc__ = None  # keeps an array on the left from handling the operator

    def __add__(self, other: Value) -> Any:
        return apply("add", self, other)

    def __radd__(self, other: Value) -> Any:
        return apply("add", other, self)

    def __sub__(self, other: Value) -> Any:
        return apply("sub", self, other)

    def __rsub__(self, other: Value) -> Any:
        return apply("sub", other, self)

    def __mul__(self, other: Value) -> Any:
        return apply("mul", self, other)

    def __rmul__(self, other: Value) -> Any:
        return apply("mul", other, self)

    def __truediv__(self, other: Value) -> Any:
        return apply("div", self, other)

    def __rtruediv__(self, other: Value) -> Any:
        return apply("div", other, self)

    def __neg__(self) -> Any:
        return apply("neg", self)

    def __lt__(self, other: Value) -> Any:
        return apply("lt", self, other)

    def __le__(self, other: Value) -> Any:
        return apply("le", self, other)

    def __gt__(self, other: Value) -> Any:
        return apply("lt", other, self)

    def __ge__(self, other: Value) -> Any:
        return apply("le", other, self)


@dataclass(frozen=True, eq=False)
class Node(Arithmetic):
    """One recorded operation. `op` is a name in PRIMITIVES or a leaf:

    `const` (payload: float), `input` (payload: channel 0..3), `uniform` (payload: identifies the slider),
    `size` (payload: a TableSymbol), `component`, and `lookup`, `search`, `lut3d`, `inverse_lut3d` (payload as in the
    functions below).
    """

    op: str
    args: tuple[Node, ...] = ()
    payload: Any = None


@dataclass(frozen=True)
class Vec(Arithmetic):
    """Two to four scalars; .r .g .b .a name them."""

    items: tuple[Scalar, ...]

    @property
    def r(self) -> Scalar:
        return self.items[0]

    @property
    def g(self) -> Scalar:
        return self.items[1]

    @property
    def b(self) -> Scalar:
        return self.items[2]

    @property
    def a(self) -> Scalar:
        return self.items[3]

    def __iter__(self) -> Iterator[Scalar]:
        return iter(self.items)

    def __len__(self) -> int:
        return len(self.items)

    def __getitem__(self, index: int) -> Scalar:
        return self.items[index]


@dataclass(frozen=True)
class Pixel:
    """The argument of `pixel()`: the channels of one pixel (or arrays of them)."""

    r: Scalar
    g: Scalar
    b: Scalar
    a: Scalar

    @property
    def rgb(self) -> Vec:
        return Vec((self.r, self.g, self.b))

    @property
    def rgba(self) -> Vec:
        return Vec((self.r, self.g, self.b, self.a))


def completed(graded: Any, px: Pixel) -> Vec:
    """Return the RGBA result of an op on `px`; alpha is kept if the op returns three components."""
    return Vec((*graded, px.a)[:4])


@dataclass(frozen=True, eq=False)
class TableSymbol:
    """A table during tracing; `key` identifies it to the tracer."""

    key: Any
    channels: int

    @property
    def size(self) -> Node:
        """Entries along one axis, as a uniform."""
        return Node("size", (), self)


@dataclass(frozen=True, eq=False)
class TableValues:
    """A table during computation: (size, 1|3) for a 1D LUT, (size, size, size, 3) [r][g][b] for a 3D LUT."""

    array: NDArray[np.float64] = field(repr=False)

    @property
    def size(self) -> float:
        return float(self.array.shape[0])

    @property
    def channels(self) -> int:
        return int(self.array.shape[-1])


def apply(op: str, *args: Value) -> Value:
    """Compute or record `op`, componentwise."""
    if any(isinstance(arg, (Vec, tuple)) for arg in args):
        return _componentwise(op, args)
    if any(isinstance(arg, Node) for arg in args):
        return Node(op, tuple(node(arg) for arg in args))
    with np.errstate(all="ignore"):
        return PRIMITIVES[op](*(np.float64(arg) if isinstance(arg, (int, float)) else arg for arg in args))


def _componentwise(op: str, args: tuple[Value, ...]) -> Vec:
    length = max(len(arg) for arg in args if isinstance(arg, (Vec, tuple)))
    rows = [tuple(arg) if isinstance(arg, (Vec, tuple)) else (arg,) * length for arg in args]
    return Vec(tuple(apply(op, *items) for items in zip(*rows, strict=True)))


def node(value: Scalar) -> Node:
    """Return `value` as a Node."""
    return value if isinstance(value, Node) else Node("const", (), float(value))


def minimum(a: Value, b: Value) -> Value:
    """Return `a if a < b else b`."""
    return apply("min", a, b)


def maximum(a: Value, b: Value) -> Value:
    """Return `a if a > b else b`."""
    return apply("max", a, b)


def clamp(x: Value, low: Value, high: Value) -> Value:
    """Clamp `x` to low..high; NaN becomes `low`."""
    return minimum(maximum(x, low), high)


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

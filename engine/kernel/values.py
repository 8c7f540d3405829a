"""The values of the pixel language: scalars, vectors and tables, and how operations are computed or recorded."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.kernel.primitives import PRIMITIVES

Scalar: TypeAlias = Any
"""A float, a float64 array, or a Node."""
Value: TypeAlias = Any
"""A Scalar or a Vec."""


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

    `const` (payload: float), `input` (payload: channel 0..3), `place` (payload: 0 for x, 1 for y, 2 and 3 for
    their low-order parts), `plane` (payload: number 0..7), `uniform` (payload: identifies the slider), `size` (payload:
    a TableSymbol), `random3`, `component`, and
    `lookup`, `search`, `lut3d`, `inverse_lut3d`, `path_distance` (payload as in `engine.kernel.pixel`).
    """

    op: str
    args: tuple[Node, ...] = ()
    payload: Any = None

    def __bool__(self) -> bool:
        raise TypeError("the value of a slider or a pixel is not known when the kernel is made; use select()")


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
    recorded = False
    for arg in args:
        if isinstance(arg, (Vec, tuple)):
            return _componentwise(op, args)
        recorded = recorded or isinstance(arg, Node)
    if recorded:
        return Node(op, tuple(map(node, args)))
    with np.errstate(all="ignore"):
        return PRIMITIVES[op](*(np.float64(arg) if isinstance(arg, (int, float)) else arg for arg in args))


def _componentwise(op: str, args: tuple[Value, ...]) -> Vec:
    length = max(len(arg) for arg in args if isinstance(arg, (Vec, tuple)))
    rows = [tuple(arg) if isinstance(arg, (Vec, tuple)) else (arg,) * length for arg in args]
    return Vec(tuple(apply(op, *items) for items in zip(*rows, strict=True)))


def node(value: Scalar) -> Node:
    """Return `value` as a Node."""
    return value if isinstance(value, Node) else Node("const", (), float(value))

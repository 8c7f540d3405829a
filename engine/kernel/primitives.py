"""The primitives of the pixel language on float64 arrays."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

HALF_MAX = 65504.0
"""The largest finite half."""


def _half_code(x: Any) -> Any:
    magnitude = np.minimum(np.abs(x), np.inf)
    nearest = np.minimum(magnitude, HALF_MAX).astype(np.float16)
    code = nearest.view(np.uint16).astype(np.float64) - (nearest.astype(np.float64) > magnitude)
    code = np.where(magnitude > HALF_MAX, 0x7C00, np.where(np.isnan(x), 0x7E00, code))
    return code + np.where(np.signbit(x), 0x8000, 0)


def _half_value(code: Any) -> Any:
    return np.asarray(code).astype(np.uint16).view(np.float16).astype(np.float64)


RANDOM_DEVIATION = 21845.0**0.5
"""The standard deviation of `random3`: that of a sum of four bytes."""
_U32 = np.uint32


def random3(x: Any, y: Any, key: Any) -> tuple[Any, Any, Any]:
    """Return three random integers of -510..510 for integers of float64.

    Sums of the four bytes of a hash, less their mean. The hash is PCG3D: M. Jarzynski and M. Olano, "Hash functions for
    GPU rendering", Journal of Computer Graphics Techniques 9(3), 2020.
    """
    with np.errstate(over="ignore"):
        given = (np.asarray(number, np.float64).astype(np.int64).astype(_U32) for number in (x, y, key))
        x, y, z = (number * _U32(1664525) + _U32(1013904223) for number in np.broadcast_arrays(*given))
        x, y, z = _stirred(x, y, z)
        x, y, z = _stirred(*(number ^ (number >> _U32(16)) for number in (x, y, z)))
    return _byte_sum(x), _byte_sum(y), _byte_sum(z)


def _stirred(x: Any, y: Any, z: Any) -> tuple[Any, Any, Any]:
    x = x + y * z
    y = y + z * x
    return x, y, z + x * y


def _byte_sum(number: Any) -> Any:
    return sum((number >> _U32(8 * place)) & _U32(255) for place in range(4)).astype(np.float64) - 510.0


def _pow(x: Any, exponent: Any) -> Any:
    return np.where(np.asarray(x) < 0.0, np.nan, np.power(x, exponent))


PRIMITIVES: dict[str, Callable[..., Any]] = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "abs": np.abs,
    "min": lambda a, b: np.where(a < b, a, b),
    "max": lambda a, b: np.where(a > b, a, b),
    "floor": np.floor,
    "sqrt": np.sqrt,
    "exp2": np.exp2,
    "exp2_affine": lambda x, scale, offset: np.exp2(scale * x + offset),
    "log2": np.log2,
    "pow": _pow,
    "sin": np.sin,
    "cos": np.cos,
    "atan2": lambda y, x: np.arctan2(y + 0.0, x + 0.0),  # ignores the sign of a zero
    "lt": np.less,
    "le": np.less_equal,
    "select": np.where,
    "half_code": _half_code,
    "half_value": _half_value,
    "rounded": lambda x: x,
}
"""The reference, in float64, of every primitive that is not a leaf or a table access."""

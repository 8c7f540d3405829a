"""Folding of consecutive matrices: conversions between colour spaces meet in the config's reference space."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np

from engine.kernel.op import Op
from engine.ops import Matrix
from engine.ops.matrix import carries_alpha

CANCELLED = 1e-9
"""Largest deviation from the identity of a matrix times its inverse, both given to 10 digits or more. The precision of
float32 is 6e-8."""


def folded(ops: Iterable[Op]) -> tuple[Op, ...]:
    """Return the ops with consecutive matrices multiplied into one, in float64, and dropped where they cancel out."""
    result: list[Op] = []
    for op in ops:
        before = result[-1] if result else None
        if isinstance(op, Matrix) and isinstance(before, Matrix):
            one = _after(op, before)
            result[-1:] = [] if one is None else [one]
        else:
            result.append(op)
    return tuple(result)


def _after(second: Matrix, first: Matrix) -> Matrix | None:
    """Return both as one matrix; None if they cancel out."""
    (a, b), (c, d) = ((np.array(op.matrix).reshape(4, 4), np.array(op.offset)) for op in (first, second))
    matrix, offset = c @ a, c @ b + d
    if np.abs(matrix - np.eye(4)).max() < CANCELLED and np.abs(offset).max() < CANCELLED:
        return None
    values, more = tuple(matrix.ravel().tolist()), tuple(offset.tolist())
    if first.form == second.form == "diagonal":
        return Matrix(values, more, "diagonal")
    return Matrix(values, more, "rgb" if carries_alpha(values, more) else "full")

"""Folding of consecutive matrices: conversions between colour spaces meet in the config's reference space."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Op
from engine.ops import Matrix
from engine.ops.matrix import carries_alpha

CANCELLED = 1e-9
"""Largest deviation from the identity of a matrix times its inverse, both given to 10 digits or more. The precision of
float32 is 6e-8."""


class Affine(NamedTuple):
    """A 4x4 matrix for RGBA, and the offset that is added after the multiplication."""

    matrix: NDArray[np.float64]
    offset: NDArray[np.float64]

    def then(self, second: Affine) -> Affine | None:
        """Return this and `second`, which follows it, as one; None if they cancel out."""
        matrix, offset = second.matrix @ self.matrix, second.matrix @ self.offset + second.offset
        if np.abs(matrix - np.eye(4)).max() < CANCELLED and np.abs(offset).max() < CANCELLED:
            return None
        return Affine(matrix, offset)


def folded(ops: Iterable[Op]) -> tuple[Op, ...]:
    """Return the ops with consecutive matrices multiplied into one, in float64, and dropped where they cancel out."""
    result: list[Op] = []
    for op in ops:
        before = result[-1] if result else None
        if isinstance(op, Matrix) and isinstance(before, Matrix):
            one = _affine(before).then(_affine(op))
            result[-1:] = [] if one is None else [_op(one, before.form == op.form == "diagonal")]
        else:
            result.append(op)
    return tuple(result)


def _affine(op: Matrix) -> Affine:
    return Affine(np.array(op.matrix).reshape(4, 4), np.array(op.offset))


def _op(affine: Affine, diagonal: bool) -> Matrix:
    matrix, offset = tuple(affine.matrix.ravel().tolist()), tuple(affine.offset.tolist())
    if diagonal:
        return Matrix(matrix, offset, "diagonal")
    return Matrix(matrix, offset, "rgb" if carries_alpha(matrix, offset) else "full")

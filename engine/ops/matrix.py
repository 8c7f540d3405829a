"""Matrix."""

from __future__ import annotations

import numpy as np

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, dot

IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class Matrix(ColorOp):
    """Multiply RGBA by a 4x4 matrix (row by row) and add an offset. Any RGBA in and out, unbounded.

    With `form` rgb, alpha is kept and has no influence. With `form` diagonal, only the diagonal is used, so that an
    infinite channel does not affect the others: in a full matrix, Inf times a coefficient of 0 gives NaN. OpenColorIO
    makes the same distinction.
    """

    matrix: Numbers = slider(IDENTITY, -4.0, 4.0, help="16 coefficients, row by row", visible=(-2.0, 2.0))
    offset: Numbers = slider((0.0, 0.0, 0.0, 0.0), -1.0, 1.0, help="Added after the multiplication")
    form: str = choice("full", "rgb", "diagonal", help="rgb leaves alpha out; diagonal: a gain for each channel")

    def check(self) -> None:
        if self.form == "diagonal" and any(value != 0.0 for i, value in enumerate(self.matrix) if i % 5):
            raise GradeError("a diagonal matrix must be 0 off its diagonal")
        if self.form == "rgb" and not carries_alpha(self.matrix, self.offset):
            raise GradeError("an RGB matrix must leave alpha unchanged")

    def pixel(self, px: Pixel) -> Value:
        m = self.matrix
        if self.form == "diagonal":
            return px.rgba * Vec((m[0], m[5], m[10], m[15])) + self.offset
        if self.form == "rgb":
            rows = [Vec((m[i], m[i + 1], m[i + 2])) for i in range(0, 12, 4)]
            return Vec(tuple(dot(row, px.rgb) + o for row, o in zip(rows, self.offset, strict=False)))
        rows = [Vec((m[i], m[i + 1], m[i + 2], m[i + 3])) for i in range(0, 16, 4)]
        return Vec(tuple(dot(row, px.rgba) for row in rows)) + self.offset

    def is_identity(self) -> bool:
        return self.at_default("form")

    def inverse(self) -> Matrix:
        forward = np.array(self.matrix).reshape(4, 4)
        try:
            backward = np.linalg.inv(forward)
        except np.linalg.LinAlgError:
            raise GradeError("a singular matrix has no inverse") from None
        return Matrix(tuple(backward.ravel()), tuple(-backward @ np.array(self.offset)), self.form)


def carries_alpha(matrix: Numbers, offset: Numbers) -> bool:
    """Return whether a 4x4 matrix and offset leave alpha unchanged, and RGB does not depend on alpha."""
    return (*matrix[3::4], *matrix[12:15], offset[3]) == (0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0)

"""Matrix."""

from __future__ import annotations

import numpy as np

from engine.errors import GradeError
from engine.op import ColorOp, Numbers, slider
from engine.pixel import Pixel, Vec, dot

IDENTITY = (1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 0.0, 1.0)


class Matrix(ColorOp):
    """Multiply RGBA by a 4x4 matrix (row by row) and add an offset. Any RGBA in and out, unbounded."""

    matrix: Numbers = slider(IDENTITY, -4.0, 4.0, help="16 coefficients, row by row")
    offset: Numbers = slider((0.0, 0.0, 0.0, 0.0), -1.0, 1.0, help="Added after the multiplication")

    def pixel(self, px: Pixel) -> Vec:
        m = self.matrix
        rows = [Vec((m[i], m[i + 1], m[i + 2], m[i + 3])) for i in range(0, 16, 4)]
        return Vec(tuple(dot(row, px.rgba) for row in rows)) + self.offset

    def is_identity(self) -> bool:
        return self.at_default()

    def inverse(self) -> Matrix:
        forward = np.array(self.matrix).reshape(4, 4)
        try:
            backward = np.linalg.inv(forward)
        except np.linalg.LinAlgError:
            raise GradeError("a singular matrix has no inverse") from None
        return Matrix(tuple(backward.ravel()), tuple(-backward @ np.array(self.offset)))

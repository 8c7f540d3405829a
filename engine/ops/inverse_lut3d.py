"""InverseLut3d."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, derived_table, slider, table
from engine.kernel.pixel import Pixel, Value, clamp, inverse_lut3d
from engine.ops import cube_tree


class InverseLut3d(ColorOp):
    """The exact inverse of the tetrahedral `Lut3d` with the same entries.

    RGB is clamped to 0..1 at the input; the output is within `low`..`high`. A colour outside the range of the LUT is
    searched in a layer that extends it outwards, and clamped to the face; if it is not found, the result is `low`. If
    several positions give the colour, that of the first cell is used. Source: OpenColorIO's documentation of
    Lut3DTransform, inverse.
    """

    label = "3D LUT, inverse"

    cube: Table = table("cube", help="(size, size, size, 3) values, indexed [r][g][b], of the forward LUT")
    low: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0, help="Input of the forward LUT at the first entry of each axis")
    high: Numbers = slider((1.0, 1.0, 1.0), 0.0, 2.0, help="Input of the forward LUT at the last entry of each axis")

    def check(self) -> None:
        if any(a >= b for a, b in zip(self.low, self.high, strict=True)):
            raise GradeError("the domain of a 3D LUT must rise on every axis")

    @derived_table
    def extended(self) -> Table:
        """The LUT with the outer layer."""
        return cube_tree.extended(self.cube)

    @derived_table
    def tree(self) -> Table:
        """The tree of boxes around the cells of `extended`."""
        return cube_tree.cube_tree(self.extended)

    def pixel(self, px: Pixel) -> Value:
        last = self.extended.size - 3.0
        place = inverse_lut3d(self.extended, self.tree, clamp(px.rgb, 0.0, 1.0)) - 1.0
        return self.low + clamp(place, 0.0, last) * ((self.high - self.low) / last)

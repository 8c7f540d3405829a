"""InverseLut3d."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, derived_table, slider, table
from engine.kernel.pixel import Pixel, Value, clamp, inverse_lut3d
from engine.ops import cube_tree


class InverseLut3d(ColorOp):
    """The input for which the tetrahedral `Lut3d` of the same cube gives the output: its exact inverse.

    RGB within 0..1 in (held there), within `low`..`high` out. A colour that the cube does not reach is found in a layer
    that continues it outwards, and held at the face; one that is nowhere becomes `low`. Of several answers the one of
    the first cell is given. Source: OpenColorIO's documentation of Lut3DTransform, inverse.
    """

    label = "3D LUT, inverse"

    cube: Table = table("cube", help="(size, size, size, 3) values, indexed [r][g][b], of the forward cube")
    low: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0, help="Input of the forward cube at the first entry of each axis")
    high: Numbers = slider((1.0, 1.0, 1.0), 0.0, 2.0, help="Input of the forward cube at the last entry of each axis")

    def check(self) -> None:
        if any(a >= b for a, b in zip(self.low, self.high, strict=True)):
            raise GradeError("the domain of a 3D LUT must rise on every axis")

    @derived_table
    def extended(self) -> Table:
        """The cube with a layer around it."""
        return cube_tree.extended(self.cube)

    @derived_table
    def tree(self) -> Table:
        """Boxes around its cells."""
        return cube_tree.cube_tree(self.extended)

    def pixel(self, px: Pixel) -> Value:
        last = self.extended.size - 3.0
        place = inverse_lut3d(self.extended, self.tree, clamp(px.rgb, 0.0, 1.0)) - 1.0
        return self.low + clamp(place, 0.0, last) * ((self.high - self.low) / last)

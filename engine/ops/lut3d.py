"""Lut3d."""

from __future__ import annotations

from typing import TYPE_CHECKING

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, choice, slider, table
from engine.kernel.pixel import Pixel, Value, clamp, lut3d

if TYPE_CHECKING:
    from engine.ops.inverse_lut3d import InverseLut3d


class Lut3d(ColorOp):
    """A 3D LUT over `low`..`high`, constant beyond its faces. RGB in and out.

    Tetrahedral interpolation keeps the grey axis grey and is the usual default for looks; trilinear is what OpenColorIO
    uses for a file that asks for `linear`.
    """

    label = "3D LUT"

    cube: Table = table("cube", help="(size, size, size, 3) values, indexed [r][g][b]")
    low: Numbers = slider((0.0, 0.0, 0.0), -1.0, 1.0, help="Input at the first entry of each axis")
    high: Numbers = slider((1.0, 1.0, 1.0), 0.0, 2.0, help="Input at the last entry of each axis")
    interpolation: str = choice("tetrahedral", "trilinear", help="Interpolation between the entries")

    def check(self) -> None:
        if any(a >= b for a, b in zip(self.low, self.high, strict=True)):
            raise GradeError("the domain of a 3D LUT must rise on every axis")

    def pixel(self, px: Pixel) -> Value:
        extent = self.high - self.low
        grid = clamp(px.rgb * (1.0 / extent) - self.low / extent, 0.0, 1.0) * (self.cube.size - 1.0)
        return lut3d(self.cube, grid, self.interpolation == "tetrahedral")

    def inverse(self) -> InverseLut3d:
        """Exact for tetrahedral interpolation, where no two inputs give the same colour."""
        from engine.ops.inverse_lut3d import InverseLut3d

        return InverseLut3d(self.cube, self.low, self.high)

"""A 3D LUT baked from slower ops, for display. It marks the pixels where it is not accurate enough."""

from __future__ import annotations

from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Table, slider, table
from engine.kernel.pixel import Pixel, Vec, floor, log2, lookup, lut3d, maximum, minimum, select


@dataclass(frozen=True)
class BakedLut(ColorOp, abstract=True):
    """A 3D LUT over the logarithm of scene-linear RGB; it sets alpha to -1 where it is not accurate, else to 1.

    It was baked from `ops`. The domain is 0..(2 ** stops - 1) * toe, mapped to the axes by log2(1 + x / toe). The LUT
    is not accurate outside of it, nor in cells (between entries, in the order of the LUT) whose `doubts` are above 0.
    If a frame for display ends with this op, a device that `repairs` runs `ops` for those pixels. It is never an entry
    of a grade, and not in the registry.
    """

    cube: Table = table("cube")
    doubts: Table = table("curve")
    toe: float = slider(0.01, 0.0, 1.0)
    stops: float = slider(12.0, 1.0, 20.0)
    ops: tuple[ColorOp, ...] = ()

    def pixel(self, px: Pixel) -> Vec:
        last = self.cube.size - 1.0
        linear = maximum(px.rgb, 0.0)
        grid = log2(linear * (1.0 / self.toe) + 1.0) * (last / self.stops)
        clamped = minimum(grid, last)
        cell = minimum(floor(clamped), last - 1.0)
        doubt = lookup(self.doubts, 0, (cell.r * last + cell.g) * last + cell.b, 0.0)
        least = minimum(minimum(px.r, px.g), px.b)
        most = maximum(maximum(grid.r, grid.g), grid.b)
        doubt = select(least < 0.0, 1.0, select(most > last, 1.0, doubt))
        return Vec((*lut3d(self.cube, clamped, True), 1.0 - 2.0 * doubt))

"""A cube that stands in for ops that cost more, and tells where it may not."""

from __future__ import annotations

from dataclasses import dataclass

from engine.kernel.op import ColorOp, Table, slider, table
from engine.kernel.pixel import Pixel, Vec, floor, log2, lookup, lut3d, maximum, minimum, select


@dataclass(frozen=True)
class StandIn(ColorOp, abstract=True):
    """RGB light through a cube over its logarithm; alpha becomes -1 where the cube is not to be trusted, else 1.

    The cube answers light of 0..(2 ** stops - 1) * toe, spread over its axes as log2(1 + light / toe). It is not
    trusted beyond, nor in the cells (from entry to entry, in the order of the cube) whose `doubts` are above 0. Where a
    frame for display ends with it, a device that `repairs` runs `instead` for those pixels. No entry of a grade
    and not in the registry.
    """

    cube: Table = table("cube")  # noqa: RUF009
    doubts: Table = table("curve")  # noqa: RUF009
    toe: float = slider(0.01, 0.0, 1.0)
    stops: float = slider(12.0, 1.0, 20.0)
    instead: tuple[ColorOp, ...] = ()

    def pixel(self, px: Pixel) -> Vec:
        last = self.cube.size - 1.0
        light = maximum(px.rgb, 0.0)
        grid = log2(light * (1.0 / self.toe) + 1.0) * (last / self.stops)
        held = minimum(grid, last)
        cell = minimum(floor(held), last - 1.0)
        doubt = lookup(self.doubts, 0, (cell.r * last + cell.g) * last + cell.b, 0.0)
        least = minimum(minimum(px.r, px.g), px.b)
        most = maximum(maximum(grid.r, grid.g), grid.b)
        doubt = select(least < 0.0, 1.0, select(most > last, 1.0, doubt))
        return Vec((*lut3d(self.cube, held, True), 1.0 - 2.0 * doubt))

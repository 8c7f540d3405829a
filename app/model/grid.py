"""Compare grids: where the cells lie, and the one zoom and pan that they share."""

from __future__ import annotations

from dataclasses import replace

from app.model.viewport import MAX_SCALE, MIN_SCALE, Box, Viewport
from engine.core.records import dataclass

SHAPES = {2: (2, 1), 4: (2, 2), 9: (3, 3)}
"""Columns and rows by the number of cells."""
GAP = 2
"""Distance between two cells, in device-independent pixels."""
Cell = tuple[int, int, int, int]
"""Left, top, width and height in device pixels."""


def cells(width: int, height: int, count: int, gap: int) -> list[Cell]:
    """Return the cells of a grid that fills width x height, row by row, all of one size."""
    columns, rows = SHAPES[count]
    across, down = (max(1, (size - (n - 1) * gap) // n) for size, n in ((width, columns), (height, rows)))
    return [
        (column * (across + gap), row * (down + gap), across, down) for row in range(rows) for column in range(columns)
    ]


@dataclass(frozen=True)
class ImageShape:
    """What places an image in a cell: its size, pixel aspect ratio and display window (x, y, width, height)."""

    width: int
    height: int
    aspect: float = 1.0
    window: Box | None = None


@dataclass(frozen=True)
class GridZoom:
    """The zoom and pan of all cells: `zoom` is 1 where an image fits its cell; `x`, `y` (0..1 of the box that is
    fitted) lie in the middle of the cell. Images of different sizes thus show the same part of their frame."""

    zoom: float = 1.0
    x: float = 0.5
    y: float = 0.5

    def viewport(self, shape: ImageShape, width: int, height: int) -> Viewport:
        """Return the viewport of an image in a cell."""
        fitted = Viewport(width, height, shape.width, shape.height, shape.aspect, display_window=shape.window).fit()
        if self == GridZoom():
            return fitted
        scale = min(max(fitted.scale * self.zoom, MIN_SCALE), MAX_SCALE)
        left, top, across, down = fitted.fits
        x, y = left + self.x * across, top + self.y * down
        placed = replace(fitted, scale=scale, fitted=False)
        return replace(placed, left=round(width / 2 - x * placed.across), top=round(height / 2 - y * scale))

    def zoomed(self, factor: float, shape: ImageShape, cell: tuple[int, int], at: tuple[float, float]) -> GridZoom:
        """Return another zoom, with the same part of an image under a point of its cell, in device pixels."""
        before = self.viewport(shape, *cell)
        scale = min(max(before.scale * factor, MIN_SCALE), MAX_SCALE)
        ratio = scale / before.scale
        centre = (
            cell[0] / 2 + (cell[0] / 2 - at[0]) * (1 / ratio - 1),
            cell[1] / 2 + (cell[1] / 2 - at[1]) * (1 / ratio - 1),
        )
        return replace(self, zoom=self.zoom * ratio)._centred(before, centre)

    def panned(self, dx: float, dy: float, shape: ImageShape, cell: tuple[int, int]) -> GridZoom:
        """Return the zoom after an image was moved by device pixels."""
        return self._centred(self.viewport(shape, *cell), (cell[0] / 2 - dx, cell[1] / 2 - dy))

    def at_scale(self, scale: float, shape: ImageShape, cell: tuple[int, int]) -> GridZoom:
        """Return the zoom at which an image has `scale` device pixels per pixel."""
        return replace(self, zoom=scale / GridZoom().viewport(shape, *cell).scale)

    def _centred(self, viewport: Viewport, place: tuple[float, float]) -> GridZoom:
        """Return the zoom with what a viewport shows at a place in the middle, kept within the image."""
        x, y = viewport.source_at(*place)
        left, top, across, down = viewport.fits
        return replace(self, x=min(max((x - left) / across, 0.0), 1.0), y=min(max((y - top) / down, 0.0), 1.0))

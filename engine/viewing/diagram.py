"""Chromaticity diagrams: CIE 1931 x and y, and CIE 1976 u' and v', of a white that colours are adapted to."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import PRIMARIES, Matrix, adaptation
from engine.core.gamuts import adapted, from_xyz, white_xyz
from engine.core.known_primaries import WHITES
from engine.core.records import dataclass
from engine.viewing.gamut_ops import Chromaticity, rows_of

Points = NDArray[np.float64]
DIAGRAM_SIZE = 288
"""Bins of a diagram along each axis."""
NEUTRALS = ("D65", "ACES")
"""The whites that a diagram can be for, in WHITES."""
WHOLE = {"xy": ((0.38, 0.40), 0.48), "uv": ((0.31, 0.31), 0.33)}
"""The middle of a diagram of all colours, and the distance to its edges."""
MARGIN = 1.12
"""Width of a diagram of a gamut relative to the gamut."""


@dataclass(frozen=True)
class Diagram:
    """A diagram in the coordinates xy or uv, with neutral at a white of NEUTRALS.

    It shows all colours, or with `zoom`, a key of PRIMARIES, those around a gamut.
    """

    coordinates: str = "xy"
    neutral: str = "D65"
    zoom: str = ""

    @cached_property
    def frame(self) -> tuple[tuple[float, float], float]:
        """The coordinates of the middle, and the distance to the edges of the square."""
        if not self.zoom:
            return WHOLE[self.coordinates]
        corners = self.places(self.adapted(PRIMARIES[self.zoom]))
        low, high = corners.min(axis=0), corners.max(axis=0)
        across, up = ((low + high) / 2.0).tolist()
        return (across, up), float((high - low).max()) / 2.0 * MARGIN

    @cached_property
    def op(self) -> Chromaticity:
        """The op from XYZ with D65 as neutral to what `GpuPrimitives.vectorscope` counts in this diagram."""
        return Chromaticity(rows_of(self._from_d65), self.frame[0], self.coordinates)

    def adapted(self, gamut: Sequence[float]) -> tuple[float, ...]:
        """Return the x and y of a gamut with its white at the neutral of the diagram."""
        return adapted(gamut, WHITES[self.neutral])

    def places(self, chromaticities: Sequence[float]) -> Points:
        """Return the coordinates (n, 2) of x and y pairs."""
        pairs = np.asarray(chromaticities, np.float64).reshape(-1, 2)
        if self.coordinates == "xy":
            return pairs
        x, y = pairs.T
        below = -2.0 * x + 12.0 * y + 3.0
        return np.stack([4.0 * x / below, 9.0 * y / below], -1)

    def colours(self, size: int) -> Points:
        """Return linear Rec.709 (size, size, 3) at the middle of each cell, its largest component 1, top row first.

        Components outside of the gamut are 0.
        """
        (across, up), extent = self.frame
        steps = ((np.arange(size) + 0.5) / size * 2.0 - 1.0) * extent
        u, v = np.meshgrid(across + steps, up - steps)
        v = np.where(np.abs(v) < 1e-6, 1e-6, v)
        if self.coordinates == "xy":
            xyz = np.stack([u, v, 1.0 - u - v], -1) / v[..., None]
        else:
            xyz = np.stack([9.0 * u, 4.0 * v, 12.0 - 3.0 * u - 20.0 * v], -1) / (4.0 * v[..., None])
        rgb = np.maximum(xyz @ (from_xyz(PRIMARIES["rec709"]) @ np.linalg.inv(self._from_d65)).T, 0.0)
        return np.asarray(rgb / np.maximum(rgb.max(axis=-1, keepdims=True), 1e-9))

    @property
    def _from_d65(self) -> Matrix:
        return adaptation(white_xyz(WHITES["D65"]), white_xyz(WHITES[self.neutral]))

"""Ops that tell colours by their chromaticity, for viewing only: like those in `viewer_ops`, they are in no grade."""

from __future__ import annotations

from collections.abc import Sequence

from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.core.colorimetry import LUMA, PRIMARIES, Matrix
from engine.core.gamuts import EDGE, from_xyz
from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Numbers, choice, slider
from engine.kernel.pixel import FLOAT_MIN, Pixel, Scalar, Value, Vec, absolute, dot, maximum, minimum, pow, select

SAME = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0, 0.0, 0.0, 1.0)
LARGEST = 3.4028234e38


@dataclass(frozen=True)
class OutsideGamut(ColorOp, abstract=True):
    """Mark colours outside of a gamut: 1 where a component is negative after the matrix to its linear RGB, else 0.

    XYZ with D65 as neutral in (`engine.core.gamuts`, which has the matrix and EDGE). NaN for NaN and infinite colours.
    """

    matrix: Numbers = slider(SAME, -4.0, 4.0, help="9 coefficients from XYZ to RGB")

    def pixel(self, px: Pixel) -> Value:
        r, g, b = _multiplied(self.matrix, px.rgb)
        largest = maximum(absolute(r), maximum(absolute(g), absolute(b)))
        outside = select(minimum(r, minimum(g, b)) < largest * -EDGE, 1.0, 0.0)
        total = r + g + b
        found = select(absolute(total) <= LARGEST, outside, _nan(total))
        return Vec((found, found, found))


BANDS: tuple[tuple[float, tuple[int, int, int]], ...] = (
    (EDGE, (255, 236, 110)),
    (0.02, (255, 166, 38)),
    (0.1, (232, 62, 46)),
    (0.3, (186, 40, 178)),
)
"""The colours that mark how far a colour lies outside: from which share of the largest component on, by magnitude."""


@dataclass(frozen=True)
class GamutBands(ColorOp, abstract=True):
    """Tell how far colours lie outside of a gamut: the number of the band of BANDS, divided by their number; else 0.

    Linear RGB with the primaries of the gamut in. How far is the negative component of the largest magnitude, as a
    share of the largest component: it does not change with exposure. Colours with NaN or Inf are not marked.
    """

    def pixel(self, px: Pixel) -> Value:
        r, g, b = px.rgb
        largest = maximum(absolute(r), maximum(absolute(g), absolute(b)))
        least = minimum(r, minimum(g, b))
        band: Scalar = 0.0
        for number, (share, _) in enumerate(BANDS, 1):
            band = select(least < largest * -share, number / len(BANDS), band)
        found = select(absolute(r + g + b) <= LARGEST, band, 0.0)
        return Vec((found, found, found))


@dataclass(frozen=True)
class Chromaticity(ColorOp, abstract=True):
    """Place chromaticities so that `GpuPrimitives.vectorscope` counts them: across in Cb, up in Cr, and no luma.

    XYZ with D65 as neutral in, which the matrix adapts to another white. `centre` is the chromaticity in the middle.
    NaN for colours without a chromaticity: black, those with a negative sum, NaN and Inf.
    """

    matrix: Numbers = slider(SAME, -4.0, 4.0, help="9 coefficients from XYZ to XYZ")
    centre: Numbers = slider((0.0, 0.0), -1.0, 2.0, help="What lies in the middle")
    diagram: str = choice("xy", "uv", help="CIE 1931 x and y, or CIE 1976 u' and v'")

    def pixel(self, px: Pixel) -> Value:
        x, y, z = _multiplied(self.matrix, px.rgb)
        total, across, up = (x + y + z, x, y) if self.diagram == "xy" else (x + 15.0 * y + 3.0 * z, 4.0 * x, 9.0 * y)
        nothing = _nan(total)
        share = select(total > FLOAT_MIN, select(total <= LARGEST, 1.0 / total, nothing), nothing)
        blue = (across * share - self.centre[0]) * CB_SCALE
        red = (up * share - self.centre[1]) * CR_SCALE
        green = red * (-LUMA[0] / LUMA[1]) + blue * (-LUMA[2] / LUMA[1])
        return Vec((red, green, blue))


def outside_gamut(gamut: str) -> OutsideGamut:
    """Return the op for a gamut, a key of PRIMARIES."""
    return OutsideGamut(rows_of(from_xyz(PRIMARIES[gamut])))


def rows_of(matrix: Matrix) -> tuple[float, ...]:
    """Return the coefficients of a matrix, row by row."""
    return tuple(matrix.ravel().tolist())


def _multiplied(matrix: Sequence[Scalar], rgb: Vec) -> tuple[Scalar, Scalar, Scalar]:
    rows = (Vec(tuple(matrix[at : at + 3])) for at in (0, 3, 6))
    x, y, z = (dot(row, rgb) for row in rows)
    return x, y, z


def _nan(x: Scalar) -> Scalar:
    """Return NaN: the power of a negative number."""
    return pow(-1.0 - minimum(absolute(x), 1.0), 0.5)

"""WhiteBalance."""

from __future__ import annotations

import math

import numpy as np

from engine.core.colorimetry import BRADFORD, PRIMARIES, to_xyz
from engine.errors import GradeError
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, dot, sqrt

NEUTRAL = 6504.0
"""Correlated colour temperature of D65, kelvin (CIE 15)."""
HOTTEST, COLDEST, STRONGEST_TINT = 25000.0, 1000.0, 150.0
"""Range of temperature (kelvin) and tint in which an illuminant is searched."""
TINT_UNIT = 1.0 / 3000.0
"""Distance from the Planckian locus, in CIE 1960 uv, of one unit of tint."""

_TO_CONES = BRADFORD @ to_xyz(PRIMARIES["rec709"])
_FROM_CONES = np.linalg.inv(_TO_CONES)


def _rows(matrix: np.ndarray) -> list[Vec]:
    return [Vec(tuple(float(x) for x in row)) for row in matrix]


class WhiteBalance(ColorOp):
    """Neutralise the colour of the scene's illuminant: colours neutral under it become neutral under D65.

    Scene-linear RGB with Rec.709 primaries in and out, unbounded. `temperature` is that of the illuminant: higher warms
    the image. `tint` is its distance from the Planckian locus: a positive illuminant is green, so that the image turns
    magenta. Von Kries adaptation of Bradford cone responses. The locus in uv is Krystek's, "An algorithm to
    calculate correlated colour temperature", Color Research and Application 10 (1985), good from 1000 to 15000 K.
    """

    label = "White balance"
    home = "lin_rec709_scene"

    temperature: float = slider(
        NEUTRAL,
        2000.0,
        15000.0,
        unit="K",
        minimum=1000.0,
        help="Colour temperature of the light in the scene",
        visible=(3000.0, 10000.0),
    )
    tint: float = slider(
        0.0, -100.0, 100.0, help="Negative turns the image green, positive magenta", visible=(-50.0, 50.0)
    )
    direction: str = choice("forward", "reverse", help="reverse restores the colour of the light")

    def pixel(self, px: Pixel) -> Value:
        light, neutral = self._cones(self.temperature, self.tint), self._cones(NEUTRAL, 0.0)
        gain = neutral / light if self.direction == "forward" else light / neutral
        cones = Vec(tuple(dot(row, px.rgb) for row in _rows(_TO_CONES))) * gain
        return Vec(tuple(dot(row, cones) for row in _rows(_FROM_CONES)))

    @staticmethod
    def _cones(kelvin: Scalar, tint: Scalar) -> Vec:
        """Return the cone responses of an illuminant, at a luminance of 1."""
        u, v, along_u, along_v = _locus(kelvin)
        length = sqrt(along_u * along_u + along_v * along_v)
        u = u + along_v / length * (tint * TINT_UNIT)
        v = v - along_u / length * (tint * TINT_UNIT)
        xyz = Vec((1.5 * u / v, 1.0, (4.0 - u - 10.0 * v) / (2.0 * v)))
        return Vec(tuple(dot(row, xyz) for row in _rows(BRADFORD)))

    @classmethod
    def neutralising(cls, rgb: tuple[float, float, float]) -> WhiteBalance:
        """Return the white balance that makes scene-linear `rgb` grey.

        The illuminant is the one that turns a grey into `rgb`; its tint is perpendicular to the locus at its
        temperature. Raises GradeError if the colour is black, invalid, or too far from the locus for an illuminant.
        """
        cones = _TO_CONES @ np.array(rgb, np.float64) / _TO_CONES.sum(axis=1) * np.array([*cls._cones(NEUTRAL, 0.0)])
        x, y, z = (float(n) for n in np.linalg.solve(BRADFORD, cones))
        if not all(math.isfinite(n) for n in (x, y, z)) or min(x, y, z) <= 0.0:
            raise GradeError(
                "that pixel is black, or its colour can't come from a light", "pick something grey and lit"
            )
        goal = np.array([4.0 * x, 6.0 * y]) / (x + 15.0 * y + 3.0 * z)
        mired = np.linspace(1e6 / HOTTEST, 1e6 / COLDEST, 400)
        away = [_across(1e6 / m, goal) for m in mired]
        turns = [i for i in range(len(mired) - 1) if (away[i][0] < 0.0) != (away[i + 1][0] < 0.0)]
        found = [_crossing(float(mired[i]), float(mired[i + 1]), goal) for i in turns]
        kelvin, tint = min(
            ((1e6 / m, _across(1e6 / m, goal)[1]) for m in found), key=lambda f: abs(f[1]), default=(0, 0)
        )
        if not kelvin or abs(tint) > STRONGEST_TINT:
            raise GradeError("that colour is too strong for a grey", "pick something that should be neutral")
        return cls(round(kelvin, 3), round(tint, 4))

    def is_identity(self) -> bool:
        return self.temperature == NEUTRAL and self.tint == 0.0

    def inverse(self) -> WhiteBalance:
        return self.replace(direction="reverse" if self.direction == "forward" else "forward")


def _locus(kelvin: Scalar) -> tuple[Scalar, Scalar, Scalar, Scalar]:
    """Return u, v of the Planckian locus (CIE 1960), and its direction there."""
    t, t2 = kelvin, kelvin * kelvin
    below_u = 1.0 + 8.42420235e-4 * t + 7.08145163e-7 * t2
    below_v = 1.0 - 2.89741816e-5 * t + 1.61456053e-7 * t2
    above_u = 0.860117757 + 1.54118254e-4 * t + 1.28641212e-7 * t2
    above_v = 0.317398726 + 4.22806245e-5 * t + 4.20481691e-8 * t2
    u, v = above_u / below_u, above_v / below_v
    along_u = ((1.54118254e-4 + 2.57282424e-7 * t) - u * (8.42420235e-4 + 1.416290326e-6 * t)) / below_u
    along_v = ((4.22806245e-5 + 8.40963382e-8 * t) - v * (-2.89741816e-5 + 3.22912106e-7 * t)) / below_v
    return u, v, along_u, along_v


def _across(kelvin: float, goal: np.ndarray) -> tuple[float, float]:
    """Return how far a point of uv lies from a point on the locus: along the locus, and across it in units of tint."""
    u, v, along_u, along_v = (float(x) for x in _locus(kelvin))
    du, dv = float(goal[0]) - u, float(goal[1]) - v
    length = math.hypot(along_u, along_v)
    return (du * along_u + dv * along_v) / length, (du * along_v - dv * along_u) / length / TINT_UNIT


def _crossing(low: float, high: float, goal: np.ndarray) -> float:
    """Return the mired between two at which the perpendicular of the locus passes through a point of uv."""
    sign = _across(1e6 / low, goal)[0] < 0.0
    for _ in range(60):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if (_across(1e6 / middle, goal)[0] < 0.0) == sign else (low, middle)
    return 0.5 * (low + high)

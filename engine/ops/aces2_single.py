"""ACES 2 in float32, step by step, for the searches that compute its tables.

The searches end where a colour crosses a face of the gamut, which is so flat in places that the last bit of float32
affects the fourth digit of the result. OpenColorIO searches in float32; these functions do the same, in the same order
of operations. Formulas and source: see `aces2_model`.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import to_xyz
from engine.core.records import dataclass

Array = NDArray[np.float32]
Numbers: TypeAlias = Any
"""An Array or a float32."""

f = np.float32
REFERENCE, ADAPTING, OFFSET = f(100.0), f(100.0), f(0.2713) * f(100.0)
POWER = f(0.42)
MODEL_GAMMA = f(0.59) * (f(1.48) + np.sqrt(f(20.0) / REFERENCE))
SMOOTH = f(0.12)
PI = f(3.14159265358979)
_CAM16 = (0.8336, 0.1735, 2.3854, -1.4659, 0.087, -0.125, 0.333, 0.333)
_OPPONENT = np.array(
    [[2, 1, f(1) / f(20)], [1, f(-12) / f(11), f(1) / f(11)], [f(1) / f(9), f(1) / f(9), f(-2) / f(9)]], f
)


def power(x: Numbers, exponent: Numbers) -> Numbers:
    """Return x to a power, rounded once."""
    return np.power(np.float64(x), np.float64(exponent)).astype(f)


def times(matrix: Array, v: Array) -> Numbers:
    """Multiply vectors (..., 3) by a matrix."""
    return v[..., 0, None] * matrix[:, 0] + v[..., 1, None] * matrix[:, 1] + v[..., 2, None] * matrix[:, 2]


def compressed(x: Numbers) -> Numbers:
    y = power(np.abs(x), POWER)
    return np.copysign(y / (OFFSET + y), x)


def expanded(y: Numbers) -> Numbers:
    clamped = np.minimum(np.abs(y), f(0.99))
    return np.copysign(power(OFFSET * clamped / (f(1.0) - clamped), f(1.0) / POWER), y)


def lightness(nits: np.float32) -> np.float32:
    """Return the J of a grey."""
    response = compressed(nits * (_adaptation() / REFERENCE)) * (f(1.0) / compressed(_adaptation()))
    return f(REFERENCE * power(response, MODEL_GAMMA))


def achromatic(j: Numbers) -> Numbers:
    """Return the achromatic response of a lightness."""
    return power(j * (f(1.0) / REFERENCE), f(1.0) / MODEL_GAMMA)


@dataclass(frozen=True)
class Single:
    """The matrices of a Viewing, and the colour appearance model with them."""

    to_cones: Array
    to_response: Array
    from_response: Array
    from_cones: Array

    @classmethod
    def of(cls, primaries: tuple[float, ...]) -> Single:
        rgb_to_xyz, xyz_to_cam16 = to_xyz(primaries).astype(f), np.linalg.inv(to_xyz(_CAM16)).astype(f)
        white_xyz = times(rgb_to_xyz, np.full(3, REFERENCE))
        white = times(xyz_to_cam16, white_xyz)
        adapted = _adaptation() / REFERENCE * white_xyz[1] / white
        at_white = compressed(adapted * white)
        opponent = f(400.0) * _OPPONENT
        achromatic = opponent[0, 0] * at_white[0] + opponent[0, 1] * at_white[1] + opponent[0, 2] * at_white[2]
        to_response = np.vstack([opponent[:1] / achromatic, opponent[1:] * f(43.0) * f(0.9)])
        to_cones = adapted[:, None] * (times(xyz_to_cam16, rgb_to_xyz.T).T * REFERENCE)
        return cls(to_cones, to_response, _inverse(to_response), _inverse(to_cones))

    def response(self, rgb: Array) -> Numbers:
        return times(self.to_response, compressed(times(self.to_cones, rgb)))

    def jmh(self, rgb: Array) -> tuple[Array, Array, Array]:
        a, b, c = np.moveaxis(self.response(rgb), -1, 0)
        degrees = f(180.0) * np.arctan2(np.float64(c), np.float64(b)).astype(f) / PI
        j = REFERENCE * power(a, MODEL_GAMMA)
        return j, np.sqrt(b * b + c * c), np.where(degrees < 0, degrees + f(360.0), degrees)

    def rgb(self, j: Numbers, m: Numbers, degrees: Numbers) -> Numbers:
        turn = np.float64(PI * degrees / f(180.0))
        a = achromatic(j)
        opponent = m * np.cos(turn).astype(f), m * np.sin(turn).astype(f)
        return times(self.from_cones, expanded(times(self.from_response, _stacked(a, *opponent))))

    def numbers(self) -> tuple[float, ...]:
        parts = (self.to_cones, self.to_response, self.from_response, self.from_cones)
        return tuple(float(x) for part in parts for x in part.ravel())


def _stacked(*channels: Numbers) -> Array:
    return np.stack(np.broadcast_arrays(*channels), axis=-1)


def _inverse(matrix: Array) -> Array:
    return np.linalg.inv(matrix.astype(np.float64)).astype(f)


def _adaptation() -> np.float32:
    k = f(1.0) / (f(5.0) * ADAPTING + f(1.0))
    k4 = k * k * k * k
    bright = f(5.0) * ADAPTING
    return f(f(0.2) * k4 * bright + f(0.1) * power(f(1.0) - k4, f(2.0)) * power(bright, f(1.0) / f(3.0)))


@dataclass(frozen=True)
class Hull:
    """The limiting gamut's cusps (J, M) at some hues, and the functions that test its upper hull."""

    j: Array
    m: Array
    limit: np.float32
    middle: np.float32
    focus_distance: np.float32
    lower_gamma: np.float32

    def lines(self, position: float) -> tuple[Array, Array, Array]:
        """Return, for lines through (J, M) between cusp and top, where they meet the grey axis, their slopes, and where
        the line through the cusp with the same compression meets that axis."""
        threshold = (self.limit - self.j) * f(0.3) + self.j
        blend = np.minimum(f(1.0), f(1.3) - self.j / self.limit)
        focus = (self.middle - self.j) * blend + self.j
        j = (self.limit - self.j) * f(position) + self.j
        room = (self.limit - threshold) / np.maximum(f(0.0001), self.limit - j)
        steeper = np.log10(np.float64(room)).astype(f)
        plain = self.limit * self.focus_distance
        gain = np.where(j > threshold, plain * (steeper * steeper + f(1.0)), plain)
        axis = self._on_axis(j, focus, gain)
        slope = np.where(axis < focus, axis, self.limit - axis) * (axis - focus) / (focus * gain)
        return axis, slope, self._on_axis(self.j, focus, gain)

    def _on_axis(self, j: Array, focus: Array, gain: Numbers) -> Numbers:
        scaled = self.m / gain
        a = scaled / focus
        low, b, c = j < focus, f(1.0) - scaled, -j
        under = f(-2.0) * c / (b + np.sqrt(b * b - f(4.0) * a * c))
        b, c = -(f(1.0) + scaled + self.limit * a), self.limit * scaled + j
        return np.where(low, under, f(-2.0) * c / (b - np.sqrt(b * b - f(4.0) * a * c)))

    def edge(self, line: tuple[Array, Array, Array], upper_gamma: Array) -> tuple[Array, Array]:
        """Return J and M at which a line leaves the gamut."""
        axis, slope, cusp_axis = line
        lower = self._boundary(axis, slope, self.lower_gamma, self.j, cusp_axis)
        top = self.limit
        upper = self._boundary(top - axis, -slope, upper_gamma, top - self.j, top - cusp_axis)
        scale = SMOOTH * self.m
        h = np.maximum(scale - np.abs(lower - upper), f(0.0)) / scale
        m = np.minimum(lower, upper) - h * h * h * scale * (f(1.0) / f(6.0))
        return axis + slope * m, m

    def _boundary(self, axis: Numbers, slope: Numbers, gamma: Numbers, j: Numbers, reference: Numbers) -> Numbers:
        shifted = reference * power(axis / reference, gamma)
        return shifted * self.m / (j - slope * self.m)

"""The space of the colour warps: opponent axes over logarithms of cone-like responses.

Oklab (B. Ottosson, "A perceptual color space for image processing", 2020) with asinh(x / TOE) in place of its cube
root. Far above TOE that is a logarithm, as in Ruderman, Cronin and Chiao, "Statistics of cone responses to natural
images", JOSA A 15 (1998): hue and saturation do not change with exposure. It is linear below TOE, odd about 0 and
smooth everywhere, so that negative values and black need no special case.

A position is (u, v, w): u and v are 1 at a saturation of 100 %, which is that of Rec.709's blue, and w is 1 eight stops
above mid grey. Neutral colours have u = v = 0.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.core.colorimetry import LUMA, MID_GREY
from engine.kernel.pixel import Scalar, Vec, absolute, dot, exp2, log2, select, sqrt

Array = NDArray[np.float64]

HOME = "lin_rec709_scene"
"""The colour space of the matrix below."""
TOE = 2.0**-8
"""Responses far below this have no hue; 5.5 stops below mid grey."""
LARGEST = 1e14
"""Pixels with larger responses, with Inf or with NaN are not changed."""
STOPS = 8.0
"""Stops of lightness that are 1 in a position."""

_TO_CONES = np.array(
    [
        [0.4122214708, 0.5363325363, 0.0514459929],
        [0.2119034982, 0.6806995451, 0.1073969566],
        [0.0883024619, 0.2817188376, 0.6299787005],
    ]
)
_FROM_CONES = np.linalg.inv(_TO_CONES)
_LIGHTNESS = np.array([0.2104542553, 0.7936177850, -0.0040720468])
_OPPONENT = np.array([[1.9779984951, -2.4285922050, 0.4505937099], [0.0259040371, 0.7827717662, -0.8086757660]])
_OPPONENT -= _OPPONENT.mean(axis=1, keepdims=True)  # greys are neutral to the last digit
_SPAN = float(np.hypot(*(_OPPONENT @ np.log2(_TO_CONES[:, 2]))))

TO_POSITION = np.vstack([_OPPONENT / _SPAN, _LIGHTNESS / _LIGHTNESS.sum() / STOPS])
"""From log2 responses to positions, but for the place of mid grey."""
FROM_POSITION = np.linalg.inv(TO_POSITION)
GREY = float(np.arcsinh(MID_GREY / TOE) / math.log(2.0) / STOPS)
"""w of mid grey before it is moved to 0."""
_LEAST_LUMINANCE = 0.02
"""The least luminance, relative to the lightness, that is kept: that of colours beyond all real ones is negative."""


def position_of(rgb: ArrayLike) -> Array:
    """Return the positions (..., 3) of colours (..., 3)."""
    responses = np.asarray(rgb, np.float64) @ _TO_CONES.T
    position = np.asarray(np.arcsinh(responses / TOE) / math.log(2.0) @ TO_POSITION.T)
    position[..., 2] -= GREY
    return position


def colour_at(position: ArrayLike) -> Array:
    """Return the colours (..., 3) at positions (..., 3)."""
    moved = np.array(position, np.float64)
    moved[..., 2] += GREY
    return np.asarray(TOE * np.sinh(moved @ FROM_POSITION.T * math.log(2.0)) @ _FROM_CONES.T)


def luminance_stops(u: ArrayLike, v: ArrayLike) -> Array:
    """Return the luminance of colours with w = 0, in stops relative to a grey; clamped for colours beyond real ones."""
    uv = np.stack([*np.broadcast_arrays(np.asarray(u, np.float64), v), np.zeros(np.broadcast(u, v).shape)], axis=-1)
    luminance = 2.0 ** (uv @ FROM_POSITION.T) @ _FROM_CONES.T @ np.array(LUMA)
    return np.asarray(np.log2(np.maximum(luminance, _LEAST_LUMINANCE)))


class Responses:
    """The responses to one pixel, or arrays of them: where it lies, and the colour once that is moved."""

    def __init__(self, rgb: Vec) -> None:
        self._rgb = rgb
        self._x = _product(_TO_CONES, rgb)
        size = absolute(self._x)
        self._usable = size[0] + size[1] + size[2] < LARGEST
        root = sqrt(self._x * self._x + TOE * TOE)
        self._tail = TOE * TOE / (root + size)
        self._coded = select(self._x < 0.0, self._tail * (1.0 / TOE), (root + size) * (1.0 / TOE))

    def position(self, lightness: bool = True) -> tuple[Scalar, ...]:
        """Return u, v and, with `lightness`, w."""
        first, second, third = self._coded
        ratios = Vec((log2(first / second), log2(third / second)))  # exact where the logarithms are large
        rows = [Vec((float(row[0]), float(row[2]))) for row in TO_POSITION]
        u, v, w = (dot(row, ratios) for row in rows)
        return (u, v, w + log2(second) * (1.0 / STOPS) - GREY) if lightness else (u, v)

    def moved(self, by: Vec) -> Vec:
        """Return RGB after `by` is added to the log2 responses."""
        up = exp2(by)
        down = 1.0 / up
        change = self._x * (select(self._x < 0.0, down, up) - 1.0) + self._tail * (0.5 * (up - down))
        moved: Vec = select(self._usable, self._rgb + _product(_FROM_CONES, change), self._rgb)
        return moved


def _product(matrix: Array, vector: Vec) -> Vec:
    rows: list[Any] = [Vec(tuple(float(x) for x in row)) for row in matrix]
    return Vec(tuple(dot(row, vector) for row in rows))

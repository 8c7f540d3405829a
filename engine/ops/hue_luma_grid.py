"""HueLumaGrid."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import ColorOp, Numbers, Table, derived_table, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, atan2, cos, floor, lookup, maximum, minimum, sin, sqrt
from engine.ops.warp_grid import COLUMNS, FIRST_STOPS, ROW_STOPS, ROWS, coefficients, weights_at
from engine.ops.warp_space import FROM_POSITION, HOME, STOPS, Responses

NEUTRAL = (0.0,) * COLUMNS
FADE = 0.04
"""Saturation at which half of the shifts applies: they fade out at greys, whose hue is undefined."""
MOST = 2.0
"""Colours of more saturation than this, which are beyond all real ones, move as far as those that have it."""
PARTS = ("hue", "saturation", "light")


def _row(number: int, what: str, low: float, high: float, unit: str) -> Any:
    """Define a row of nodes, from dark to bright."""
    stops = FIRST_STOPS + ROW_STOPS * (number - 1)
    hues = ", ".join(f"{360 * at // COLUMNS}°" for at in range(COLUMNS))
    return slider(NEUTRAL, low, high, unit=unit, help=f"{what} at {stops:+g} EV, for the hues: {hues}")


def _hue(number: int) -> Any:
    return _row(number, "Shift of hue", -60.0, 60.0, "°")


def _saturation(number: int) -> Any:
    return _row(number, "Change of saturation", -100.0, 100.0, "%")


def _light(number: int) -> Any:
    return _row(number, "Change of lightness", -2.0, 2.0, "EV")


class HueLumaGrid(ColorOp):
    """Shift hue, saturation and lightness at the nodes of a grid of hues and lightness. Scene-linear Rec.709 in and
    out, unbounded.

    Each field has the numbers of 12 hues, every 30 degrees, at one lightness: -6, -3, 0, 3 and 6 stops about mid grey.
    Between the nodes, a bicubic B-spline that meets them, periodic in hue, constant beyond the darkest and brightest
    row (M. Unser, "Splines: a perfect fit for signal and image processing", IEEE Signal Processing Magazine, 1999).
    Hue, saturation and lightness are those of `warp_space`. Shifts fade out at greys, by s^2 / (s^2 + 4 %^2).
    """

    label = "Hue-luma grid"
    home = HOME

    hue_1: Numbers = _hue(1)
    hue_2: Numbers = _hue(2)
    hue_3: Numbers = _hue(3)
    hue_4: Numbers = _hue(4)
    hue_5: Numbers = _hue(5)
    saturation_1: Numbers = _saturation(1)
    saturation_2: Numbers = _saturation(2)
    saturation_3: Numbers = _saturation(3)
    saturation_4: Numbers = _saturation(4)
    saturation_5: Numbers = _saturation(5)
    light_1: Numbers = _light(1)
    light_2: Numbers = _light(2)
    light_3: Numbers = _light(3)
    light_4: Numbers = _light(4)
    light_5: Numbers = _light(5)

    @property
    def nodes(self) -> NDArray[np.float64]:
        """The shifts at the nodes (rows, columns, 3): hue in degrees, saturation in %, lightness in stops."""
        rows = [[getattr(self, field_of(part, row)) for part in PARTS] for row in range(1, ROWS + 1)]
        return np.moveaxis(np.array(rows, np.float64), 1, 2)

    @derived_table
    def spline(self) -> Table:
        """The coefficients of the spline, for turns in radians, gains less 1, and lightness as a position."""
        units = np.array([math.pi / 180.0, 0.01, 1.0 / STOPS])
        return Table(coefficients(self.nodes * units).reshape(ROWS * COLUMNS, 3))

    def is_identity(self) -> bool:
        return not self.nodes.any()

    def to_json(self) -> dict[str, Any]:
        """Return the op without the rows that change nothing."""
        return {name: value for name, value in super().to_json().items() if value != NEUTRAL}

    def pixel(self, px: Pixel) -> Value:
        responses = Responses(px.rgb)
        u, v, w = responses.position()
        squared = u * u + v * v
        turn, gain, light = Vec(self._shifts(u, v, w)) * (squared / (squared + FADE * FADE))
        within = MOST / sqrt(maximum(squared, MOST * MOST))
        u, v = u * within, v * within
        gain, across, along = maximum(1.0 + gain, 0.0), sin(turn), cos(turn)
        by = Vec((gain * (u * along - v * across) - u, gain * (u * across + v * along) - v, light))
        rows = [Vec(tuple(float(x) for x in row)) for row in FROM_POSITION]
        return responses.moved(Vec(tuple(row.r * by.r + row.g * by.g + row.b * by.b for row in rows)))

    def _shifts(self, u: Scalar, v: Scalar, w: Scalar) -> tuple[Scalar, ...]:
        """Return turn, gain less 1 and lightness where a position lies, before they fade."""
        column = atan2(v, u) * (COLUMNS / (2.0 * math.pi))
        row = minimum(maximum((w * STOPS - FIRST_STOPS) * (1.0 / ROW_STOPS), -2.0), ROWS + 1.0)
        left, top = floor(column), floor(row)
        across, down = weights_at(column - left), weights_at(row - top)
        total = [0.0, 0.0, 0.0]
        for j, of_row in enumerate(down):
            line = minimum(maximum(top + (j - 1.0), 0.0), ROWS - 1.0)
            for i, of_column in enumerate(across):
                at = left + (i - 1.0)
                at = at - floor(at * (1.0 / COLUMNS) + 1e-3) * COLUMNS
                entry = line * COLUMNS + minimum(maximum(at, 0.0), COLUMNS - 1.0)
                weight = of_row * of_column
                total = [sum_ + weight * lookup(self.spline, part, entry, 0.0) for part, sum_ in enumerate(total)]
        return tuple(total)


def field_of(part: str, row: int) -> str:
    """Return the field of a row, counted from 1 at the darkest, of one of PARTS."""
    return f"{part}_{row}"

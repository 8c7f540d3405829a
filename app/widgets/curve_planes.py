"""Planes on which the curves of each op are drawn: their axes, and functions that sample the ops' curves."""

from __future__ import annotations

from dataclasses import replace
from functools import cache, partial

import numpy as np
from numpy.typing import ArrayLike, NDArray

from app.widgets.curve_points import Axis, Plane, Points
from engine.kernel.op import Table
from engine.ops import ExponentWithLinear, GradingHueCurve, GradingRgbCurve, RgbHsy
from engine.ops.grading_hue_curve import NEUTRAL, RISING
from engine.ops.grading_log import ENDS

RED = 1.0 / 6.0
"""The hue of red, displayed as 0 degrees; hue 0 is magenta."""
_CODES, _STOPS = (0.0, 0.25, 0.5, 0.75, 1.0), (-6.0, -4.0, -2.0, 0.0, 2.0, 4.0, 6.0)
_BEYOND = 0.08
_HUE = Axis(
    RED, RED + 1.0, tuple(k / 6 for k in range(1, 8)), "Hue", "°", 1 / 360, 0.04, zero=RED, scale=360.0, sign="°"
)
_SATURATION = Axis(0.0, 1.0, _CODES, "Saturation", "", 0.01, beyond=0.06)
_SATURATIONS = [replace(_SATURATION, name=name, unit="saturation") for name in ("In", "Out")]
_GAIN = Axis(0.0, 2.0, (0.0, 0.5, 1.0, 1.5, 2.0), "Gain", "×", 0.01, beyond=0.1, sign="×")
_QUARTER = Axis(
    -0.25, 0.25, (-0.25, -0.125, 0.0, 0.125, 0.25), "Shift", "°", 1 / 360, beyond=0.02, scale=360.0, sign="°"
)
_HALF = Axis(-0.5, 0.5, (-0.5, -0.25, 0.0, 0.25, 0.5), "Shift", "°", 1 / 360, beyond=0.04, scale=360.0, sign="°")
_Y = {"hue_hue": _QUARTER, "hue_fx": _HALF}
_QUIET = {"log": (0.9, 0.45), "linear": (0.4, 0.18), "video": (0.28, 0.45)}
"""Saturation and luma of the hue strips, per style."""


def light_axis(name: str, style: str) -> Axis:
    """Return an axis of code values, or of stops about mid grey in style linear."""
    low, high = ENDS[style]
    more = _BEYOND * (high - low)
    if style == "linear":
        return Axis(low - more, high + more, _STOPS, name, "stops from mid grey", 0.1, sign="EV")
    return Axis(low - more, high + more, _CODES, name, "code value", 0.01)


def rgb_sample(points: Points, xs: ArrayLike) -> NDArray[np.float64]:
    """Return the RGB curve at `xs`, evaluated by the op's float64 reference."""
    straight = GradingRgbCurve.straight()
    op = GradingRgbCurve.of(straight.red, straight.green, straight.blue, Table(points))
    grey = np.repeat(np.asarray(xs, np.float64)[:, None], 4, axis=1)
    return op.reference(grey)[:, 0]


def hue_sample(name: str, points: Points, xs: ArrayLike) -> NDArray[np.float64]:
    """Return the hue curve `name` at `xs`, evaluated by the op's float64 reference."""
    return GradingHueCurve.neutral().replace(**{name: Table(points)}).sampled(name, xs)


def hue_strip(style: str, hues: ArrayLike) -> NDArray[np.float64]:
    """Return muted display colours (n, 3), 0..1, that have these hues for the op in a style."""
    x = np.asarray(hues, np.float64) % 1.0
    saturation, luma = _QUIET[style]
    hsy = np.stack([x, np.full_like(x, saturation), np.full_like(x, luma), np.ones_like(x)], axis=-1)
    rgba = RgbHsy(style, "reverse").reference(hsy)
    if style == "linear":
        rgba = ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse").reference(rgba)
    return np.clip(rgba[:, :3], 0.0, 1.0)


@cache
def rgb_plane(style: str) -> Plane:
    """Return the plane of the RGB curves in a style."""
    axis = light_axis("In", style)
    return Plane(axis, light_axis("Out", style), rgb_sample, 1.0, 0.0, rising=True)


@cache
def hue_plane(name: str, style: str) -> Plane:
    """Return the plane of a hue curve in a style."""
    over = name.split("_")[0]
    x = {"hue": _HUE, "sat": _SATURATION}.get(over) or light_axis("Luma", style)
    y = _Y.get(name, _GAIN)
    if name == "sat_sat":
        x, y = _SATURATIONS
    elif name == "lum_lum":
        x, y = light_axis("In", style), light_axis("Out", style)
    strip = partial(hue_strip, style) if over == "hue" else None
    return Plane(x, y, partial(hue_sample, name), *NEUTRAL[name], name in RISING, over == "hue", strip)

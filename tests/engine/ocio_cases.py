"""Random fixed functions and grading transforms of OpenColorIO, and images for them.

A case makes a transform of random parameters, and says by how much OpenColorIO's own approximations may be off: in
style linear, and for powers, it uses a fast logarithm and power even on its exact path.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

Array = NDArray[np.float64]
Rng = np.random.Generator
Image = Callable[[Rng], Array]
FORWARD, INVERSE = ocio.TRANSFORM_DIR_FORWARD, ocio.TRANSFORM_DIR_INVERSE

FAST = 3e-3
"""OpenColorIO's fast logarithm and power, through curves with slopes of up to some tens."""
WHITES = 5e-4
"""OpenColorIO continues raised whites by a parabola about 0, whose large coefficients cancel in float32."""
PQ = {FORWARD: 1.5e-5, INVERSE: 1.5e-3}
"""OpenColorIO raises a quotient near 1, rounded to float32, to the power 78.8; backwards 6.3 follows."""


@dataclass(frozen=True)
class Case:
    """`make(rng, number, direction)` gives set `number`: a transform, and what OpenColorIO may be off by."""

    name: str
    make: Callable[[Rng, int, Any], tuple[ocio.Transform, float]]
    forwards: Image
    backwards: Image

    def image(self, rng: Rng, direction: Any) -> Array:
        return (self.backwards if direction == INVERSE else self.forwards)(rng)


def light(rng: Rng, count: int = 120) -> Array:
    """RGBA of scene light: in and out of gamut, of either sign, 1e-6 to 65504, grey and black."""
    magnitude = 10.0 ** rng.uniform(-6.0, np.log10(65504.0), (count, 3)) * rng.choice((-1.0, 1.0, 1.0, 1.0), (count, 3))
    grey = np.repeat(10.0 ** rng.uniform(-6.0, 4.0, (count // 4, 1)), 3, axis=1)
    rgb = np.concatenate([rng.uniform(-0.5, 1.5, (count, 3)), magnitude, grey, np.zeros((1, 3))])
    return np.column_stack([rgb, np.resize((0.0, 0.5, 1.0), len(rgb))]).astype(np.float32).astype(np.float64)


def some_light(rng: Rng) -> Array:
    return light(rng, 60)


def within(low: tuple[float, ...], high: tuple[float, ...]) -> Image:
    """Pixels between `low` and `high`, as `light` gives them."""

    def image(rng: Rng) -> Array:
        pixels = np.column_stack([rng.uniform(low, high, (250, 3)), np.resize((0.0, 0.5, 1.0), 250)])
        return pixels.astype(np.float32).astype(np.float64)

    return image


HSV = within((-1.0, -0.2, -1.0), (2.0, 2.2, 3.0))
HSY = within((-0.5, 0.0, -0.2), (1.5, 1.5, 3.0))
SMALL = within((-0.1, 0.05, -0.5), (0.7, 0.9, 2.0))
SIGNAL = within((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
JMH = within((0.0, 0.0, -400.0), (120.0, 150.0, 800.0))
HMJ = within((-1.0, 0.0, 0.0), (2.0, 0.7, 1.2))
DISPLAY = within((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))
DOUBLE = within((0.0,) * 3, (2.0,) * 3)
WIDE = within((-0.5,) * 3, (1.5,) * 3)
BRIGHT = within((0.0,) * 3, (4.0,) * 3)

PLAIN: dict[str, tuple[Image, Image]] = {
    "ACES_RED_MOD_03": (light, DOUBLE),
    "ACES_RED_MOD_10": (light, DOUBLE),
    "ACES_GLOW_03": (light, light),
    "ACES_GLOW_10": (light, light),
    "ACES_DARK_TO_DIM_10": (light, light),
    "RGB_TO_HSV": (light, HSV),
    "RGB_TO_HSY_LOG": (WIDE, HSY),
    "RGB_TO_HSY_LIN": (BRIGHT, HSY),
    "RGB_TO_HSY_VID": (WIDE, HSY),
    "XYZ_TO_xyY": (light, SMALL),
    "XYZ_TO_uvY": (light, SMALL),
    "XYZ_TO_LUV": (light, SMALL),
    "LIN_TO_PQ": (light, SIGNAL),
}
"""What goes into the functions without parameters, forwards and backwards."""
WITH_PARAMETERS: dict[str, tuple[Image, Image]] = {
    "ACES_GAMUT_COMP_13": (some_light, some_light),
    "REC2100_SURROUND": (some_light, some_light),
    "LIN_TO_GAMMA_LOG": (some_light, WIDE),
    "LIN_TO_DOUBLE_LOG": (some_light, WIDE),
}
ACES2: dict[str, tuple[Image, Image]] = {
    "ACES_RGB_TO_JMH_20": (BRIGHT, JMH),
    "ACES_RGB_TO_HMJ_20": (BRIGHT, HMJ),
    "ACES_TONESCALE_COMPRESS_20": (JMH, within((1.0, 0.0, 0.0), (95.0, 40.0, 360.0))),
    "ACES_GAMUT_COMPRESS_20": (
        within((0.0, 0.0, 0.0), (100.0, 90.0, 360.0)),
        within((1.0, 0.0, 0.0), (95.0, 30.0, 360.0)),
    ),
    "ACES_OUTPUT_TRANSFORM_20": (light, DISPLAY),
}
PRIMARIES = [
    [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329],
    [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329],
    [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329],
    [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.314, 0.351],
]


def parameters(style: str, rng: Rng) -> list[float]:
    """Random parameters of a fixed function; none for one that has none."""
    if style in PLAIN:
        return []
    if style in ACES2:
        primaries = PRIMARIES[rng.integers(len(PRIMARIES))]
        peak = float(np.round(100.0 * 10.0 ** rng.uniform(0.0, 1.7)))
        short = {"ACES_RGB_TO_JMH_20": primaries, "ACES_RGB_TO_HMJ_20": primaries, "ACES_TONESCALE_COMPRESS_20": [peak]}
        return short.get(style, [peak, *primaries])
    if style == "ACES_GAMUT_COMP_13":
        return [*rng.uniform(1.05, 1.5, 3), *rng.uniform(0.6, 0.95, 3), rng.uniform(1.0, 3.0)]
    if style == "REC2100_SURROUND":
        return [rng.uniform(0.6, 1.6)]
    return _gamma_log(rng) if style == "LIN_TO_GAMMA_LOG" else _double_log(rng)


def _gamma_log(rng: Rng) -> list[float]:
    base, power, slope = rng.uniform(2.0, 10.0), rng.uniform(0.4, 0.6), rng.uniform(0.8, 1.2)
    brk, lin, offset = rng.uniform(0.1, 0.3), rng.uniform(0.8, 1.2), rng.uniform(-0.05, 0.02)
    log_slope = 0.3 * np.log(base)
    meet = slope * brk**power - log_slope * np.log(lin * brk + offset) / np.log(base)
    return [0.0, brk, power, slope, 0.0, base, log_slope, meet, lin, offset]


def _double_log(rng: Rng) -> list[float]:
    base, brk, lin = rng.uniform(2.0, 10.0), rng.uniform(0.02, 0.1), rng.uniform(5.0, 12.0)
    log_slope = rng.uniform(0.3, 0.6)
    straight = log_slope * lin / (lin * brk + 1.0) / np.log(base)
    return [base, -brk, brk, -log_slope, 0.0, -lin, 1.0, log_slope, 0.0, lin, 1.0, straight, 0.0]


def fixed_function(style: str) -> Case:
    """A style of FixedFunctionTransform."""
    kind = getattr(ocio, f"FIXED_FUNCTION_{style}")

    def make(rng: Rng, number: int, direction: Any) -> tuple[ocio.Transform, float]:
        off = PQ[direction] if style == "LIN_TO_PQ" else 1e-5 if style in ACES2 else 0.0
        return ocio.FixedFunctionTransform(kind, parameters(style, rng), direction), off

    return Case(style, make, *(PLAIN | WITH_PARAMETERS | ACES2)[style])


# --- grading ------------------------------------------------------------------------------------------------------

STYLES = {"log": ocio.GRADING_LOG, "linear": ocio.GRADING_LIN, "video": ocio.GRADING_VIDEO}


def _rgbm(rng: Rng, low: float, high: float) -> ocio.GradingRGBM:
    return ocio.GradingRGBM(*map(float, rng.uniform(low, high, 4)))


def _primary(rng: Rng, number: int, style: str) -> tuple[ocio.Transform, float]:
    value = ocio.GradingPrimary(STYLES[style])
    value.brightness, value.offset, value.lift = _rgbm(rng, -30, 30), _rgbm(rng, -0.1, 0.1), _rgbm(rng, -0.05, 0.05)
    value.exposure, value.gain = _rgbm(rng, -2.0, 2.0), _rgbm(rng, 0.7, 1.3)
    powered = number % 2 == 1
    if powered or style != "linear":
        value.contrast = _rgbm(rng, 0.7, 1.4)
    if powered:
        value.gamma = _rgbm(rng, 0.7, 1.4)
    value.saturation, value.pivot = float(rng.uniform(0.2, 2.0)), float(rng.uniform(-0.5, 0.5))
    value.pivotBlack, value.pivotWhite = float(rng.uniform(-0.1, 0.2)), float(rng.uniform(0.8, 1.5))
    if number % 3 == 0:
        value.clampBlack, value.clampWhite = float(rng.uniform(-0.1, 0.2)), float(rng.uniform(0.8, 2.0))
    return ocio.GradingPrimaryTransform(value, STYLES[style]), FAST if powered else 0.0


def _points(rng: Rng, low: float, high: float, slopes: bool) -> ocio.GradingBSplineCurve:
    count = int(rng.integers(2, 8))
    x = low + (high - low) * np.cumsum(rng.uniform(0.3, 1.0, count)) / count
    y = np.sort(x + rng.uniform(-0.3, 0.3, count) * (high - low) / count)
    curve = ocio.GradingBSplineCurve([float(v) for point in zip(x, y, strict=True) for v in point])
    if slopes:
        curve.setSlopes([float(v) for v in rng.uniform(0.1, 2.0, count)])
    return curve


def _rgb_curve(rng: Rng, number: int, style: str) -> tuple[ocio.Transform, float]:
    low, high = (-6.0, 6.0) if style == "linear" else (-0.2, 1.2)
    value = ocio.GradingRGBCurve(STYLES[style])
    value.master = _points(rng, low, high, number % 2 == 0)
    if number % 3:
        value.red, value.blue = _points(rng, low, high, False), _points(rng, low, high, number % 2 == 1)
    return ocio.GradingRGBCurveTransform(value, STYLES[style]), FAST if style == "linear" else 0.0


TONES = {
    "midtones": (0.3, 1.7),
    "highlights": (0.4, 1.6),
    "shadows": (0.4, 1.6),
    "whites": (0.3, 1.7),
    "blacks": (0.3, 1.7),
}


def _tone(rng: Rng, number: int, style: str) -> tuple[ocio.Transform, float]:
    value = ocio.GradingTone(STYLES[style])
    for name, ends in TONES.items():
        if rng.random() < 0.6:
            old = getattr(value, name)
            setattr(value, name, ocio.GradingRGBMSW(*map(float, rng.uniform(*ends, 4)), old.start, old.width))
    value.scontrast = float(rng.uniform(0.3, 1.7)) if number % 2 else 1.0
    whites = max(value.whites.red, value.whites.green, value.whites.blue, value.whites.master)
    off = FAST if style == "linear" else WHITES if whites > 1.0 else 0.0
    return ocio.GradingToneTransform(value, STYLES[style]), off


HUE_CURVES = {
    "hue_hue": (ocio.HUE_HUE, "rising"),
    "hue_sat": (ocio.HUE_SAT, "gain"),
    "hue_lum": (ocio.HUE_LUM, "gain"),
    "lum_sat": (ocio.LUM_SAT, "gain"),
    "sat_sat": (ocio.SAT_SAT, "rising"),
    "lum_lum": (ocio.LUM_LUM, "rising"),
    "sat_lum": (ocio.SAT_LUM, "gain"),
    "hue_fx": (ocio.HUE_FX, "shift"),
}


def _hue_points(rng: Rng, kind: Any, shape: str) -> ocio.GradingBSplineCurve:
    count = int(rng.integers(3, 6))
    x = (np.arange(count) + rng.uniform(0.1, 0.8, count)) / count
    y = {"rising": x + rng.uniform(-0.1, 0.1, count) / count, "gain": rng.uniform(0.6, 1.4, count)}.get(shape)
    y = rng.uniform(-0.03, 0.03, count) if y is None else y
    return ocio.GradingBSplineCurve([float(v) for point in zip(x, y, strict=True) for v in point], kind)


def _hue_curve(rng: Rng, number: int, style: str) -> tuple[ocio.Transform, float]:
    value = ocio.GradingHueCurve(STYLES[style])
    for name, (kind, shape) in HUE_CURVES.items():  # all of them: others would be another kernel
        setattr(value, name, _hue_points(rng, kind, shape))
    return ocio.GradingHueCurveTransform(value, STYLES[style]), FAST if style == "linear" else 0.0


GRADINGS = {"primary": _primary, "rgb curve": _rgb_curve, "tone": _tone, "hue curve": _hue_curve}


def grading(name: str, style: str) -> Case:
    """A grading transform in a style."""

    def make(rng: Rng, number: int, direction: Any) -> tuple[ocio.Transform, float]:
        transform, off = GRADINGS[name](rng, number, style)
        transform.setDirection(direction)
        return transform, off

    image = {
        "tone": within((-0.3,) * 3, (1.5,) * 3),
        "hue curve": within((0.05,) * 3, (1.0,) * 3),
    }.get(name, some_light)
    if (name, style) == ("rgb curve", "linear"):
        image = within((-1.0,) * 3, (20.0,) * 3)
    return Case(f"{name}, {style}", make, image, image)


def all_cases() -> list[Case]:
    """Every style of every fixed function, and every grading transform in every style."""
    functions = [fixed_function(style) for style in (*PLAIN, *WITH_PARAMETERS, *ACES2)]
    return functions + [grading(name, style) for name in GRADINGS for style in STYLES]

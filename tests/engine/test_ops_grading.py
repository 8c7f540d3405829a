"""OpenColorIO's grading transforms, forward and inverse, with random controls and curves.

In style linear, and for powers, OpenColorIO uses fast approximations even on its exact path: `FAST` is what they are
off by. The same controls in the other styles show that the curves themselves agree.
"""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio
import pytest

from tests.engine.ocio_random import FORWARD, INVERSE, SETS, assert_same, light, within

STYLES = {"log": ocio.GRADING_LOG, "linear": ocio.GRADING_LIN, "video": ocio.GRADING_VIDEO}
FAST = 3e-3
"""OpenColorIO's fast logarithm and power, through curves with slopes of up to some tens."""

WHITES = 5e-4
"""OpenColorIO continues raised whites by a parabola about 0, whose large coefficients cancel in float32."""


def directions():
    return pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])


def rgbm(rng: np.random.Generator, low: float, high: float) -> ocio.GradingRGBM:
    return ocio.GradingRGBM(*map(float, rng.uniform(low, high, 4)))


@directions()
@pytest.mark.parametrize("style", STYLES)
def test_primary(style: str, direction) -> None:
    rng = np.random.default_rng(7)
    for number in range(SETS):
        value = ocio.GradingPrimary(STYLES[style])
        value.brightness, value.offset, value.lift = rgbm(rng, -30, 30), rgbm(rng, -0.1, 0.1), rgbm(rng, -0.05, 0.05)
        value.exposure, value.gain = rgbm(rng, -2.0, 2.0), rgbm(rng, 0.7, 1.3)
        powered = number % 2 == 1
        if powered or style != "linear":
            value.contrast = rgbm(rng, 0.7, 1.4)
        if powered:
            value.gamma = rgbm(rng, 0.7, 1.4)
        value.saturation, value.pivot = float(rng.uniform(0.2, 2.0)), float(rng.uniform(-0.5, 0.5))
        value.pivotBlack, value.pivotWhite = float(rng.uniform(-0.1, 0.2)), float(rng.uniform(0.8, 1.5))
        if number % 3 == 0:
            value.clampBlack, value.clampWhite = float(rng.uniform(-0.1, 0.2)), float(rng.uniform(0.8, 2.0))
        transform = ocio.GradingPrimaryTransform(value, STYLES[style])
        transform.setDirection(direction)
        assert_same(transform, light(rng, 60), FAST if powered else 0.0)


def points(rng: np.random.Generator, low: float, high: float, slopes: bool) -> ocio.GradingBSplineCurve:
    count = int(rng.integers(2, 8))
    x = low + (high - low) * np.cumsum(rng.uniform(0.3, 1.0, count)) / count
    y = np.sort(x + rng.uniform(-0.3, 0.3, count) * (high - low) / count)
    curve = ocio.GradingBSplineCurve([float(v) for point in zip(x, y, strict=True) for v in point])
    if slopes:
        curve.setSlopes([float(v) for v in rng.uniform(0.1, 2.0, count)])
    return curve


@directions()
@pytest.mark.parametrize("style", STYLES)
def test_rgb_curve(style: str, direction) -> None:
    rng = np.random.default_rng(8)
    low, high = (-6.0, 6.0) if style == "linear" else (-0.2, 1.2)
    for number in range(SETS):
        value = ocio.GradingRGBCurve(STYLES[style])
        value.master = points(rng, low, high, number % 2 == 0)
        if number % 3:
            value.red, value.blue = points(rng, low, high, False), points(rng, low, high, number % 2 == 1)
        transform = ocio.GradingRGBCurveTransform(value, STYLES[style])
        transform.setDirection(direction)
        picture = within((-1.0,) * 3, (20.0,) * 3)(rng) if style == "linear" else light(rng, 60)
        assert_same(transform, picture, FAST if style == "linear" else 0.0)


def control(rng: np.random.Generator, old: ocio.GradingRGBMSW, low: float, high: float) -> ocio.GradingRGBMSW:
    return ocio.GradingRGBMSW(*map(float, rng.uniform(low, high, 4)), old.start, old.width)


@directions()
@pytest.mark.parametrize("style", STYLES)
def test_tone(style: str, direction) -> None:
    rng = np.random.default_rng(9)
    for number in range(SETS):
        value = ocio.GradingTone(STYLES[style])
        for name, low, high in (
            ("midtones", 0.3, 1.7),
            ("highlights", 0.4, 1.6),
            ("shadows", 0.4, 1.6),
            ("whites", 0.3, 1.7),
            ("blacks", 0.3, 1.7),
        ):
            if rng.random() < 0.6:
                setattr(value, name, control(rng, getattr(value, name), low, high))
        value.scontrast = float(rng.uniform(0.3, 1.7)) if number % 2 else 1.0
        transform = ocio.GradingToneTransform(value, STYLES[style])
        transform.setDirection(direction)
        picture = within((-0.3,) * 3, (1.5,) * 3)(rng)
        whites = max(value.whites.red, value.whites.green, value.whites.blue, value.whites.master)
        off = FAST if style == "linear" else WHITES if whites > 1.0 else 0.0
        assert_same(transform, picture, off)


CURVES = {
    "hue_hue": (ocio.HUE_HUE, "rising"),
    "hue_sat": (ocio.HUE_SAT, "gain"),
    "hue_lum": (ocio.HUE_LUM, "gain"),
    "lum_sat": (ocio.LUM_SAT, "gain"),
    "sat_sat": (ocio.SAT_SAT, "rising"),
    "lum_lum": (ocio.LUM_LUM, "rising"),
    "sat_lum": (ocio.SAT_LUM, "gain"),
    "hue_fx": (ocio.HUE_FX, "shift"),
}


def hue_points(rng: np.random.Generator, kind, shape: str) -> ocio.GradingBSplineCurve:
    count = int(rng.integers(3, 6))
    x = (np.arange(count) + rng.uniform(0.1, 0.8, count)) / count
    y = {"rising": x + rng.uniform(-0.1, 0.1, count) / count, "gain": rng.uniform(0.6, 1.4, count)}.get(shape)
    y = rng.uniform(-0.03, 0.03, count) if y is None else y
    return ocio.GradingBSplineCurve([float(v) for point in zip(x, y, strict=True) for v in point], kind)


@directions()
@pytest.mark.parametrize("style", STYLES)
def test_hue_curve(style: str, direction) -> None:
    rng = np.random.default_rng(10)
    for _ in range(SETS):
        value = ocio.GradingHueCurve(STYLES[style])
        for name, (kind, shape) in CURVES.items():
            if rng.random() < 0.4:
                setattr(value, name, hue_points(rng, kind, shape))
        transform = ocio.GradingHueCurveTransform(value, STYLES[style])
        transform.setDirection(direction)
        assert_same(transform, within((0.05,) * 3, (1.0,) * 3)(rng), FAST if style == "linear" else 0.0)

"""Every fixed function of OpenColorIO, forward and inverse, with random parameters where it has any."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio
import pytest

from tests.engine.ocio_random import FORWARD, INVERSE, SETS, assert_same, light, within

HSV = within((-1.0, -0.2, -1.0), (2.0, 2.2, 3.0))
HSY = within((-0.5, 0.0, -0.2), (1.5, 1.5, 3.0))
SMALL = within((-0.1, 0.05, -0.5), (0.7, 0.9, 2.0))
SIGNAL = within((-1.0, -1.0, -1.0), (1.0, 1.0, 1.0))
JMH = within((0.0, 0.0, -400.0), (120.0, 150.0, 800.0))
HMJ = within((-1.0, 0.0, 0.0), (2.0, 0.7, 1.2))
DISPLAY = within((0.0, 0.0, 0.0), (1.0, 1.0, 1.0))

PLAIN = {
    "ACES_RED_MOD_03": (light, within((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))),
    "ACES_RED_MOD_10": (light, within((0.0, 0.0, 0.0), (2.0, 2.0, 2.0))),
    "ACES_GLOW_03": (light, light),
    "ACES_GLOW_10": (light, light),
    "ACES_DARK_TO_DIM_10": (light, light),
    "RGB_TO_HSV": (light, HSV),
    "RGB_TO_HSY_LOG": (within((-0.5,) * 3, (1.5,) * 3), HSY),
    "RGB_TO_HSY_LIN": (within((0.0,) * 3, (4.0,) * 3), HSY),
    "RGB_TO_HSY_VID": (within((-0.5,) * 3, (1.5,) * 3), HSY),
    "XYZ_TO_xyY": (light, SMALL),
    "XYZ_TO_uvY": (light, SMALL),
    "XYZ_TO_LUV": (light, SMALL),
    "LIN_TO_PQ": (light, SIGNAL),
}
"""What goes in forwards and backwards."""
OFF = {"LIN_TO_PQ": 1.5e-5}
"""OpenColorIO raises a quotient near 1, rounded to float32, to the power 78.8; backwards 6.3 follows."""


def transform(style: str, direction: ocio.TransformDirection, parameters=()) -> ocio.FixedFunctionTransform:
    return ocio.FixedFunctionTransform(getattr(ocio, f"FIXED_FUNCTION_{style}"), list(parameters), direction)


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("style", PLAIN)
def test_a_function_without_parameters(style: str, direction) -> None:
    rng = np.random.default_rng(4)
    for _ in range(4):
        picture = PLAIN[style][direction == INVERSE](rng)
        off = 100.0 if style == "LIN_TO_PQ" and direction == INVERSE else 1.0
        assert_same(transform(style, direction), picture, OFF.get(style, 0.0) * off)


def parameters(style: str, rng: np.random.Generator) -> list[float]:
    if style == "ACES_GAMUT_COMP_13":
        return [*rng.uniform(1.05, 1.5, 3), *rng.uniform(0.6, 0.95, 3), rng.uniform(1.0, 3.0)]
    if style == "REC2100_SURROUND":
        return [rng.uniform(0.6, 1.6)]
    if style == "LIN_TO_GAMMA_LOG":
        base, power, slope = rng.uniform(2.0, 10.0), rng.uniform(0.4, 0.6), rng.uniform(0.8, 1.2)
        brk, lin, offset = rng.uniform(0.1, 0.3), rng.uniform(0.8, 1.2), rng.uniform(-0.05, 0.02)
        log_slope = 0.3 * np.log(base)
        meet = slope * brk**power - log_slope * np.log(lin * brk + offset) / np.log(base)
        return [0.0, brk, power, slope, 0.0, base, log_slope, meet, lin, offset]
    base, brk, lin = rng.uniform(2.0, 10.0), rng.uniform(0.02, 0.1), rng.uniform(5.0, 12.0)
    log_slope = rng.uniform(0.3, 0.6)
    straight = log_slope * lin / (lin * brk + 1.0) / np.log(base)
    offset = log_slope * np.log(lin * brk + 1.0) / np.log(base) - straight * brk
    return [base, -brk, brk, -log_slope, -offset * 0.0, -lin, 1.0, log_slope, 0.0, lin, 1.0, straight, offset * 0.0]


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize("style", ["ACES_GAMUT_COMP_13", "REC2100_SURROUND", "LIN_TO_GAMMA_LOG", "LIN_TO_DOUBLE_LOG"])
def test_a_function_with_parameters(style: str, direction) -> None:
    rng = np.random.default_rng(5)
    for _ in range(SETS):
        encoded = direction == INVERSE and style.startswith("LIN")
        picture = within((-0.5,) * 3, (1.5,) * 3)(rng) if encoded else light(rng, 60)
        assert_same(transform(style, direction, parameters(style, rng)), picture)


PRIMARIES = [
    [0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329],
    [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329],
    [0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329],
    [0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.314, 0.351],
]


def aces2(style: str, rng: np.random.Generator) -> list[float]:
    primaries = PRIMARIES[rng.integers(len(PRIMARIES))]
    peak = float(np.round(100.0 * 10.0 ** rng.uniform(0.0, 1.7)))
    return {"RGB_TO_JMH": primaries, "RGB_TO_HMJ": primaries, "TONESCALE_COMPRESS": [peak]}.get(
        style, [peak, *primaries]
    )


@pytest.mark.parametrize("direction", [FORWARD, INVERSE], ids=["forward", "inverse"])
@pytest.mark.parametrize(
    ("style", "inputs"),
    [
        ("RGB_TO_JMH", (within((0.0,) * 3, (4.0,) * 3), JMH)),
        ("RGB_TO_HMJ", (within((0.0,) * 3, (4.0,) * 3), HMJ)),
        ("TONESCALE_COMPRESS", (JMH, within((1.0, 0.0, 0.0), (95.0, 40.0, 360.0)))),
        (
            "GAMUT_COMPRESS",
            (within((0.0, 0.0, 0.0), (100.0, 90.0, 360.0)), within((1.0, 0.0, 0.0), (95.0, 30.0, 360.0))),
        ),
        ("OUTPUT_TRANSFORM", (light, DISPLAY)),
    ],
)
def test_aces_2(style: str, inputs, direction, sets: int = 6) -> None:
    rng = np.random.default_rng(6)
    for _ in range(sets):
        assert_same(
            transform(f"ACES_{style}_20", direction, aces2(style, rng)), inputs[direction == INVERSE](rng), 1e-5
        )

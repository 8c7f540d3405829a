"""Ops that divide the tones, against formulas in float64 that are written apart from theirs, and what they promise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.errors import GradeError
from engine.kernel.op import ColorOp
from engine.ops import hdr_wheels

Array = NDArray[np.float64]
LUMA = np.array([0.2126, 0.7152, 0.0722])
RAMP = np.geomspace(1e-4, 300.0, 4001)
RNG = np.random.default_rng(4)
COLOURS = RNG.uniform(0.0, 1.0, (400, 3)) * 2.0 ** RNG.uniform(-8.0, 8.0, (400, 1))


def run(op: ColorOp, rgb: Array) -> Array:
    return op.reference(np.concatenate([rgb, np.ones((*rgb.shape[:-1], 1))], axis=-1))[..., :3]


def greys(values: Array = RAMP) -> Array:
    return np.repeat(values[:, None], 3, axis=1)


def step(x: Array, border: float, falloff: float) -> Array:
    t = np.clip((x - border) / falloff + 0.5, 0.0, 1.0)
    return np.asarray(3.0 * t**2 - 2.0 * t**3)


def stops(rgb: Array) -> Array:
    return np.asarray(np.log2((rgb @ LUMA) / 0.18))


WHEELS = ops.HdrWheels(
    overall=(0.1, 0.0, -0.1, 0.25, 1.1),
    black=(0.0, 0.0, 0.5, -1.0, 0.2, -5.0, 1.0),
    dark=(0.2, 0.0, 0.0, 0.5, 1.0, -2.5, 3.0),
    shadow=(0.0, -0.3, 0.0, 0.7, 1.5, 0.5, 2.0),
    light=(0.0, 0.0, 0.1, -0.2, 0.7),
    highlight=(0.4, 0.0, 0.0, -0.6, 2.0, 1.5, 0.5),
    specular=(0.0, 0.1, 0.0, -1.5, 0.0, 4.5, 4.0),
)


def shares(op: ops.HdrWheels, x: Array) -> Array:
    """How much each zone counts at a number of stops."""
    edges = [getattr(op, name)[5:] for name in ("black", "dark", "shadow", "highlight", "specular")]
    steps = [step(x, *edge) for edge in edges]
    found = [np.prod([1.0 - later for later in steps], axis=0)]
    for number, each in enumerate(steps):
        found.append(each * np.prod([1.0 - later for later in steps[number + 1 :]] or [np.ones_like(x)], axis=0))
    return np.stack(found, axis=-1)


def test_zones_add_up_to_1_and_none_is_negative() -> None:
    for op in (ops.HdrWheels(), WHEELS, WHEELS.replace(dark=(*hdr_wheels.NEUTRAL, 3.0, 4.0))):
        found = shares(op, np.linspace(-12.0, 12.0, 997))
        assert found.min() >= 0.0 and np.abs(found.sum(axis=-1) - 1.0).max() < 1e-12
        same = op.replace(**{zone: (0.2, 0.0, -0.1, 0.8, 1.0, *getattr(op, zone)[5:]) for zone in hdr_wheels.ZONES})
        alike = same.replace(overall=hdr_wheels.NEUTRAL)
        assert np.allclose(run(alike, COLOURS), COLOURS * np.exp2([1.0, 0.8, 0.7]), rtol=1e-12)


def test_hdr_wheels_mix_the_zones_by_their_shares() -> None:
    amounts = np.array([getattr(WHEELS, zone)[:5] for zone in hdr_wheels.ZONES])
    mixed = shares(WHEELS, stops(COLOURS)) @ amounts
    gained = COLOURS * np.exp2(mixed[:, :3] + mixed[:, 3:4] + np.array(WHEELS.overall[:3]) + WHEELS.overall[3])
    grey = (gained @ LUMA)[:, None]
    wanted = grey + (gained - grey) * mixed[:, 4:] * WHEELS.overall[4]
    assert np.allclose(run(WHEELS, COLOURS), wanted, rtol=1e-11, atol=1e-12)


def test_hdr_wheels_keep_the_order_of_tones_up_to_two_thirds_of_the_falloff() -> None:
    def raised(by: float) -> Array:
        return np.diff(run(ops.HdrWheels(shadow=(0.0, 0.0, 0.0, by, 1.0, 0.0, 3.0)), greys())[:, 0])

    assert raised(2.0).min() > 0.0 and raised(2.2).min() < 0.0


def test_hdr_wheels_say_what_is_wrong() -> None:
    with pytest.raises(GradeError, match=r"falloff .* at least 0\.1"):
        ops.HdrWheels(black=(*hdr_wheels.NEUTRAL, -4.0, 0.0))
    with pytest.raises(GradeError, match="saturation of a zone"):
        ops.HdrWheels(light=(0.0, 0.0, 0.0, 0.0, -0.1))


def test_recovery_shifts_by_smooth_steps_and_keeps_hue_and_order() -> None:
    op = ops.Recovery(-3.0, 2.0, 1.0, -1.0)
    x = stops(COLOURS)
    shift = -3.0 * step(x, 1.0 + 4.0, 8.0) + 2.0 * step(-x, 1.0 + 3.0, 6.0)
    assert np.allclose(run(op, COLOURS), COLOURS * np.exp2(shift)[:, None], rtol=1e-12)
    for each in (op, ops.Recovery(-8.0, 8.0), ops.Recovery(8.0, -8.0, 3.0, -3.0)):
        slopes = np.diff(np.log2(run(each, greys())[:, 0])) / np.diff(np.log2(RAMP))
        assert slopes.min() > 0.25


def filmic(v: Array, c: float, pivot: float, toe: tuple[float, float], shoulder: tuple[float, float]) -> Array:
    """The curve as the integral of its slope, which is a polyline of stops."""
    x = np.log2(v / pivot)
    knots = np.array([-40.0, -toe[1] - 2.0, -toe[1], shoulder[1], shoulder[1] + 2.0, 40.0])
    slopes = c * np.array([1.0 / (1.0 + toe[0])] * 2 + [1.0, 1.0] + [1.0 / (1.0 + shoulder[0])] * 2)
    fine = np.union1d(np.concatenate([x, [0.0]]), knots)
    slope = np.interp(fine, knots, slopes)
    areas = np.concatenate([[0.0], np.cumsum(np.diff(fine) * (slope[1:] + slope[:-1]) / 2.0)])
    return np.asarray(pivot * np.exp2(np.interp(x, fine, areas) - np.interp(0.0, fine, areas)))


def test_filmic_contrast_is_the_integral_of_its_slope_and_inverts() -> None:
    op = ops.FilmicContrast(1.6, 0.2, 1.0, 1.5, 3.0, 0.5)
    found = run(op, greys())
    assert np.allclose(found[:, 0], filmic(RAMP, 1.6, 0.2, (1.0, 1.5), (3.0, 0.5)), rtol=1e-9)
    assert np.allclose(run(op.inverse(), found), greys(), rtol=1e-12)
    assert np.array_equal(run(op, -greys()), -found) and np.diff(found[:, 0]).min() > 0.0
    plain = ops.FilmicContrast(1.7, 0.25)
    assert np.allclose(run(plain, COLOURS), run(ops.Contrast(1.7, 0.25), COLOURS), rtol=1e-12)


def test_slopes_are_continuous() -> None:
    """A curve that is C1 has second differences that shrink with the step; a kink has not."""
    every = (WHEELS, ops.Recovery(-3.0, 2.0), ops.FilmicContrast(1.6, 0.2, 1.0, 1.5, 3.0, 0.5), LOG)
    for op in (*every, ops.SplitTone(30.0, 0.4, 210.0, 0.3, 0.0, 2.0)):
        x = np.linspace(-9.0, 9.0, 60001)
        y = np.log2(np.maximum(run(op, greys(0.18 * np.exp2(x))), 1e-9))
        slopes = np.diff(y, axis=0) / (x[1] - x[0])
        assert np.abs(np.diff(slopes, axis=0)).max() < 0.01, op


LOG = ops.LogWheels(
    (0.5, 0.0, 0.2, -0.3), (0.0, 0.4, 0.0, 0.1), (-0.2, 0.0, 0.0, 0.6), (3.0, 0.0, -2.0, 6.0), -3.0, 2.0, 3.0
)


def test_log_wheels_add_stops_to_ranges_of_each_channel() -> None:
    x = np.log2(COLOURS / 0.18)
    low, high = step(x, -3.0, 3.0), step(x, 2.0, 3.0)
    shadow, midtone, highlight, offset = (
        np.array(wheel[:3]) + wheel[3] for wheel in (LOG.shadow, LOG.midtone, LOG.highlight, LOG.offset)
    )
    added = ((1.0 - low) * shadow + low * midtone) * (1.0 - high) + high * highlight + offset * 0.025 / np.log10(2.0)
    bright = COLOURS > 0.02  # far above the part of the encoding that is linear
    assert np.allclose(run(LOG, COLOURS)[bright], (COLOURS * np.exp2(added))[bright], rtol=2e-2)
    near = run(LOG, COLOURS)[COLOURS > 1.0] / (COLOURS * np.exp2(added))[COLOURS > 1.0]
    assert np.abs(near - 1.0).max() < 1e-3
    stop = ops.LogWheels(offset=(0.0, 0.0, 0.0, np.log10(2.0) / 0.025))
    assert np.allclose(run(stop, greys())[-2000:], 2.0 * greys()[-2000:], rtol=1e-3)
    dark = run(LOG, np.linspace(-0.05, 0.01, 500)[:, None] * np.ones(3))
    assert np.isfinite(dark).all() and np.diff(dark, axis=0).min() > 0.0


def test_split_tone_keeps_luma_and_tints_in_its_hues() -> None:
    op = ops.SplitTone(210.0, 0.3, 40.0, 0.5, 1.0, 4.0)
    found = run(op, COLOURS)
    assert np.allclose(found @ LUMA, COLOURS @ LUMA, rtol=1e-12)
    toned = run(op, greys())
    assert toned.min() > 0.0
    along, across = toned[:, 0] - toned[:, 1:].mean(axis=1), (toned[:, 1] - toned[:, 2]) * np.sqrt(0.75)
    hue, strength = np.degrees(np.arctan2(across, along)) % 360.0, np.hypot(along, across) / RAMP
    dark, bright = np.log2(RAMP / 0.18) < -1.0, np.log2(RAMP / 0.18) > 3.0
    assert np.allclose(hue[dark], 210.0) and np.allclose(strength[dark], 0.3)
    assert np.allclose(hue[bright], 40.0) and np.allclose(strength[bright], 0.5)


NEUTRAL = [ops.HdrWheels(), ops.Recovery(), ops.FilmicContrast(), ops.LogWheels(), ops.SplitTone(), ops.Vibrance()]


@pytest.mark.parametrize("op", [*NEUTRAL, ops.SixVector(), ops.ChannelMixer()], ids=lambda op: type(op).__name__)
def test_the_neutral_state_is_the_identity(op: ColorOp) -> None:
    assert op.is_identity() and op.at_default()
    rgb = np.concatenate([COLOURS, -COLOURS, np.zeros((1, 3))])
    assert np.allclose(run(op, rgb), rgb, rtol=1e-12, atol=1e-12)
    places: dict[str, Any] = {
        "HdrWheels": {"dark": (*hdr_wheels.NEUTRAL, -3.0, 1.0)},
        "Recovery": {"highlights_from": 1.0},
    }
    moved = {"FilmicContrast": {"pivot": 0.3}, "LogWheels": {"low": -3.0}, "SplitTone": {"balance": 2.0}}
    rest = {"Vibrance": {"skin": 1.0}, "ChannelMixer": {"neutrals": 1.0, "luminance": 1.0}}
    changes: dict[str, Any] = {**places, **moved, **rest}.get(type(op).__name__, {})
    assert op.replace(**changes).is_identity()
    assert np.allclose(run(op.replace(**changes), rgb), rgb, rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("op", [WHEELS, ops.Recovery(-2.0, 3.0), ops.SplitTone(0.0, 0.3), ops.Vibrance(0.7)])
def test_values_that_are_not_finite_leave_the_other_channels_finite(op: ColorOp) -> None:
    rgb = np.array([[np.inf, 0.5, 0.2], [np.nan, 0.5, 0.2], [0.0, 0.0, 0.0], [-0.3, 0.1, -2.0]])
    assert np.isfinite(run(op, rgb)[:, 1:]).all()
    assert (run(op, rgb[2:3]) == 0.0).all()

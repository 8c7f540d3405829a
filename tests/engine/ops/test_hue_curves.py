"""The hue curves op of RGB: its own curves, what changes nothing, where colours meet the curves, and OpenColorIO."""

from __future__ import annotations

import colorsys

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine import ops
from engine.compute.executor import TiledExecutor
from engine.kernel.op import Table
from engine.ocio.grading import grading_ops, grading_transform_of
from engine.ops.grading_hue_curve import CURVES
from tests.tolerance import policy_error, tolerance

KINDS = ocio.HueCurveType.__members__
STYLES = {"log": ocio.GRADING_LOG, "linear": ocio.GRADING_LIN, "video": ocio.GRADING_VIDEO}
RISING = [0.05, 0.1, 0.4, 0.38, 0.7, 0.8, 0.95, 1.0]
GAINS = [0.1, 0.5, 0.5, 1.5, 0.7, 0.9, 0.9, 1.2]
SHIFTS = [0.1, -0.1, 0.5, 0.2, 0.9, 0.0]
POINTS = {"hue_fx": SHIFTS} | dict.fromkeys(("hue_hue", "sat_sat", "lum_lum"), RISING)


def answer(transform: ocio.Transform, rgb: np.ndarray) -> np.ndarray:
    """What OpenColorIO makes of colours (n, 3) on its exact path."""
    processor = ocio.Config.CreateRaw().getProcessor(transform)
    cpu = processor.getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE)
    return np.array([cpu.applyRGB([float(v) for v in colour]) for colour in rgb])


def curve(name: str) -> ocio.GradingBSplineCurve:
    return ocio.GradingBSplineCurve(POINTS.get(name, GAINS), KINDS[name.upper()])


def op_with(name: str, style: str = "log") -> ops.GradingHueCurve:
    """A new op with one curve bent."""
    rows = [(p.x, p.y, 0.0) for p in curve(name).getControlPoints()]
    return ops.GradingHueCurve.neutral(style).replace(**{name: Table(rows)})


@pytest.mark.parametrize("name", CURVES)
def test_a_sampled_curve_is_opencolorios(name: str) -> None:
    """OpenColorIO draws the curve that stands where hue and saturation do; of others it is asked within the points."""
    value = ocio.GradingHueCurve(ocio.GRADING_LOG)
    value.hue_sat = curve(name)
    value.setDrawCurveOnly(True)
    x = np.linspace(-0.2, 1.2, 57) if name.startswith("hue") else np.linspace(0.1, 0.9, 57)
    right = answer(ocio.GradingHueCurveTransform(value, ocio.GRADING_LOG), np.repeat(x[:, None], 3, axis=1))[:, 0]
    assert op_with(name).sampled(name, x) == pytest.approx(right, abs=1e-6)


@pytest.mark.parametrize("style", STYLES)
def test_a_new_op_is_opencolorios_and_changes_nothing(style: str) -> None:
    new = ops.GradingHueCurve.neutral(style)
    assert [new] == grading_ops(ocio.GradingHueCurveTransform(STYLES[style]))
    assert new.is_identity()
    for name in CURVES:
        assert not op_with(name, style).is_identity()
    for other in STYLES:
        assert ops.GradingHueCurve.neutral(other).replace(style=style).is_identity()


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("takes", ["rgb", "hsy"])
def test_there_and_back_to_opencolorio(style: str, takes: str) -> None:
    op = op_with("hue_hue", style).replace(hue_lum=op_with("hue_lum").hue_lum, takes=takes)
    for turned in (op, op.turned()):
        (transform,) = grading_transform_of(turned)
        assert grading_ops(transform) == [turned]
    rgb = np.random.default_rng(4).uniform(0.1, 0.9, (40, 3))
    ours = op.reference(np.column_stack([rgb, np.ones(40)]))[:, :3]
    (transform,) = grading_transform_of(op)
    assert ours == pytest.approx(answer(transform, rgb), abs=3e-5)


def test_of_rgb_it_is_hsy_and_back() -> None:
    rgba = np.random.default_rng(5).uniform(0.02, 0.9, (50, 4))
    for style in STYLES:
        op = op_with("hue_sat", style)
        hsy = ops.RgbHsy(style).reference(rgba)
        right = ops.RgbHsy(style, "reverse").reference(op.replace(takes="hsy").reference(hsy))
        assert np.array_equal(op.reference(rgba), right)


@pytest.mark.parametrize("style", STYLES)
def test_a_colour_meets_the_curves_where_it_changes_them(style: str) -> None:
    """A narrow bump of a curve changes a colour that is said to meet it there, and none that does so elsewhere."""
    bent = op_with("hue_hue", style).replace(sat_sat=op_with("sat_sat").sat_sat)
    colour = (0.5, 0.31, 0.2)
    for op in (bent, bent.turned()):
        met = op.positions_of(colour)
        assert met["hue_sat"] == met["hue_lum"] == met["hue_hue"]
        for name in CURVES:
            for at, moves in ((met[name], True), (met[name] + 0.3, False)):
                xs = at + 0.02 * np.arange(-4, 5)
                ys = op.sampled(name, xs) + 0.01 * (np.arange(9) == 4)
                beside = op.replace(**{name: Table(np.column_stack([xs, op.sampled(name, xs), 0.0 * xs]))})
                bumped = op.replace(**{name: Table(np.column_stack([xs, ys, 0.0 * xs]))})
                rgba = np.array([[*colour, 1.0]])
                moved = np.abs(bumped.reference(rgba) - beside.reference(rgba)).max()
                assert (moved > 1e-5) == moves, (name, at, moved)


def test_hue_is_that_of_hsv_from_magenta() -> None:
    for hue in np.linspace(0.0, 0.99, 23):
        colour = colorsys.hsv_to_rgb(hue, 0.4, 0.7)
        for style in STYLES:
            met = ops.GradingHueCurve.neutral(style).positions_of(colour)
            assert met["hue_sat"] == pytest.approx((hue + 1.0 / 6.0) % 1.0, abs=1e-12)
            assert met["lum_lum"] == pytest.approx(
                np.log2((0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2]) / 0.18)
                if style == "linear"
                else 0.2126 * colour[0] + 0.7152 * colour[1] + 0.0722 * colour[2],
                abs=1e-3,
            )


def rgb_curve(points: Table, x: np.ndarray) -> np.ndarray:
    """An RGB curve at some x, on grey."""
    straight = ops.GradingRgbCurve.straight().red
    op = ops.GradingRgbCurve.of(straight, straight, straight, points)
    return op.reference(np.repeat(x[:, None], 4, axis=1))[:, 0]


@pytest.mark.parametrize("style", ["log", "linear"])
@pytest.mark.parametrize("direction", ["forward", "reverse"])
def test_a_colour_meets_the_rgb_curves_where_they_change_it(style: str, direction: str) -> None:
    """A narrow bump there changes it, and none elsewhere. The channels are alike, so that each is the luma."""
    low, high = (0.0, 1.0) if style == "log" else (-7.0, 7.0)
    bent = Table([(low, low, 0.0), (0.3 * high, 0.4 * high, 0.0), (high, high, 0.0)])
    op = ops.GradingRgbCurve.of(bent, bent, bent, Table([(low, 0.9 * low, 0.0), (high, high, 0.0)]), style)
    op = op.replace(direction=direction)
    grey = np.array([0.5, 0.5, 0.5, 1.0])
    step = 0.02 * (high - low)
    for name, at in op.positions_of((0.5, 0.5, 0.5)).items():
        results = []
        for bump in (0, 4, 7):
            x = at + step * np.arange(-4, 9)
            y = rgb_curve(getattr(op, name), x) + 0.2 * step * (np.arange(13) == bump) * (bump > 0)
            results.append(op.replace(**{name: Table(np.column_stack([x, y, 0.0 * x]))}).reference(grey))
        plain, there, beside = results
        assert np.abs(there - plain).max() > 1e-3, name
        assert np.abs(beside - plain).max() < 1e-7, name


@pytest.mark.parametrize("style", STYLES)
@pytest.mark.parametrize("name", CURVES)
def test_a_curve_alone_is_opencolorios(name: str, style: str) -> None:
    """Curves that change nothing are left out of the op; OpenColorIO reckons with all of them."""
    op = op_with(name, style)
    rgb = np.random.default_rng(6).uniform(0.05, 0.9, (60, 3))
    for turned in (op, op.turned()):
        ours = turned.reference(np.column_stack([rgb, np.ones(60)]))[:, :3]
        (transform,) = grading_transform_of(turned)
        right = answer(transform, rgb)
        scale = np.maximum(np.abs(right).max(axis=1, keepdims=True), 1.0)
        assert (np.abs(ours - right) / scale).max() < 3e-5


def test_kernels_of_some_curves(backend: str, executor: TiledExecutor) -> None:
    op = op_with("hue_sat").replace(lum_lum=op_with("lum_lum").lum_lum)
    light = np.random.default_rng(7).uniform(0.05, 0.9, (9, 31, 4)).astype(np.float32)
    for turned in (op, op.turned()):
        error = policy_error(executor.execute_color(light, [turned]), turned.reference(light.astype(float)))
        assert error.max() <= tolerance(backend, chain=True)

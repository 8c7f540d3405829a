"""The measured error of a grade: that of an independent computation on the same pixels, on every device."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import Grade, Group, Layer, ops
from engine.compute.executor import TiledExecutor
from engine.mattes.channels import DepthRange
from engine.mattes.tree import Leaf, Matte
from engine.viewing import FrameMaker, WholeLevels
from engine.viewing.accuracy import SIDE, Accuracy, compared, measured
from tests.engine.backends import USABLE, executor_on
from tests.tolerance import policy_error, tolerance

GRADE = (ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.8), power=(1.1, 1.0, 0.9), saturation=1.3))
WIDTH, HEIGHT = 90, 60


def never() -> bool:
    return False


def plate(channels: int = 4, width: int = WIDTH, height: int = HEIGHT) -> np.ndarray:
    rng = np.random.default_rng(3)
    return (2.0 ** rng.uniform(-8, 4, (height, width, channels))).astype(np.float16)


def of_whole(maker: FrameMaker, grade: Any, stop: Any = never, scale: float = 1.0) -> Accuracy | None:
    region = (0.0, 0.0, float(maker.levels.width), float(maker.levels.height))
    size = round(scale * maker.levels.width), round(scale * maker.levels.height)
    return measured(maker, region, *size, grade, stop)


def test_mattes_count_as_if_they_covered_all():
    """They need neither the place of the pixels that are measured nor planes."""
    matte = Matte(Leaf(DepthRange()), feather=5.0)
    inner = Layer(ops.Cdl(slope=(1.2, 1.0, 0.8)), matte=matte)
    covered = tuple(Grade([Layer(ops.Exposure(0.5), matte=matte), Group((inner,), mix=0.5, matte=matte)]))
    maker = FrameMaker(executor_on("cpu"), WholeLevels(plate()))
    plain = tuple(Grade([ops.Exposure(0.5), Group((ops.Cdl(slope=(1.2, 1.0, 0.8)),), mix=0.5)]))
    assert of_whole(maker, covered) == of_whole(maker, plain)


def test_what_depends_on_the_place_is_judged_at_a_place():
    grade = Grade([ops.Vignette(3.0, softness=0.5), Layer(ops.Grain(0.3), mix=0.5)])
    found = of_whole(FrameMaker(executor_on("cpu"), WholeLevels(plate())), tuple(grade))
    assert found is not None and found.error <= tolerance("cpu", chain=True)


@pytest.mark.parametrize("backend", USABLE)
@pytest.mark.parametrize("channels", [3, 4])
def test_the_error_is_that_of_the_policy(backend: str, channels: int):
    pixels = plate(channels, SIDE, SIDE)  # no larger than what is sampled: every pixel counts
    executor = executor_on(backend)
    found = of_whole(FrameMaker(executor, WholeLevels(pixels)), GRADE)
    rgba = np.concatenate([pixels, np.ones((SIDE, SIDE, 4 - channels))], axis=-1).astype(np.float64)
    exposed = np.concatenate([rgba[..., :3] * 2.0**0.5, rgba[..., 3:]], axis=-1)
    expected = GRADE[1].reference(exposed)[..., :channels]
    error = policy_error(executor.execute_color(pixels.astype(np.float32), GRADE), expected)
    assert found is not None and (found.pixels, found.undefined) == (SIDE * SIDE, 0)
    assert found.error == pytest.approx(error.max(), rel=1e-3)
    assert 0.0 < found.error <= tolerance(backend, chain=True)


def test_a_device_that_errs_is_found_out(monkeypatch: pytest.MonkeyPatch):
    executor = TiledExecutor(executor_on("cpu").primitives)
    right = executor.execute_color
    monkeypatch.setattr(executor, "execute_color", lambda pixels, run: right(pixels, run) * np.float32(1.001))
    found = of_whole(FrameMaker(executor, WholeLevels(plate())), GRADE)
    assert found is not None and found.error == pytest.approx(0.001, rel=0.01)


@pytest.mark.parametrize("scale", [0.5, 1.0, 4.0])
def test_a_few_thousand_pixels_are_picked_from_the_shown_ones(scale: float):
    maker = FrameMaker(executor_on("cpu"), WholeLevels(plate(4, 4 * WIDTH, 4 * HEIGHT)))
    found = of_whole(maker, GRADE, scale=scale)
    assert found is not None and found.pixels == SIDE * SIDE


def test_filters_are_left_out_and_an_empty_grade_is_exact():
    maker = FrameMaker(executor_on("cpu"), WholeLevels(plate()))
    assert of_whole(maker, ()) == Accuracy(0.0, SIDE * SIDE)
    blurred, plain = of_whole(maker, (ops.Blur(4.0), *GRADE)), of_whole(maker, GRADE)
    assert blurred is not None and plain is not None and 0.0 < blurred.error <= 2e-6
    assert blurred.pixels == plain.pixels


def test_it_stops_between_ops(monkeypatch: pytest.MonkeyPatch):
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) == 2

    executor = TiledExecutor(executor_on("cpu").primitives)
    monkeypatch.setattr(executor, "execute_color", None)
    assert of_whole(FrameMaker(executor, WholeLevels(plate())), GRADE, stop) is None
    assert len(asked) == 2


def test_pixels_that_only_one_side_defines_are_counted():
    inf, nan = np.inf, np.nan
    expected = np.array([[[1.0, 2.0, 4.0], [nan, 1.0, 1.0], [nan, 1.0, 1.0], [inf, 0.0, 0.0], [1e39, 0.0, 0.0]]])
    found = np.array([[[1.0, 2.0, 4.4], [nan, 1.5, 1.0], [0.0, 1.0, 1.0], [-inf, 0.0, 0.0], [inf, 0.0, 0.0]]])
    assert compared(found.astype(np.float32), expected) == Accuracy(0.5, 5, 2)


def test_dark_pixels_are_judged_by_1_and_bright_ones_by_their_largest_channel():
    expected = np.array([[[0.01, 0.02, 0.04]]])
    assert compared(expected + 0.001, expected).error == pytest.approx(0.001)
    assert compared(100.0 * expected + 0.001, 100.0 * expected).error == pytest.approx(0.00025)

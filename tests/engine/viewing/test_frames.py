"""Frames: right on every backend, as large as the view, quick where they may be."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import pairwise
from typing import Any

import numpy as np
import pytest

from engine import ops
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.executor import TiledExecutor
from engine.errors import DeviceLost
from engine.kernel.op import ColorOp
from engine.viewing import FrameMaker, WholeLevels, cost_model, pace, viewport_request
from engine.viewing.pace import FIRST_SECONDS, MOST_PATIENCE, QUICK_SECONDS, STEPS, Pace
from tests.engine.backends import USABLE, executor_on

SRGB = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse")
GRADE = (ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.8), power=(1.1, 1.0, 0.9), saturation=1.3))
WIDTH, HEIGHT = 333, 214
WHOLE = (0.0, 0.0, float(WIDTH), float(HEIGHT))


def never() -> bool:
    return False


@pytest.fixture
def pixels() -> np.ndarray:
    return np.random.default_rng(3).random((HEIGHT, WIDTH, 4)).astype(np.float16)


@pytest.fixture(params=USABLE)
def maker(request: pytest.FixtureRequest, pixels: np.ndarray, monkeypatch: pytest.MonkeyPatch) -> FrameMaker:
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (9000, 20000))
    return FrameMaker(executor_on(request.param), WholeLevels(pixels))


def shown(rgba: np.ndarray, run: Sequence[ColorOp]) -> np.ndarray:
    """The reference answer as bytes."""
    rgba = rgba.astype(np.float64)
    for op in run:
        rgba = op.reference(rgba)
    return np.round(np.clip(rgba[..., :3], 0.0, 1.0) * 255).astype(int)


def test_a_frame_at_its_own_size_is_the_reference_answer(maker: FrameMaker, pixels: np.ndarray):
    region = (11.0, 7.0, 300.0, 200.0)
    frame = maker.exact(region, 300, 200, GRADE, (SRGB,), never)
    assert frame is not None
    assert (frame.exact, frame.region) == (True, region)
    expected = shown(pixels[7:207, 11:311], (*GRADE, SRGB))
    assert abs(frame.pixels[..., :3].astype(int) - expected).max() <= 1
    assert (frame.pixels[..., 3] == 255).all()


def test_a_fitted_frame_is_made_of_means_in_scene_light(maker: FrameMaker, pixels: np.ndarray):
    region = (0.0, 0.0, 320.0, 208.0)
    frame = maker.exact(region, 80, 52, (), (SRGB,), never)
    assert frame is not None
    means = pixels[:208, :320].astype(np.float64).reshape(52, 4, 80, 4, 4).mean(axis=(1, 3))
    assert abs(frame.pixels[..., :3].astype(int) - shown(means, (SRGB,))).max() <= 1


def test_where_pixels_are_squares_a_frame_has_one_for_each(maker: FrameMaker, pixels: np.ndarray):
    frame = maker.exact((20.25, 30.5, 40.0, 25.0), 400, 250, (), (SRGB,), never)
    assert frame is not None
    assert frame.region == (20.0, 30.0, 41.0, 26.0)
    assert abs(frame.pixels[..., :3].astype(int) - shown(pixels[30:56, 20:61], (SRGB,))).max() <= 1


def test_a_newer_request_stops_a_frame_between_strips(pixels: np.ndarray, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (9000, 20000))
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) > 2

    assert maker.exact(WHOLE, WIDTH, HEIGHT, GRADE, (SRGB,), stop) is None
    assert len(asked) == 3


def test_a_quick_frame_has_fewer_pixels_where_all_take_too_long(pixels: np.ndarray, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(pace, "QUICK_SECONDS", 1e9)
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    maker.exact(WHOLE, WIDTH, HEIGHT, (), (SRGB,), never)
    assert maker.quick(WHOLE, WIDTH, HEIGHT, (), (SRGB,)).pixels.shape[:2] == (HEIGHT, WIDTH)
    monkeypatch.setattr(pace, "QUICK_SECONDS", 1e-9)
    slow = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    slow.exact(WHOLE, WIDTH, HEIGHT, (), (SRGB,), never)
    frame = slow.quick(WHOLE, WIDTH, HEIGHT, (), (SRGB,))
    assert frame.pixels.shape[:2] == (round(HEIGHT / STEPS[-1]), round(WIDTH / STEPS[-1]))
    assert (frame.exact, frame.region) == (False, WHOLE)


class Lost(CpuPrimitives):
    """A device that is lost in the middle of a frame."""

    left = 2

    def _run_point(self, source: Any, target: Any, ops: Any, inputs: Any) -> None:
        self.left -= 1
        if self.left < 0:
            raise DeviceLost("the device was lost")
        super()._run_point(source, target, ops, inputs)


def test_a_lost_device_costs_a_frame_at_most(pixels: np.ndarray, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (9000, 20000))
    device = Lost()
    maker = FrameMaker(TiledExecutor(device, fallbacks=[CpuPrimitives]), WholeLevels(pixels))
    with pytest.raises(DeviceLost) as lost:
        maker.exact(WHOLE, WIDTH, HEIGHT, GRADE, (SRGB,), never)
    maker.fall_back(device, lost.value)
    maker.let_go()
    frame = maker.exact(WHOLE, WIDTH, HEIGHT, GRADE, (SRGB,), never)
    right = FrameMaker(executor_on("cpu"), WholeLevels(pixels)).exact(WHOLE, WIDTH, HEIGHT, GRADE, (SRGB,), never)
    assert frame is not None
    assert right is not None
    np.testing.assert_array_equal(frame.pixels, right.pixels)


class Counting(TiledExecutor):
    """Counts the pixels that are uploaded, resampled and shown."""

    uploads = resampled = shown = 0

    def upload(self, image: Any) -> Any:
        self.uploads += 1
        return super().upload(image)

    def resample(self, handle: Any, region: Any, width: int, height: int, filter: str) -> Any:
        self.resampled += width * height
        return super().resample(handle, region, width, height, filter)

    def display(self, handle: Any, ops: Any, inputs: Any = None, **options: Any) -> Any:
        self.shown += handle.width * handle.height
        return super().display(handle, ops, inputs, **options)


def test_a_slider_costs_the_viewport_alone(pixels: np.ndarray):
    executor = Counting(executor_on("cpu").primitives)
    maker = FrameMaker(executor, WholeLevels(pixels))
    view = (WHOLE, 100, 64)
    maker.exact(*view, GRADE, (SRGB,), never)
    before = executor.uploads, executor.resampled, executor.shown
    maker.exact(*view, (ops.Exposure(1.0), *GRADE), (SRGB,), never)
    assert (executor.uploads, executor.resampled, executor.shown - before[2]) == (*before[:2], 100 * 64)


def test_pixels_are_picked_from_the_next_frame_on(pixels: np.ndarray):
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    maker.exact(WHOLE, 100, 64, (), (SRGB,), never)
    maker.picks = True
    frame = maker.exact(WHOLE, 100, 64, (), (SRGB,), never)
    assert frame is not None
    rows, columns = (((np.arange(n) + 0.5) * size / n).astype(int) for n, size in ((64, HEIGHT), (100, WIDTH)))
    expected = shown(pixels[rows][:, columns], (SRGB,))
    assert abs(frame.pixels[..., :3].astype(int) - expected).max() <= 1


def test_pace_goes_coarser_when_late_and_finer_when_there_is_room():
    found = Pace(0.0)
    assert found.coarse == 1.0
    for _ in range(20):
        found.took(2 * QUICK_SECONDS)
    assert found.coarse == STEPS[-1]
    for _ in range(len(STEPS) * (MOST_PATIENCE + 2)):
        found.took(QUICK_SECONDS / 10)
    assert found.coarse == 1.0
    found.took(2 * QUICK_SECONDS)
    assert found.coarse == 1.0
    assert Pace(4 * QUICK_SECONDS).coarse == 2.0


def test_pace_spares_first_frames_that_take_long():
    """What is made once for a size of the frames takes longer than the frames after it."""

    def after(first: float, frames: int) -> float:
        found = Pace(4 * QUICK_SECONDS)
        found.took(first)
        for _ in range(frames):
            found.took(QUICK_SECONDS / 10)
        return found.coarse

    assert after(QUICK_SECONDS, 2) == 1.5
    assert after(FIRST_SECONDS, 2) == 2.0
    assert after(FIRST_SECONDS, 40) == 1.0  # it may have been slow by chance


def test_pace_tries_finer_steps_less_often_after_each_that_was_too_slow():
    found, steps = Pace(QUICK_SECONDS), list[float]()
    for _ in range(100):
        found.took(QUICK_SECONDS * (2.0 if found.coarse == 1.0 else 0.1))
        steps.append(found.coarse)
    tries = sum(before > after for before, after in pairwise(steps))
    assert 5 <= tries <= 100 // (MOST_PATIENCE + 1)


@pytest.mark.parametrize("coarse", [1.0, 2.5])
def test_rows_of_a_shot_are_its_pixels(coarse: float):
    shot = viewport_request((1.0, 2.0, 300.0, 200.0), 120, 80, (WIDTH, HEIGHT), coarse)
    parts = [shot.rows(top, min(top + 7, shot.height)) for top in range(0, shot.height, 7)]
    assert sum(part.height for part in parts) == shot.height
    assert parts[0].region[1] == 2.0
    assert parts[-1].region[1] + parts[-1].region[3] == pytest.approx(202.0)


def test_frames_of_drags_are_those_of_new_makers(pixels: np.ndarray):
    """Whatever was dragged before, at whatever size: side images are kept, and views move."""
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    bloom, part = ops.Bloom(0.5, 1.0, radius=30.0), (20.0, 10.0, 200.0, 150.0)
    drags = [(WHOLE, bloom.replace(amount=amount)) for amount in (0.1, 0.2, 0.3)]
    drags += [(WHOLE, bloom.replace(radius=radius)) for radius in (20.0, 21.0)]
    drags += [(part, bloom.replace(radius=21.0)), (part, bloom.replace(threshold=0.5)), (WHOLE, bloom)]
    for region, op in drags:
        quick = maker.quick(region, 166, 107, [op], (SRGB,))
        exact = maker.exact(region, 166, 107, [op], (SRGB,), never)
        fresh = FrameMaker(executor_on("cpu"), WholeLevels(pixels)).exact(region, 166, 107, [op], (SRGB,), never)
        assert exact is not None and fresh is not None and quick.region == region
        np.testing.assert_array_equal(exact.pixels, fresh.pixels)


def test_each_drag_has_a_pace_of_its_own(pixels: np.ndarray):
    """One that keeps side images is not slowed down by one that makes them again, and not the other way round."""
    maker, bloom = FrameMaker(executor_on("cpu"), WholeLevels(pixels)), ops.Bloom(0.5, 1.0, radius=30.0)
    where = (WHOLE, 166, 107)

    def pace_of(op: ops.Bloom) -> Pace:
        return maker.costs.pace(maker._timed_plan(*where, [op], (SRGB,)))

    first = pace_of(bloom)
    amount = pace_of(bloom.replace(amount=0.6))
    assert pace_of(bloom.replace(amount=0.6)) is pace_of(bloom.replace(amount=0.7)) is amount
    assert pace_of(bloom.replace(radius=20.0, amount=0.7)) not in (first, amount)
    moved = maker._timed_plan((1.0, 0.0, *WHOLE[2:]), 166, 107, [bloom.replace(radius=20.0, amount=0.7)], (SRGB,))
    assert maker.costs.pace(moved) is first


def test_the_source_of_exact_frames_outlives_those_of_quick_ones(pixels: np.ndarray):
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    sources = [maker.sources.whole(maker.plan(WHOLE, 166, 107, (), (), step).request) for step in STEPS]
    assert maker.sources.whole(sources[0].request) is sources[0]
    assert maker.sources.whole(sources[-1].request) is sources[-1]
    assert maker.sources.whole(sources[1].request) is not sources[1]

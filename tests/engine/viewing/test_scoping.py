"""Scopes of a view are what NumPy counts of the same pixels, and charts lie where they must."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import ops
from engine.viewing import FrameMaker, WholeLevels, cost_model
from engine.viewing import scopes as scoping
from engine.viewing.scopes import DISPLAY_AXIS, KINDS, SCENE_AXES, ScopeOptions, ScopeReading, read_scopes
from tests import scopes
from tests.engine.backends import USABLE, executor_on


@pytest.fixture(params=USABLE)
def backend(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def reading(backend: str, pixels: np.ndarray, options: ScopeOptions, quick: bool = False, **more: Any) -> ScopeReading:
    """All of an image at its own size, after what is given of `grade`, `view` and `region`."""
    height, width = pixels.shape[:2]
    maker = FrameMaker(executor_on(backend), WholeLevels(pixels))
    region = more.get("region", (0.0, 0.0, float(width), float(height)))
    view = (region, int(region[2]), int(region[3]))
    found = read_scopes(maker, options, view, (more.get("grade", ()), more.get("view", ())), quick, lambda: False)
    assert found is not None
    return found


def test_a_ramp_is_a_diagonal(backend: str) -> None:
    found = reading(backend, scopes.ramp(), ScopeOptions(KINDS, "display"))
    assert found.waveform is not None and found.histogram is not None and found.vectorscope is not None
    for channel in range(4):
        assert np.array_equal(found.waveform[channel], 16 * np.eye(256))
    assert np.array_equal(found.histogram, np.full((4, 256), 16))
    assert found.vectorscope[127:129, 127:129].sum() == 256 * 16
    assert (found.width, found.height, found.shrink, found.exact) == (256, 16, 1.0, True)


def test_values_count_for_the_nearest_code(backend: str) -> None:
    for away in (-0.4, 0.4):
        pixels = scopes.ramp() + np.float32(away / 255.0)
        found = reading(backend, pixels, ScopeOptions(("luma",), "display")).waveform
        assert found is not None and np.array_equal(found[0], 16 * np.eye(256))


def test_colour_bars_meet_the_codes_of_video(backend: str) -> None:
    found = reading(backend, scopes.bars(), ScopeOptions(("vectorscope",), "source")).vectorscope
    assert found is not None and np.count_nonzero(found) == 6
    size, extent = scoping.VECTOR_SIZE, scoping.VECTOR_EXTENT
    for cb, cr in scopes.BAR_CODES.values():
        column, row = ((extent + sign * (code - 128) / 224) * size / (2 * extent) for sign, code in ((1, cb), (-1, cr)))
        near = found[int(row) - 1 : int(row) + 2, int(column) - 1 : int(column) + 2]
        assert near.sum() == 240


def test_stops_lie_where_the_axis_says(backend: str) -> None:
    steps = np.array([0.18 * 2.0**n * 1.001 for n in range(-8, 9)], np.float32)
    pixels = np.ascontiguousarray(np.broadcast_to(steps[None, :, None], (5, 17, 3)))
    found = reading(backend, pixels, ScopeOptions(("histogram",), "graded", scale="stops")).histogram
    assert found is not None
    assert np.flatnonzero(found[0]).tolist() == [*range(0, 256, 16), 255]


def test_shares_beyond_the_ends_are_of_the_channel_with_most() -> None:
    pixels = np.full((10, 20, 3), 0.5, np.float32)
    pixels[0, :10, 0], pixels[0, :6, 1], pixels[1, :3, 2], pixels[2, 0] = 1.0, 1.2, -0.1, np.nan
    found = reading("cpu", pixels, ScopeOptions(("histogram",), "display")).beyond()
    assert found == pytest.approx((3 / 199, 10 / 199))  # a pixel of NaN is in no bin
    assert reading("cpu", pixels, ScopeOptions(("vectorscope",), "display")).beyond() is None


@pytest.mark.parametrize("values", scoping.VALUES)
def test_scopes_are_numpys(backend: str, values: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cost_model, "STRIP_PIXELS", (2000, 5000))
    random = np.random.default_rng(4)
    pixels = random.normal(0.4, 0.6, (90, 128, 4)).astype(np.float32)
    pixels[3, 5], pixels[60, 7, 0], pixels[61, 100, 1] = np.nan, np.inf, -np.inf
    grade, view = (ops.Exposure(0.5),), (ops.Cdl(slope=(1.2, 1.0, 0.7)),)
    options = ScopeOptions(KINDS, values, scale="0-4")
    found = reading(backend, pixels, options, grade=grade, view=view)
    run = {"source": (), "graded": grade, "display": (*grade, *view)}[values]
    seen = executor_on(backend).execute_color(pixels, run)
    axis = DISPLAY_AXIS if values == "display" else SCENE_AXES["0-4"]
    moved = 0
    for got, expected in (
        (found.waveform, scopes.waveform(seen, 128, axis)),
        (found.histogram, scopes.histogram(seen, axis)),
        (found.vectorscope, scopes.vectorscope(seen, scoping.VECTOR_SIZE, scoping.VECTOR_EXTENT)),
    ):
        assert got is not None and got.shape == expected.shape and got.sum() == expected.sum()
        moved += int(np.abs(got.astype(int) - expected).sum()) // 2
    assert moved <= 90 * 128 * 9 // 1000  # of what lies on the edge of a bin


def test_what_is_in_sight_and_the_whole(backend: str) -> None:
    pixels = scopes.ramp(256, 64)
    part = reading(backend, pixels, ScopeOptions(("histogram",)), region=(64.0, 0.0, 32.0, 64.0))
    assert part.histogram is not None
    assert np.flatnonzero(part.histogram[3]).tolist() == list(range(64, 96))
    whole = reading(backend, pixels, ScopeOptions(("histogram",), whole=True), region=(64.0, 0.0, 32.0, 64.0))
    assert whole.histogram is not None and np.array_equal(whole.histogram[3], np.full(256, 64))


def test_fewer_pixels_while_something_moves(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scoping, "QUICK_PIXELS", 1000)
    found = reading("cpu", scopes.ramp(256, 64), ScopeOptions(("histogram",)), quick=True)
    assert found.width * found.height <= 1000 and found.shrink == pytest.approx(4.0, rel=0.1) and not found.exact
    assert found.histogram is not None and found.histogram[3].sum() == found.width * found.height


def test_something_newer_cuts_it_short() -> None:
    maker = FrameMaker(executor_on("cpu"), WholeLevels(scopes.ramp()))
    view = ((0.0, 0.0, 256.0, 16.0), 256, 16)
    assert read_scopes(maker, ScopeOptions(), view, ((), ()), False, lambda: True) is None


def test_blurred_as_it_is_shown(backend: str) -> None:
    pixels = np.zeros((40, 40, 3), np.float32)
    pixels[:, 20:] = 1.0
    found = reading(backend, pixels, ScopeOptions(("histogram",), "graded", scale="0-1"), grade=(ops.Blur(6.0),))
    assert found.histogram is not None and np.count_nonzero(found.histogram[0][1:-1]) >= 6

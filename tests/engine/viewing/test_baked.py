"""Baked views: within a code value of the exact ones on any image, and made bit by bit."""

from __future__ import annotations

import gc
import weakref
from functools import cache
from typing import Any

import numpy as np
import PyOpenColorIO as ocio
import pytest

from engine import Grade, Layer, ops
from engine.compute.backends.cpu import CpuPrimitives
from engine.compute.backends.cpu.kernels import TRACES
from engine.compute.baked_lut import BakedLut
from engine.compute.executor import TiledExecutor
from engine.kernel.op import ColorOp, Table
from engine.mattes.channels import LumaRange
from engine.mattes.tree import Leaf, Matte
from engine.ocio import ops_from_processor
from engine.viewing import FrameMaker, WholeLevels, baked
from engine.viewing.baked import MAX_ERROR, BakedView, baking, is_costly, split
from tests.engine.backends import USABLE, executor_on
from tests.tolerance import assert_close

NATURAL, WILD = "natural", "wild"
GRADE = (ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.8), power=(1.1, 1.0, 0.9), saturation=1.3))


def never() -> bool:
    return False


def light(kind: str, height: int = 150, width: int = 200) -> np.ndarray:
    """Scene light: each channel about a stop from the others, or anything at all."""
    rng = np.random.default_rng(11)
    pixels = np.ones((height, width, 4), np.float32)
    level, spread = ((-12, 9), 3.0) if kind == WILD else ((-10, 3), 0.7)
    colours = 2.0 ** rng.uniform(*level, (height, width, 1)) * 2.0 ** rng.normal(0.0, spread, (height, width, 3))
    if kind == WILD:
        colours[rng.random(colours.shape) < 0.1] *= -1.0
        colours[0, :4] = np.array([np.nan, np.inf, -np.inf, 0.0])[:, None]
    pixels[..., :3] = colours
    return pixels


def transform() -> Any:
    config = ocio.Config.CreateFromBuiltinConfig("studio-config-latest")
    view = ocio.DisplayViewTransform("ACEScg", "sRGB - Display", "ACES 2.0 - SDR 100 nits (Rec.709)")
    return config.getProcessor(view)


@cache
def aces2() -> tuple[ColorOp, ...]:
    return tuple(op for op in ops_from_processor(transform()) if isinstance(op, ColorOp))


@cache
def baked_aces2() -> BakedView:
    *_, view = baking(split(aces2())[1], executor_on("cpu").execute_color, repairs=True)
    assert view is not None
    return view


@pytest.mark.parametrize("kind", [NATURAL, WILD])
def test_a_baked_view_is_within_a_code_value_of_opencolorio(kind: str):
    view, pixels = baked_aces2(), light(kind)
    assert view.good
    assert 0.0 < view.error < MAX_ERROR
    assert 0.0 < view.repaired < 0.05
    exact = np.nan_to_num(pixels)
    transform().getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE).applyRGBA(exact)
    expected = np.round(np.clip(np.nan_to_num(exact[..., :3]), 0.0, 1.0) * 255.0).astype(int)
    executor = executor_on("cpu")
    found = executor.display(executor.upload(np.nan_to_num(pixels)), (*split(aces2())[0], view.op))
    assert abs(found[..., :3].astype(int) - expected).max() <= 1
    assert (found[..., 3] == 255).all()


def baked_lut(doubts: np.ndarray) -> BakedLut:
    """A cube that is the colour itself where light is a corner's, for a view that is white."""
    size = doubts.shape[0] + 1
    axis = np.linspace(0.0, 1.0, size)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), axis=-1)
    return BakedLut(
        Table(cube), Table(doubts.reshape(-1, 1)), 0.01, 12.0, (ops.Exposure(0.0), ops.Matrix((0.0,) * 16, (1.0,) * 4))
    )


@pytest.mark.parametrize("backend", USABLE)
def test_a_baked_lut_is_that_of_the_reference(backend: str):
    doubts = (np.random.default_rng(5).random((16, 16, 16)) < 0.2).astype(np.float32)
    op, pixels = baked_lut(doubts), light(WILD)
    pixels = np.clip(np.nan_to_num(pixels), -1e4, 1e4)
    found, expected = executor_on(backend).execute_color(pixels, [op]), op.reference(pixels)
    grid = np.log2(np.maximum(pixels[..., :3].astype(np.float64), 0.0) / op.toe + 1.0) * (16.0 / op.stops)
    apart = (abs(grid - np.round(grid)) > 1e-4).all(axis=-1)  # from the faces of cells, where rounding may take either
    assert_close(found[apart], expected[apart], backend)
    assert set(np.unique(expected[..., 3])) == {-1.0, 1.0}


@pytest.mark.parametrize(
    ("share", "channels", "kind"), [(0.0, 4, np.float32), (0.3, 3, np.float16), (1.0, 4, np.float16)]
)
def test_doubtful_pixels_are_computed_by_the_ops_themselves(share: float, channels: int, kind: type):
    doubts = (np.random.default_rng(5).random((16, 16, 16)) < share).astype(np.float32)
    op, executor = baked_lut(doubts), TiledExecutor(CpuPrimitives(threads=2))
    pixels: np.ndarray = light(NATURAL, 211, 333)[..., :channels].astype(kind)
    run = (ops.Exposure(1.0), op)
    found = executor.display(executor.upload(pixels[:, 7:320]), run)
    plain = executor.execute_color(np.ascontiguousarray(pixels[:, 7:320, :3].astype(np.float32)), (ops.Exposure(1.0),))
    quick = op.reference(np.concatenate([plain, np.ones_like(plain[..., :1])], axis=-1))
    doubted = quick[..., 3] < 0.0
    assert (found[..., 3] == 255).all()
    assert (found[doubted] == 255).all()
    expected = np.round(np.clip(quick[~doubted][:, :3], 0.0, 1.0) * 255.0)
    assert (abs(found[~doubted][:, :3].astype(int) - expected) <= 1).all()
    assert doubted.mean() == pytest.approx(share, abs=0.15)


def test_baking_goes_on_where_it_was_stopped(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(baked, "SIZE", 9)
    monkeypatch.setattr(baked, "MOST_REPAIRED", 2.0)
    asked: list[int] = []

    def stop() -> bool:
        asked.append(1)
        return len(asked) % 3 == 0

    maker, view = FrameMaker(executor_on("cpu"), WholeLevels(light(NATURAL))), aces2()
    tries = 0
    while maker.baker.quick_view(view) == view:
        maker.bake(view, stop)
        tries += 1
    assert len(asked) == 17 + 9 + 8  # planes of light, of entries, of cells
    assert tries == 12


def test_cheap_views_are_not_baked():
    assert is_costly(split(aces2())[1])
    assert not is_costly((ops.Exposure(1.0), ops.ExponentWithLinear()))


def test_a_quick_frame_goes_through_the_baked_view(monkeypatch: pytest.MonkeyPatch):
    seen: list[Any] = []
    executor = TiledExecutor(executor_on("cpu").primitives)
    show, pixels = executor.display, light(WILD)

    def noted(handle: Any, run: Any) -> Any:
        seen.append(run)
        return show(handle, run)

    monkeypatch.setattr(executor, "display", noted)
    maker = FrameMaker(executor, WholeLevels(pixels))
    monkeypatch.setattr(baked, "SIZE", 33)
    view, whole = aces2(), (0.0, 0.0, 200.0, 150.0)
    maker.prepare(GRADE, view)
    maker.bake(view, never)
    assert maker.baker.quick_view(view) != view
    assert maker.prepared(GRADE, view)
    quick = maker.quick(whole, 200, 150, GRADE, view)
    assert isinstance(seen[-1][-1], BakedLut)
    assert 0.0 < quick.view_error < MAX_ERROR
    exact = maker.exact(whole, 200, 150, GRADE, view, never)
    assert exact is not None
    assert len(seen[-1]) == len(GRADE) + len(view) and exact.view_error == 0.0
    assert abs(quick.pixels.astype(int) - exact.pixels.astype(int)).max() <= 1  # the first quick one has all pixels


def test_no_baked_view_stays_with_a_maker_that_shows_nothing(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(baked, "SIZE", 33)
    for name in ("get", "put"):  # those of the tests keep what they were called with
        monkeypatch.setattr(TRACES, name, lambda *_: None)
    maker, view = FrameMaker(TiledExecutor(CpuPrimitives(threads=2)), WholeLevels(light(WILD))), aces2()
    maker.prepare(GRADE, view)
    maker.bake(view, never)
    quick = maker.baker.quick_view(view)[-1]
    assert isinstance(quick, BakedLut)
    entries = weakref.ref(quick.cube)
    maker.quick((0.0, 0.0, 200.0, 150.0), 200, 150, GRADE, view)
    maker.unprepared(tuple(Grade([Layer(ops.Cdl(), matte=Matte(Leaf(LumaRange())))])), view)
    del quick
    maker.show(None)
    gc.collect()
    assert entries() is None

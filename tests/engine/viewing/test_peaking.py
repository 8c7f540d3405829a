"""Focus peaking on every backend, against the gradient in float64."""

from __future__ import annotations

import numpy as np
import pytest

from engine.compute.executor import TiledExecutor
from engine.core.colorimetry import LUMA
from engine.kernel.op import REGISTRY, ColorOp, Op
from engine.ops import Blur, Exponent, Exposure
from engine.viewing import FrameMaker
from engine.viewing.levels import WholeLevels
from engine.viewing.peaking import DisplayLuma, slope_taps, smooth_taps

VIEW = (Exponent((1.0 / 2.2,) * 3),)
THRESHOLD = 0.06


def noise(height: int = 45, width: int = 67, channels: int = 4) -> np.ndarray:
    """Smooth and sharp patches, with pixels that are not numbers."""
    rng = np.random.default_rng(9)
    coarse = rng.uniform(0.0, 1.4, (height // 8 + 2, width // 8 + 2, channels)).repeat(8, 0).repeat(8, 1)
    pixels = coarse[:height, :width] + rng.normal(0.0, 0.02, (height, width, channels))
    pixels[20, 30], pixels[5, 5], pixels[6, 50] = np.nan, np.inf, -np.inf
    return pixels.astype(np.float32)


def gradient(pixels: np.ndarray, ops: tuple[ColorOp, ...]) -> np.ndarray:
    """The length of the gradient of display luma per pixel: Sobel's operator, edge pixels repeated."""
    rgba = np.ones((*pixels.shape[:2], 4))
    rgba[..., : pixels.shape[2]] = pixels
    for op in ops:
        rgba = op.reference(rgba)
    shown = np.clip(np.nan_to_num(rgba[..., :3], nan=0.0, posinf=1.0, neginf=0.0), 0.0, 1.0)
    luma = np.pad(shown @ np.array(LUMA), 1, mode="edge")
    rows = (luma[:-2] + 2.0 * luma[1:-1] + luma[2:]) / 4.0
    columns = (luma[:, :-2] + 2.0 * luma[:, 1:-1] + luma[:, 2:]) / 4.0
    return np.hypot((rows[:, 2:] - rows[:, :-2]) / 2.0, (columns[2:] - columns[:-2]) / 2.0)


def assert_edges(found: np.ndarray, slope: np.ndarray) -> None:
    """Edges are as in float64, but where the gradient is too near to the threshold for float32."""
    clear = np.abs(slope - THRESHOLD) > 1e-5
    assert clear.mean() > 0.99
    assert np.array_equal(found[clear], (slope >= THRESHOLD)[clear])


@pytest.mark.parametrize("channels", [3, 4])
def test_edges_are_those_of_float64(channels: int, executor: TiledExecutor) -> None:
    pixels, grade = noise(channels=channels), (Exposure(0.3),)
    maker = FrameMaker(executor, WholeLevels(pixels))
    found, region = maker.edges((0.0, 0.0, 67.0, 45.0), 67, 45, grade, VIEW, THRESHOLD)
    assert region == (0.0, 0.0, 67.0, 45.0)
    slope = gradient(pixels, (*grade, *VIEW))
    assert 0.02 < (slope >= THRESHOLD).mean() < 0.9
    assert_edges(found, slope)
    few, _ = maker.edges(region, 67, 45, grade, VIEW, 4.0 * THRESHOLD)
    assert few.sum() < found.sum()


@pytest.mark.parametrize("grade", [(Exposure(0.3),), (Exposure(0.3), Blur(2.0))])
def test_a_part_of_the_image_has_the_edges_of_the_whole(grade: tuple[Op, ...], executor: TiledExecutor) -> None:
    maker = FrameMaker(executor, WholeLevels(noise()))
    whole, _ = maker.edges((0.0, 0.0, 67.0, 45.0), 67, 45, grade, VIEW, THRESHOLD)
    part, _ = maker.edges((13.0, 7.0, 21.0, 17.0), 21, 17, grade, VIEW, THRESHOLD)
    assert np.array_equal(part, whole[7:24, 13:34])
    assert not whole.all() and part.any()


def test_edges_are_found_at_the_size_of_the_screen(executor: TiledExecutor) -> None:
    pixels = noise()
    maker = FrameMaker(executor, WholeLevels(pixels[:44, :66]))
    found, _ = maker.edges((0.0, 0.0, 66.0, 44.0), 33, 22, (), VIEW, THRESHOLD)
    small = pixels[:44, :66].reshape(22, 2, 33, 2, 4)
    with np.errstate(invalid="ignore"):
        halved = small.astype(np.float64).mean(axis=(1, 3))
    slope = gradient(halved, VIEW)
    clear = np.abs(slope - THRESHOLD) > 1e-3
    assert np.array_equal(found[clear], (slope >= THRESHOLD)[clear])


def test_kernels_are_known_before(executor: TiledExecutor) -> None:
    maker = FrameMaker(executor, WholeLevels(noise()))
    maker.edges((0.0, 0.0, 67.0, 45.0), 67, 45, (), VIEW, THRESHOLD)
    assert maker.edges_prepared((), VIEW)
    assert maker.edges_prepared((Blur(2.0),), VIEW) in (True, False)


@pytest.mark.parametrize("size", [1, 2, 3, 8])
def test_taps_repeat_the_pixel_at_the_edge(size: int) -> None:
    values = np.random.default_rng(size).random(size)
    padded = np.pad(values, 1, mode="edge")
    for taps, wanted in (
        (slope_taps(size), (padded[2:] - padded[:-2]) / 2.0),
        (smooth_taps(size), (padded[:-2] + 2.0 * padded[1:-1] + padded[2:]) / 4.0),
    ):
        found = [taps.weights[i, :n] @ values[f : f + n] for i, (f, n) in enumerate(zip(taps.first, taps.count))]  # noqa: B905
        np.testing.assert_allclose(found, wanted, atol=1e-7)


def test_its_ops_are_not_ops_of_a_grade() -> None:
    assert not {"DisplayLuma", "Steep"} & set(REGISTRY)
    nothing = DisplayLuma().reference(np.full((1, 4), np.nan))
    assert nothing[0, :3].tolist() == [0.0, 0.0, 0.0]

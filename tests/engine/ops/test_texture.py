"""Clarity, Bloom and Halation against formulas written down here, in float64, with SciPy's Gaussians and box sums."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from engine import ops
from engine.compute.executor import TiledExecutor
from engine.kernel.filter_op import FilterOp
from tests.engine.images import plain
from tests.engine.ops.test_sharpen import IMAGE, LUMA, RGB, soft
from tests.tolerance import assert_close

Mean = Callable[[Any], Any]


def with_alpha(rgb: Any) -> Any:
    return np.concatenate([rgb, IMAGE[..., 3:]], axis=-1)


def stops_of(rgb: Any) -> Any:
    return np.log2((np.maximum(rgb @ LUMA, 0.0) + 0.18 / 256.0) / (0.18 + 0.18 / 256.0))


def guided(guide: Any, epsilon: float, mean: Mean) -> Any:
    """Algorithm 1 of He, Sun and Tang, 2013, with the image as its own guide."""
    average = mean(guide)
    variance = mean(guide * guide) - average * average
    slope = variance / (variance + epsilon)
    return mean(slope) * guide + mean(average - slope * average)


@pytest.mark.parametrize("op", [ops.Clarity(0.8, 6.0, 0.5), ops.Clarity(-1.0, 8.0, 2.0)], ids=str)
def test_clarity(op: ops.Clarity, backend: str, executor: TiledExecutor) -> None:
    stops = stops_of(RGB)
    detail = stops - guided(stops, op.edge**2, lambda values: soft(values, op.radius))
    wanted = with_alpha(RGB * 2.0 ** (op.amount * detail)[..., None])
    assert_close(executor.execute_color(IMAGE, [op]), wanted, backend, chain=True)


def edge_image() -> Any:
    """An edge of four stops with noise of a tenth of a stop on both sides."""
    rng = np.random.default_rng(1)
    stops = np.where(np.arange(80) < 40, -2.0, 2.0) + rng.normal(0.0, 0.1, (60, 80))
    return np.repeat((0.18 * 2.0**stops)[..., None], 3, axis=-1).astype(np.float32)


def test_clarity_softens_skin_and_keeps_edges(executor: TiledExecutor) -> None:
    image = edge_image()
    before, after = (stops_of(each) for each in (image, executor.execute_color(image, [ops.Clarity(-1.0, 12.0, 0.5)])))
    for side in (np.s_[:, :28], np.s_[:, 52:]):
        assert after[side].std() < 0.3 * before[side].std()
    assert (after[:, 40] - after[:, 39]).mean() > 3.4


def test_clarity_is_near_the_filter_with_box_sums(executor: TiledExecutor) -> None:
    """A Gaussian that reaches 8 pixels has about the variance of a box of 9."""
    ndimage = pytest.importorskip("scipy.ndimage")
    image = edge_image()
    boxed = guided(stops_of(image), 0.25, lambda values: ndimage.uniform_filter(values, 9, mode="nearest"))
    after = stops_of(executor.execute_color(image, [ops.Clarity(-1.0, 8.0, 0.5)]))
    assert np.abs(after - boxed).mean() < 0.02
    assert np.abs(stops_of(image) - boxed).mean() > 0.06


def bright(threshold: float, softness: float) -> Any:
    """What of RGB is above a threshold with a parabola for a knee: 0 below it, all of the excess above it."""
    largest, start = RGB.max(axis=-1), 0.18 * 2.0**threshold
    knee = start * (softness + 1e-4)
    excess = np.where(
        largest < start - knee,
        0.0,
        np.where(largest > start + knee, largest - start, (largest - start + knee) ** 2 / (4.0 * knee)),
    )
    return RGB * (excess / np.maximum(largest, start / 1000.0))[..., None]


@pytest.mark.parametrize("softness", [0.0, 0.6])
def test_bloom(softness: float, backend: str, executor: TiledExecutor) -> None:
    light = bright(1.5, softness)
    glow = sum(weight * soft(light, 8.0 / over) for weight, over in zip((8, 4, 2, 1), (8, 4, 2, 1), strict=True)) / 15.0
    result = executor.execute_color(IMAGE, [ops.Bloom(0.7, 1.5, softness, 8.0)])
    assert_close(result, with_alpha(RGB + 0.7 * (glow - light)), backend, chain=True)


def test_halation(backend: str, executor: TiledExecutor) -> None:
    light = bright(0.5, 0.4)
    glow = np.dstack([soft(light[..., 0], 7.0), soft(light[..., 1:], 3.5)])
    wanted = with_alpha(RGB + 0.9 * np.array([0.8, 0.4, 0.1]) * (glow - light))
    result = executor.execute_color(IMAGE, [ops.Halation(0.9, 0.5, 0.4, 7.0, (0.8, 0.4, 0.1))])
    assert_close(result, wanted, backend, chain=True)


@pytest.mark.parametrize("op", [ops.Bloom(1.0, 0.0, 0.5, 90.0), ops.Halation(1.0, 0.0, 0.5, 60.0)], ids=str)
def test_energy_is_conserved(op: FilterOp, backend: str, executor: TiledExecutor) -> None:
    """Also with radii that run on cells: what a lamp loses is around it."""
    image = np.full((300, 320, 3), 0.02, np.float32)
    image[140:150, 150:170] = 40.0, 30.0, 10.0
    result = executor.execute_color(image, [op])
    before, after = (each.astype(np.float64).sum(axis=(0, 1)) for each in (image, result))
    assert np.abs(after / before - 1.0).max() < 1e-4
    assert result[145, 160, 0] < 0.9 * image[145, 160, 0]
    assert result[145, 180, 0] > 3.0 * image[145, 180, 0]
    assert abs(result.min() / 0.02 - 1.0) < 1e-3


@pytest.mark.parametrize(
    "op",
    [ops.Bloom(0.8, 1.0, 0.5, 64.0), ops.Clarity(0.7, 24.0), ops.Halation(0.9, 1.0, 0.5, 24.0), ops.Sharpen(1.0, 24.0)],
    ids=str,
)
def test_a_coarse_view_is_near_the_mean_of_the_exact_result(op: FilterOp, executor: TiledExecutor) -> None:
    image, shrunk = np.repeat(np.repeat(plain(20, 25), 8, axis=0), 8, axis=1), ops.Resize(50.0, 40.0, "area")
    coarse = executor.execute_color(image, [shrunk, op.at_scale(0.25)])
    exact = executor.execute_color(image, [op, shrunk])
    change = np.abs(exact - executor.execute_color(image, [shrunk])).mean()
    assert np.abs(coarse - exact).mean() < 0.2 * change


def test_a_threshold_that_no_pixel_reaches_changes_nothing(executor: TiledExecutor) -> None:
    image = plain()
    for op in (ops.Bloom(1.0, 8.0, 0.5, 50.0), ops.Halation(1.0, 8.0, 0.5, 50.0)):
        assert np.array_equal(executor.execute_color(image, [op]), image)

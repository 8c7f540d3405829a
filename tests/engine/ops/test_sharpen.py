"""Sharpen against SciPy, scikit-image and formulas written down here, in float64."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine import ops
from engine.compute.executor import TiledExecutor
from tests.engine.images import plain
from tests.thorough import THOROUGH
from tests.tolerance import assert_close

LUMA = np.array([0.2126, 0.7152, 0.0722])
IMAGE = plain()
RGB = IMAGE[..., :3].astype(np.float64)


def soft(values: Any, radius: float) -> Any:
    """A Gaussian that ends at `radius` pixels, three standard deviations."""
    ndimage = pytest.importorskip("scipy.ndimage")
    for axis in (0, 1):
        values = ndimage.gaussian_filter1d(values, radius / 3.0, axis=axis, mode="nearest", radius=int(radius))
    return values


def sharpened(op: ops.Sharpen) -> Any:
    blurred = soft(RGB, op.radius)
    value, base = (RGB, blurred) if op.channels == "rgb" else (RGB @ LUMA, blurred @ LUMA)
    detail = value - base
    if op.threshold:
        weakest = (2.0**op.threshold - 1.0) * (np.abs(base) + 0.001)
        detail = detail**3 / (detail**2 + weakest**2)
    result = RGB + op.amount * (detail if op.channels == "rgb" else detail[..., None])
    if op.overshoot == "limited":
        ndimage = pytest.importorskip("scipy.ndimage")
        size = 2 * max(1, round(op.radius / 3.0)) + 1
        low, high = (f(RGB @ LUMA, size, mode="nearest") for f in (ndimage.minimum_filter, ndimage.maximum_filter))
        luma = result @ LUMA
        result = result + (np.clip(luma, low, high) - luma)[..., None]
    return np.concatenate([result, IMAGE[..., 3:]], axis=-1)


@pytest.mark.parametrize(
    "op",
    [
        ops.Sharpen(1.5, 3.0),
        ops.Sharpen(2.0, 7.5, 0.4, "rgb"),
        ops.Sharpen(2.0, 7.5, 0.2, "luma", "limited"),
        ops.Sharpen(1.0, 2.0, 0.0, "rgb", "limited"),
    ],
    ids=str,
)
def test_sharpen(op: ops.Sharpen, backend: str, executor: TiledExecutor) -> None:
    assert_close(executor.execute_color(IMAGE, [op]), sharpened(op), backend, chain=True)


def test_sharpen_is_the_unsharp_mask_of_scikit_image(executor: TiledExecutor) -> None:
    """That cuts its Gaussian off at four standard deviations. Thorough, since the import takes seconds."""
    if not THOROUGH:
        pytest.skip("in thorough tests only")
    filters = pytest.importorskip("skimage.filters")
    result = executor.execute_color(IMAGE, [ops.Sharpen(1.2, 6.0, 0.0, "rgb")])
    for channel in range(3):
        values = np.ascontiguousarray(RGB[..., channel])
        wanted = filters.unsharp_mask(values, radius=2.0, amount=1.2, preserve_range=True)
        assert np.abs(result[..., channel] - wanted)[12:-12, 12:-12].max() < 0.02


def test_a_flat_image_and_its_alpha_stay_as_they_are(executor: TiledExecutor) -> None:
    flat = np.full((20, 30, 4), 0.18, np.float32)
    assert np.abs(executor.execute_color(flat, [ops.Sharpen(4.0, 9.0)]) - flat).max() <= 1e-6


@pytest.mark.parametrize("how", [(0.0, "rgb"), (0.3, "rgb"), (0.3, "luma"), (0.3, "luma", "limited")], ids=str)
def test_nan_and_inf_stay_where_they_are(how: Any, executor: TiledExecutor) -> None:
    image = plain()
    image[20, 30, 0], image[40, 50, 1], image[8, 9, 2] = np.nan, np.inf, 1e25
    result = executor.execute_color(image, [ops.Sharpen(1.0, 4.0, *how)])
    assert np.isnan(result[20, 30, 0]) and np.isposinf(result[40, 50, 1])
    assert result[8, 9, 2] == np.float32(1e25)
    assert np.isfinite(result).sum() == result.size - 2

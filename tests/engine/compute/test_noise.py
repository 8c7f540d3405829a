"""Noise of areas, measured where it is known."""

from __future__ import annotations

import numpy as np
import pytest

from engine.compute.noise import measure_noise
from engine.errors import GradeError


def ramp(side: int = 64, low: float = 0.02, high: float = 0.9) -> np.ndarray:
    """A smooth area of many intensities."""
    return np.repeat(np.linspace(low, high, side)[:, None], side, axis=1)[..., None] * (1.0, 0.8, 0.5)


def test_noise_of_an_even_area_is_dark() -> None:
    rng = np.random.default_rng(3)
    area = 0.18 + rng.normal(size=(41, 41, 3)) * (0.01, 0.02, 0.04)
    found = measure_noise(area.astype(np.float32))
    assert found.dark == pytest.approx((0.01, 0.02, 0.04), rel=0.12)
    assert found.shot == (0.0, 0.0, 0.0)


def test_noise_that_depends_on_intensity() -> None:
    rng, area = np.random.default_rng(5), ramp()
    noisy = area + rng.normal(size=area.shape) * np.sqrt(0.01**2 + 0.05**2 * area)
    found = measure_noise(noisy)
    for x in (0.05, 0.2, 0.45):
        variance = np.array(found.dark) ** 2 + np.array(found.shot) ** 2 * x
        assert np.sqrt(variance) == pytest.approx(np.full(3, np.sqrt(0.01**2 + 0.05**2 * x)), rel=0.15)


def test_detail_hardly_counts() -> None:
    """A few edges and dead pixels, NaN among them."""
    rng = np.random.default_rng(2)
    area = 0.2 + rng.normal(0.0, 0.01, (48, 48, 4))
    area[:, 24:] += 0.02
    area[30, 8], area[12, 40], area[7, 9] = 5.0, -1.0, np.nan
    assert measure_noise(area).dark == pytest.approx((0.01,) * 3, rel=0.3)


def test_areas_without_noise_or_without_pixels() -> None:
    assert measure_noise(np.full((12, 12, 3), 0.5)).dark == pytest.approx((0.0,) * 3, abs=1e-9)
    for area in (np.zeros((11, 40, 3)), np.full((20, 20, 3), np.nan)):
        with pytest.raises(GradeError, match="noise"):
            measure_noise(area)

"""The Gaussian that softens mattes: close to the exact one, within its reach, at a cost that hardly grows."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.kernel.soft_taps import EXACT, cell_size, soft_reach, soft_taps
from engine.kernel.taps import blur_taps
from tests.engine.matte_reference import _along

RADII = (0.3, 1.0, 5.5, 8.0, 8.1, 15.9, 16.1, 40.0, 333.0, 1024.0)
CLOSE = 1.5e-3
"""How far a wide one may be from the exact one: less than half of 1/255."""


def softened(values: NDArray[Any], radius: float) -> NDArray[Any]:
    for taps in soft_taps(radius, values.shape[-1]):
        values = _along(values[None], taps)[0]
    return values


def lines(size: int) -> dict[str, NDArray[Any]]:
    at = np.arange(size)
    rng = np.random.default_rng(0)
    step, wire, edge = (at > size // 2), np.abs(at - size // 2) < 2, at < 3
    return {"step": step * 1.0, "wire": wire * 1.0, "edge": edge * 1.0, "noise": rng.random(size)}


@pytest.mark.parametrize("radius", RADII)
@pytest.mark.parametrize("size", [1, 7, 700])
def test_it_is_the_gaussian_of_the_blur(radius: float, size: int) -> None:
    exact = blur_taps(radius, size)
    for name, values in lines(size).items():
        difference = np.abs(softened(values, radius) - _along(values[None], exact)[0]).max()
        assert difference <= (1e-7 if radius <= EXACT else CLOSE), (name, difference)


@pytest.mark.parametrize("radius", RADII)
def test_constants_stay_and_nothing_is_read_beyond_the_reach(radius: float) -> None:
    assert np.abs(softened(np.ones(300), radius) - 1.0).max() <= 1e-6
    reach, middle = soft_reach(radius), 2500
    wire = np.zeros(5001)
    wire[middle] = 1.0
    (touched,) = np.nonzero(softened(wire, radius))
    assert middle - reach <= touched.min() <= touched.max() <= middle + reach
    assert reach <= 2.0 * radius + 1.0


def test_a_radius_of_0_leaves_all_as_it_is() -> None:
    assert (softened(np.arange(9.0), 0.0) == np.arange(9.0)).all()
    assert soft_reach(0.0) == 0


def test_wide_ones_take_few_taps() -> None:
    for radius in (9.0, 100.0, 1024.0):
        size = cell_size(radius)
        down, over, up = (taps.weights.shape[1] for taps in soft_taps(radius, 4096))
        assert down / size + over / size + up <= 16.0
        assert over <= 2 * EXACT + 1

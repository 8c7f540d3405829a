"""Images in many buffers: the place, the planes and the windows of pixels reach over them."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from tests.engine.compute.test_extremes import expected, extreme, sparse
from tests.engine.compute.test_point_inputs import CHAIN, ODD, Fence, planes_of, run, star
from tests.engine.images import plain

pytest.importorskip("wgpu")


@pytest.mark.parametrize("in_place", [False, True])
@pytest.mark.parametrize("dtype", [np.float32, np.float16])
def test_place_and_planes_of_many_buffers(whole: Any, split: Any, dtype: Any, in_place: bool) -> None:
    image = plain(53, 600, 4, dtype)
    planes = planes_of(image)
    assert len(split.allocate(600, 53).buffer.chunks) > 5
    for chain in (CHAIN, [Fence(star(9, 3, 400.0), star(5))]):
        result = run(split, image, chain, ODD, planes, in_place=in_place)
        np.testing.assert_array_equal(result, run(whole, image, chain, ODD, planes, in_place=in_place))


@pytest.mark.parametrize("radii", [(0, 0), (2, 1), (5, 6), (30, 20), (1, 80)])
def test_extremes_of_many_buffers(split: Any, radii: tuple[int, int]) -> None:
    pixels = sparse(53, 600)
    np.testing.assert_array_equal(extreme(split, pixels, *radii, True), expected(pixels, *radii, True))
    np.testing.assert_array_equal(extreme(split, pixels, *radii, False), expected(pixels, *radii, False))

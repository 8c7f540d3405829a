"""Large images, whose results the CPU writes past its cache, are those of small ones."""

from __future__ import annotations

from typing import Any
from unittest.mock import patch

import numpy as np
import pytest

from engine import ops
from engine.compute.backends.cpu import CpuPrimitives, buffers
from engine.compute.executor import TiledExecutor

WIDTH, HEIGHT = 601, 437
"""Pixels that two threads can't share in parts of equal size."""


@pytest.mark.parametrize("dtype", [np.float16, np.float32])
@pytest.mark.parametrize("channels", [3, 4])
def test_images_of_any_size_can_be_written_past_the_cache(channels: int, dtype: Any) -> None:
    executor = TiledExecutor(CpuPrimitives(threads=2))
    image = np.random.default_rng(1).random((HEIGHT, WIDTH, channels)).astype(dtype)
    expected = executor.execute_color(image, [ops.Exposure(1.0)]).copy()
    with patch.object(buffers, "NONTEMPORAL_BYTES", 1):
        found = executor.execute_color(image, [ops.Exposure(1.0)])
        shown = executor.display(executor.upload(image), [ops.Exposure(1.0)])
    assert (found == expected).all()
    assert (shown == executor.display(executor.upload(image), [ops.Exposure(1.0)])).all()

"""Devices of wgpu: one as it is, one with small bindings, and a fresh one."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.compute.backends.base import DISPLAY
from engine.kernel.op import ColorOp
from tests.engine.backends import USABLE

if "wgpu" not in USABLE:
    pytest.skip("wgpu has no adapter here", allow_module_level=True)


from engine.compute.backends.wgpu import WgpuPrimitives

SMALL_BINDING = 64 * 1024


GRADE: list[ColorOp] = [
    ops.Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (1.1, 1.0, 0.95), 1.2),
    ops.Lut1d(np.linspace(0.0, 1.0, 33)[:, None] ** 0.5),
    ops.Lut3d(np.random.default_rng(1).random((5, 5, 5, 3))),
]


@pytest.fixture(scope="module")
def whole() -> WgpuPrimitives:
    return WgpuPrimitives()


@pytest.fixture(scope="module")
def split() -> WgpuPrimitives:
    """As if the adapter bound no more than 64 KB at once."""
    return WgpuPrimitives(_binding_limit=SMALL_BINDING)


@pytest.fixture
def fresh() -> Iterator[WgpuPrimitives]:
    """Primitives of their own, to be broken; whatever happens to them, they leave no image behind."""
    primitives = WgpuPrimitives()
    yield primitives
    gc.collect()
    assert (primitives.memory_stats().live, primitives.memory_stats().count) == (0, 0)


def point(primitives: WgpuPrimitives, pixels: NDArray[Any], dtype: Any, run: list[ColorOp]) -> NDArray[Any]:
    source = primitives.upload(pixels)
    target = primitives.allocate(source.width, source.height, source.channels if dtype != DISPLAY else 4, dtype)
    primitives.exec_point(source, target, run)
    return primitives.download(target)

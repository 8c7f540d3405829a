"""The largest and smallest values in a window, on every backend, against sliding windows of NumPy."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from numpy.lib.stride_tricks import sliding_window_view
from numpy.typing import NDArray

import shaders
from engine.compute.backends.base import GpuPrimitives
from engine.compute.backends.extremes import in_turns, reaches, window_steps
from engine.compute.executor import TiledExecutor
from engine.errors import HandleError
from tests.engine.cuda_on_host import modules
from tests.engine.images import plain
from tests.engine.kernel.test_codegen import needs_compiler

RADII = [(0, 0), (1, 0), (0, 1), (3, 2), (4, 5), (13, 14), (40, 7), (100, 300)]


def expected(pixels: NDArray[np.float32], radius_x: int, radius_y: int, largest: bool) -> NDArray[np.float32]:
    joined = np.fmax if largest else np.fmin
    for axis, radius in ((1, radius_x), (0, radius_y)):
        padding = [(radius, radius) if axis == n else (0, 0) for n in range(3)]
        windows = sliding_window_view(np.pad(pixels, padding, mode="edge"), 2 * radius + 1, axis=axis)
        pixels = joined.reduce(windows, axis=-1)
    return pixels


def extreme(primitives: GpuPrimitives, pixels: NDArray[Any], x: int, y: int, largest: bool) -> NDArray[np.float32]:
    source = primitives.upload(pixels)
    target = primitives.allocate(source.width, source.height)
    primitives.exec_extreme(source, target, x, y, largest)
    return np.array(primitives.download(target))


def sparse(height: int, width: int) -> NDArray[np.float32]:
    """Noise with infinite numbers, and NaN alone and in heaps."""
    pixels = np.random.default_rng(5).normal(size=(height, width, 4)).astype(np.float32)
    pixels[::7, ::5, 1] = np.nan
    pixels[: height // 2, : width // 2, 2] = np.nan
    pixels[3::11, 2::9, 3] = np.inf
    pixels[5::11, 4::9, 0] = -np.inf
    return pixels


@pytest.mark.parametrize("largest", [True, False])
@pytest.mark.parametrize("radii", RADII)
@pytest.mark.parametrize("shape", [(53, 71), (1, 40), (40, 1), (1, 1)])
def test_extremes(executor: TiledExecutor, shape: tuple[int, int], radii: tuple[int, int], largest: bool) -> None:
    pixels = sparse(*shape)
    result = extreme(executor.primitives, pixels, *radii, largest)
    np.testing.assert_array_equal(result, expected(pixels, *radii, largest))


def test_parts_of_larger_arrays(executor: TiledExecutor) -> None:
    """Rows that do not follow each other in memory."""
    pixels = np.ascontiguousarray(sparse(40, 60))[3:31, 5:44]
    np.testing.assert_array_equal(extreme(executor.primitives, pixels, 6, 2, True), expected(pixels, 6, 2, True))


def test_steps_reach_the_radius_in_few() -> None:
    assert reaches(0) == []
    for radius in range(1, 1500):
        steps, reached = reaches(radius), 0
        assert len(steps) == int(np.ceil(np.log(2 * radius + 1) / np.log(3) - 1e-9))
        for step in steps:
            assert 0 < step <= 2 * reached + 1, "no gap between the windows"
            reached += step
        assert reached == radius
    assert window_steps(0, 0) == [(0, 0)]
    assert window_steps(4, 1) == [(1, 1), (3, 0)]


def test_what_is_refused(executor: TiledExecutor) -> None:
    device = executor.primitives
    image, other = device.upload(plain(5, 7)), device.allocate(7, 5)
    with pytest.raises(HandleError, match="over their source"):
        device.exec_extreme(image, image, 1, 1, True)
    with pytest.raises(HandleError, match="RGBA float32"):
        device.exec_extreme(device.upload(plain(5, 7, 3)), other, 1, 1, True)
    with pytest.raises(HandleError, match="RGBA float32"):
        device.exec_extreme(image, device.allocate(7, 5, 4, np.float16), 1, 1, True)
    with pytest.raises(HandleError, match="can't go into"):
        device.exec_extreme(image, device.allocate(5, 7), 1, 1, True)
    with pytest.raises(HandleError, match="radii"):
        device.exec_extreme(image, other, 1, -1, True)


def test_no_memory_is_left_behind(executor: TiledExecutor) -> None:
    device = executor.primitives
    before = device.memory_stats().live
    source, target = device.upload(plain(20, 30)), device.allocate(30, 20)
    device.exec_extreme(source, target, 20, 1, False)
    source.free()
    target.free()
    assert device.memory_stats().live == before


@needs_compiler
@pytest.mark.parametrize("largest", [True, False])
def test_cuda_text_on_the_host(tmp_path: Any, largest: bool) -> None:
    pixels = sparse(23, 31)
    module = modules(tmp_path)("extremes.cu", {}, shaders.text("extremes.cu"))
    kernel = module.get_function("largest" if largest else "smallest")
    for radii in RADII[:6]:
        images: list[Any] = [pixels.copy(), np.zeros_like(pixels), np.zeros_like(pixels)]
        turns: Any = in_turns(images[0], images[1], images[2], window_steps(*radii))
        for read, written, step in turns:
            addresses = [np.array([image.ctypes.data], np.uint64) for image in (read, written)]
            kernel((3,), (32,), (*addresses, *np.array([31, 23, *step], np.int32)))
        np.testing.assert_array_equal(images[2], expected(pixels, *radii, largest))

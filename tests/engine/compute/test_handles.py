"""Images on a device are counted, freed once, and never mistaken for one another."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import pytest

from engine import create_executor, ops
from engine.compute.backends.base import DISPLAY, GpuPrimitives, MemoryStats
from engine.errors import HandleError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from tests.engine.images import plain


@pytest.fixture
def device(backend: str) -> Iterator[GpuPrimitives]:
    """Primitives of their own, so that the counts are this test's."""
    primitives = create_executor(backend).primitives
    yield primitives
    gc.collect()
    assert primitives.memory_stats().count == 0, "an image was left behind"
    assert primitives.memory_stats().live == 0


def test_live_peak_and_count(device: GpuPrimitives) -> None:
    assert device.memory_stats() == MemoryStats(0, 0, 0)
    a = device.allocate(10, 20)
    b = device.allocate(10, 20, 4, np.float16)
    assert (a.nbytes, b.nbytes) == (10 * 20 * 4 * 4, 10 * 20 * 4 * 2)
    assert device.memory_stats() == MemoryStats(3200 + 1600, 4800, 2)
    a.free()
    assert device.memory_stats() == MemoryStats(1600, 4800, 1)
    c = device.allocate(1, 1)
    assert device.memory_stats() == MemoryStats(1616, 4800, 2)
    device.free(b)
    device.free(c)
    assert device.memory_stats() == MemoryStats(0, 4800, 0)


def test_an_image_goes_with_its_last_reference(device: GpuPrimitives) -> None:
    handle = device.upload(plain())
    again = handle
    del handle
    assert device.memory_stats().count == 1
    del again
    gc.collect()
    assert device.memory_stats().count == 0


@pytest.mark.parametrize("through", ["handle", "device"])
def test_freeing_twice_is_an_error(through: str, device: GpuPrimitives) -> None:
    handle = device.allocate(4, 4)
    free: Any = handle.free if through == "handle" else lambda: device.free(handle)
    free()
    with pytest.raises(HandleError, match="freed twice"):
        free()
    assert device.memory_stats().count == 0


def test_use_after_free_is_an_error(device: GpuPrimitives) -> None:
    freed, whole = device.allocate(4, 4), device.allocate(4, 4)
    freed.free()
    uses: list[Any] = [
        lambda: freed.buffer,
        lambda: device.download(freed),
        lambda: device.exec_point(freed, whole, [ops.Exposure(1.0)]),
        lambda: device.exec_point(whole, freed, [ops.Exposure(1.0)]),
        lambda: device.exec_blur(freed, whole, 2.0),
        lambda: device.exec_resize(whole, freed),
    ]
    for use in uses:
        with pytest.raises(HandleError, match="freed before this use"):
            use()


def test_a_source_of_another_device_is_converted_and_nothing_else_is(backend: str, device: GpuPrimitives) -> None:
    other = create_executor(backend).primitives
    theirs, mine = other.upload(plain()), device.allocate(71, 53)
    device.exec_point(theirs, mine, [ops.Exposure(1.0)])
    assert np.array_equal(device.download(mine)[..., :3], plain()[..., :3] * 2)
    for use in (
        lambda: device.download(theirs),
        lambda: device.exec_point(mine, theirs, [ops.Exposure(1.0)]),
        lambda: device.free(theirs),
    ):
        with pytest.raises(HandleError, match=r"lies on .*; use handle\.to\(\)"):
            use()
    assert (other.memory_stats().count, device.memory_stats().count) == (1, 1)


def test_a_memory_limit_refuses_what_would_exceed_it(device: GpuPrimitives) -> None:
    small = device.allocate(16, 16)
    device.memory_limit = 3 * small.nbytes
    more = [device.allocate(16, 16), device.upload(plain(16, 16))]
    before = device.memory_stats()
    for refused in (lambda: device.allocate(1, 1), lambda: device.upload(plain(1, 1))):
        with pytest.raises(OutOfDeviceMemory, match="limit"):
            refused()
    assert device.memory_stats() == before
    more.pop().free()
    device.allocate(16, 16)


def test_images_of_two_sizes_are_refused(device: GpuPrimitives) -> None:
    with pytest.raises(HandleError, match="can't go into"):
        device.exec_point(device.allocate(4, 5), device.allocate(5, 4), [ops.Exposure(1.0)])
    with pytest.raises(HandleError, match="can't go into"):
        device.exec_blur(device.allocate(4, 5), device.allocate(5, 4), 1.0)


@pytest.mark.parametrize(
    ("pixels", "says"),
    [
        (np.zeros((4, 4), np.float32), "shape"),
        (np.zeros((4, 4, 2), np.float32), "shape"),
        (np.zeros((4, 4, 5), np.float32), "shape"),
        (np.zeros((0, 4, 4), np.float32), "shape"),
        (np.zeros((4, 4, 4), np.float64), "float64"),
        (np.zeros((4, 4, 4), np.uint8), "uint8"),
    ],
)
def test_what_is_no_image_is_refused(pixels: Any, says: str, device: GpuPrimitives) -> None:
    with pytest.raises(HandleError, match=says):
        device.upload(pixels)


@pytest.mark.parametrize("dtype", [np.float32, np.float16])
@pytest.mark.parametrize("channels", [3, 4])
def test_up_and_down_is_bit_for_bit(dtype: Any, channels: int, device: GpuPrimitives) -> None:
    for image in (plain(dtype=dtype, channels=channels), plain(dtype=dtype, channels=channels)[3:40, 5:66]):
        handle = device.upload(image)
        assert handle.shape == image.shape
        assert handle.dtype == image.dtype
        assert np.array_equal(device.download(handle), image)


def test_to_another_device_and_back(backend: str, device: GpuPrimitives) -> None:
    other = create_executor("cpu").primitives
    image = plain()
    here = device.upload(image)
    there = here.to(other)
    assert there.primitives is other
    assert here.to(device) is here
    assert np.array_equal(other.download(there), image)
    assert np.array_equal(device.download(there.to(device)), image)
    assert other.memory_stats().count == 1
    there.free()
    assert np.array_equal(device.download(here), image)


def test_a_target_may_be_its_source(device: GpuPrimitives) -> None:
    image = plain()
    handle = device.upload(image.copy())
    device.exec_point(handle, handle, [ops.Exposure(1.0)])
    assert np.array_equal(device.download(handle)[..., :3], image[..., :3] * 2)


def test_thin_verbs_are_one_op_kernels(device: GpuPrimitives) -> None:
    image = plain()
    source, target = device.upload(image), device.allocate(71, 53)
    executor = create_executor("cpu")
    cube = np.random.default_rng(0).random((3, 3, 3, 3))
    matrix = np.random.default_rng(1).normal(size=(4, 4))
    verbs: list[tuple[Any, ColorOp]] = [
        (lambda: device.exec_matrix(source, target, matrix, (0.1, 0.2, 0.3, 0.0)),
         ops.Matrix(tuple(matrix.ravel()), (0.1, 0.2, 0.3, 0.0))),
        (lambda: device.exec_cdl(source, target, (1.1, 1.0, 0.9), (0.1, 0.0, -0.1), (1.2, 1.0, 0.8), 0.9),
         ops.Cdl((1.1, 1.0, 0.9), (0.1, 0.0, -0.1), (1.2, 1.0, 0.8), 0.9)),
        (lambda: device.exec_lut1d(source, target, [0.0, 0.7, 1.0]), ops.Lut1d([0.0, 0.7, 1.0])),
        (lambda: device.exec_lut3d(source, target, cube), ops.Lut3d(cube)),
        (lambda: device.exec_lut3d(source, target, cube, "trilinear"), ops.Lut3d(cube, interpolation="trilinear")),
    ]  # fmt: skip
    for verb, op in verbs:
        verb()
        wanted = executor.execute_color(image, [op])
        assert np.abs(device.download(target) - wanted).max() <= 1e-5 * max(1.0, float(np.abs(wanted).max())), op


def test_display_is_clamped_rounded_and_opaque(backend: str, device: GpuPrimitives) -> None:
    executor = create_executor(backend)
    row = np.array([-1.0, 0.0, 0.25 / 255, 0.5, 1.0, 2.0, np.inf, -np.inf, 100.4 / 255, 100.6 / 255], np.float32)
    image = np.repeat(row[None, :, None], 4, axis=2)
    image[..., 3] = 0.3
    shown = executor.display(executor.upload(image), [])
    assert shown.dtype == DISPLAY
    assert shown.shape == (1, 10, 4)
    assert (shown[..., 3] == 255).all()
    assert shown[0, :, 0].tolist() == [0, 0, 0, 128, 255, 255, 255, 0, 100, 101]
    halves = executor.display(executor.upload(image[..., :3]), [ops.Exposure(-1.0)])
    assert halves[0, :, 1].tolist() == [0, 0, 0, 64, 128, 255, 255, 0, 50, 50]


def test_counts_survive_threads(device: GpuPrimitives) -> None:
    def churn(number: int) -> None:
        for _ in range(50):
            handle = device.upload(plain(8, 8))
            device.allocate(number + 1, 3)
            handle.free()

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(churn, range(8)))
    gc.collect()
    assert device.memory_stats().live == 0
    assert device.memory_stats().count == 0


def test_an_executor_leaves_no_image_behind(backend: str) -> None:
    executor = create_executor(backend)
    grade = [ops.Exposure(0.5), ops.Blur(2.0), ops.Resize(30.0, 20.0)]
    result = executor.execute_color(plain(), grade)
    with pytest.raises(HandleError):
        executor.execute_color(plain().astype(np.float64), grade)
    gc.collect()
    assert result.shape == (20, 30, 4)
    assert executor.primitives.memory_stats().count == 0

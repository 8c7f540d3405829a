"""taps.cu on the processor, launched as the CUDA backend does, against sums one tap after the other."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

import shaders
from engine.compute import tap_launches
from engine.compute.tap_launches import BLOCK, DEFINITIONS, Filters, strips
from engine.kernel.taps import Taps, blur_taps, resize_taps
from tests.engine.cuda_on_host import HostBuffer, HostModule, HostQueue
from tests.engine.kernel.test_codegen import needs_compiler

CTYPES = {np.float32: "float", np.float16: "__half"}
SOURCE = (47, 41)
FILTERS = ("lanczos3", "catmull-rom", "area", "bilinear")


@pytest.fixture(scope="module", params=[(np.float32, 4), (np.float16, 3), (np.float16, 4)], ids=str)
def made(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[HostModule, Any, int]:
    dtype, channels = request.param
    head = {"SOURCE": CTYPES[dtype], "TARGET": CTYPES[dtype], "CHANNELS": channels} | DEFINITIONS
    return HostModule(shaders.text("taps.cu"), head, tmp_path_factory.mktemp("taps"), "taps"), dtype, channels


def summed(image: NDArray[Any], taps: Taps) -> NDArray[np.float32]:
    """Along the first axis, each product added with one rounding."""
    result = np.zeros((len(taps.first), *image.shape[1:]), np.float32)
    for at, (first, count) in enumerate(zip(taps.first, taps.count, strict=True)):
        for k in range(count):
            product = image[first + k].astype(np.float64) * np.float64(taps.weights[at, k])
            result[at] = (product + result[at]).astype(np.float32)
    return result


def image_of(dtype: Any, channels: int) -> NDArray[Any]:
    """Noise with Inf and NaN, which must not reach results that do not use them."""
    image = np.random.default_rng(4).normal(size=(SOURCE[1], SOURCE[0], channels)).astype(dtype)
    image[5, 7, 0], image[30, 40, 1] = np.inf, np.nan
    return image


def handle(width: int, height: int, buffer: HostBuffer) -> Any:
    """What the launches need of an image's handle."""
    return SimpleNamespace(width=width, height=height, buffer=buffer)


def launch(kernel: Any, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
    kernel((blocks,), (threads,), arguments)


def run(module: HostModule, image: NDArray[Any], columns: Taps, rows: Taps) -> NDArray[Any]:
    """The result of both passes, or of the gathering kernel."""
    height, width, channels = image.shape
    queue = HostQueue()
    filters = Filters(queue.sent, launch)
    shape = (len(rows.first), len(columns.first), channels)
    target = handle(shape[1], shape[0], queue.empty(int(np.prod(shape)), image.dtype))
    source = handle(width, height, queue.sent(image))
    if tap_launches.is_gather(columns, rows):
        filters.gather(module.get_function("gather"), source, target, columns, rows)
    else:
        parts = strips(width, shape[0])
        strip = handle(width, parts[0][1], queue.empty(parts[0][1] * width * 4, np.float32))
        for part in parts:
            filters.down(module.get_function("columns"), source, strip, rows, part)
            filters.along(module.get_function("rows"), strip, target, columns, part)
    assert queue.intact, "a kernel wrote outside of its memory"
    return queue.received(target.buffer, int(np.prod(shape)), image.dtype).reshape(shape)


def expected(image: NDArray[Any], columns: Taps, rows: Taps) -> NDArray[Any]:
    between = summed(image, rows)
    with np.errstate(over="ignore", invalid="ignore"):
        return summed(between.swapaxes(0, 1), columns).swapaxes(0, 1).astype(image.dtype)


@needs_compiler
@pytest.mark.parametrize("name", FILTERS)
@pytest.mark.parametrize("size", [(13, 1), (90, 70)], ids=str)
def test_resize_has_the_bits_of_the_sums(made: tuple[HostModule, Any, int], name: str, size: tuple[int, int]) -> None:
    module, dtype, channels = made
    image = image_of(dtype, channels)
    columns, rows = (resize_taps(name, old, new) for old, new in zip(SOURCE, size, strict=True))
    np.testing.assert_array_equal(run(module, image, columns, rows), expected(image, columns, rows))


@needs_compiler
@pytest.mark.parametrize("radius", [0.5, 3.0, 50.0])
def test_blur_has_the_bits_of_the_sums(
    made: tuple[HostModule, Any, int], radius: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Also in more than one strip."""
    module, dtype, channels = made
    monkeypatch.setattr(tap_launches, "STRIP_BYTES", 16 * SOURCE[0] * BLOCK)
    assert strips(*SOURCE) == [(0, BLOCK), (BLOCK, SOURCE[1])]
    image = image_of(dtype, channels)
    columns, rows = (blur_taps(radius, side) for side in SOURCE)
    np.testing.assert_array_equal(run(module, image, columns, rows), expected(image, columns, rows))


@needs_compiler
def test_part_of_a_result_has_the_bits_of_the_whole(made: tuple[HostModule, Any, int]) -> None:
    """A tile begins anywhere in a group."""
    module, dtype, channels = made
    image = image_of(dtype, channels)
    columns, rows = (blur_taps(6.0, side) for side in SOURCE)
    whole = run(module, image, columns, rows)
    part = run(module, image[3:], columns.part(5, 46, 0), rows.part(11, 30, 3))
    np.testing.assert_array_equal(part, whole[11:30, 5:46])


@needs_compiler
@pytest.mark.parametrize("size", [(200, 5), (11, 90)], ids=str)
def test_nearest_copies_pixels(made: tuple[HostModule, Any, int], size: tuple[int, int]) -> None:
    module, dtype, channels = made
    image = image_of(dtype, channels)
    columns, rows = (resize_taps("nearest", old, new) for old, new in zip(SOURCE, size, strict=True))
    assert tap_launches.is_gather(columns, rows)
    np.testing.assert_array_equal(run(module, image, columns, rows), image[rows.first][:, columns.first])


@needs_compiler
def test_equal_taps_are_copied_to_the_device_once(made: tuple[HostModule, Any, int]) -> None:
    module, dtype, channels = made
    queue = HostQueue()
    filters = Filters(queue.sent, launch)
    image = handle(*SOURCE, queue.sent(image_of(dtype, channels)))
    strip = handle(*SOURCE, queue.empty(SOURCE[0] * SOURCE[1] * 4, np.float32))
    for taps, copies in (
        (blur_taps(4.0, SOURCE[1]), 2),
        (blur_taps(4.0, SOURCE[1]), 0),
        (blur_taps(5.0, SOURCE[1]), 2),
    ):
        before = len(queue.buffers)
        filters.down(module.get_function("columns"), image, strip, taps, (0, SOURCE[1]))
        assert len(queue.buffers) - before == copies

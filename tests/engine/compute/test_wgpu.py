"""What is wgpu's own: split images, storages, kept memory, kernels and tables, faults. Software Vulkan will do."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.compute.backends.base import DISPLAY
from engine.compute.plan import RGBA, PointStep, Stage
from engine.compute.statistics import Axis
from engine.errors import KernelError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from tests.engine.backends import USABLE
from tests.engine.images import plain, wide

if "wgpu" not in USABLE:
    pytest.skip("wgpu has no adapter here", allow_module_level=True)


from engine.compute.backends.wgpu import WgpuPrimitives, transfers
from engine.compute.backends.wgpu.device import GROUPS, spread
from tests.engine.wgpu_devices import GRADE, SMALL_BINDING, point

# --- images in several buffers --------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "channels"), list(itertools.product((np.float32, np.float16), (3, 4))))
def test_a_split_image_gives_the_bits_of_a_whole_one(
    whole: WgpuPrimitives, split: WgpuPrimitives, dtype: Any, channels: int
) -> None:
    pixels = plain(143, 211, channels, dtype)
    assert len(split.upload(pixels).buffer.chunks) == 8

    def everything(primitives: WgpuPrimitives) -> Iterator[NDArray[Any]]:
        source = primitives.upload(pixels)
        yield primitives.download(source)
        for kind in (np.float16, np.float32, DISPLAY):
            yield point(primitives, pixels, kind, GRADE)
        for name, size in (("lanczos3", (97, 61)), ("area", (50, 300)), ("nearest", (400, 30))):
            target = primitives.allocate(*size, channels, dtype)
            primitives.exec_resize(source, target, name, (10.3, 20.7, 150.0, 99.5))
            yield primitives.download(target)
        blurred = primitives.allocate(211, 143, channels, dtype)
        primitives.exec_blur(source, blurred, 40.0)
        yield primitives.download(blurred)
        primitives.exec_point(source, source, GRADE)
        yield primitives.download(source)

    for one, other in zip(everything(whole), everything(split), strict=True):
        assert one.dtype == other.dtype
        assert one.tobytes() == other.tobytes()


def test_strips_of_a_filter_give_the_bits_of_one(whole: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch) -> None:
    source = whole.upload(plain(90, 120))
    results = []
    for strip in (1, 20_000, 1 << 25):
        monkeypatch.setattr("engine.compute.backends.wgpu.primitives.STRIP_BYTES", strip)
        target = whole.allocate(75, 200)
        whole.exec_resize(source, target, "catmull-rom")
        results.append(whole.download(target).tobytes())
    assert len(set(results)) == 1


def test_reductions_of_a_split_image(whole: WgpuPrimitives, split: WgpuPrimitives) -> None:
    pixels = wide()
    one, other = whole.upload(pixels), split.upload(np.tile(pixels, (5, 1, 1)))
    assert len(other.buffer.chunks) > 2
    single, five = whole.statistics(one), split.statistics(other)
    assert (five.minimum, five.maximum) == (single.minimum, single.maximum)
    assert five.mean == pytest.approx(single.mean, rel=1e-6)
    for part in ("nan", "inf", "negative"):
        assert getattr(five, part) == tuple(5 * count for count in getattr(single, part))
    for axis in (Axis(), Axis(2000, -1.0, 4.0), Axis(64, 0.001, 100.0, log2=True)):
        assert np.array_equal(split.histogram(other, axis), 5 * whole.histogram(one, axis))
        assert np.array_equal(split.waveform(other, 9, axis), 5 * whole.waveform(one, 9, axis))
    assert np.array_equal(split.vectorscope(other, 64), 5 * whole.vectorscope(one, 64))


def test_a_histogram_starts_from_zero_after_another(whole: WgpuPrimitives) -> None:
    handle = whole.upload(plain())
    assert whole.histogram(handle, Axis(4)).sum() == whole.histogram(handle, Axis(1000)).sum() == 4 * 53 * 71


def test_workgroups_spread_over_two_dimensions() -> None:
    assert spread(1, 256) == (1, 1)
    assert spread(256 * GROUPS, 256) == (GROUPS, 1)
    columns, rows = spread(16384 * 16384, 256)
    assert rows > 1
    assert max(columns, rows) <= GROUPS
    assert 16384 * 16384 <= columns * rows * 256 < 16384 * 16384 + 256 * rows


def test_rows_wider_than_a_binding_are_refused(split: WgpuPrimitives) -> None:
    assert split.limits.max_tile_dim == SMALL_BINDING // 16
    with pytest.raises(OutOfDeviceMemory, match="hold rows of 5000 pixels"):
        split.allocate(5000, 2)


# --- storages ---------------------------------------------------------------------------------------------------


def test_every_half_is_read_exactly(whole: WgpuPrimitives) -> None:
    codes = np.arange(65536, dtype=np.uint16).reshape(128, 128, 4)
    halves = codes.view(np.float16)
    with np.errstate(invalid="ignore"):
        assert np.array_equal(point(whole, halves, np.float32, []), halves.astype(np.float32), equal_nan=True)
    assert np.array_equal(point(whole, halves, np.float16, []), halves, equal_nan=True)


def test_halves_are_rounded_to_nearest_even(whole: WgpuPrimitives) -> None:
    halves = np.arange(0x7C00, dtype=np.uint16).view(np.float16).astype(np.float64)
    middles = (halves[1:] + halves[:-1]) / 2.0
    near = [np.nextafter(middles.astype(np.float32), np.float32(end)) for end in (-np.inf, np.inf)]
    rest = (65519.99, 65520.0, 65536.0, 1e38, np.inf, np.nan, 1e-40, 2.9e-8, 2.99e-8, 0.0)
    values = np.concatenate([middles, *near, np.array(rest)]).astype(np.float32)
    values = np.resize(np.concatenate([values, -values]), (100, 1900, 4))
    with np.errstate(over="ignore"):
        expected = values.astype(np.float16)
    result = point(whole, values, np.float16, [])
    assert np.array_equal(np.isnan(result), np.isnan(expected))
    assert (result.view(np.uint16) == expected.view(np.uint16))[~np.isnan(expected)].all()


def test_display_bytes(whole: WgpuPrimitives) -> None:
    values = np.array([np.nan, np.inf, -np.inf, -1.0, 0.0, 0.5, 1.0, 2.0, 0.1, 254.6 / 255.0], np.float32)
    pixels = np.repeat(values[None, :, None], 4, axis=2)
    shown = point(whole, pixels, DISPLAY, [])
    assert shown[0, :, 0].tolist() == [0, 255, 0, 0, 0, 128, 255, 255, 26, 255]
    assert (shown[0, :, 3] == 255).all()


def test_rgb_lies_as_rgba(whole: WgpuPrimitives) -> None:
    handle = whole.upload(plain(5, 7, 3))
    assert handle.nbytes == 5 * 7 * 16
    assert whole.download(handle).shape == (5, 7, 3)


# --- transfers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("channels", [3, 4])
def test_images_of_many_pieces(channels: int, monkeypatch: pytest.MonkeyPatch, whole: WgpuPrimitives) -> None:
    monkeypatch.setattr(transfers, "PIECE", 10_000)
    pixels = plain(400, 61, channels)
    for part in (pixels, pixels[::2, 3:50]):
        assert np.array_equal(whole.download(whole.upload(part)), part)


def test_threads_at_once(whole: WgpuPrimitives) -> None:
    images = [plain(60 + 3 * n, 80 - n, seed=n) for n in range(12)]
    expected = [point(whole, image, np.float32, GRADE) for image in images]
    with ThreadPoolExecutor(4) as pool:
        for _ in range(3):
            results = list(pool.map(lambda image: point(whole, image, np.float32, GRADE), images))
            assert all(np.array_equal(one, other) for one, other in zip(results, expected, strict=True))


def test_a_failed_piece_fails_the_transfer(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(transfers, "PIECE", 10_000)
    copies = itertools.count()
    copy = fresh._device.copy

    def failing(*arguments: Any) -> None:
        if next(copies) == 5:
            raise OutOfDeviceMemory("no staging left")
        copy(*arguments)

    monkeypatch.setattr(fresh._device, "copy", failing)
    with pytest.raises(OutOfDeviceMemory, match="no staging left"):
        fresh.upload(plain(400, 61))
    assert fresh.memory_stats().count == 0
    assert np.array_equal(fresh.download(fresh.upload(plain())), plain())


# --- kernels and tables -----------------------------------------------------------------------------------------


def stage(run: list[ColorOp]) -> Stage:
    return Stage(PointStep(tuple(run)), RGBA, RGBA)


def test_moving_a_slider_compiles_and_uploads_nothing(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch) -> None:
    image = fresh.upload(plain())
    target = fresh.allocate(image.width, image.height)
    fresh.exec_point(image, target, GRADE)
    monkeypatch.setattr(fresh._device, "kernel", lambda *_: pytest.fail("compiled"))
    monkeypatch.setattr(fresh._device, "filled", lambda *_: pytest.fail("uploaded"))
    fresh.exec_point(image, target, [GRADE[0].replace(saturation=0.5), *GRADE[1:]])
    assert fresh.prepared(stage(GRADE))
    assert not fresh.prepared(stage([GRADE[1]]))


def test_prepared_means_nothing_is_compiled(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch) -> None:
    run: list[ColorOp] = [ops.Exposure(1.0), ops.Saturation(0.5)]
    assert not fresh.prepared(stage(run))
    fresh.prepare(stage(run))
    assert fresh.prepared(stage(run))
    monkeypatch.setattr(fresh._device, "kernel", lambda *_: pytest.fail("compiled"))
    point(fresh, plain(), np.float32, run)


def test_pipelines_of_one_shader_text_share_nothing_else(whole: WgpuPrimitives) -> None:
    """The same structure in another order, and with other tables, is another result."""
    one, other = GRADE[1], ops.Lut1d(np.linspace(1.0, 0.0, 9)[:, None])
    image = plain()
    there = point(whole, point(whole, image, np.float32, [one]), np.float32, [other])
    assert np.allclose(point(whole, image, np.float32, [one, other]), there, atol=1e-5)
    assert not np.allclose(point(whole, image, np.float32, [other, one]), there, atol=1e-3)


def test_a_kernel_that_does_not_compile_says_why(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.kernel.point_text.print_body", lambda *_: "let x = nonsense;")
    image = fresh.upload(plain())
    with pytest.raises(KernelError, match=r"point does not compile: .*nonsense"):
        fresh.exec_point(image, image, [ops.Exposure(1.0)])


def test_texts_are_dumped(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TESSERA_DUMP", str(tmp_path))
    fresh.prepare(stage([ops.Exposure(1.0)]))
    (text,) = (path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if "point" in path.name)
    assert "alias Source = vec4f;" in text
    assert "result[i] = packed(" in text


# --- memory -----------------------------------------------------------------------------------------------------


# --- adapters ---------------------------------------------------------------------------------------------------

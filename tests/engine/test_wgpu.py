"""What is wgpu's own: split images, storages, kept memory, kernels and tables, faults. Software Vulkan will do."""

from __future__ import annotations

import gc
import itertools
import subprocess
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.compute.backends.base import DISPLAY, ImageHandle, MemoryStats
from engine.compute.executor import TiledExecutor
from engine.compute.plan import RGBA, PointStep, Stage
from engine.compute.statistics import Axis
from engine.errors import BackendUnavailable, DeviceLost, KernelError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from tests.engine.backends import USABLE
from tests.engine.images import plain, wide

if "wgpu" not in USABLE:
    pytest.skip("wgpu has no adapter here", allow_module_level=True)

import wgpu

from engine.compute.backends.wgpu import WgpuPrimitives, adapters, detection, transfers
from engine.compute.backends.wgpu.device import GROUPS, spread

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
    monkeypatch.setattr("engine.compute.backends.wgpu.kernels.print_body", lambda *_: "let x = nonsense;")
    image = fresh.upload(plain())
    with pytest.raises(KernelError, match=r"point does not compile: .*nonsense"):
        fresh.exec_point(image, image, [ops.Exposure(1.0)])


def test_texts_are_dumped(fresh: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("TESSERA_DUMP", str(tmp_path))
    fresh.prepare(stage([ops.Exposure(1.0)]))
    (text,) = (path.read_text(encoding="utf-8") for path in tmp_path.iterdir() if "point" in path.name)
    assert "alias Source = vec4f;" in text
    assert "result[i] = packed(" in text


def test_tables_too_large_for_the_adapter(split: WgpuPrimitives) -> None:
    image = split.upload(plain())
    cube = np.zeros((33, 33, 33, 3))
    with pytest.raises(OutOfDeviceMemory, match="takes tables of up to 0 MB"):
        split.exec_lut3d(image, image, cube)


# --- memory -----------------------------------------------------------------------------------------------------


def test_memory_of_an_image_that_is_gone_is_used_again(fresh: WgpuPrimitives) -> None:
    first = fresh.allocate(100, 100)
    memory = first.buffer.chunks[0].buffer
    first.free()
    assert fresh._device.pool.size == 160_000
    again = fresh.allocate(200, 100, 4, np.float16)
    assert again.buffer.chunks[0].buffer is memory
    again.free()
    fresh.release_cached()
    assert fresh._device.pool.size == 0


def test_kept_memory_stays_under_the_limit() -> None:
    limited = WgpuPrimitives(memory_limit=1_000_000)
    for size in (100, 110, 120, 130, 140):
        handle = limited.allocate(size, size)
        assert limited._device.pool.size + limited.memory_stats().live <= 1_000_000
        handle.free()
    with pytest.raises(OutOfDeviceMemory, match="limit"):
        limited.allocate(1000, 1000)
    assert limited.memory_stats().count == 0


def test_the_rows_between_a_filters_passes_count(fresh: WgpuPrimitives) -> None:
    source, target = fresh.upload(plain(50, 60)), fresh.allocate(60, 50)
    fresh.exec_blur(source, target, 3.0)
    stats = fresh.memory_stats()
    assert stats == MemoryStats(2 * 48_000, 3 * 48_000, 2)


class ShortOfMemory:
    """Stands for wgpu's device; some allocations fail."""

    def __init__(self, device: Any, failing: set[int]) -> None:
        self.device, self.failing, self.calls = device, failing, itertools.count()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.device, name)

    def create_buffer(self, **settings: Any) -> Any:
        if next(self.calls) in self.failing:
            raise wgpu.GPUOutOfMemoryError("not enough memory left")
        return self.device.create_buffer(**settings)


def test_what_is_kept_is_dropped_before_memory_runs_out(fresh: WgpuPrimitives) -> None:
    fresh.allocate(300, 300).free()
    fresh._device._device = ShortOfMemory(fresh._device._device, {0})
    handle = fresh.allocate(100, 100)
    assert fresh._device.pool.size == 0
    handle.free()


@pytest.mark.parametrize("first", range(6))
def test_out_of_memory_anywhere(fresh: WgpuPrimitives, first: int) -> None:
    image = plain()
    expected = point(fresh, image, np.float32, GRADE)
    fresh.release_cached()
    fresh._device._device = short = ShortOfMemory(fresh._device._device, {first, first + 1})
    try:
        point(fresh, image, np.float32, GRADE)
    except OutOfDeviceMemory as error:
        assert "no memory left" in str(error)
    gc.collect()  # an error and the frames that it came through may hold each other
    assert fresh.memory_stats().count == 0
    short.failing.clear()
    assert np.array_equal(point(fresh, image, np.float32, GRADE), expected)


def test_a_lost_device_says_so(fresh: WgpuPrimitives) -> None:
    image, target = fresh.upload(plain()), fresh.allocate(71, 53)
    fresh._device.destroy()
    for use in (
        lambda: fresh.upload(plain()),
        lambda: fresh.download(image),
        lambda: fresh.exec_point(image, target, GRADE),
        lambda: fresh.exec_blur(image, target, 3.0),
        lambda: fresh.statistics(image),
        lambda: fresh.histogram(image, Axis()),
        fresh.synchronize,
    ):
        with pytest.raises(DeviceLost):
            use()
    fresh.release_cached()


def test_an_executor_goes_on_elsewhere_when_the_device_is_lost(fresh: WgpuPrimitives, whole: WgpuPrimitives) -> None:
    executor = TiledExecutor(fresh, 32, fallbacks=[lambda: whole])
    image = plain()
    run, count = fresh._run_point, itertools.count()
    fresh.concurrency = 1  # destroying a device, unlike losing it, never answers a thread that waits for it

    def losing(source: ImageHandle, target: ImageHandle, chain: list[ColorOp]) -> None:
        if next(count) == 3:
            fresh._device.destroy()
        run(source, target, chain)

    fresh._run_point = losing  # type: ignore[method-assign]
    assert np.array_equal(executor.execute_color(image, GRADE), point(whole, image, np.float32, GRADE))
    assert executor.primitives is whole


# --- adapters ---------------------------------------------------------------------------------------------------


def test_an_adapter_by_index_and_by_name() -> None:
    first, *_ = found = adapters()
    assert [info.index for info in found] == list(range(len(found)))
    for wanted in (None, 0, "0", first.name, first.name[:5].upper()):
        assert detection.choose(wanted)[1].index == 0
    with pytest.raises(BackendUnavailable, match=r"no adapter 'voodoo'; adapters are: 0 \("):
        WgpuPrimitives("voodoo")
    assert [info.is_software for info in found] == sorted(info.is_software for info in found), "hardware comes first"
    assert first.name in WgpuPrimitives().device


def test_memory_of_an_nvidia_card(monkeypatch: pytest.MonkeyPatch) -> None:
    text = "NVIDIA H200, 143771, 143000\nNVIDIA H200, 143771, 100\nNVIDIA A2, 16, 15\n"
    output = subprocess.CompletedProcess([], 0, text, "")
    monkeypatch.setattr(detection.subprocess, "run", lambda *_, **__: output)
    detection._nvidia.cache_clear()
    card = {"device": "NVIDIA H200", "vendor_id": 0x10DE, "device_id": 1}
    assert detection._memory(card, 0) == (143771 << 20, 143000 << 20)
    assert detection._memory(card, 1) == (143771 << 20, 100 << 20)
    assert detection._memory(card | {"device": "Radeon"}, 0) == (0, 0)
    detection._nvidia.cache_clear()


def test_memory_of_an_amd_card(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(detection, "DRM", tmp_path)
    monkeypatch.setattr(detection, "NVIDIA_QUERY", ("no-such-program",))
    detection._nvidia.cache_clear()
    card = tmp_path / "card0" / "device"
    card.mkdir(parents=True)
    output = {"vendor": "0x1002", "device": "0x744c", "mem_info_vram_total": "1000", "mem_info_vram_used": "300"}
    for name, content in output.items():
        (card / name).write_text(content + "\n", encoding="utf-8")
    info = {"device": "AMD Radeon RX 7900", "vendor_id": 0x1002, "device_id": 0x744C}
    assert detection._memory(info, 0) == (1000, 700)
    assert detection._memory(info | {"device_id": 1}, 0) == (0, 0)
    detection._nvidia.cache_clear()


def test_memory_that_is_not_reported_is_the_default(monkeypatch: pytest.MonkeyPatch) -> None:
    card, info = detection.choose()
    quiet = replace(info, total_memory=2 << 30, free_memory=2 << 30, memory_detected=False)
    monkeypatch.setattr("engine.compute.backends.wgpu.primitives.choose", lambda _: (card, quiet))
    limits = WgpuPrimitives().limits
    assert not limits.detected
    assert limits.total_memory == 2 << 30

"""Memory of wgpu: reused, kept under the limit, out of it; lost devices; adapters and cards."""

from __future__ import annotations

import gc
import itertools
import subprocess
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from engine.compute.backends.base import ImageHandle, MemoryStats
from engine.compute.backends.inputs import PointInputs
from engine.compute.executor import TiledExecutor
from engine.compute.statistics import Axis
from engine.errors import BackendUnavailable, DeviceLost, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from tests.engine.backends import USABLE
from tests.engine.images import plain

if "wgpu" not in USABLE:
    pytest.skip("wgpu has no adapter here", allow_module_level=True)

import wgpu

from engine.compute.backends.wgpu import WgpuPrimitives, adapters, detection
from tests.engine.wgpu_devices import GRADE, point


def test_tables_too_large_for_the_adapter(split: WgpuPrimitives) -> None:
    image = split.upload(plain())
    cube = np.zeros((33, 33, 33, 3))
    with pytest.raises(OutOfDeviceMemory, match="takes tables of up to 0 MB"):
        split.exec_lut3d(image, image, cube)


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


def test_an_executor_goes_on_elsewhere_when_the_device_is_lost(
    fresh: WgpuPrimitives, whole: WgpuPrimitives, monkeypatch: pytest.MonkeyPatch
) -> None:
    executor = TiledExecutor(fresh, 32, fallbacks=[lambda: whole])
    image = plain()
    run, count = fresh._run_point, itertools.count()
    fresh.concurrency = 1  # destroying a device, unlike losing it, never answers a thread that waits for it

    def losing(source: ImageHandle, target: ImageHandle, chain: Sequence[ColorOp], inputs: PointInputs) -> None:
        if next(count) == 3:
            fresh._device.destroy()
        run(source, target, chain, inputs)

    monkeypatch.setattr(fresh, "_run_point", losing)
    assert np.array_equal(executor.execute_color(image, GRADE), point(whole, image, np.float32, GRADE))
    assert executor.primitives is whole


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
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: output)
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

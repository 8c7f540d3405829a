"""Whole, in tiles and streaming: the same bits; and what streaming promises about order, memory and failure."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from engine import MemoryOutput, MemorySource, create_executor, ops
from engine.compute.executor import TiledExecutor
from engine.compute.pipeline import StreamReport
from engine.compute.plan import plan
from engine.compute.streaming import StreamingOutput
from engine.core.geometry import GpuLimits, Rect
from engine.errors import Cancelled, HandleError
from engine.kernel.op import Op
from tests.engine.images import chains, image_ops, plain, wide
from tests.thorough import cases, examples

SCENE = [
    ops.Exposure(0.4),
    ops.Cdl((1.1, 1.0, 0.9), (0.01, 0.0, -0.01), (0.9, 1.0, 1.2), 1.1),
    ops.Lut3d(np.random.default_rng(0).random((5, 5, 5, 3))),
]
GRADES: dict[str, list[Op]] = {
    "nothing": [],
    "point": list(SCENE),
    "blur": [ops.Blur(6.5)],
    "blur of a point": [*SCENE, ops.Blur(3.0), ops.Saturation(1.3)],
    "two blurs": [ops.Blur(2.0), ops.Exposure(1.0), ops.Blur(5.0)],
    "smaller": [*SCENE, ops.Resize(67.0, 41.0, "lanczos3")],
    "larger": [ops.Resize(311.0, 203.0, "catmull-rom"), *SCENE],
    "resize and blur": [ops.Resize(97.0, 150.0, "area"), ops.Blur(4.0), ops.Contrast(1.2), ops.Resize(64.0, 33.0)],
}
each_grade = pytest.mark.parametrize("name", GRADES)


def noise_image(dtype: Any = np.float32, channels: int = 4) -> NDArray[Any]:
    """139 x 113 pixels of everything."""
    return np.resize(wide(dtype, channels), (113, 139, channels))


def stream(executor: TiledExecutor, image: NDArray[Any], grade: Iterable[Op], **how: Any) -> NDArray[Any]:
    output = MemoryOutput(image.dtype)
    executor.execute_color_streaming(MemorySource(image), output, grade, **how)
    return output.pixels


def in_tiles(executor: TiledExecutor, tile: int | None, max_memory: int | None = None) -> TiledExecutor:
    return TiledExecutor(executor.primitives, tile, max_memory)


def assert_same_bits(got: NDArray[Any], wanted: NDArray[Any]) -> None:
    assert (got.dtype, got.shape) == (wanted.dtype, wanted.shape)
    kind = f"u{wanted.itemsize}"
    differ = got.view(kind) != wanted.view(kind)
    differ = (differ & ~(np.isnan(got) & np.isnan(wanted))).any(axis=-1)  # IEEE 754 and WGSL leave the sign of NaN open
    assert not differ.any(), f"{differ.sum()} pixels differ, the first at {np.argwhere(differ)[0]}"


STORAGES = (np.float32, 4), (np.float16, 3)


@each_grade
@pytest.mark.parametrize("tile", cases([21], 64, 100, 4096))
def test_tiles_give_the_bits_of_the_whole(name: str, tile: int, executor: TiledExecutor) -> None:
    for dtype, channels in STORAGES:
        image = noise_image(dtype, channels)
        whole = executor.execute_color(image, GRADES[name])
        assert_same_bits(in_tiles(executor, tile).execute_color(image, GRADES[name]), whole)


@each_grade
@pytest.mark.parametrize("rows", cases([17], 50, 64, 113))
def test_bands_give_the_bits_of_the_whole(name: str, rows: int, executor: TiledExecutor) -> None:
    for dtype, channels in STORAGES:
        image = noise_image(dtype, channels)
        whole = executor.execute_color(image, GRADES[name])
        assert_same_bits(stream(in_tiles(executor, rows), image, GRADES[name]), whole)


@each_grade
def test_bands_by_memory_give_the_bits_of_the_whole(name: str, executor: TiledExecutor) -> None:
    image = noise_image()
    whole = executor.execute_color(image, GRADES[name])
    assert_same_bits(stream(executor, image, GRADES[name]), whole)
    assert_same_bits(stream(in_tiles(executor, None, 600_000), image, GRADES[name]), whole)


def small_device(backend: str) -> TiledExecutor:
    """An executor whose device holds 64-pixel tiles and not much more."""
    executor = create_executor(backend)
    executor.primitives.limits = GpuLimits.with_vram(int(100 * 100 * 16 * 3 / 0.6))
    return executor


@each_grade
def test_a_device_too_small_for_the_image_gives_the_same_bits(
    name: str, backend: str, executor: TiledExecutor, monkeypatch: pytest.MonkeyPatch
) -> None:
    image = noise_image()
    whole = executor.execute_color(image, GRADES[name])
    small = small_device(backend)
    allocated: list[int] = []
    handle = small.primitives._handle

    def watched(buffer: Any, shape: Any, dtype: Any) -> Any:
        allocated.append(int(np.prod(shape)) * 4)
        return handle(buffer, shape, dtype)

    monkeypatch.setattr(small.primitives, "_handle", watched)
    assert_same_bits(small.execute_color(image, GRADES[name]), whole)
    assert_same_bits(stream(small, image, GRADES[name]), whole)
    sizes = plan(GRADES[name]).sizes(139, 113)
    if len(set(sizes)) == 1:  # a resize may need more of its source than of its result
        assert max(allocated, default=0) * 3 <= small.limits.available_memory


@settings(max_examples=examples(4))
@given(run=chains(1, 4), blur=image_ops(139, 113), rest=chains(0, 2), tile=st.integers(5, 150))
def test_random_grades_in_random_tiles(
    run: list[Op], blur: Op, rest: list[Op], tile: int, executor: TiledExecutor
) -> None:
    image = noise_image()
    grade = [*run, blur, *rest]
    whole = executor.execute_color(image, grade)
    assert_same_bits(in_tiles(executor, tile).execute_color(image, grade), whole)
    assert_same_bits(stream(in_tiles(executor, tile), image, grade), whole)


def test_threads_do_not_change_the_bits() -> None:
    image = np.resize(noise_image(), (700, 400, 4))
    grade = GRADES["blur of a point"]
    results = [create_executor("cpu", threads=n).execute_color(image, grade) for n in (1, 2, 5)]
    assert_same_bits(results[1], results[0])
    assert_same_bits(results[2], results[0])


def test_an_empty_grade_gives_a_copy(executor: TiledExecutor) -> None:
    image = noise_image()
    result = executor.execute_color(image, [ops.Exposure(0.0)])
    assert_same_bits(result, image)
    assert not np.shares_memory(result, image)


def test_a_crop_of_an_image_needs_no_copy_and_stays_as_it_is(executor: TiledExecutor) -> None:
    image = noise_image()
    before = image.tobytes()
    for part in (image[3:50, 5:77], image[::-1], image[:, ::2], image.transpose(1, 0, 2), image[..., :3]):
        assert_same_bits(executor.execute_color(part, SCENE), executor.execute_color(part.copy(), SCENE))
    assert image.tobytes() == before


# --- streaming: order, progress, failure ----------------------------------------------------------------------


class Recorder(StreamingOutput):
    """Notes its calls, and fails where it is asked to."""

    def __init__(self, fail: str = "", after: int = 0) -> None:
        self.calls: list[str] = []
        self.regions: list[Rect] = []
        self.fail, self.after = fail, after
        self.writing = False

    def _called(self, name: str) -> None:
        self.calls.append(name)
        if name == self.fail and self.calls.count(name) > self.after:
            raise OSError("no space left")

    def init(self, width: int, height: int, channels: int) -> None:
        self.size = (width, height, channels)
        self._called("init")

    def write_region(self, rect: Rect, pixels: NDArray[Any]) -> None:
        assert pixels.shape == (rect.height, rect.width, self.size[2])
        self.regions.append(rect)
        self.writing = True
        time.sleep(0.005)
        self.writing = False
        self._called("write")

    def finish(self) -> None:
        self._called("finish")

    def abort(self) -> None:
        assert not self.writing, "aborted while a region is written"
        self.calls.append("abort")


class FailingSource(MemorySource):
    def __init__(self, pixels: NDArray[Any], after: int) -> None:
        super().__init__(pixels)
        self.left = after

    def read_region(self, rect: Rect) -> NDArray[Any]:
        self.left -= 1
        if self.left < 0:
            raise OSError("the file ends here")
        return super().read_region(rect)


def test_regions_arrive_in_order_and_cover_the_image(executor: TiledExecutor) -> None:
    output = Recorder()
    report = in_tiles(executor, 10).execute_color_streaming(MemorySource(plain(53, 20)), output, SCENE)
    assert output.calls == ["init", *["write"] * 6, "finish"]
    assert output.size == (20, 53, 4)
    assert output.regions == [Rect(0, y, 20, min(10, 53 - y)) for y in range(0, 53, 10)]
    assert isinstance(report, StreamReport)
    assert (report.strategy, report.tile, report.tiles) == ("streaming", 10, 6)
    assert min(report.seconds_read, report.seconds_compute, report.seconds_write) >= 0.0


@pytest.mark.parametrize("rows", [1, 10, 53, 99])
def test_progress_rises_to_one(rows: int, executor: TiledExecutor) -> None:
    seen: list[float] = []
    stream(in_tiles(executor, rows), plain(53, 20), SCENE, progress=seen.append)
    assert seen == sorted(seen)
    assert seen[0] >= 0.0
    assert seen[-1] == 1.0
    assert len(seen) >= -(-53 // rows)


@pytest.mark.parametrize("bands", [0, 1, 3, 6])
def test_cancelling_stops_and_aborts(bands: int, executor: TiledExecutor) -> None:
    asked = 0

    def cancelled() -> bool:
        nonlocal asked
        asked += 1
        return asked > bands

    output = Recorder()
    with pytest.raises(Cancelled):
        in_tiles(executor, 10).execute_color_streaming(MemorySource(plain(53, 20)), output, SCENE, cancelled=cancelled)
    assert output.calls[-1] == "abort"
    assert output.calls.count("abort") == 1
    assert "finish" not in output.calls
    assert output.calls.count("write") <= bands + 1
    assert asked == bands + 1, "it goes on after it was told to stop"


@pytest.mark.parametrize(("fail", "after"), [("init", 0), ("write", 0), ("write", 2), ("write", 5), ("finish", 0)])
def test_a_failing_output_is_aborted(fail: str, after: int, executor: TiledExecutor) -> None:
    output = Recorder(fail, after)
    with pytest.raises(OSError, match="no space left"):
        in_tiles(executor, 10).execute_color_streaming(MemorySource(plain(53, 20)), output, SCENE)
    assert output.calls[-1] == "abort"
    assert output.calls.count("abort") == 1
    assert output.calls.count("write") <= (6 if fail == "finish" else after + 1)


@pytest.mark.parametrize("after", [0, 1, 4])
def test_a_failing_source_aborts(after: int, executor: TiledExecutor) -> None:
    output = Recorder()
    with pytest.raises(OSError, match="ends here"):
        in_tiles(executor, 10).execute_color_streaming(FailingSource(plain(53, 20), after), output, SCENE)
    assert output.calls[-1] == "abort"
    assert "finish" not in output.calls
    assert output.calls.count("write") <= after


def test_a_failing_kernel_and_a_failing_listener_abort(executor: TiledExecutor) -> None:
    def broken(_: float) -> None:
        raise RuntimeError("listener")

    output = Recorder()
    with pytest.raises(RuntimeError, match="listener"):
        in_tiles(executor, 10).execute_color_streaming(MemorySource(plain(53, 20)), output, SCENE, broken)
    assert output.calls[-1] == "abort"

    class Nameless(ops.Exposure):
        def pixel(self, px: Any) -> Any:
            raise ZeroDivisionError("broken op")

    output = Recorder()
    try:
        with pytest.raises(ZeroDivisionError):
            executor.execute_color_streaming(MemorySource(plain(53, 20)), output, [Nameless(1.0)])
    finally:
        from engine.kernel.op import REGISTRY

        del REGISTRY["Nameless"]
    assert output.calls[-1] == "abort"


def test_memory_output_keeps_nothing_of_a_failure(executor: TiledExecutor) -> None:
    output = MemoryOutput()
    with pytest.raises(Cancelled):
        executor.execute_color_streaming(MemorySource(plain()), output, SCENE, cancelled=lambda: True)
    assert output.pixels.size == 0


def test_memory_output_refuses_a_region_of_another_size() -> None:
    output = MemoryOutput()
    output.init(4, 4, 3)
    with pytest.raises(HandleError, match="does not fill"):
        output.write_region(Rect(0, 0, 2, 2), np.zeros((2, 3, 3), np.float32))


# --- memory -----------------------------------------------------------------------------------------------------

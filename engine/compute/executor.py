"""TiledExecutor, which runs a grade on a backend: in one pass, in tiles or streaming, with identical results."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import LOG, GpuPrimitives, ImageHandle
from engine.compute.memory_budget import MemoryBudget
from engine.compute.pipeline import Pipeline, Progress, StreamReport
from engine.compute.plan import (
    RGBA,
    CropStep,
    FilterStep,
    PixelFormat,
    Plan,
    PointStep,
    Stage,
    display_stages,
    plan,
    stages,
)
from engine.compute.streaming import MemoryOutput, MemorySource, Pixels, StreamingOutput, StreamingSource
from engine.core.geometry import MIN_TILE, GpuLimits, ProcessingStrategy, Rect, StrategyKind, tiles
from engine.errors import BackendError, DeviceLost, HandleError, KernelError, OutOfDeviceMemory
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.kernel.taps import Size

UNBOUNDED = 1 << 30
"""The limit of the tile side as long as the device has not run out of memory."""


class TiledExecutor:
    """Runs ops on one backend. Thread-safe.

    `tile` sets the side of tiles (and the height of bands); by default they are chosen for the device and for
    `max_memory`, the bytes that pixels may take in main memory while streaming.

    If a device runs out of memory, tiles are halved, down to MIN_TILE. If that does not help, or if the device or a
    kernel fails, the executor continues on the next of `fallbacks`. Both are logged once and added to `notes`.
    """

    def __init__(
        self,
        primitives: GpuPrimitives,
        tile: int | None = None,
        max_memory: int | None = None,
        fallbacks: Iterable[Callable[[], GpuPrimitives]] = (),
    ) -> None:
        self.primitives = primitives
        self.tile = tile
        self.max_memory = max_memory
        self.notes: list[str] = []
        """Sentences about smaller tiles and changes of the backend."""
        self._fallbacks = list(fallbacks)
        self._largest_tile = UNBOUNDED
        self._lock = threading.Lock()

    @property
    def limits(self) -> GpuLimits:
        return self.primitives.limits

    @property
    def name(self) -> str:
        """The name of the backend."""
        return self.primitives.name

    @property
    def runs_on_cpu(self) -> bool:
        """Whether the device is the CPU or a software device on it."""
        return self.primitives.runs_on_cpu

    # -- arrays

    def execute_color(self, image: Pixels, ops: Iterable[Op]) -> Pixels:
        """Grade a (height, width, 3|4) array of float16 or float32. Return a new array of the same type."""
        return self._execute(image, plan(ops))

    def execute_image(self, image: Pixels, op: ImageOp) -> Pixels:
        """Resize or blur an array."""
        return self._execute(image, plan([op]))

    def _execute(self, image: Pixels, steps: Plan) -> Pixels:
        if not steps.steps:
            return np.array(image)
        source, output = MemorySource(image), MemoryOutput(image.dtype)
        width, height = steps.sizes(source.width, source.height)[-1]
        if self._recommend(source, steps).kind is StrategyKind.SINGLE_PASS:
            return self._run_region(source, steps, Rect(0, 0, width, height))
        output.init(width, height, source.channels)
        self._run_tiles(source, steps, Rect(0, 0, width, height), output.pixels)
        return output.pixels

    # -- streaming

    def execute_color_streaming(
        self,
        source: StreamingSource,
        output: StreamingOutput,
        ops: Iterable[Op | CropStep],
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
        held: int = 0,
        budget: MemoryBudget | None = None,
    ) -> StreamReport:
        """Read, grade and write band by band; the three overlap, and memory depends on the band only.

        `held` bytes of `max_memory` are already in use. With a `budget` shared with other images, all work is done in
        the calling thread.

        On failure, and when `cancelled()` returns True, `output.abort()` is called; the latter raises Cancelled.
        """
        steps = plan(ops)

        def compute(pixels: Pixels, region: Rect, band: Rect) -> Pixels:
            return self._grade(pixels, region, steps, band, steps.sizes(source.width, source.height))

        pipeline = Pipeline(source, output, steps, compute, self.tile, self.max_memory, held, budget)
        return pipeline.run(progress, cancelled)

    def _grade(self, pixels: Pixels, region: Rect, steps: Plan, band: Rect, sizes: list[Size]) -> Pixels:
        """Return `band` of the result from the pixels of `region`, in tiles if the device can't hold it."""
        source = _Window(pixels, region, sizes[0])
        if not steps.computes:
            return pixels
        result = np.empty((band.height, band.width, pixels.shape[2]), pixels.dtype)
        self._run_tiles(source, steps, band, result)
        return result

    # -- images on the device

    def upload(self, image: Pixels) -> ImageHandle:
        """Upload an image, which stays on the device until its handle is dropped."""
        return self.primitives.upload(image)

    def download(self, handle: ImageHandle) -> Pixels:
        """Return the pixels of a handle returned by `upload` or `resample`."""
        return self.primitives.download(handle)

    def resample(
        self, handle: ImageHandle, region: tuple[float, float, float, float], width: int, height: int, filter: str
    ) -> ImageHandle:
        """Resize a region (x, y, width, height, in pixels of the image) on the device."""
        target = self.primitives.allocate(width, height, handle.channels, handle.dtype)
        self.primitives.exec_resize(handle, target, filter, region)
        return target

    def process(self, handle: ImageHandle, ops: Iterable[Op | CropStep]) -> ImageHandle:
        """Run these ops on a whole image, and keep the result on the device; crops are left out."""
        for stage in _stages(ops, handle.format, display=False):
            handle = self._run_stage(handle, stage)
        return handle

    def display(self, handle: ImageHandle, ops: Iterable[Op]) -> NDArray[np.uint8]:
        """Return the image after these ops as (height, width, 4) RGBA bytes: clamped to 0..1, rounded, opaque."""
        return self.primitives.download(self.displayed(handle, ops))

    def displayed(self, handle: ImageHandle, ops: Iterable[Op]) -> ImageHandle:
        """Run these ops for display as `display` does, and keep the result on the device."""
        for stage in display_stages(ops, handle.format):
            handle = self._run_stage(handle, stage)
        return handle

    def filtered(self, handle: ImageHandle, ops: Iterable[Op]) -> tuple[ImageHandle, tuple[ColorOp, ...]]:
        """Run these ops as `display` does up to the last filter; return the image and the remaining colour ops."""
        *before, last = display_stages(ops, handle.format)
        for stage in before:
            handle = self._run_stage(handle, stage)
        assert isinstance(last.step, PointStep)
        return handle, last.step.ops

    # -- kernels

    def prepare(self, ops: Iterable[Op | CropStep], source: PixelFormat = RGBA, display: bool = False) -> None:
        """Compile the kernels of these ops for an image of this format; with `display`, those to display it."""
        for stage in _stages(ops, source, display):
            self.primitives.prepare(stage)

    def prepared(self, ops: Iterable[Op | CropStep], source: PixelFormat = RGBA, display: bool = False) -> bool:
        """Return whether these ops run without compiling, which can take about a second per op."""
        return all(self.primitives.prepared(stage) for stage in _stages(ops, source, display))

    # -- internals

    def _run_stage(self, handle: ImageHandle, stage: Stage) -> ImageHandle:
        """Run one stage on a whole image."""
        size = handle.width, handle.height
        width, height = stage.step.result_size(size)
        target = self.primitives.allocate(width, height, stage.target.channels, stage.target.dtype)
        if isinstance(stage.step, FilterStep):
            self.primitives.exec_taps(handle, target, *stage.step.taps(size))
        else:
            self.primitives.exec_point(handle, target, stage.step.ops)
        return target

    def _run_tiles(self, source: StreamingSource, steps: Plan, area: Rect, result: Pixels) -> None:
        """Compute `area` of the image into `result`, in the largest tiles that fit the device, several concurrently."""

        def run(tile: Rect) -> None:
            rect = Rect(area.x + tile.x, area.y + tile.y, tile.width, tile.height)
            self._run_region(source, steps, rect, result[tile.y : tile.bottom, tile.x : tile.right])

        parts = list(tiles(area.width, area.height, self._tile_side(source, steps, area)))
        if len(parts) == 1 or self.primitives.concurrency == 1:
            for part in parts:
                run(part)
            return
        with ThreadPoolExecutor(self.primitives.concurrency, "tessera-tile") as pool:
            for _ in pool.map(run, parts):
                pass

    def _run_region(self, source: StreamingSource, steps: Plan, result: Rect, into: Pixels | None = None) -> Pixels:
        """Compute the region `result`, in smaller pieces if memory runs out, on a fallback if the device fails."""
        primitives = self.primitives
        try:
            return self._run_on(primitives, source, steps, result, into)
        except OutOfDeviceMemory as error:
            primitives.release_cached()
            if max(result.width, result.height) <= MIN_TILE:
                self.fall_back(primitives, error)
        except (DeviceLost, KernelError) as error:
            self.fall_back(primitives, error)
        if primitives is not self.primitives:
            return self._run_region(source, steps, result, into)
        side = max(MIN_TILE, max(result.width, result.height) // 2)
        self._shrink_tiles(side)
        if into is None:
            into = np.empty((result.height, result.width, source.channels), source.dtype)
        for part in tiles(result.width, result.height, side):
            rect = Rect(result.x + part.x, result.y + part.y, part.width, part.height)
            self._run_region(source, steps, rect, into[rect.within(result)])
        return into

    def _run_on(
        self, primitives: GpuPrimitives, source: StreamingSource, steps: Plan, result: Rect, into: Pixels | None
    ) -> Pixels:
        """Compute the region `result` on one device: upload the part of the source it needs, and run every step."""
        sizes = steps.sizes(source.width, source.height)
        regions = steps.regions(result, sizes)
        handle = primitives.upload(source.read_region(regions[0]))
        for step, size, before, after in zip(steps.steps, sizes, regions, regions[1:], strict=False):
            if isinstance(step, CropStep):
                continue
            target = primitives.allocate(after.width, after.height, handle.channels, handle.dtype)
            if isinstance(step, FilterStep):
                columns, rows = step.taps(size)
                primitives.exec_taps(
                    handle,
                    target,
                    columns.part(after.x, after.right, before.x),
                    rows.part(after.y, after.bottom, before.y),
                )
            else:
                primitives.exec_point(handle, target, step.ops)
            handle = target
        return primitives.download(handle, into)

    def _shrink_tiles(self, side: int) -> None:
        with self._lock:
            if side >= self._largest_tile:
                return
            self._largest_tile = side
        self._note(f"{self.primitives.device} is short of memory; continuing with tiles of {side} pixels")

    def fall_back(self, failed: GpuPrimitives, error: BackendError) -> None:
        """Replace a failed backend with the next usable fallback. Raises `error` if there is none."""
        with self._lock:
            if self.primitives is not failed:
                return  # another thread was first
            while self.primitives is failed:
                if not self._fallbacks:
                    raise error
                with contextlib.suppress(BackendError):
                    self.primitives = self._fallbacks.pop(0)()
            self._largest_tile = UNBOUNDED
        self._note(f"{error.what}; continuing with {self.primitives.device}")

    def _note(self, text: str) -> None:
        LOG.warning(text)
        self.notes.append(text)

    def _recommend(self, source: StreamingSource, steps: Plan) -> ProcessingStrategy:
        if self.tile:
            return ProcessingStrategy(StrategyKind.TILED, self.tile)
        size = (source.width, source.height, source.channels)
        strategy = ProcessingStrategy.recommend(*size, self.limits, steps.halo)
        estimate = steps.device_bytes(*size, source.dtype.itemsize)
        if strategy.kind is StrategyKind.SINGLE_PASS and estimate > self.limits.available_memory:
            return ProcessingStrategy(StrategyKind.TILED, self.limits.optimal_tile_size(*size, steps.halo))
        return strategy

    def _tile_side(self, source: StreamingSource, steps: Plan, area: Rect) -> int:
        """Return the side of the tiles of `area`; one tile if the device can hold all of it."""
        if self.tile:
            return self.tile
        side = max(area.width, area.height)
        if not self.limits.fits(area.width + 2 * steps.halo, area.height + 2 * steps.halo, source.channels):
            # Concurrent tiles share the memory.
            channels = source.channels * self.primitives.concurrency
            side = self.limits.optimal_tile_size(area.width, area.height, channels, steps.halo)
        return min(side, self._largest_tile)


def _stages(ops: Iterable[Op | CropStep], source: PixelFormat, display: bool) -> list[Stage]:
    return display_stages((op for op in ops if isinstance(op, Op)), source) if display else stages(ops, source)


class _Window(StreamingSource):
    """Pixels of one region of a larger image."""

    def __init__(self, pixels: Pixels, region: Rect, size: Size) -> None:
        self.pixels, self.region = pixels, region
        self.width, self.height = size
        self.channels, self.dtype = pixels.shape[2], pixels.dtype

    def read_region(self, rect: Rect) -> Pixels:
        part = self.pixels[rect.within(self.region)]
        if part.shape[:2] != (rect.height, rect.width):
            raise HandleError(f"{rect} lies outside {self.region}")
        return part

"""TiledExecutor, which runs a grade on a backend: in one pass, in tiles or streaming, with identical results."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.base import LOG, GpuPrimitives, ImageHandle
from engine.compute.kept_images import KeptImages
from engine.compute.mattes import NO_INPUTS, MatteInputs
from engine.compute.plan import (
    RGBA,
    CropStep,
    DisplayPlans,
    PixelFormat,
    Plan,
    PointStep,
    display_plan,
    plan,
    stages,
)
from engine.compute.plan_run import PlanRun, Stop, never
from engine.compute.streaming import MemoryOutput, MemorySource, Pixels, StreamingOutput, StreamingSource, WindowSource
from engine.core.geometry import MIN_TILE, GpuLimits, ProcessingStrategy, Rect, StrategyKind, tiles
from engine.errors import BackendError, DeviceLost, KernelError, OutOfDeviceMemory
from engine.grade.masking import Blend, fitted, has_side_images, reads_place
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.kernel.taps import Size

if TYPE_CHECKING:
    from engine.compute.memory_budget import MemoryBudget
    from engine.compute.pipeline import Progress, StreamReport

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
        self.plans = DisplayPlans()

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

    def execute_color(self, image: Pixels, ops: Iterable[Op], inputs: MatteInputs | None = None) -> Pixels:
        """Grade a (height, width, 3|4) array of float16 or float32. Return a new array of the same type.

        `inputs` is what mattes read besides the image.
        """
        source, inputs = MemorySource(image), inputs or NO_INPUTS
        return self._execute(source, _planned(ops, inputs, (source.width, source.height)), inputs)

    def execute_image(self, image: Pixels, op: ImageOp) -> Pixels:
        """Resize or blur an array."""
        return self._execute(MemorySource(image), plan([op]), NO_INPUTS)

    def _execute(self, source: MemorySource, steps: Plan, inputs: MatteInputs) -> Pixels:
        if not steps.steps:
            return np.array(source.pixels)
        output = MemoryOutput(source.dtype)
        width, height = steps.sizes(source.width, source.height)[-1]
        if self._recommend(source, steps).kind is StrategyKind.SINGLE_PASS:
            return self._run_region(source, steps, inputs, Rect(0, 0, width, height))
        output.init(width, height, source.channels)
        self._run_tiles(source, steps, inputs, Rect(0, 0, width, height), output.pixels)
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
        inputs: MatteInputs | None = None,
        others: Sequence[Iterable[Op | CropStep]] = (),
    ) -> StreamReport:
        """Read, grade and write band by band; the three overlap, and memory depends on the band only.

        `held` bytes of `max_memory` are already in use. With a `budget` shared with other images, all work is done in
        the calling thread. `inputs` is what mattes read besides the image. `others` are the ops of the source's last
        images, if they are not `ops`.

        On failure, and when `cancelled()` returns True, `output.abort()` is called; the latter raises Cancelled.
        """
        from engine.compute.pipeline import Pipeline

        found, size = inputs or NO_INPUTS, (source.width, source.height)
        steps, *more = plans = [_planned(each, found, size) for each in (ops, *others)]
        before = len(source.formats) - len(plans)

        def compute(number: int, pixels: Pixels, region: Rect, band: Rect) -> Pixels:
            return self._grade(WindowSource(pixels, region, size), plans[max(number - before, 0)], found, band)

        held += found.planes.fixed_bytes if found.planes else 0
        pipeline = Pipeline(source, output, steps, compute, self.tile, self.max_memory, held, budget, more)
        return pipeline.run(progress, cancelled)

    def _grade(self, source: WindowSource, steps: Plan, inputs: MatteInputs, band: Rect) -> Pixels:
        """Return `band` of the result from the pixels of a window, in tiles if the device can't hold it."""
        if not steps.computes:
            return source.read_region(steps.needed(band, (source.width, source.height)))
        result = np.empty((band.height, band.width, source.channels), source.dtype)
        self._run_tiles(source, steps, inputs, band, result)
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

    def process(
        self, handle: ImageHandle, ops: Iterable[Op | CropStep], inputs: MatteInputs | None = None
    ) -> ImageHandle:
        """Run these ops on a whole image, and keep the result on the device; crops are left out."""
        ops = (op for op in ops if isinstance(op, Op))
        inputs = inputs or NO_INPUTS
        return self._run_whole(handle, _planned(ops, inputs, (handle.width, handle.height)), inputs)

    def display(self, handle: ImageHandle, ops: Iterable[Op], inputs: MatteInputs | None = None) -> NDArray[np.uint8]:
        """Return the image after these ops as (height, width, 4) RGBA bytes: clamped to 0..1, rounded, opaque."""
        return self.primitives.download(self.displayed(handle, ops, inputs))

    def displayed(
        self,
        handle: ImageHandle,
        ops: Iterable[Op],
        inputs: MatteInputs | None = None,
        *,
        stop: Stop = never,
        kept: KeptImages | None = None,
    ) -> ImageHandle:
        """Run these ops for display as `display` does, and leave the result on the device.

        `kept` are images of the last run on this source. Raises Cancelled if `stop()` returns True between two steps.
        """
        inputs = inputs or NO_INPUTS
        steps = self.plans.of(tuple(ops), inputs.frame, (handle.width, handle.height))
        return self._whole_run(handle, steps, inputs, display=True).run(lambda region: handle, stop, kept)

    def filtered(
        self, handle: ImageHandle, ops: Iterable[Op], inputs: MatteInputs | None = None
    ) -> tuple[ImageHandle, tuple[ColorOp, ...]]:
        """Run these ops as `display` does up to the last filter and the last matte; return the image and the remaining
        colour ops, which do not depend on the place."""
        ops, inputs = tuple(ops), inputs or NO_INPUTS
        linked = (isinstance(op, Blend) or reads_place(op) or has_side_images(op) for op in ops)
        ends = max((number for number, is_linked in enumerate(linked, 1) if is_linked), default=0)
        if ends:
            size = handle.width, handle.height
            steps = display_plan(fitted(ops[:ends], inputs.frame, size), size, ends=False)
            handle = self._run_whole(handle, steps, inputs, between=True)
        steps = display_plan(ops[ends:])
        last = steps.steps[-1]
        assert isinstance(last, PointStep)
        return self._run_whole(handle, Plan(steps.steps[:-1]), inputs, between=True), last.ops

    # -- kernels

    def prepare(self, ops: Iterable[Op | CropStep], source: PixelFormat = RGBA, display: bool = False) -> None:
        """Compile the kernels of these ops for an image of this format; with `display`, those to display it, also after
        sliders of mattes are moved."""
        for stage in (self.plans.stages if display else stages)(ops, source):
            self.primitives.prepare(stage)

    def prepared(self, ops: Iterable[Op | CropStep], source: PixelFormat = RGBA, display: bool = False) -> bool:
        """Return whether these ops run without compiling, which can take about a second per op."""
        return all(self.primitives.prepared(stage) for stage in (self.plans.stages if display else stages)(ops, source))

    # -- internals

    def _run_whole(self, handle: ImageHandle, steps: Plan, inputs: MatteInputs, between: bool = False) -> ImageHandle:
        """Run a plan on a whole image; with `between`, up to a float32 image between those of display."""
        return self._whole_run(handle, steps, inputs, between=between).run(lambda region: handle)

    def _whole_run(
        self, handle: ImageHandle, steps: Plan, inputs: MatteInputs, display: bool = False, between: bool = False
    ) -> PlanRun:
        sizes = steps.sizes(handle.width, handle.height)
        formats = steps.formats(handle.format, display or between)
        if between and steps.steps:
            formats[-1] = PixelFormat(RGBA.dtype, handle.channels)
        regions = [Rect(0, 0, *size) for size in sizes]
        return PlanRun(self.primitives, steps, sizes, regions, formats, inputs)

    def _run_tiles(self, source: StreamingSource, steps: Plan, inputs: MatteInputs, area: Rect, result: Pixels) -> None:
        """Compute `area` of the image into `result`, in the largest tiles that fit the device, several concurrently."""

        def run(tile: Rect) -> None:
            rect = Rect(area.x + tile.x, area.y + tile.y, tile.width, tile.height)
            self._run_region(source, steps, inputs, rect, result[tile.y : tile.bottom, tile.x : tile.right])

        parts = list(tiles(area.width, area.height, self._tile_side(source, steps, area)))
        if len(parts) == 1 or self.primitives.concurrency == 1:
            for part in parts:
                run(part)
            return
        with ThreadPoolExecutor(self.primitives.concurrency, "tessera-tile") as pool:
            for _ in pool.map(run, parts):
                pass

    def _run_region(
        self, source: StreamingSource, steps: Plan, inputs: MatteInputs, result: Rect, into: Pixels | None = None
    ) -> Pixels:
        """Compute the region `result`, in smaller pieces if memory runs out, on a fallback if the device fails."""
        primitives = self.primitives
        try:
            return self._run_on(primitives, source, steps, inputs, result, into)
        except OutOfDeviceMemory as error:
            primitives.release_cached()
            if max(result.width, result.height) <= MIN_TILE:
                self.fall_back(primitives, error.for_tiles(MIN_TILE))
        except (DeviceLost, KernelError) as error:
            self.fall_back(primitives, error)
        if primitives is not self.primitives:
            return self._run_region(source, steps, inputs, result, into)
        side = max(MIN_TILE, max(result.width, result.height) // 2)
        self._shrink_tiles(side)
        if into is None:
            into = np.empty((result.height, result.width, source.channels), source.dtype)
        for part in tiles(result.width, result.height, side):
            rect = Rect(result.x + part.x, result.y + part.y, part.width, part.height)
            self._run_region(source, steps, inputs, rect, into[rect.within(result)])
        return into

    def _run_on(
        self,
        primitives: GpuPrimitives,
        source: StreamingSource,
        steps: Plan,
        inputs: MatteInputs,
        result: Rect,
        into: Pixels | None,
    ) -> Pixels:
        """Compute the region `result` on one device: upload the part of the source it needs, and run every step."""
        sizes = steps.sizes(source.width, source.height)
        formats = steps.formats(PixelFormat(np.dtype(source.dtype), source.channels))
        run = PlanRun(primitives, steps, sizes, steps.regions(result, sizes), formats, inputs)
        return primitives.download(run.run(lambda region: primitives.upload(source.read_region(region))), into)

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
        size = (source.width, source.height, steps.tile_channels(source.channels))
        strategy = ProcessingStrategy.recommend(*size, self.limits, steps.halo)
        estimate = steps.device_bytes(source.width, source.height, source.channels, source.dtype.itemsize)
        if strategy.kind is StrategyKind.SINGLE_PASS and estimate > self.limits.available_memory:
            return ProcessingStrategy(StrategyKind.TILED, self.limits.optimal_tile_size(*size, steps.halo))
        return strategy

    def _tile_side(self, source: StreamingSource, steps: Plan, area: Rect) -> int:
        """Return the side of the tiles of `area`; one tile if the device can hold all of it."""
        if self.tile:
            return self.tile
        side = max(area.width, area.height)
        channels = steps.tile_channels(source.channels)
        if not self.limits.fits(area.width + 2 * steps.halo, area.height + 2 * steps.halo, channels):
            channels *= self.primitives.concurrency  # concurrent tiles share the memory
            side = self.limits.optimal_tile_size(area.width, area.height, channels, steps.halo)
        return min(side, self._largest_tile)


def _planned(ops: Iterable[Op | CropStep], inputs: MatteInputs, size: Size) -> Plan:
    return plan(fitted(ops, inputs.frame, size), size)

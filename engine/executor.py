"""TiledExecutor: runs a grade on a backend, whole, in tiles or streaming; the same kernels and bits in each case."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from typing import TypeVar

import numpy as np
from numpy.typing import NDArray

from engine.backends.base import DISPLAY, GpuPrimitives, ImageHandle
from engine.errors import Cancelled, HandleError, MemoryLimitError
from engine.op import ColorOp, ImageOp, Op
from engine.plan import FilterStep, Plan, Size, plan
from engine.streaming import MemoryOutput, MemorySource, Pixels, StreamingOutput, StreamingSource
from engine.tiling import GpuLimits, ProcessingStrategy, Rect, StrategyKind, tiles

BANDS_IN_FLIGHT = 3
"""Bands alive at once while streaming: one is read, one computed, one written."""
DEFAULT_BAND_BYTES = 16 * 1024**2
"""Size of a band where no limit asks for less: large enough for decoders to work in parallel, small in memory."""

Progress = Callable[[float], None]
"""Told the share that is done, 0..1."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class StreamReport:
    """How a picture was processed. `tile` is the rows of a band or the side of a tile; seconds per stage overlap."""

    strategy: str
    tile: int
    tiles: int
    seconds_read: float
    seconds_compute: float
    seconds_write: float


class TiledExecutor:
    """Runs ops on one backend. Safe to call from several threads.

    `tile` sets the side of tiles (and the height of bands), else they follow from the device and from `max_memory`,
    the bytes that pixels may take in main memory while streaming.
    """

    def __init__(self, primitives: GpuPrimitives, tile: int | None = None, max_memory: int | None = None) -> None:
        self.primitives = primitives
        self.tile = tile
        self.max_memory = max_memory

    @property
    def limits(self) -> GpuLimits:
        return self.primitives.limits

    # -- arrays

    def execute_color(self, image: Pixels, ops: Iterable[Op]) -> Pixels:
        """Grade a (height, width, 3|4) array of float16 or float32; a new array of the same type comes back."""
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
        for rect in self._tiles(source, steps, width, height):
            output.write_region(rect, self._run_region(source, steps, rect))
        return output.pixels

    # -- streaming

    def execute_color_streaming(
        self,
        source: StreamingSource,
        output: StreamingOutput,
        ops: Iterable[Op],
        progress: Progress | None = None,
        cancelled: Callable[[], bool] | None = None,
    ) -> StreamReport:
        """Read, grade and write a band at a time, the three overlapping; memory follows the band.

        On any failure, and when `cancelled()` turns true (then Cancelled is raised), `output.abort()` is called.
        """
        steps = plan(ops)
        clock = _Clock()
        try:
            width, height = steps.sizes(source.width, source.height)[-1]
            rows = self._band_rows(source, steps, width, height)
            output.init(width, height, source.channels)
            bands = list(tiles(width, height, width, rows))
            for done in self._stream(source, output, steps, bands, clock):
                if cancelled and cancelled():
                    raise Cancelled()
                if progress:
                    progress(done / len(bands))
            clock.time("write", output.finish)
        except BaseException:
            output.abort()
            raise
        return StreamReport(StrategyKind.STREAMING.value, rows, len(bands), **clock.seconds())

    def _stream(
        self, source: StreamingSource, output: StreamingOutput, steps: Plan, bands: list[Rect], clock: _Clock
    ) -> Iterator[int]:
        """Yields how many bands are written. Reading runs one band ahead, writing one behind."""
        sizes = steps.sizes(source.width, source.height)
        needed = [steps.regions(band, sizes)[0] for band in bands]

        def read(number: int) -> Pixels:
            return clock.time("read", lambda: source.read_region(needed[number]))

        def grade(number: int, pixels: Pixels) -> Pixels:
            return clock.time("compute", lambda: self._grade(pixels, needed[number], steps, bands[number], sizes))

        def write(number: int, pixels: Pixels) -> None:
            clock.time("write", lambda: output.write_region(bands[number], pixels))

        with ThreadPoolExecutor(1, "tessera-read") as reader, ThreadPoolExecutor(1, "tessera-write") as writer:
            ahead: Future[Pixels] = reader.submit(read, 0)
            behind: Future[None] | None = None
            for number in range(len(bands)):
                pixels = ahead.result()
                if number + 1 < len(bands):
                    ahead = reader.submit(read, number + 1)
                graded = grade(number, pixels)
                if behind:
                    behind.result()
                behind = writer.submit(write, number, graded)
                yield number
            if behind:
                behind.result()
            yield len(bands)

    def _grade(self, pixels: Pixels, region: Rect, steps: Plan, band: Rect, sizes: list[Size]) -> Pixels:
        """`band` of the result from the pixels of `region`; in tiles where the device can't hold it."""
        source = _Window(pixels, region, sizes[0])
        if not steps.steps:
            return pixels
        side = self._tile_side(source, steps, band)
        if side >= max(band.width, band.height):
            return self._run_region(source, steps, band)
        result = np.empty((band.height, band.width, pixels.shape[2]), pixels.dtype)
        for tile in tiles(band.width, band.height, side):
            rect = Rect(band.x + tile.x, band.y + tile.y, tile.width, tile.height)
            result[rect.within(band)] = self._run_region(source, steps, rect)
        return result

    # -- pictures on the device

    def upload(self, image: Pixels) -> ImageHandle:
        """A picture that stays on the device until the handle is dropped."""
        return self.primitives.upload(image)

    def resample(
        self, handle: ImageHandle, region: tuple[float, float, float, float], width: int, height: int, filter: str
    ) -> ImageHandle:
        """The region (x, y, width, height, in pixels of the picture) at another size, on the device."""
        target = self.primitives.allocate(width, height, handle.channels, handle.dtype)
        self.primitives.exec_resize(handle, target, filter, region)
        return target

    def display(self, handle: ImageHandle, ops: Iterable[Op]) -> NDArray[np.uint8]:
        """The picture under these colour ops as (height, width, 4) bytes RGBA: clamped to 0..1, rounded, opaque."""
        target = self.primitives.allocate(handle.width, handle.height, 4, DISPLAY)
        self.primitives.exec_point(handle, target, [op for op in ops if isinstance(op, ColorOp)])
        return self.primitives.download(target)

    def prepare(self, ops: Iterable[Op]) -> None:
        """Compile what these ops need."""
        self.primitives.prepare(op for op in ops if not op.is_identity())

    def prepared(self, ops: Iterable[Op]) -> bool:
        """Whether these ops run without compiling first, which takes up to a second or so for each."""
        return self.primitives.prepared(op for op in ops if not op.is_identity())

    # -- inside

    def _run_region(self, source: StreamingSource, steps: Plan, result: Rect) -> Pixels:
        """`result` of the picture: the part of the source that it needs, through every step, on the device."""
        sizes = steps.sizes(source.width, source.height)
        regions = steps.regions(result, sizes)
        handle = self.primitives.upload(source.read_region(regions[0]))
        for step, size, before, after in zip(steps.steps, sizes, regions, regions[1:], strict=False):
            target = self.primitives.allocate(after.width, after.height, handle.channels, handle.dtype)
            if isinstance(step, FilterStep):
                columns, rows = step.taps(size)
                self.primitives.exec_taps(
                    handle,
                    target,
                    columns.part(after.x, after.right, before.x),
                    rows.part(after.y, after.bottom, before.y),
                )
            else:
                self.primitives.exec_point(handle, target, step.ops)
            handle = target
        return self.primitives.download(handle)

    def _recommend(self, source: StreamingSource, steps: Plan) -> ProcessingStrategy:
        if self.tile:
            return ProcessingStrategy(StrategyKind.TILED, self.tile)
        return ProcessingStrategy.recommend(source.width, source.height, source.channels, self.limits, steps.halo)

    def _tile_side(self, source: StreamingSource, steps: Plan, area: Rect) -> int:
        if self.tile:
            return self.tile
        if self.limits.fits(area.width + 2 * steps.halo, area.height + 2 * steps.halo, source.channels):
            return max(area.width, area.height)
        return self.limits.optimal_tile_size(area.width, area.height, source.channels, steps.halo)

    def _tiles(self, source: StreamingSource, steps: Plan, width: int, height: int) -> Iterator[Rect]:
        return tiles(width, height, self._tile_side(source, steps, Rect(0, 0, width, height)))

    def _band_rows(self, source: StreamingSource, steps: Plan, width: int, height: int) -> int:
        """Rows of a band: `tile` if it is set, else as many as fit the memory, in whole blocks of 16."""
        if self.tile:
            return min(self.tile, height)
        row = max(source.width, width) * source.channels * source.dtype.itemsize
        wanted = max(1, DEFAULT_BAND_BYTES // row)
        if self.max_memory is not None:
            # A band is there as it was read, as it was computed and as it is written; the halo only as it was read.
            allowed = (self.max_memory // row - BANDS_IN_FLIGHT * 2 * steps.halo) // (2 * BANDS_IN_FLIGHT)
            if allowed < 1:
                needed = row * (BANDS_IN_FLIGHT * 2 * steps.halo + 2 * BANDS_IN_FLIGHT)
                raise MemoryLimitError(
                    f"{self.max_memory >> 20} MB are too little for a picture {source.width} pixels wide",
                    f"allow at least {(needed >> 20) + 1} MB more",
                )
            wanted = min(wanted, allowed)
        return min(height, wanted if wanted < 16 else wanted // 16 * 16)


class _Window(StreamingSource):
    """Pixels of one region of a larger picture."""

    def __init__(self, pixels: Pixels, region: Rect, size: Size) -> None:
        self.pixels, self.region = pixels, region
        self.width, self.height = size
        self.channels, self.dtype = pixels.shape[2], pixels.dtype

    def read_region(self, rect: Rect) -> Pixels:
        part = self.pixels[rect.within(self.region)]
        if part.shape[:2] != (rect.height, rect.width):
            raise HandleError(f"{rect} lies outside {self.region}")
        return part


class _Clock:
    """Adds up the seconds of each stage."""

    def __init__(self) -> None:
        self._seconds = {"read": 0.0, "compute": 0.0, "write": 0.0}

    def time(self, stage: str, work: Callable[[], Result]) -> Result:
        start = time.perf_counter()
        try:
            return work()
        finally:
            self._seconds[stage] += time.perf_counter() - start

    def seconds(self) -> dict[str, float]:
        return {f"seconds_{stage}": seconds for stage, seconds in self._seconds.items()}

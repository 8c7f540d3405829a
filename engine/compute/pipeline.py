"""Pipeline that reads, computes and writes region by region; the three overlap, and memory depends on the region only.

Regions are full-width bands of whole coding blocks. If those exceed the memory limit and both files are tiled, regions
are pieces of rows of tiles.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import field, replace
from typing import TYPE_CHECKING, TypeVar

from engine.compute.plan import CropStep, Plan
from engine.compute.streaming import Pixels, RegionPixels, StreamingOutput, StreamingSource
from engine.core.address_space import free_address_space
from engine.core.geometry import Rect, StrategyKind, around, tiles
from engine.core.records import dataclass
from engine.core.system import available_memory, usable_cores
from engine.errors import Cancelled, MemoryLimitError

if TYPE_CHECKING:
    from engine.compute.memory_budget import MemoryBudget


DEFAULT_BAND_BYTES = 4 * 1024**2
"""Default size of a band, and its maximum per core: small, but large enough to be worth a library call."""
CHUNKS_PER_CORE = 2
"""Chunks that a band has per core, so that all cores decode and encode."""
SIDE_BYTES = 256 * 1024**2
"""Most memory for the images of mattes in bands that are enlarged for them: each band evaluates their halo again. Also
the most for what lies around a band, if it is decoded with it for the planes of mattes."""
LIBRARIES = 1.75
"""Memory that regions take relative to their size, with copies in libraries and allocators; measured."""
MB = 1000**2
"""The unit of --max-memory on the command line."""

Progress = Callable[[float], None]
"""Called with the completed share, 0..1."""
Compute = Callable[[int, Pixels, Rect, Rect], Pixels]
"""Takes the number of a graded image, its pixels in a source region, that region and a result region; returns the
pixels of the result region."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class StreamReport:
    """The report of a run. `tile` is the number of rows of a band or the side of a tile; the seconds overlap."""

    strategy: str
    tile: int
    tiles: int
    seconds_read: float
    seconds_compute: float
    seconds_write: float


@dataclass
class Pipeline:
    """Processes one image. `tile` sets the number of rows of a band.

    `max_memory` is the memory limit in bytes, of which `held` bytes are already in use. A `budget` is shared with other
    images: this one then keeps to its share, as far as possible, and works in the calling thread only. `others` are the
    plans of the source's last images, if they are not `steps`; their results have the same size.
    """

    source: StreamingSource
    output: StreamingOutput
    steps: Plan
    compute: Compute
    tile: int | None = None
    max_memory: int | None = None
    held: int = 0
    budget: MemoryBudget | None = None
    others: Sequence[Plan] = ()
    _reads_around: bool = field(default=False, init=False)
    """Whether regions of the source are as large as those of its planes, so that both are decoded at once."""

    def run(self, progress: Progress | None = None, cancelled: Callable[[], bool] | None = None) -> StreamReport:
        """Process the image. Abort the output on failure; raise Cancelled when `cancelled()` returns True."""
        clock = _Clock()
        try:
            width, height = self._sizes[-1]
            self.output.init(width, height, self.source.channels)
            regions = self.regions()
            with self._taken(regions[0], cancelled):
                for done in self._stream(regions, clock):
                    if cancelled and cancelled():
                        raise Cancelled()
                    if progress and done:
                        progress(done / len(regions))
            clock.time("write", self.output.finish)
        except BaseException:
            self.output.abort()
            raise
        return StreamReport(StrategyKind.STREAMING.value, regions[0].height, len(regions), **clock.seconds())

    @property
    def _sizes(self) -> list[tuple[int, int]]:
        return self.steps.sizes(self.source.width, self.source.height)

    @property
    def _plans(self) -> tuple[Plan, ...]:
        return self.steps, *self.others

    def _needed(self, region: Rect) -> Rect:
        """Return the region of the source that a region of the results needs."""
        size = self.source.width, self.source.height
        return around(each.needed(region, size, self._reads_around) for each in self._plans)

    def _taken(self, region: Rect, cancelled: Callable[[], bool] | None) -> AbstractContextManager[None]:
        """Reserve the memory for regions of this size."""
        if self.budget is None:
            return nullcontext()
        return self.budget.taken(self._cost(region.width, region.height), cancelled)

    def _stream(self, regions: list[Rect], clock: _Clock) -> Iterator[int]:
        """Yield the number of regions written. Reading runs one region ahead and writing one behind computing.

        With a budget, all three run in this thread.
        """
        needed = [self._needed(region) for region in regions]

        def read(number: int) -> RegionPixels:
            return clock.time("read", lambda: self.source.read(needed[number]))

        def compute(number: int, region: RegionPixels) -> RegionPixels:
            def images() -> tuple[Pixels, ...]:
                rects = region.rect, regions[number]
                return tuple(self.compute(image, pixels, *rects) for image, pixels in enumerate(region.graded))

            return replace(region, graded=clock.time("compute", images))

        def write(number: int, region: RegionPixels) -> None:
            clock.time("write", lambda: self.output.write(regions[number], region))

        if self.budget is not None:
            for number in range(len(regions)):
                with self.budget.cores:
                    write(number, compute(number, read(number)))
                yield number
            yield len(regions)
            return
        with ThreadPoolExecutor(1, "tessera-read") as reader, ThreadPoolExecutor(1, "tessera-write") as writer:
            ahead: Future[RegionPixels] | None = reader.submit(read, 0)
            behind: Future[None] | None = None
            for number in range(len(regions)):
                assert ahead is not None
                region, ahead = ahead.result(), None  # the future would keep the pixels alive
                if number + 1 < len(regions):
                    ahead = reader.submit(read, number + 1)
                region = compute(number, region)
                if behind:
                    behind.result()
                behind = writer.submit(write, number, region)
                del region
                yield number
            if behind:
                behind.result()
            yield len(regions)

    # -- division into regions

    def regions(self) -> list[Rect]:
        """Return the regions of the result, in order. Raises MemoryLimitError if not even the smallest fit."""
        width, height = self._sizes[-1]
        allowed, self._reads_around = self.budget.share if self.budget else self._allowed(), False
        try:
            wide, high = self._shape(width, height, allowed)
        except MemoryLimitError:
            if self.budget is None:
                raise
            wide, high = self._shape(width, height, self.budget.memory)
        alone, self._reads_around = self._cost(wide, high), True
        self._reads_around = self._cost(wide, high) <= min(allowed, alone + SIDE_BYTES)
        return list(tiles(width, height, wide, high))

    def _shape(self, width: int, height: int, allowed: int) -> tuple[int, int]:
        step = self._step(height)
        row = max(self.source.width, width) * max(self.source.graded_bytes, self.source.pixel_bytes)
        cores = 1 if self.budget else usable_cores()
        wanted = min(max(DEFAULT_BAND_BYTES, CHUNKS_PER_CORE * cores * step * row), DEFAULT_BAND_BYTES * cores)
        rows = min(self.tile or max(wanted // row // step, 1) * step, height)
        if self.tile:
            return width, rows
        halo = max(each.side_halo for each in self._plans)
        while rows < halo and 2 * rows <= height and self._side_bytes(width, 2 * rows) <= SIDE_BYTES:
            rows *= 2
        while rows > step and self._cost(width, rows) > allowed:
            rows = max(rows // 2 // step, 1) * step
        if self._cost(width, rows) <= allowed:
            return width, rows
        return self._piece(width, rows, allowed), rows

    def _allowed(self) -> int:
        """Return the bytes that regions may take."""
        if self.max_memory is None:
            return min(available_memory(), free_address_space())
        return min(self.max_memory - self.held, free_address_space())

    def _step(self, height: int) -> int:
        """Return a number of rows that suits the chunks of source and output, as far as possible."""
        encoded = self.output.block[1]
        resampled = self.steps.resamples(self.source.width, self.source.height)
        decoded = 1 if resampled else self.source.block[1]
        common, larger = math.lcm(decoded, encoded), max(decoded, encoded)
        return min(common if common <= 4 * larger else larger, height)

    def _piece(self, width: int, rows: int, allowed: int) -> int:
        """Return the width of the pieces of a row of tiles."""
        least = math.lcm(self.source.block[0], self.output.block[0])
        if not least or any(isinstance(step, CropStep) for step in self.steps.steps):
            least = width
        wide = min(least, width)
        while 2 * wide < width and self._cost(2 * wide, rows) <= allowed:
            wide *= 2
        cost = self._cost(wide, rows)
        if cost > allowed:
            total = allowed + self.held
            raise MemoryLimitError(
                f"{total // MB} MB of memory are too little for this image",
                f"allow at least {(cost + self.held) // MB + 1} MB" if self.max_memory else "close other programs",
            )
        return wide

    def _cost(self, width: int, rows: int) -> int:
        """Return the peak bytes in use for regions of this size in the middle of the image.

        At the peak one region is read, one is computed (its source, its result and the images of mattes exist), and one
        is written.
        """
        region = self._in_the_middle(width, rows)
        needed = self._needed(region)
        kept, graded = self.source.pixel_bytes, self.source.graded_bytes
        fixed = self.source.fixed_bytes + self.output.fixed_bytes
        pixels = needed.pixels * (3 * kept + 2 * graded) + region.pixels * (kept + 2 * graded)
        return fixed + int(LIBRARIES * pixels) + self._side_bytes(width, rows)

    def _side_bytes(self, width: int, rows: int) -> int:
        """Return the peak bytes of the images of mattes for regions of this size."""
        region, size = self._in_the_middle(width, rows), (self.source.width, self.source.height)
        return max(each.side_bytes(each.regions(region, each.sizes(*size))) for each in self._plans)

    def _in_the_middle(self, width: int, rows: int) -> Rect:
        """Return a region of this size in the middle of the result."""
        full_width, full_height = self._sizes[-1]
        return Rect((full_width - width) // 2, (full_height - rows) // 2, width, rows)


class _Clock:
    """Sums the seconds of each stage."""

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

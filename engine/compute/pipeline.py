"""Read -> compute -> write, a region at a time, the three overlapping; memory follows the region.

Regions are full-width bands of whole coding blocks, or, where those would be too large for the memory allowed and
both ends are tiled, rows of whole tiles cut into pieces.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from typing import TypeVar

from engine.compute.memory_budget import MemoryBudget
from engine.compute.plan import CropStep, FilterStep, Plan
from engine.compute.streaming import Pixels, StreamingOutput, StreamingSource
from engine.core.address_space import free_address_space
from engine.core.geometry import Rect, StrategyKind, tiles
from engine.core.system import available_memory, usable_cores
from engine.errors import Cancelled, MemoryLimitError
from engine.ops import Resize

DEFAULT_BAND_BYTES = 4 * 1024**2
"""Size of a band where no limit asks for less, and for each core at most: small, but worth the call of a library."""
CHUNKS_PER_CORE = 2
"""Blocks of lines that a band has for each core, so that all of them decode and encode."""
LIBRARIES = 1.75
"""Memory that regions take, with what libraries copy of them and allocators keep, over their own size; measured."""
MB = 1000**2
"""As the command line reads it."""

Progress = Callable[[float], None]
"""Told the share that is done, 0..1."""
Compute = Callable[[Pixels, Rect, Rect], Pixels]
"""From the pixels of a region of the source, that region and a region of the result: the pixels of the latter."""
Result = TypeVar("Result")


@dataclass(frozen=True)
class StreamReport:
    """How an image was processed. `tile` is the rows of a band or the side of a tile; seconds per stage overlap."""

    strategy: str
    tile: int
    tiles: int
    seconds_read: float
    seconds_compute: float
    seconds_write: float


@dataclass
class Pipeline:
    """One image on its way. `tile` sets the rows of a band.

    `max_memory` is what may be in use, in bytes; `held` of it is in use already. With a `budget` other images are on
    their way, too: then this one keeps to its share, as far as it can, and to the thread that runs it.
    """

    source: StreamingSource
    output: StreamingOutput
    steps: Plan
    compute: Compute
    tile: int | None = None
    max_memory: int | None = None
    held: int = 0
    budget: MemoryBudget | None = None

    def run(self, progress: Progress | None = None, cancelled: Callable[[], bool] | None = None) -> StreamReport:
        """Do it. On any failure the output is aborted, and when `cancelled()` turns true, with Cancelled."""
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

    def _taken(self, region: Rect, cancelled: Callable[[], bool] | None) -> AbstractContextManager[None]:
        """The memory for such regions."""
        if self.budget is None:
            return nullcontext()
        return self.budget.taken(self._cost(region.width, region.height), cancelled)

    def _stream(self, regions: list[Rect], clock: _Clock) -> Iterator[int]:
        """Yields how many regions are written. Reading runs one ahead, writing one behind, or all in this thread."""
        sizes = self._sizes
        needed = [self.steps.regions(region, sizes)[0] for region in regions]

        def read(number: int) -> list[Pixels]:
            return clock.time("read", lambda: self.source.read_regions(needed[number]))

        def compute(number: int, images: list[Pixels]) -> list[Pixels]:
            return clock.time(
                "compute", lambda: [self.compute(each, needed[number], regions[number]) for each in images]
            )

        def write(number: int, images: list[Pixels]) -> None:
            clock.time("write", lambda: self.output.write_regions(regions[number], images))

        if self.budget is not None:
            for number in range(len(regions)):
                with self.budget.cores:
                    write(number, compute(number, read(number)))
                yield number
            yield len(regions)
            return
        with ThreadPoolExecutor(1, "tessera-read") as reader, ThreadPoolExecutor(1, "tessera-write") as writer:
            ahead: Future[list[Pixels]] | None = reader.submit(read, 0)
            behind: Future[None] | None = None
            for number in range(len(regions)):
                assert ahead is not None
                images, ahead = ahead.result(), None  # the future would keep the pixels
                if number + 1 < len(regions):
                    ahead = reader.submit(read, number + 1)
                images = compute(number, images)
                if behind:
                    behind.result()
                behind = writer.submit(write, number, images)
                del images
                yield number
            if behind:
                behind.result()
            yield len(regions)

    # -- how the image is cut

    def regions(self) -> list[Rect]:
        """The regions of the result, in order. MemoryLimitError if not even the smallest fit."""
        width, height = self._sizes[-1]
        try:
            wide, high = self._shape(width, height, self.budget.share if self.budget else self._allowed())
        except MemoryLimitError:
            if self.budget is None:
                raise
            wide, high = self._shape(width, height, self.budget.memory)
        return list(tiles(width, height, wide, high))

    def _shape(self, width: int, height: int, allowed: int) -> tuple[int, int]:
        step = self._step(height)
        row = max(self.source.width, width) * max(self.source.graded_bytes, self.source.pixel_bytes)
        cores = 1 if self.budget else usable_cores()
        wanted = min(max(DEFAULT_BAND_BYTES, CHUNKS_PER_CORE * cores * step * row), DEFAULT_BAND_BYTES * cores)
        rows = min(self.tile or max(wanted // row // step, 1) * step, height)
        if self.tile:
            return width, rows
        while rows > step and self._cost(width, rows) > allowed:
            rows = max(rows // 2 // step, 1) * step
        if self._cost(width, rows) <= allowed:
            return width, rows
        return self._piece(width, rows, allowed), rows

    def _allowed(self) -> int:
        """Bytes that regions may take."""
        if self.max_memory is None:
            return min(available_memory(), free_address_space())
        return min(self.max_memory - self.held, free_address_space())

    def _step(self, height: int) -> int:
        """Rows that are coded together at both ends, as far as that can be had."""
        there = self.output.block[1]
        resized = any(isinstance(step, FilterStep) and isinstance(step.op, Resize) for step in self.steps.steps)
        here = 1 if resized else self.source.block[1]
        common = math.lcm(here, there)
        return min(common if common <= 4 * max(here, there) else max(here, there), height)

    def _piece(self, width: int, rows: int, allowed: int) -> int:
        """Width of the pieces that a row of tiles is cut into."""
        least = math.lcm(self.source.block[0], self.output.block[0])
        if not least or any(isinstance(step, CropStep) for step in self.steps.steps):
            least = width
        wide = min(least, width)
        while 2 * wide < width and self._cost(2 * wide, rows) <= allowed:
            wide *= 2
        cost = self._cost(wide, rows)
        if cost > allowed:
            there = allowed + self.held
            raise MemoryLimitError(
                f"{there // MB} MB of memory are too little for this image",
                f"allow at least {(cost + self.held) // MB + 1} MB" if self.max_memory else "close other programs",
            )
        return wide

    def _cost(self, width: int, rows: int) -> int:
        """Bytes in use at once for regions of that size in the middle of the image.

        One region is read, one is computed, for which it is there before and after, and one is written.
        """
        full_width, full_height = self._sizes[-1]
        region = Rect((full_width - width) // 2, (full_height - rows) // 2, width, rows)
        needed = self.steps.regions(region, self._sizes)[0]
        kept, graded = self.source.pixel_bytes, self.source.graded_bytes
        fixed = self.source.fixed_bytes + self.output.fixed_bytes
        pixels = needed.pixels * (3 * kept + 2 * graded) + region.pixels * (kept + 2 * graded)
        return fixed + int(LIBRARIES * pixels)


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

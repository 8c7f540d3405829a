"""The threads of the CPU backend, which share the bands of an image."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from engine.compute.backends.cpu.layout import BLOCK
from engine.core.priorities import INTERFACE_TURN, is_lowered
from engine.errors import Cancelled

BANDS_PER_THREAD = 8
"""Enough bands to balance the load of the threads; more cost more than they gain."""
BAND_PIXELS = (16384, 1 << 20)
"""The fewest and the most pixels of a band."""
T = TypeVar("T")
U = TypeVar("U")


class Threads:
    """A pool of `count` threads, and how work is cut into bands for them."""

    def __init__(self, count: int) -> None:
        self.count, self.bands = count, count * BANDS_PER_THREAD
        self._executor = ThreadPoolExecutor(count, thread_name_prefix="tessera-cpu")

    def band_pixels(self, pixels: int) -> int:
        """Return the pixels of a band: whole blocks, so that each begins where a non-temporal store may."""
        least, most = BAND_PIXELS
        blocks = -(-pixels // (self.bands * BLOCK))
        return min(max(blocks * BLOCK, least), most)

    def map(self, work: Callable[[T], U], parts: Iterable[T]) -> list[U]:
        """Return the result of `work` for each part, in order."""
        return list(self._executor.map(work, parts))

    def share(self, band: Callable[[int], None], starts: range, stop: Callable[[], bool] = lambda: False) -> None:
        """Run the bands in this thread, which the pool helps: small frames do not wait for threads to wake up.

        Between two of them, a thread of low priority gives way to the interface. Raises Cancelled if `stop()` returns
        True while there are bands left.
        """
        waiting, shared, gives_way = iter(starts), [band], is_lowered()

        def work(stop: Callable[[], bool] = lambda: False) -> None:
            (run,) = shared
            for start in waiting:
                run(start)
                if start != starts[-1] and stop() and list(waiting):  # none of them is left for the others
                    raise Cancelled()
                if gives_way:
                    INTERFACE_TURN.give_way()

        helpers = [self._executor.submit(work) for _ in range(min(self.count, len(starts)) - 1)]
        try:
            work(stop)
        finally:
            for helper in helpers:
                if not helper.cancel():
                    helper.result()
            shared.clear()  # a cancelled helper waits in the pool for a while, and would keep the images

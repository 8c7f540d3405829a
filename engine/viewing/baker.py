"""The baked views of quick frames: which views are baked, when, and for how long they are kept."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence

from engine.compute.backends.base import LOG
from engine.compute.executor import TiledExecutor
from engine.compute.plan import PixelFormat
from engine.kernel.op import ColorOp
from engine.viewing.baked import BakedView, baking, is_costly, split

KEPT_BAKES = 3
"""The number of baked views that are kept, those of documents that are switched between."""
Tail = tuple[ColorOp, ...]
"""The ops of a view that a baked view replaces."""


class Baker:
    """Bakes costly views for an executor that computes on the CPU, and keeps those baked last."""

    def __init__(self, executor: TiledExecutor) -> None:
        self._executor = executor
        self._baked: dict[Tail, BakedView] = {}
        self._baking: tuple[Tail, Iterator[BakedView | None]] | None = None

    def clear(self) -> None:
        """Drop all baked views."""
        self._baked.clear()
        self._baking = None

    def quick_view(self, view: Sequence[ColorOp]) -> Sequence[ColorOp]:
        """Return the view with its end replaced by the baked view, if there is one that is accurate enough."""
        baked = self._good(view)
        return view if baked is None else (*split(view)[0], baked.op)

    def view_error(self, view: Sequence[ColorOp]) -> float:
        """Return the error of `quick_view` in display values; 0 if it is the view itself."""
        baked = self._good(view)
        return 0.0 if baked is None else baked.error

    def bake(self, view: Sequence[ColorOp], source: PixelFormat, stop: Callable[[], bool]) -> None:
        """Bake the view if that is worth it and not done, in about a second; continue where `stop()` interrupted it.

        Its kernels are compiled for images with the format of `source`.
        """
        head, tail = split(view)
        if self._baking is not None and self._baking[0] != tail:
            self._baking = None
        if not self._executor.runs_on_cpu or tail in self._baked or not is_costly(tail):
            return
        if self._baking is None:
            self._baking = tail, baking(tail, self._executor.execute_color, self._executor.primitives.repairs)
        for baked in self._baking[1]:
            if baked is not None:
                LOG.info("baked view: %.2f/255 off, %.1f %% exact", 255.0 * baked.error, 100.0 * baked.repaired)
                self._executor.prepare((*head, baked.op), source, display=True)
                self._keep(tail, baked)
            elif stop():
                return
        self._baking = None

    def _good(self, view: Sequence[ColorOp]) -> BakedView | None:
        """Return the baked view for a view, if there is one that is accurate enough."""
        baked = self._baked.get(split(view)[1])
        return baked if baked is not None and baked.good else None

    def _keep(self, tail: Tail, baked: BakedView) -> None:
        if len(self._baked) >= KEPT_BAKES:
            self._baked.pop(next(iter(self._baked)))
        self._baked[tail] = baked

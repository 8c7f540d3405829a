"""Frames of whole images as values, for pages: computed once, from images that may be decoded while they are viewed."""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.errors import Cancelled, TesseraError
from engine.kernel.op import ColorOp, Op
from engine.viewing.frames import FrameMaker
from engine.viewing.levels import Levels
from engine.viewing.requests import Region

AGAIN_SECONDS = 0.1
"""How long to wait for more of a large image before looking whether to stop."""


def whole_frame(
    executor: TiledExecutor,
    levels: Levels,
    size: tuple[int, int],
    grade: Sequence[Op],
    view: Sequence[ColorOp],
    stop: Callable[[], bool] = lambda: False,
    picks: bool = False,
    region: Region | None = None,
) -> NDArray[np.float32]:
    """Return a whole image on `size` pixels after a grade and a view: (rows, columns, 3|4) values, 0..1 on a display.

    With a `region`, return that part of it. `picks` takes pixels as they are, without averages, as for IDs. Waits until
    enough of the image is decoded. Raises Cancelled once `stop()` returns True, TesseraError if the file is damaged.
    """
    more, problems = threading.Event(), list[str]()
    maker = FrameMaker(executor, levels)
    maker.picks = picks
    region = region or (0.0, 0.0, float(levels.width), float(levels.height))
    levels.watch(more.set, problems.append)
    if levels.planes is not None:
        levels.planes.watch(lambda _purpose: more.set())
    try:
        while not _is_decoded(maker, region, size):
            if stop():
                raise Cancelled()
            if problems:
                raise TesseraError(problems[0])
            more.wait(AGAIN_SECONDS)
            more.clear()
        values, _ = maker.graded(region, *size, grade)
        return executor.execute_color(np.ascontiguousarray(values, np.float32), view)
    finally:
        maker.show(None)
        levels.rest()
        if levels.planes is not None:
            levels.planes.rest()


def _is_decoded(maker: FrameMaker, region: tuple[float, float, float, float], size: tuple[int, int]) -> bool:
    """Return whether a frame of the image is complete; else have what it lacks decoded, which a frame requests."""
    maker.exact(region, *size, (), (), lambda: False)
    return maker.levels.begun and maker.complete

"""Thumbnails of one image with many different ops."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from engine.compute.executor import TiledExecutor
from engine.compute.streaming import Pixels
from engine.kernel.op import ColorOp, Op
from engine.viewing.levels import Levels

OVERSAMPLING = 4
"""The most pixels along a side of the image that are averaged to one; others are skipped."""


class Thumbnails:
    """Makes thumbnails of an image that fit in width x height pixels. Not thread-safe."""

    def __init__(self, executor: TiledExecutor, levels: Levels, width: int, height: int) -> None:
        self._executor = executor
        self._source = executor.upload(small_image(levels, width, height))

    def image(self, ops: Iterable[Op]) -> NDArray[np.uint8]:
        """Return RGBA bytes (height, width, 4) after the colour ops, which end in display values. Ignores filters."""
        return self._executor.display(self._source, [op for op in ops if isinstance(op, ColorOp)])


def small_image(levels: Levels, width: int, height: int) -> Pixels:
    """Return the image averaged down to fit in width x height: (rows, columns, 3|4) float32."""
    pixels = levels.whole(levels.stored[-1])
    shrink = max(-(-pixels.shape[1] // width), -(-pixels.shape[0] // height), 1)
    step = max(1, shrink // OVERSAMPLING)
    block = -(-shrink // step)
    sparse = np.asarray(pixels[::step, ::step], np.float32)
    rows, columns = sparse.shape[0] // block, sparse.shape[1] // block
    if not rows or not columns:  # an image with an extreme aspect ratio
        return np.ascontiguousarray(sparse)
    boxes = sparse[: rows * block, : columns * block].reshape(rows, block, columns, block, -1)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(boxes.mean(axis=(1, 3)))

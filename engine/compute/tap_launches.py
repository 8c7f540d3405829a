"""How the kernels of taps.cu are launched, and the taps that stay on the device."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.handles import ImageHandle
from engine.core.bounded_cache import BoundedCache
from engine.kernel.tap_groups import GROUP, TapGroups, takes_one_pixel_each
from engine.kernel.taps import Taps

WARPS = 4
"""Warps of a block, each with one group of results."""
BLOCK = GROUP * WARPS
"""Results of a block along the axis of its pass."""
WARP_THREADS = 32
STRIP_BYTES = 1 << 30
"""Most memory for the strip of rows between the two passes. Small strips, which fit in the cache, take longer: each
pass needs enough blocks for the whole device."""
KEPT_TAPS = 32
"""The number of taps that are kept on the device, the most recently used last."""
GATHER_THREADS = 128
DEFINITIONS = {"GROUP": GROUP, "WARPS": WARPS}
"""What taps.cu must know besides the formats of the images."""


def strips(width: int, height: int) -> list[tuple[int, int]]:
    """Return the rows of each strip, from and to (exclusive), for a source of this width and a result of this height.

    They begin at whole blocks. The first is the largest.
    """
    step = max(STRIP_BYTES // (16 * width) // BLOCK * BLOCK, BLOCK)
    return [(top, min(top + step, height)) for top in range(0, height, step)]


def is_gather(columns: Taps, rows: Taps) -> bool:
    """Return whether every result is one source pixel, unchanged."""
    return takes_one_pixel_each(columns) and takes_one_pixel_each(rows)


class Filters:
    """The filters of one device. The caller holds its lock and makes it the current one."""

    def __init__(self, small: Callable[[NDArray[Any]], Any], launch: Callable[..., None]) -> None:
        """`small` copies an array to the device; `launch` takes a kernel, blocks, threads and arguments."""
        self._small = small
        self._launch = launch
        self._kept: BoundedCache[tuple[Any, ...], tuple[Taps, tuple[Any, ...]]] = BoundedCache(KEPT_TAPS)

    def clear(self) -> None:
        """Free the taps on the device."""
        self._kept.clear()

    def gather(self, kernel: Any, source: ImageHandle, target: ImageHandle, columns: Taps, rows: Taps) -> None:
        """Copy single pixels, where every result is one."""
        across = -(-target.width // GATHER_THREADS)
        numbers = map(np.uint32, (source.width, target.width, across))
        places = (self._small(columns.first), self._small(rows.first))
        arguments = (source.buffer, target.buffer, *numbers, *places)
        self._launch(kernel, across * target.height, GATHER_THREADS, arguments)

    def down(self, kernel: Any, source: ImageHandle, strip: ImageHandle, taps: Taps, rows: tuple[int, int]) -> None:
        """Compute rows of the result, from and to (exclusive), into the strip, by the kernel of the first pass."""
        across = -(-source.width // WARP_THREADS)
        numbers = map(np.uint32, (source.width, across, *rows))
        arguments = (source.buffer, strip.buffer, *numbers, *self._groups(taps))
        self._launch(kernel, across * -(-(rows[1] - rows[0]) // BLOCK), WARP_THREADS * WARPS, arguments)

    def along(self, kernel: Any, strip: ImageHandle, target: ImageHandle, taps: Taps, rows: tuple[int, int]) -> None:
        """Compute these rows of the result from the strip, by the kernel of the second pass."""
        across, height = -(-target.width // BLOCK), rows[1] - rows[0]
        numbers = map(np.uint32, (strip.width, target.width, across, rows[0], height))
        arguments = (strip.buffer, target.buffer, *numbers, *self._groups(taps))
        self._launch(kernel, across * -(-height // WARP_THREADS), WARP_THREADS * WARPS, arguments)

    def _groups(self, taps: Taps) -> tuple[Any, ...]:
        """Return spans and weights of the groups of taps on the device, copied there on first use."""
        weights = taps.weights
        key = (weights.ctypes.data, weights.shape, weights.strides, taps.first.tobytes())
        return self._kept.of(key, lambda: self._copied(taps))[1]

    def _copied(self, taps: Taps) -> tuple[Taps, tuple[Any, ...]]:
        """Return the taps, whose memory the key names and which must therefore stay, and their groups on the device."""
        groups = TapGroups.of(taps)
        return taps, (self._small(groups.spans), self._small(groups.weights))

"""Statistics of an image, computed on the device by statistics.cl: a part for each thread, joined by the host."""

from __future__ import annotations

import numpy as np

from engine.compute.backends.c_scopes import THREADS, Backend
from engine.compute.handles import ImageHandle
from engine.compute.statistics import PART_SHAPE, Statistics, statistics_of

MOST_BLOCKS = 32
"""Few, since each thread gives a part."""


def statistics(backend: Backend, handle: ImageHandle) -> Statistics:
    """Return the statistics of an image."""
    pixels = handle.width * handle.height
    blocks = min(-(-pixels // THREADS), MOST_BLOCKS)
    shape = (blocks * THREADS, *PART_SHAPE)
    with backend._device(), backend._lock:
        parts = backend._small(np.zeros(shape, np.uint32))
        kernel = backend._kernel("statistics.cl", "statistics", backend.language.image_head(handle))
        backend._launch(kernel, blocks, THREADS, (handle.buffer, np.uint32(pixels), parts))
        found = backend._read(parts, np.empty(shape, np.uint32))
    return statistics_of(found[:, :, : handle.channels])

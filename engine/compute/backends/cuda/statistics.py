"""Statistics of an image, computed on the device by statistics.cu."""

from __future__ import annotations

from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.c_scopes import SHARE, THREADS, Backend
from engine.compute.handles import ImageHandle
from engine.compute.statistics import Statistics


class CudaBackend(Backend, Protocol):
    """The interface that statistics need of the backend of their device."""

    _stream: Any


def statistics(backend: CudaBackend, handle: ImageHandle) -> Statistics:
    """Return the statistics of an image."""
    channels, pixels = handle.channels, handle.width * handle.height
    blocks = min(-(-pixels // THREADS), max(backend._most_blocks // SHARE, 1))
    with backend._device(), backend._lock:
        extremes = backend._small(np.array([[0x7FFFFFFF, -0x80000000]] * channels, np.int32))
        sums, counts = backend._small(np.zeros(channels)), backend._small(np.zeros((channels, 4), np.uint64))
        kernel = backend._kernel("statistics.cu", "statistics", backend.language.image_head(handle))
        backend._launch(kernel, blocks, THREADS, (handle.buffer, np.uint32(pixels), extremes, sums, counts))
        with backend._stream:
            least, largest = extremes.get().T
            totals, (finite, nan, inf, negative) = sums.get(), counts.get().astype(np.int64).T
    empty = finite == 0
    values = (_from_ordered(least), _from_ordered(largest), totals / np.maximum(finite, 1))
    return Statistics(
        *(tuple(np.where(empty, np.nan, x).tolist()) for x in values),
        *(tuple(x.tolist()) for x in (nan, inf, negative)),
    )


def _from_ordered(ordered: NDArray[np.int32]) -> NDArray[np.float64]:
    """Convert ordered integers back to floats."""
    bits = np.where(ordered < 0, ordered ^ 0x7FFFFFFF, ordered).astype(np.int32)
    return bits.view(np.float32).astype(np.float64)

"""The bands in which a whole image is read."""

from __future__ import annotations

import math

from engine.core.system import usable_cores

BAND_SAMPLES, BAND_CHUNKS, BAND_ROWS = 1 << 22, 4, 64
"""A band has about BAND_SAMPLES, and BAND_CHUNKS rows of chunks for each thread at least; its rows are a multiple of
BAND_ROWS, which keeps most strips of TIFFs whole."""


def band_rows(row_samples: int, chunk_rows: int, threads: int) -> int:
    """Return the rows of a band: whole chunks, enough of them for all threads; `threads` 0 is one per core."""
    rows = max(BAND_CHUNKS * (threads or usable_cores()) * chunk_rows, BAND_SAMPLES // row_samples)
    unit = math.lcm(chunk_rows, BAND_ROWS)
    return -(-rows // unit) * unit

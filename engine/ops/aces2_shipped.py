"""ACES 2: the tables of usual displays, computed beforehand, because the first image of a window waits for them.

The file has a row of float32 for each display: its peak and primaries, the hues, the cusps, and how far hues lie from
even spacing. `python -m tools.aces2_displays` writes it.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table

FILE = Path(__file__).parents[2] / "resources" / "aces2_displays.npy"
Found = tuple[Table, Table, tuple[float, float]]
_KEY, _END = 9, -2
"""A row begins with the peak and the eight coordinates of the primaries, and ends with two numbers."""


def find(peak: float, primaries: tuple[float, ...]) -> Found | None:
    """Return hues, cusps and how far the hues lie from even spacing; None for a display that is not in the file."""
    row = _rows().get(np.array([peak, *primaries], np.float32).tobytes())
    if row is None:
        return None
    hues, cusps = np.split(row[_KEY:_END], [row[_KEY:_END].size // 4])
    return Table(hues.copy()), Table(cusps.reshape(-1, 3).copy()), (float(row[-2]), float(row[-1]))


def row_of(peak: float, primaries: tuple[float, ...], found: Found) -> NDArray[np.float32]:
    """Return the row of a display."""
    hues, cusps, off = found
    return np.concatenate(
        [np.array(part, np.float32).ravel() for part in ((peak, *primaries), hues.array, cusps.array, off)]
    )


@cache
def _rows() -> dict[bytes, NDArray[np.float32]]:
    try:
        rows = np.load(FILE, allow_pickle=False)
    except (OSError, EOFError, ValueError):
        return {}  # the tables are computed
    return {row[:_KEY].tobytes(): row for row in rows}

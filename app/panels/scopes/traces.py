"""Counts as images: the more pixels lie at a place the brighter it is, on a scale of logarithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from engine.viewing.scopes import ScopeReading

Bytes = NDArray[np.uint8]
WHITE = (214, 214, 214)
TINTS = ((226, 88, 82), (86, 200, 92), (92, 128, 240))
"""Of R, G and B; together they are about white."""
SHIFTS = (0, 10, 20)
"""Where R, G and B begin in a number that sums all three at once."""
HISTOGRAM_ROWS = 256
TABLE = 4096
"""Counts from which on nothing grows brighter."""


def level_table(full: float) -> NDArray[np.float32]:
    """Brightness, 0..1, of a count; `full` pixels or more are 1, and a single one can still be seen."""
    counts = np.arange(TABLE, dtype=np.float32)
    levels = 0.16 + 0.84 * np.log1p(counts) / np.log1p(max(full, 2.0))
    levels[0] = 0.0
    held: NDArray[np.float32] = np.minimum(levels, np.float32(1.0))
    return held


def trace(planes: Sequence[NDArray[np.uint32]], tints: Sequence[tuple[int, int, int]], full: float) -> Bytes:
    """(height, width, 4) bytes RGBX of counts (height, width), each in its tint, added up like light."""
    levels = level_table(full)
    total: NDArray[np.uint32] | None = None
    for plane, tint in zip(planes, tints, strict=True):
        parts = (np.round(levels * each).astype(np.uint32) << shift for each, shift in zip(tint, SHIFTS, strict=True))
        seen = np.bitwise_or.reduce(list(parts)).take(np.minimum(plane, TABLE - 1))
        total = seen if total is None else total + seen
    assert total is not None
    return from_sums(total)


def from_sums(total: NDArray[np.uint32]) -> Bytes:
    """(height, width, 4) bytes RGBX of three sums in each number, 10 bits for each of R, G and B."""
    out = np.full((*total.shape, 4), 255, np.uint8)
    for component, shift in enumerate(SHIFTS):
        np.minimum((total >> shift) & 1023, 255, out=out[..., component], casting="unsafe")
    return out


def waveform_trace(reading: ScopeReading, channels: Sequence[int]) -> Bytes:
    """The waveform of some of R, G, B (0, 1, 2), or of luma (3), the largest value at the top."""
    assert reading.waveform is not None
    counts = reading.waveform[:, ::-1]
    full = reading.height * reading.width / counts.shape[2] / 4.0
    tints = [WHITE if channel == 3 else TINTS[channel] for channel in channels]
    return trace([counts[channel] for channel in channels], tints, full)


def vectorscope_trace(reading: ScopeReading) -> Bytes:
    """The vectorscope, Cr upwards and Cb to the right."""
    assert reading.vectorscope is not None
    return spread(trace([reading.vectorscope], [WHITE], reading.width * reading.height / 500.0))


def spread(pixels: Bytes) -> Bytes:
    """Each spot with a fainter rim, so that a flat colour, which is a single spot, can be seen."""
    out, rim = pixels.copy(), pixels // 4 * 3
    here, before, after = np.s_[:], np.s_[:-1], np.s_[1:]
    for to, of in (((before, here), (after, here)), ((here, before), (here, after))):
        out[to] = np.maximum(out[to], rim[of])
        out[of] = np.maximum(out[of], rim[to])
    return out


def histogram_trace(heights: NDArray[np.float64]) -> Bytes:
    """Columns of these heights, (3, bins) of 0..1 for R, G and B, each in its tint, dimmed, added up like light."""
    rows = (np.arange(HISTOGRAM_ROWS)[::-1, None] + 0.5) / HISTOGRAM_ROWS
    total = np.zeros((HISTOGRAM_ROWS, heights.shape[1]), np.uint32)
    for height, tint in zip(heights, TINTS, strict=True):
        packed = sum(round(0.55 * each) << shift for each, shift in zip(tint, SHIFTS, strict=True))
        total += (height > rows) * np.uint32(packed)
    return from_sums(total)


def as_image(pixels: Bytes) -> QImage:
    """A copy of (height, width, 4) bytes RGBX that Qt can draw."""
    height, width = pixels.shape[:2]
    return QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()

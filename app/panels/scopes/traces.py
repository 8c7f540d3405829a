"""Convert the counts of scopes to images; the brightness is logarithmic in the count."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from engine.viewing.scopes import ScopeReading

Bytes = NDArray[np.uint8]
WHITE = (214, 214, 214)
TINTS = ((226, 88, 82), (86, 200, 92), (92, 128, 240))
"""Tints of R, G and B; their sum is close to white."""
SHIFTS = (0, 10, 20)
"""Bit offsets of R, G and B in a packed sum."""
HISTOGRAM_ROWS = 256
TABLE = 4096
"""Count from which on the brightness no longer increases."""


def level_table(full: float) -> NDArray[np.float32]:
    """Return the brightness, 0..1, of each count. `full` or more pixels give 1; a single pixel is still visible."""
    counts = np.arange(TABLE, dtype=np.float32)
    levels = 0.16 + 0.84 * np.log1p(counts) / np.log1p(max(full, 2.0))
    levels[0] = 0.0
    clamped: NDArray[np.float32] = np.minimum(levels, np.float32(1.0))
    return clamped


def trace(planes: Sequence[NDArray[np.uint32]], tints: Sequence[tuple[int, int, int]], full: float) -> Bytes:
    """Return RGBX bytes (height, width, 4) of planes of counts (height, width), tinted and added."""
    levels = level_table(full)
    total: NDArray[np.uint32] | None = None
    for plane, tint in zip(planes, tints, strict=True):
        parts = (np.round(levels * each).astype(np.uint32) << shift for each, shift in zip(tint, SHIFTS, strict=True))
        seen = np.bitwise_or.reduce(list(parts)).take(np.minimum(plane, TABLE - 1))
        total = seen if total is None else total + seen
    assert total is not None
    return from_sums(total)


def from_sums(total: NDArray[np.uint32]) -> Bytes:
    """Return RGBX bytes (height, width, 4) of packed sums with 10 bits for each of R, G and B."""
    out = np.full((*total.shape, 4), 255, np.uint8)
    for component, shift in enumerate(SHIFTS):
        np.minimum((total >> shift) & 1023, 255, out=out[..., component], casting="unsafe")
    return out


def waveform_trace(reading: ScopeReading, channels: Sequence[int]) -> Bytes:
    """Return the waveform of channels R, G, B (0, 1, 2) or luma (3), with the largest value at the top."""
    assert reading.waveform is not None
    counts = reading.waveform[:, ::-1]
    full = reading.height * reading.width / counts.shape[2] / 4.0
    tints = [WHITE if channel == 3 else TINTS[channel] for channel in channels]
    return trace([counts[channel] for channel in channels], tints, full)


def vectorscope_trace(reading: ScopeReading) -> Bytes:
    """Return the vectorscope, Cr upwards and Cb to the right."""
    assert reading.vectorscope is not None
    return spread(trace([reading.vectorscope], [WHITE], reading.width * reading.height / 500.0))


def spread(pixels: Bytes) -> Bytes:
    """Add a fainter rim to each spot, so that a flat colour, which is a single spot, is visible."""
    out, rim = pixels.copy(), pixels // 4 * 3
    here, before, after = np.s_[:], np.s_[:-1], np.s_[1:]
    for to, of in (((before, here), (after, here)), ((here, before), (here, after))):
        out[to] = np.maximum(out[to], rim[of])
        out[of] = np.maximum(out[of], rim[to])
    return out


def histogram_trace(heights: NDArray[np.float64]) -> Bytes:
    """Return columns of the heights (3, bins), 0..1, of R, G and B, in dimmed tints and added."""
    rows = (np.arange(HISTOGRAM_ROWS)[::-1, None] + 0.5) / HISTOGRAM_ROWS
    total = np.zeros((HISTOGRAM_ROWS, heights.shape[1]), np.uint32)
    for height, tint in zip(heights, TINTS, strict=True):
        packed = sum(round(0.55 * each) << shift for each, shift in zip(tint, SHIFTS, strict=True))
        total += (height > rows) * np.uint32(packed)
    return from_sums(total)


def as_image(pixels: Bytes) -> QImage:
    """Return a QImage with a copy of RGBX bytes (height, width, 4)."""
    height, width = pixels.shape[:2]
    return QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()

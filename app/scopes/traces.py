"""Counts as pictures: the more pixels lie at a place the brighter it is, on a scale of logarithms."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from engine.viewing.scoping import ScopeReading

Bytes = NDArray[np.uint8]
WHITE = (214, 214, 214)
TINTS = ((226, 88, 82), (86, 200, 92), (92, 128, 240))
"""Of R, G and B; together they are about white."""
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
    """(height, width, 3) bytes of counts (height, width), each in its tint, added up like light."""
    levels = level_table(full)
    out = np.zeros((*planes[0].shape, 3), np.uint16)
    for plane, tint in zip(planes, tints, strict=True):
        known = np.minimum(plane, TABLE - 1)
        table = np.round(levels[:, None] * np.array(tint, np.float32)).astype(np.uint16)
        out += table[known]
    return np.minimum(out, 255).astype(np.uint8)


def waveform_trace(reading: ScopeReading, channels: Sequence[int]) -> Bytes:
    """The waveform of some of R, G, B (0, 1, 2), or of luma (3), the largest value at the top."""
    assert reading.waveform is not None
    counts = reading.waveform[:, ::-1]
    full = reading.height * reading.width / counts.shape[2] / 12.0
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


def as_image(pixels: Bytes) -> QImage:
    """A copy that Qt can draw."""
    height, width = pixels.shape[:2]
    whole = np.full((height, width, 4), 255, np.uint8)
    whole[..., :3] = pixels
    return QImage(whole.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()

"""Scopes by NumPy: what every backend's reductions must count, in float32 as they do it."""

from __future__ import annotations

from typing import Any

import numpy as np

from engine.compute.statistics import Axis

LUMA = np.array([0.2126, 0.7152, 0.0722], np.float32)


def with_luma(pixels: Any) -> np.ndarray:
    """(4, height, width) of R, G, B and BT.709 luma."""
    r, g, b = np.moveaxis(np.asarray(pixels, np.float32)[..., :3], -1, 0)
    return np.stack([r, g, b, (LUMA[0] * r + LUMA[1] * g) + LUMA[2] * b])


def bins_of(values: np.ndarray, axis: Axis) -> np.ndarray:
    """The bin of each value; -1 for NaN."""
    with np.errstate(all="ignore"):
        f = np.log2(np.maximum(values, np.float32(0.0))) if axis.log2 else values
        place = np.floor((f - np.float32(axis.start)) * np.float32(axis.scale))
        return np.where(np.isnan(values), -1, np.clip(np.nan_to_num(place, nan=0.0), 0, axis.bins - 1)).astype(int)


def waveform(pixels: Any, columns: int, axis: Axis) -> np.ndarray:
    """(4, bins, columns) counts."""
    found = bins_of(with_luma(pixels), axis)
    out = np.zeros((4, axis.bins, columns), np.uint32)
    stripe = np.arange(found.shape[2]) * columns // found.shape[2]
    channel, _, at = np.nonzero(found >= 0)
    np.add.at(out, (channel, found[found >= 0], stripe[at]), 1)
    return out


def histogram(pixels: Any, axis: Axis) -> np.ndarray:
    """(4, bins) counts."""
    return waveform(pixels, 1, axis)[:, :, 0]


def vectorscope(pixels: Any, size: int, extent: float) -> np.ndarray:
    """(size, size) counts, Cr upwards over Cb to the right."""
    r, _, b, luma = with_luma(pixels).reshape(4, -1)
    with np.errstate(all="ignore"):
        cb, cr = (b - luma) / np.float32(1.8556), (r - luma) / np.float32(1.5748)
        fine = np.isfinite(luma)
        across, up = (
            np.clip(np.floor((c[fine] + np.float32(extent)) * np.float32(size / (2 * extent))), 0, size - 1).astype(int)
            for c in (cb, cr)
        )
    out = np.zeros((size, size), np.uint32)
    np.add.at(out, (size - 1 - up, across), 1)
    return out


def ramp(width: int = 256, height: int = 16) -> np.ndarray:
    """Grey that rises from 0 to 1 by one 8-bit code for each of 256 columns."""
    across = np.linspace(0.0, 1.0, width, dtype=np.float32)
    return np.ascontiguousarray(np.broadcast_to(across[None, :, None], (height, width, 3)))


BAR_CODES = {
    (0.75, 0.75, 0.0): (44, 136),
    (0.0, 0.75, 0.75): (147, 44),
    (0.0, 0.75, 0.0): (63, 52),
    (0.75, 0.0, 0.75): (193, 204),
    (0.75, 0.0, 0.0): (109, 212),
    (0.0, 0.0, 0.75): (212, 120),
}
"""Cb and Cr of 75 % colour bars in 8-bit BT.709 video, as test generators give them: 128 is 0, 224 codes are 1."""


def bars(height: int = 12, width: int = 20) -> np.ndarray:
    """75 % bars of yellow, cyan, green, magenta, red and blue, each `width` pixels wide."""
    row = np.repeat(np.array(list(BAR_CODES), np.float32), width, axis=0)
    return np.ascontiguousarray(np.broadcast_to(row, (height, *row.shape)))

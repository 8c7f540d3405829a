"""The light of frames in PQ: what MaxCLL and MaxFALL are measured from (CTA-861.3, annex P)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.movies.encode_tags import ContentLight

_STEPS = 1 << 16
"""Codes that luminances are tabulated for."""
_PEAK = 10_000.0
_M1, _M2 = 2610 / 16384, 2523 / 4096 * 128
_C1, _C2, _C3 = 3424 / 4096, 2413 / 4096 * 32, 2392 / 4096 * 32
"""Constants of SMPTE ST 2084."""


def measured(pixels: NDArray[Any]) -> tuple[float, float]:
    """Return the highest and the mean luminance, over a frame (height, width, 3|4) of PQ, of the largest of R, G and B
    of each pixel, in candelas per square metre."""
    largest = np.fmax(np.fmax(pixels[..., 0], pixels[..., 1]), pixels[..., 2])
    codes = (np.clip(np.nan_to_num(largest), 0.0, 1.0) * (_STEPS - 1) + 0.5).astype(np.uint16)
    counts = np.bincount(codes.reshape(-1), minlength=_STEPS)
    return float(_luminances()[int(codes.max())]), float(counts @ _luminances() / codes.size)


def content_light(frames: Iterable[tuple[float, float]]) -> ContentLight:
    """Return MaxCLL and MaxFALL of frames, from the highest and the mean luminance of each."""
    highest, means = zip(*frames, strict=True)
    return ContentLight(round(max(highest)), round(max(means)))


@cache
def _luminances() -> NDArray[np.float64]:
    power = np.linspace(0.0, 1.0, _STEPS) ** (1.0 / _M2)
    result: NDArray[np.float64] = _PEAK * (np.maximum(power - _C1, 0.0) / (_C2 - _C3 * power)) ** (1.0 / _M1)
    return result

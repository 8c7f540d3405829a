"""Differences of two graded images, and how they are shown: as they are, signed around grey, or as a heat map."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import LUMA

Floats = NDArray[np.float32]
RgbaBytes = NDArray[np.uint8]
CHANNELS = ("red", "green", "blue", "alpha")
UNDEFINED = (255, 0, 255)
"""Colour where one side is NaN and the other is not: that difference is not a number."""
HEAT_STOPS: tuple[tuple[float, tuple[float, float, float]], ...] = (
    (0.0, (0.12, 0.08, 0.36)),
    (0.25, (0.36, 0.12, 0.62)),
    (0.5, (0.78, 0.20, 0.34)),
    (0.75, (0.98, 0.58, 0.14)),
    (1.0, (1.00, 0.98, 0.76)),
)
"""Positions 0..1 and colours (display values, 0..1) of the heat map; equal values are black."""


def difference(first: Floats, second: Floats, channel: str = "") -> Floats:
    """Return `first` - `second`, (height, width, 3), or (height, width, 1) of one channel, of (height, width, 3|4)
    graded values.

    `channel` is '' for R, G and B, one of CHANNELS, or 'luma'. Equal values give 0, NaN and Inf included; NaN on one
    side gives NaN. Alpha is 1 in an image without it.
    """
    ours, theirs = _picked(first, channel), _picked(second, channel)
    with np.errstate(all="ignore"):
        found: Floats = ours - theirs
        equal = (ours == theirs) | (np.isnan(ours) & np.isnan(theirs))
    found[equal] = 0.0
    return found


def signed(found: Floats, gain: float) -> RgbaBytes:
    """Return differences as RGBA bytes: mid grey (128) for 0, white and black from 1 / gain on, to either side."""
    with np.errstate(all="ignore"):
        shown = np.nan_to_num(np.clip(np.float32(0.5) + np.float32(0.5 * gain) * found, 0.0, 1.0), nan=0.5)
    return mark_undefined(_opaque(np.round(shown * np.float32(255.0))), found)


def heat_map(found: Floats, gain: float) -> RgbaBytes:
    """Return the largest difference of each pixel's channels as RGBA bytes: black for 0, else its colour in HEAT.

    The last colour of the map stands for 1 / gain and above.
    """
    with np.errstate(all="ignore"):
        size = np.abs(found).max(axis=2)
        place = np.clip(np.float32(gain) * size, 0.0, 1.0) * np.float32(254.0)
        index = np.where(size > 0.0, 1.0 + np.round(np.nan_to_num(place)), 0.0).astype(np.intp)
    return mark_undefined(_opaque(HEAT[index]), found)


def mark_undefined(frame: RgbaBytes, found: Floats) -> RgbaBytes:
    """Return a frame of these differences with UNDEFINED where they are not numbers."""
    where = np.isnan(found).any(axis=2)
    if not where.any():
        return frame
    out = frame.copy()
    out[where, :3] = UNDEFINED
    return out


def _heat() -> RgbaBytes:
    """Return the heat map as 256 RGB bytes: black, then the colours of HEAT_STOPS."""
    places, colours = zip(*HEAT_STOPS, strict=True)
    steps = np.linspace(0.0, 1.0, 255)
    columns = [np.interp(steps, places, [rgb[n] for rgb in colours]) for n in range(3)]
    return np.concatenate([np.zeros((1, 3)), np.round(255.0 * np.stack(columns, 1))]).astype(np.uint8)


HEAT = _heat()


def _opaque(colours: NDArray[Any]) -> RgbaBytes:
    """Return colours (height, width, 1|3), 0..255, as RGBA bytes."""
    out = np.full((*colours.shape[:2], 4), 255, np.uint8)
    out[..., :3] = colours
    return out


def _picked(values: Floats, channel: str) -> Floats:
    """Return one channel (height, width, 1) of values, or R, G and B."""
    if channel == "luma":
        return (values[..., :3] @ np.array(LUMA, np.float32))[..., None]
    if channel not in CHANNELS:
        return values[..., :3]
    number = CHANNELS.index(channel)
    return values[..., number : number + 1] if number < values.shape[2] else np.ones_like(values[..., :1])

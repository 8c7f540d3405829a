"""Conversion of luminance and subsampled chroma to RGB, as in OpenEXR's RgbaInputFile (ImfRgbaYca).

Y = yw . RGB, RY = (R - Y) / Y, BY = (B - Y) / Y, where yw are the luminance weights of the file's primaries. Chroma is
sampled at every second pixel of every second row. A 14-tap filter reconstructs missing samples, along rows and then
along columns; pixels that become far more saturated than their neighbours are desaturated at constant luminance.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.colorimetry import PRIMARIES, aces_from, to_xyz

Array = NDArray[Any]

REC709 = PRIMARIES["rec709"]
_HALF_FILTER = (0.627123, -0.186077, 0.087929, -0.043159, 0.019597, -0.007540, 0.002128)
"""Weights of the samples 1, 3, 5, ... 13 pixels away, the same on both sides."""
BAND = 128
"""The number of rows converted together, so that the float32 copies stay small."""


def luminance_weights(chromaticities: tuple[float, ...] = REC709) -> NDArray[np.float32]:
    """Return the weights (3,) of R, G and B in luminance, which sum to 1.

    `chromaticities` are x, y of red, green, blue and white; Rec. 709 replaces degenerate ones.
    """
    if aces_from(chromaticities) is None:
        chromaticities = REC709
    weights = to_xyz(chromaticities)[1]
    return np.asarray(weights / weights.sum(), np.float32)


def to_rgb(y: Array, ry: Array, by: Array, weights: NDArray[np.float32]) -> Array:
    """Convert luminance (height, width) and chroma, subsampled or not, to RGB (height, width, 3) of the same type."""
    height, width = y.shape
    chroma = [upsample(plane, height, width) for plane in (ry, by)]
    out = np.empty((height, width, 3), y.dtype)
    for top in range(0, height, BAND):
        first, last = max(top - 1, 0), min(top + BAND + 1, height)
        bottom = min(top + BAND, height)
        with np.errstate(invalid="ignore", over="ignore"):
            rgb = _convert(y[first:last], chroma[0][first:last], chroma[1][first:last], weights)
            out[top:bottom] = _fix_saturation(rgb, weights)[top - first : bottom - first]
    return out


def upsample(plane: Array, height: int, width: int) -> Array:
    """Upsample a plane to every pixel: filtered where it has half the samples, repeated where it has fewer."""
    for axis, side in ((1, width), (0, height)):
        spacing = -(-side // plane.shape[axis])
        if spacing == 2:
            plane = _double(plane, axis, side)
        elif spacing > 2:
            plane = np.repeat(plane, spacing, axis).take(range(side), axis)
    return plane


def _double(plane: Array, axis: int, side: int) -> Array:
    """Insert a filtered sample after every sample along `axis`; edge samples are repeated outwards."""
    reach = len(_HALF_FILTER)
    samples = np.moveaxis(plane, axis, 0)
    count = samples.shape[0]
    padded = np.concatenate([*[samples[:1]] * reach, samples, *[samples[-1:]] * reach])
    between = np.zeros(samples.shape, np.float32)
    with np.errstate(invalid="ignore", over="ignore"):
        for n, weight in enumerate(_HALF_FILTER):
            between += weight * padded[reach - n : reach - n + count].astype(np.float32)
            between += weight * padded[reach + 1 + n : reach + 1 + n + count].astype(np.float32)
    doubled = np.empty((2 * count, *samples.shape[1:]), plane.dtype)
    doubled[0::2] = samples
    with np.errstate(invalid="ignore", over="ignore"):
        doubled[1::2] = between
    return np.moveaxis(doubled[:side], 0, axis)


def _convert(y: Array, ry: Array, by: Array, weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Convert planes of equal size to RGB; zero chroma gives exactly the luminance in all three channels."""
    y, ry, by = (np.asarray(plane, np.float32) for plane in (y, ry, by))
    red, blue = (ry + 1) * y, (by + 1) * y
    green = (y - red * weights[0] - blue * weights[2]) / weights[1]
    rgb = np.stack([red, green, blue], -1)
    grey = (ry == 0) & (by == 0)
    rgb[grey] = y[grey][:, None]
    return rgb


def _saturation(rgb: NDArray[np.float32]) -> NDArray[np.float32]:
    most, least = rgb.max(-1), rgb.min(-1)
    return np.where(most > 0, 1 - least / np.where(most > 0, most, 1), 0).astype(np.float32)


def _fix_saturation(rgb: NDArray[np.float32], weights: NDArray[np.float32]) -> NDArray[np.float32]:
    """Desaturate pixels that are more saturated than their four diagonal neighbours allow."""
    saturation = _saturation(rgb)
    around = np.pad(saturation, 1, mode="edge")
    corners = around[:-2, :-2] + around[:-2, 2:] + around[2:, :-2] + around[2:, 2:]
    mean = np.minimum(1, 0.25 * corners)
    limit = np.minimum(1, 1 - (1 - mean) * 0.25)
    excess = (saturation > mean) & (saturation > limit)
    if excess.any():
        rgb[excess] = _desaturate(rgb[excess], (limit[excess] / saturation[excess])[:, None], weights)
    return rgb


def _desaturate(rgb: NDArray[np.float32], share: Array, weights: NDArray[np.float32]) -> Array:
    most = rgb.max(-1, keepdims=True)
    less = np.maximum(most - (most - rgb) * share, 0)
    before, after = (rgb @ weights)[:, None], (less @ weights)[:, None]
    return np.asarray(np.where(after > 0, less * (before / np.where(after > 0, after, 1)), less))

"""Planes of a movie as R'G'B': chroma upsampling, range and matrix, as ITU-T H.273 defines them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.movies.info import MovieInfo

Floats = NDArray[np.float32]
WEIGHTS = {
    "bt601": (0.299, 0.114),
    "bt709": (0.2126, 0.0722),
    "bt2020ncl": (0.2627, 0.0593),
    "smpte240m": (0.212, 0.087),
}
"""K_R and K_B of each matrix."""
OFFSETS = {"left": (0.0, 0.5), "center": (0.5, 0.5), "topleft": (0.0, 0.0)}
"""How far the first chroma sample lies right of and below the first luma sample, in pixels."""


def to_rgb(planes: Sequence[NDArray[Any]], info: MovieInfo) -> Floats:
    """Return the pixels (height, width, 3|4) of a frame as it is displayed, 0 black and 1 white."""
    layout = info.layout
    pixels = np.empty((layout.height, layout.width, 4 if layout.alpha else 3), np.float32)
    largest = float((1 << layout.depth) - 1)
    scale = float(1 << (layout.depth - 8))
    black, white = (0.0, largest) if info.full_range else (16.0 * scale, 235.0 * scale)
    shift = 16 - layout.depth if layout.packing == "semiplanar" and layout.depth > 8 else 0
    codes = [plane >> shift if shift else plane for plane in planes]
    luma = _scaled(codes[0], black, white - black)
    if layout.alpha:
        pixels[..., 3] = _scaled(codes[-1], 0.0, largest)
    if layout.is_rgb:
        pixels[..., 1] = luma
        pixels[..., 2] = _scaled(codes[1], black, white - black)
        pixels[..., 0] = _scaled(codes[2], black, white - black)
    elif layout.chroma == "400":
        pixels[..., :3] = luma[..., None]
    else:
        span = largest if info.full_range else 224.0 * scale
        pair = (codes[1][:, 0::2], codes[1][:, 1::2]) if layout.packing == "semiplanar" else (codes[1], codes[2])
        blue, red = (_upsampled(_scaled(each, 128.0 * scale, span), info) for each in pair)
        of_red, of_blue = WEIGHTS[info.matrix]
        of_green = 1.0 - of_red - of_blue
        pixels[..., 0] = luma + 2.0 * (1.0 - of_red) * red
        pixels[..., 2] = luma + 2.0 * (1.0 - of_blue) * blue
        to_green = (2.0 * of_blue * (1.0 - of_blue) / of_green, 2.0 * of_red * (1.0 - of_red) / of_green)
        pixels[..., 1] = luma - to_green[0] * blue - to_green[1] * red
    return np.ascontiguousarray(np.rot90(pixels, -info.rotation // 90)) if info.rotation else pixels


def _scaled(codes: NDArray[Any], zero: float, span: float) -> Floats:
    """Return codes as values: 0 at `zero`, 1 at `span` above it."""
    values: Floats = (codes.astype(np.float32) - np.float32(zero)) / np.float32(span)
    return values


def _upsampled(chroma: Floats, info: MovieInfo) -> Floats:
    """Return a chroma plane at the size of the frame, interpolated linearly between the places of its samples."""
    layout, (right, down) = info.layout, OFFSETS[info.siting]
    if layout.chroma == "420":
        chroma = _along(chroma, layout.height, down, 0)
    return chroma if layout.chroma == "444" else _along(chroma, layout.width, right, 1)


def _along(chroma: Floats, size: int, offset: float, axis: int) -> Floats:
    """Return twice as many samples along an axis."""
    places = (np.arange(size) - offset) / 2.0
    before = np.floor(places).astype(int)
    last = chroma.shape[axis] - 1
    share = (places - before).astype(np.float32)
    share = share[:, None] if axis == 0 else share[None, :]
    one, other = (np.take(chroma, np.clip(each, 0, last), axis=axis) for each in (before, before + 1))
    result: Floats = one + (other - one) * share
    return result

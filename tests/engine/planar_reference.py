"""The conversion of planar frames in float64, by other means than the engine's: positions, and matrices inverted."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.planar import PlanarFormat

Array = NDArray[np.float64]
LUMA = {
    "bt601": (0.299, 0.587, 0.114),
    "bt709": (0.2126, 0.7152, 0.0722),
    "bt2020ncl": (0.2627, 0.6780, 0.0593),
    "smpte240m": (0.212, 0.701, 0.087),
}
OFFSETS = {"left": (0.0, 0.5), "center": (0.5, 0.5), "topleft": (0.0, 0.0)}
"""Places of the first chroma sample, in luma samples from the first of luma, along an axis that is subsampled by 2."""


def planes_of(format: PlanarFormat, seed: int = 3, smooth: bool = False) -> list[NDArray[Any]]:
    """Random planes of a format, also with codes beyond black and white; or smooth ones."""
    rng, planes = np.random.default_rng(seed), []
    for rows, columns, samples in format.shapes:
        if smooth:
            y, x = np.mgrid[0:rows, 0:columns] / max(rows, columns)
            turns = rng.uniform(0.5, 2.0, (samples, 2)) * np.pi
            values = np.stack([0.5 + 0.4 * np.sin(a * x + b * y + 1.0) for a, b in turns], axis=-1) * format.largest
        else:
            values = rng.integers(0, format.largest, (rows, columns, samples), endpoint=True)
        words = np.asarray(values).astype(format.dtype) << format.dtype.type(format.shift)
        planes.append(words[:, :, 0] if samples == 1 else words)
    return planes


def codes_of(planes: Sequence[NDArray[Any]], format: PlanarFormat) -> list[Array]:
    """Y', Cb, Cr and alpha as numbers, each (rows, columns); without alpha three, without chroma one."""
    found = []
    for plane in planes:
        codes = (plane >> format.dtype.type(format.shift)).astype(np.float64)
        found += [codes] if codes.ndim == 2 else [codes[:, :, 0], codes[:, :, 1]]
    return found


def centres(format: PlanarFormat, axis: int) -> Array:
    """The places of the chroma samples along an axis (0 is x), in luma samples from the first of luma."""
    across, down = {"420": (2, 2), "422": (2, 1), "444": (1, 1)}[format.chroma]
    size, step = ((format.width, across), (format.height, down))[axis]
    return np.arange(0, size, step, dtype=np.float64) + (OFFSETS[format.siting][axis] if step == 2 else 0.0)


def upsampled(chroma: Array, format: PlanarFormat) -> Array:
    """Chroma at the places of luma, by interpolation; constant beyond the outermost samples."""
    rows = np.stack([np.interp(np.arange(format.width), centres(format, 0), row) for row in chroma])
    return np.stack([np.interp(np.arange(format.height), centres(format, 1), column) for column in rows.T], axis=1)


def rgb_matrix(matrix: str) -> Array:
    """R'G'B' from E'Y, E'PB and E'PR."""
    red, green, blue = LUMA[matrix]
    forward = np.array([[red, green, blue], [-red, -green, 1 - blue], [1 - red, -green, -blue]])
    return np.linalg.inv(forward / np.array([[1.0], [2 * (1 - blue)], [2 * (1 - red)]]))


def scales(format: PlanarFormat) -> tuple[float, float, float, float]:
    """The code of black, codes from black to white, the code of no colour, codes from -0.5 to 0.5."""
    n, unit = format.depth, 2.0**format.fraction
    if format.full_range:
        return 0.0, 2.0**n - unit, 2.0 ** (n - 1), 2.0**n - unit
    return 16.0 * 2.0 ** (n - 8), 219.0 * 2.0 ** (n - 8), 128.0 * 2.0 ** (n - 8), 224.0 * 2.0 ** (n - 8)


def to_rgba(planes: Sequence[NDArray[Any]], format: PlanarFormat) -> Array:
    """R'G'B' and alpha of the whole frame."""
    codes = codes_of(planes, format)
    alpha = (
        codes.pop() / (2.0**format.depth - 2.0**format.fraction)
        if format.alpha
        else np.ones((format.height, format.width))
    )
    black, luma, zero, chroma = scales(format)
    if format.matrix == "identity":
        green, blue, red = ((plane - black) / luma for plane in codes)
        return np.stack([red, green, blue, alpha], axis=-1)
    y = (codes[0] - black) / luma
    colour = [np.zeros_like(y)] * 2 if format.chroma == "400" else [
        (upsampled(plane, format) - zero) / chroma for plane in codes[1:]
    ]  # fmt: skip
    rgb = np.stack([y, *colour], axis=-1) @ rgb_matrix(format.matrix).T
    return np.concatenate([rgb, alpha[..., None]], axis=-1)


def subsampled(codes: Array, format: PlanarFormat) -> Array:
    """Codes at the places of chroma: means weighted by a tent of two luma samples; edge pixels are repeated."""
    for axis in (0, 1):
        places, size = centres(format, axis), (format.width, format.height)[axis]
        if len(places) == size:
            continue
        near = np.floor(places)[:, None] + np.arange(-2, 4)
        weights = np.maximum(1.0 - np.abs(near - places[:, None]) / 2.0, 0.0)
        weights /= weights.sum(axis=1, keepdims=True)
        rows = np.moveaxis(codes, 1 - axis, 0)[np.clip(near, 0, size - 1).astype(int)]
        codes = np.moveaxis((rows * weights[..., None]).sum(axis=1), 0, 1 - axis)
    return codes


def to_codes(rgba: Array, format: PlanarFormat) -> list[Array]:
    """Codes of the planes Y', Cb, Cr and alpha, neither rounded nor clamped."""
    black, luma, zero, chroma = scales(format)
    alpha = [rgba[..., 3] * (2.0**format.depth - 1.0)] * format.alpha
    if format.matrix == "identity":
        return [*(rgba[..., channel] * luma + black for channel in (1, 2, 0)), *alpha]
    y, cb, cr = np.moveaxis(rgba[..., :3] @ np.linalg.inv(rgb_matrix(format.matrix)).T, -1, 0)
    colour = [] if format.chroma == "400" else [subsampled(each * chroma + zero, format) for each in (cb, cr)]
    return [y * luma + black, *colour, *alpha]


def noise(shape: tuple[int, int], channel: int, seed: int) -> Array:
    """The noise of the samples of a plane, from its definition."""
    count = np.arange(shape[0] * shape[1], dtype=np.uint64)
    h = (count + (seed * 4 + channel) * 0x9E3779B9) & 0xFFFFFFFF
    h = (h ^ h >> 16) * 0x7FEB352D & 0xFFFFFFFF
    h = (h ^ h >> 15) * 0x846CA68B & 0xFFFFFFFF
    h ^= h >> 16
    return (((h & 0xFFFF).astype(np.float64) - (h >> 16).astype(np.float64)) / 65536.0).reshape(shape)

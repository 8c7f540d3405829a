"""Convert the counts of scopes to images.

Counts are first added up to about one cell per device pixel, so that a small scope is as bright as a large one. The
brightness is logarithmic in the count and reaches its maximum only where all pixels of a column, or of the image,
have one value. Where traces of several channels meet, the result has the brightness of the densest and the mixed
colour of all, so that dense traces stay below white.
"""

from __future__ import annotations

import math
from functools import cache, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

from app.panels.scopes.scope_settings import Trace
from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.core.colorimetry import LUMA
from engine.viewing.diagram import DIAGRAM_SIZE, Diagram
from engine.viewing.scopes import VECTOR_EXTENT, VECTOR_SIZE, ScopeReading

Bytes = NDArray[np.uint8]
Counts = NDArray[np.uint32]
Levels = NDArray[np.uint8]
"""Indices of brightness, 0..STEPS - 1."""
GREY = (190, 190, 190)
ALONE = 235
"""Brightest component of one channel's trace; that of channels that meet is GREY."""
TINTS = ((232, 84, 76), (84, 204, 92), (96, 136, 255))
"""Tints of R, G and B at full brightness."""
BASE_GAIN = 4.0
"""Factor of counts at a gain of 0 stops: with it, a single pixel is just visible."""
TABLE = 8192
"""Counts from this on have the same brightness."""
STEPS = 32
"""Steps of brightness."""
HISTOGRAM_ROWS = 256
COARSE = 3
"""Counts along each axis of a diagram that share a colour."""
GROUND_SHARE = 0.22
"""Brightness of the coloured background of a diagram."""
FILL = 0.62
"""Brightness of the areas of a histogram, whose outlines are brighter."""


@lru_cache(maxsize=8)
def level_table(full: int, gain: float) -> Levels:
    """Return the brightness, 0..STEPS - 1, of each count up to TABLE: 0 for none, at least 1 for one, the maximum for
    `full` pixels. The gain in stops moves the brightness of the counts between."""
    factor = BASE_GAIN * 2.0**gain
    most = np.log1p(factor * min(max(full, 1), TABLE - 1))
    levels = np.log1p(factor * np.arange(TABLE)) / most
    found: Levels = np.round(np.minimum(levels, 1.0) * (STEPS - 1)).astype(np.uint8)
    found[1:] = np.maximum(found[1:], 1)
    return found


def levels_of(counts: Counts, full: int, gain: float) -> Levels:
    """Return the brightness of counts, of which `full` is the largest possible."""
    found: Levels = level_table(full, gain).take(np.minimum(counts, TABLE - 1))
    return found


def waveform_trace(
    reading: ScopeReading, channels: tuple[int, ...], trace: Trace, size: tuple[int, int] | None = None
) -> Bytes:
    """Return RGBX bytes of the waveform of channels R, G, B (0, 1, 2) or luma (3), the largest value at the top.

    `size` is the width and height that it is shown at, in device pixels; None for a cell per count.
    """
    assert reading.waveform is not None
    down, across = reading.waveform.shape[1:]
    step = (1, 1) if size is None else (_cell(down, size[1]), _cell(across, size[0]))
    full = max(1, round(reading.height * reading.width * step[1] / across))
    levels = [levels_of(_added(reading.waveform[channel, ::-1], *step), full, trace.gain) for channel in channels]
    if len(levels) == 3:
        index = (levels[0].astype(np.uint16) << 10) | (levels[1].astype(np.uint16) << 5) | levels[2]
        return _coloured(index, mixed_table(), trace.intensity)
    return _coloured(levels[0], single_table(GREY if channels == (3,) else TINTS[channels[0]]), trace.intensity)


def vectorscope_trace(reading: ScopeReading, trace: Trace, size: tuple[int, int] | None = None) -> Bytes:
    """Return RGBX bytes of the vectorscope, Cr upwards and Cb to the right, in the hue of each place.

    `size` is the width and height that it is shown at, in device pixels; None for a cell per count.
    """
    assert reading.vectorscope is not None
    return _in_hues(reading, reading.vectorscope, hues(), trace, size)


def diagram_trace(
    reading: ScopeReading, counts: Counts, diagram: Diagram, trace: Trace, size: tuple[int, int] | None = None
) -> Bytes:
    """Return RGBX bytes of the counts of a diagram, each place in its colour; `size` is as for the vectorscope."""
    return _in_hues(reading, counts, diagram_hues(diagram), trace, size)


@lru_cache(maxsize=4)
def diagram_hues(diagram: Diagram) -> NDArray[np.float32]:
    """Return the colour, 0..255, of each place of a diagram, as bright as a trace is."""
    colours = diagram_colours(diagram)
    lifted = colours + (1.0 - colours) * np.clip(0.45 - colours @ np.array(LUMA), 0.0, 1.0)[..., None]
    return np.asarray(lifted * ALONE, np.float32).repeat(COARSE, axis=0).repeat(COARSE, axis=1)


def diagram_ground(diagram: Diagram) -> Bytes:
    """Return RGBX bytes of the dim colours behind a diagram."""
    colours = diagram_colours(diagram)
    found = np.full((*colours.shape[:2], 4), 255, np.uint8)
    found[..., :3] = np.round(GROUND_SHARE * 255.0 * colours)
    return found


@lru_cache(maxsize=4)
def diagram_colours(diagram: Diagram) -> NDArray[np.float64]:
    """Return display values, 0..1, of the colours of a diagram, a cell for COARSE x COARSE counts."""
    return np.asarray(diagram.colours(DIAGRAM_SIZE // COARSE) ** (1.0 / 2.2))


def spread(counts: Counts) -> Counts:
    """Add a fainter rim to each spot, so that a flat colour, which is a single spot, is visible."""
    out, rim = counts.copy(), counts // 2
    here, before, after = np.s_[:], np.s_[:-1], np.s_[1:]
    for to, of in (((before, here), (after, here)), ((here, before), (here, after))):
        out[to] = np.maximum(out[to], rim[of])
        out[of] = np.maximum(out[of], rim[to])
    return out


def histogram_trace(heights: NDArray[np.float64], trace: Trace) -> Bytes:
    """Return RGBX bytes of columns of the heights (3, bins), 0..1, of R, G and B."""
    rows = (np.arange(HISTOGRAM_ROWS)[::-1, None] + 0.5) / HISTOGRAM_ROWS
    filled = [(height > rows) * np.uint16(STEPS - 1) for height in heights]
    index = (filled[0] << 10) | (filled[1] << 5) | filled[2]
    return _coloured(index, mixed_table(), FILL * trace.intensity)


def as_image(pixels: Bytes) -> QImage:
    """Return a QImage with a copy of RGBX bytes (height, width, 4)."""
    height, width = pixels.shape[:2]
    return QImage(np.ascontiguousarray(pixels).data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


@cache
def mixed_table() -> Bytes:
    """Return RGBX bytes for each combination of brightness of R, G and B, at an index of 5 bits each."""
    steps = np.arange(STEPS, dtype=np.float64) / (STEPS - 1)
    levels = np.stack(np.meshgrid(steps, steps, steps, indexing="ij"), -1).reshape(-1, 3)
    mix = levels**2 @ np.array(TINTS, np.float64)  # squared, so that the densest channel sets the hue
    hue = mix / np.maximum(mix.max(axis=1, keepdims=True), 1.0)
    densest, total = levels.max(axis=1, keepdims=True), np.maximum((levels**2).sum(axis=1, keepdims=True), 1e-9)
    share = np.clip((densest**2 / total - 1.0 / 3.0) * 1.5, 0.0, 1.0)  # 1 for a single channel, 0 for three equal ones
    return _with_x(hue * densest * (GREY[0] + share * (ALONE - GREY[0])))


@lru_cache(maxsize=8)
def single_table(tint: tuple[int, int, int]) -> Bytes:
    """Return RGBX bytes for each brightness of a single trace."""
    return _with_x(np.arange(STEPS)[:, None] / (STEPS - 1) * np.array(tint, np.float64))


@cache
def hues() -> NDArray[np.float32]:
    """Return the colour, 0..255, of each place of the vectorscope; grey in the middle."""
    across = (np.arange(VECTOR_SIZE) + 0.5) / VECTOR_SIZE * 2.0 * VECTOR_EXTENT - VECTOR_EXTENT
    cb, cr = across[None, :], -across[:, None]
    blue, red = 0.5 + CB_SCALE * cb + 0.0 * cr, 0.5 + CR_SCALE * cr + 0.0 * cb
    green = (0.5 - LUMA[0] * red - LUMA[2] * blue) / LUMA[1]
    rgb = np.stack([red, green, blue], -1)
    rgb -= np.minimum(rgb.min(axis=-1, keepdims=True), 0.0)
    tinted = rgb / rgb.max(axis=-1, keepdims=True)
    light = tinted @ np.array(LUMA)
    lifted = tinted + (1.0 - tinted) * np.clip(0.45 - light, 0.0, 1.0)[..., None]  # blue is dark otherwise
    found: NDArray[np.float32] = lifted * (GREY[0] + (ALONE - GREY[0]) * (1.0 - lifted.min(axis=-1, keepdims=True)))
    return found.astype(np.float32)


def _in_hues(
    reading: ScopeReading,
    counts: Counts,
    hues: NDArray[np.float32],
    trace: Trace,
    size: tuple[int, int] | None,
) -> Bytes:
    """Return RGBX bytes of the counts of a square, each place in its hue."""
    step = 1 if size is None else _cell(len(counts), size[0])
    full = max(1, reading.width * reading.height // 100)
    levels = levels_of(spread(_added(counts, step, step)), full, trace.gain).astype(np.float32) / (STEPS - 1)
    out = np.full((*levels.shape, 4), 255, np.uint8)
    colours = hues[step // 2 :: step, step // 2 :: step]
    np.multiply(levels[..., None] * (trace.intensity / 100.0), colours, out=out[..., :3], casting="unsafe")
    return out


def _cell(length: int, pixels: int) -> int:
    """Return how many counts side by side make a cell, a power of two, so that about one is shown per pixel."""
    return 1 << max(0, round(math.log2(length / max(pixels, 1))))


def _added(counts: Counts, down: int, across: int) -> Counts:
    """Return the sums of cells of `down` x `across` counts; those at the ends may be smaller."""
    for axis, step in ((0, down), (1, across)):
        if step > 1:
            counts = np.add.reduceat(counts, np.arange(0, counts.shape[axis], step), axis)
    return counts


def _coloured(index: NDArray[Any], table: Bytes, intensity: float) -> Bytes:
    """Return the RGBX bytes (height, width, 4) of a table at these indices, at an intensity in percent."""
    dimmed = table.copy()
    dimmed[:, :3] = np.round(table[:, :3] * (intensity / 100.0))
    packed: NDArray[np.uint32] = dimmed.view(np.uint32)[:, 0].take(index)
    return packed.view(np.uint8).reshape(*index.shape, 4)


def _with_x(colours: NDArray[np.float64]) -> Bytes:
    """Return colours (n, 3) as bytes (n, 4); the last is the unused one of RGBX."""
    out = np.full((len(colours), 4), 255, np.uint8)
    out[:, :3] = np.clip(np.round(colours), 0.0, 255.0)
    return out

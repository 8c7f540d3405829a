"""Statistics and scopes: one pass over some rows, added to arrays of the caller."""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import rows_at, scope_rows_at
from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    counts_at,
    doubles_at,
    f32,
    float_at,
    floats_at,
    floor,
    half_at,
    i32,
    load,
    t_max,
    t_min,
)
from engine.compute.backends.cpu.layout import HALF
from engine.compute.backends.cpu.maths import t_log2
from engine.compute.statistics import CB_SCALE, CR_SCALE
from engine.core.colorimetry import LUMA

_LUMA_R, _LUMA_G, _LUMA_B = (np.float32(weight) for weight in LUMA)
_TO_CB, _TO_CR = np.float32(1.0 / CB_SCALE), np.float32(1.0 / CR_SCALE)


@njit(error_model="numpy")
def _value(source, storage, index):
    return half_at(source, index) if storage == HALF else float_at(source, index)


@njit(error_model="numpy")
def _luma(r, g, b):
    return (_LUMA_R * r + _LUMA_G * g) + _LUMA_B * b


@njit(error_model="numpy")
def _bin(x, start, scale, bins, in_stops):
    if in_stops:
        x = t_log2(t_max(x, f32(0.0)))
    place = floor((x - start) * scale)
    return i32(t_max(t_min(place, f32(bins - 1)), f32(0.0)))


def statistics_rows(geometry, values, counts):
    """Add some rows to the statistics. All arguments are addresses.

    `geometry`: a Rows. `values`: float64, channel x (minimum, maximum, sum). `counts`: int64, channel x (finite, NaN,
    Inf, negative).
    """
    rows, values, counts = rows_at(geometry), doubles_at(values), addresses_at(counts)
    (source, storage, channels, stride), width = rows.source, rows.width
    for y in range(rows.top, rows.bottom):
        for c in range(channels):
            least, largest, total = f32(np.inf), f32(-np.inf), 0.0
            finite, nan, negative = 0, 0, 0
            base = y * stride * channels + c
            for x in range(width):
                value = _value(source, storage, base + x * channels)
                is_nan = value != value
                is_finite = value - value == f32(0.0)
                nan += is_nan
                negative += value < f32(0.0)
                finite += is_finite
                least = t_min(value, least) if is_finite else least
                largest = t_max(value, largest) if is_finite else largest
                total += np.float64(value) if is_finite else 0.0
            values[3 * c], values[3 * c + 1] = min(values[3 * c], least), max(values[3 * c + 1], largest)
            values[3 * c + 2] += total
            counts[4 * c] += finite
            counts[4 * c + 1] += nan
            counts[4 * c + 2] += width - finite - nan
            counts[4 * c + 3] += negative


def waveform_rows(geometry, axis, counts):
    """Add some rows to a waveform. All arguments are addresses.

    `geometry`: a ScopeRows. `axis`: float32 start, scale. `counts`: uint32, RGB and luma x bin x column.
    """
    (rows, bins, columns, in_stops), axis, counts = scope_rows_at(geometry), floats_at(axis), counts_at(counts)
    (source, storage, channels, stride), width = rows.source, rows.width
    start, scale = load(axis, 0), load(axis, 1)
    for y in range(rows.top, rows.bottom):
        for x in range(width):
            at = (y * stride + x) * channels
            r, g = _value(source, storage, at), _value(source, storage, at + 1)
            b = _value(source, storage, at + 2)
            column = x * columns // width
            luma = _luma(r, g, b)
            if r == r:
                counts[_bin(r, start, scale, bins, in_stops) * columns + column] += np.uint32(1)
            if g == g:
                counts[(bins + _bin(g, start, scale, bins, in_stops)) * columns + column] += np.uint32(1)
            if b == b:
                counts[(2 * bins + _bin(b, start, scale, bins, in_stops)) * columns + column] += np.uint32(1)
            if luma == luma:
                counts[(3 * bins + _bin(luma, start, scale, bins, in_stops)) * columns + column] += np.uint32(1)


def vectorscope_rows(geometry, axis, counts):
    """Add some rows to a vectorscope. All arguments are addresses.

    `geometry`: a ScopeRows. `axis`: float32, the largest chroma. `counts`: uint32, Cr from top to bottom x Cb from left
    to right.
    """
    (rows, size, _, _), axis, counts = scope_rows_at(geometry), floats_at(axis), counts_at(counts)
    (source, storage, channels, stride), width, extent = rows.source, rows.width, load(axis, 0)
    scale = f32(size) / (f32(2.0) * extent)
    for y in range(rows.top, rows.bottom):
        for x in range(width):
            at = (y * stride + x) * channels
            r, g = _value(source, storage, at), _value(source, storage, at + 1)
            b = _value(source, storage, at + 2)
            luma = _luma(r, g, b)
            if luma - luma == f32(0.0):
                across = _bin((b - luma) * _TO_CB, -extent, scale, size, 0)
                up = _bin((r - luma) * _TO_CR, -extent, scale, size, 0)
                counts[(size - 1 - up) * size + across] += np.uint32(1)

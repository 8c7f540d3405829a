"""Statistics and scopes: one pass over some rows, into counts of the caller's."""

import numpy as np
from numba import njit

from engine.backends.cpu.intrinsics import HALF, f32, float_at, floor, half_at, i32, t_max, t_min
from engine.backends.cpu.maths import t_log2
from engine.scopes import CB_SCALE, CR_SCALE, LUMA

_LUMA_R, _LUMA_G, _LUMA_B = (np.float32(weight) for weight in LUMA)
_TO_CB, _TO_CR = np.float32(1.0 / CB_SCALE), np.float32(1.0 / CR_SCALE)


@njit(error_model="numpy", cache=True)
def _value(source, storage, index):
    return half_at(source, index) if storage == HALF else float_at(source, index)


@njit(error_model="numpy", cache=True)
def _luma(r, g, b):
    return (_LUMA_R * r + _LUMA_G * g) + _LUMA_B * b


@njit(error_model="numpy", cache=True)
def _bin(x, start, scale, bins, in_stops):
    if in_stops:
        x = t_log2(t_max(x, f32(0.0)))
    place = floor((x - start) * scale)
    return i32(t_max(t_min(place, f32(bins - 1)), f32(0.0)))


@njit("void(int64[::1], float64[:,::1], int64[:,::1])", nogil=True, error_model="numpy", cache=True)
def statistics_rows(geometry, values, counts):
    """geometry: address, storage, channels, stride, width, top, bottom. values: channel x (least, largest, sum);
    counts: channel x (finite, NaN, Inf, negative)."""
    source, storage, channels, stride, width = geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]
    for y in range(geometry[5], geometry[6]):
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
            values[c, 0], values[c, 1] = min(values[c, 0], least), max(values[c, 1], largest)
            values[c, 2] += total
            counts[c, 0] += finite
            counts[c, 1] += nan
            counts[c, 2] += width - finite - nan
            counts[c, 3] += negative


@njit("void(int64[::1], float32[::1], uint32[:,:,::1])", nogil=True, error_model="numpy", cache=True)
def waveform_rows(geometry, axis, counts):
    """geometry as above, then whether the axis is in stops; axis: start, scale; counts: RGB and luma x bin x column."""
    source, storage, channels, stride, width = geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]
    bins, columns = counts.shape[1], counts.shape[2]
    start, scale, in_stops = axis[0], axis[1], geometry[7]
    for y in range(geometry[5], geometry[6]):
        for x in range(width):
            at = (y * stride + x) * channels
            r, g = _value(source, storage, at), _value(source, storage, at + 1)
            b = _value(source, storage, at + 2)
            column = x * columns // width
            luma = _luma(r, g, b)
            if r == r:
                counts[0, _bin(r, start, scale, bins, in_stops), column] += np.uint32(1)
            if g == g:
                counts[1, _bin(g, start, scale, bins, in_stops), column] += np.uint32(1)
            if b == b:
                counts[2, _bin(b, start, scale, bins, in_stops), column] += np.uint32(1)
            if luma == luma:
                counts[3, _bin(luma, start, scale, bins, in_stops), column] += np.uint32(1)


@njit("void(int64[::1], float32, uint32[:,::1])", nogil=True, error_model="numpy", cache=True)
def vectorscope_rows(geometry, extent, counts):
    """geometry as above; counts: Cr from top to bottom x Cb from left to right."""
    source, storage, channels, stride, width = geometry[0], geometry[1], geometry[2], geometry[3], geometry[4]
    size = counts.shape[0]
    scale = f32(size) / (f32(2.0) * extent)
    for y in range(geometry[5], geometry[6]):
        for x in range(width):
            at = (y * stride + x) * channels
            r, g = _value(source, storage, at), _value(source, storage, at + 1)
            b = _value(source, storage, at + 2)
            luma = _luma(r, g, b)
            if luma - luma == f32(0.0):
                across = _bin((b - luma) * _TO_CB, -extent, scale, size, 0)
                up = _bin((r - luma) * _TO_CR, -extent, scale, size, 0)
                counts[size - 1 - up, across] += np.uint32(1)

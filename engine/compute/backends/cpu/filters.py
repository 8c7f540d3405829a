"""Resize and blur: weighted sums along the columns, then along the rows, one result row at a time.

Source pixels with a weight of 0, as between those of a wavelet transform with holes, are left out.
Every result is the same sum in the same order regardless of its place in a tile, so that tiles are identical to the
whole image.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import filter_band_at
from engine.compute.backends.cpu.intrinsics import (
    f32,
    float_at,
    floats_at,
    fma,
    half_at,
    ints_at,
    load,
    put_float,
    put_half,
    store,
)
from engine.compute.backends.cpu.layout import HALF


@njit(error_model="numpy")
def _add_row(total, source, storage, start, count, weight):
    """Add `weight` times `count` numbers of the source, from `start` on, to `total`."""
    if storage == HALF:
        for i in range(count):
            store(total, i, fma(half_at(source, start + i), weight, load(total, i)))
    else:
        for i in range(count):
            store(total, i, fma(float_at(source, start + i), weight, load(total, i)))


@njit(error_model="numpy")
def _put(target, storage, index, value):
    if storage == HALF:
        put_half(target, index, value)
    else:
        put_float(target, index, value)


@njit(error_model="numpy")
def _put_four(target, storage, index, r, g, b, a):
    _put(target, storage, index, r)
    _put(target, storage, index + 1, g)
    _put(target, storage, index + 2, b)
    _put(target, storage, index + 3, a)


def filter_rows(geometry, first_x, count_x, weights_x, places_x, first_y, count_y, weights_y, places_y, work):
    """Compute some rows of the result.

    All arguments are addresses: `geometry` of a FilterBand; for the columns and rows of the result, `first` and `count`
    of the source pixels that each sums (int32), their `weights` (float32) and `places` of these (int32); `work` of one
    row of the source, as floats.
    """
    band = filter_band_at(geometry)
    source, target, channels, width = band.source, band.target, band.source.channels, band.source_width
    first_x, count_x, weights_x = ints_at(first_x), ints_at(count_x), floats_at(weights_x)
    first_y, count_y, weights_y = ints_at(first_y), ints_at(count_y), floats_at(weights_y)
    places_x, places_y = ints_at(places_x), ints_at(places_y)
    total = floats_at(work)
    for y in range(band.top, band.bottom):
        for i in range(width * channels):
            store(total, i, f32(0.0))
        for j in range(band.row_places if band.row_places else count_y[y]):
            k = np.int64(places_y[y * band.row_places + j]) if band.row_places else np.int64(j)
            if k < 0:
                break
            start = (np.int64(first_y[y]) + k) * source.stride * channels
            weight = load(weights_y, y * band.row_weights + k)
            if weight != f32(0.0):
                _add_row(total, source.address, source.storage, start, width * channels, weight)
        for x in range(band.target_width):
            at, result = np.int64(first_x[x]) * channels, (y * target.stride + x) * channels
            if channels == 4 and band.column_places:
                r, g, b, a = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
                for j in range(band.column_places):
                    k = np.int64(places_x[x * band.column_places + j])
                    if k < 0:
                        break
                    weight = load(weights_x, x * band.column_weights + k)
                    r = fma(load(total, at + 4 * k), weight, r)
                    g = fma(load(total, at + 4 * k + 1), weight, g)
                    b = fma(load(total, at + 4 * k + 2), weight, b)
                    a = fma(load(total, at + 4 * k + 3), weight, a)
                _put_four(target.address, target.storage, result, r, g, b, a)
            elif channels == 4:
                r, g, b, a = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
                for k in range(count_x[x]):
                    weight = load(weights_x, x * band.column_weights + k)
                    if weight == f32(0.0):
                        continue
                    r = fma(load(total, at + 4 * k), weight, r)
                    g = fma(load(total, at + 4 * k + 1), weight, g)
                    b = fma(load(total, at + 4 * k + 2), weight, b)
                    a = fma(load(total, at + 4 * k + 3), weight, a)
                _put_four(target.address, target.storage, result, r, g, b, a)
            else:
                for c in range(channels):
                    value = f32(0.0)
                    for k in range(count_x[x]):
                        weight = load(weights_x, x * band.column_weights + k)
                        value = fma(load(total, at + channels * k + c), weight, value)
                    _put(target.address, target.storage, result + c, value)

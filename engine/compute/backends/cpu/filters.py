"""Resize and blur: weighted sums along the columns, then along the rows, one result row at a time.

Every result is the same sum in the same order regardless of its place in a tile, so that tiles are identical to the
whole image.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
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


def filter_rows(geometry, first_x, count_x, weights_x, first_y, count_y, weights_y, work):
    """Compute result rows `top` to `bottom` (exclusive).

    All arguments are addresses: `geometry` of 13 int64; for the columns and rows of the result, `first` and `count` of
    the source pixels that each sums (int32) and their `weights` (float32); `work` of one row of the source, as floats.

    `geometry`: address, storage and row stride in pixels of the source, then of the target; channels, source width,
    top, bottom; width of the result; number of weights per column and per row.
    """
    numbers = addresses_at(geometry)
    source, source_storage, source_stride = numbers[0], numbers[1], numbers[2]
    target, target_storage, target_stride = numbers[3], numbers[4], numbers[5]
    channels, width, top, bottom = numbers[6], numbers[7], numbers[8], numbers[9]
    target_width, taps_x, taps_y = numbers[10], numbers[11], numbers[12]
    first_x, count_x, weights_x = ints_at(first_x), ints_at(count_x), floats_at(weights_x)
    first_y, count_y, weights_y = ints_at(first_y), ints_at(count_y), floats_at(weights_y)
    total = floats_at(work)
    for y in range(top, bottom):
        for i in range(width * channels):
            store(total, i, f32(0.0))
        for k in range(count_y[y]):
            start = (np.int64(first_y[y]) + k) * source_stride * channels
            _add_row(total, source, source_storage, start, width * channels, load(weights_y, y * taps_y + k))
        for x in range(target_width):
            at, result = np.int64(first_x[x]) * channels, (y * target_stride + x) * channels
            if channels == 4:
                r, g, b, a = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
                for k in range(count_x[x]):
                    weight = load(weights_x, x * taps_x + k)
                    r = fma(load(total, at + 4 * k), weight, r)
                    g = fma(load(total, at + 4 * k + 1), weight, g)
                    b = fma(load(total, at + 4 * k + 2), weight, b)
                    a = fma(load(total, at + 4 * k + 3), weight, a)
                _put(target, target_storage, result, r)
                _put(target, target_storage, result + 1, g)
                _put(target, target_storage, result + 2, b)
                _put(target, target_storage, result + 3, a)
            else:
                for c in range(channels):
                    value = f32(0.0)
                    for k in range(count_x[x]):
                        value = fma(load(total, at + channels * k + c), load(weights_x, x * taps_x + k), value)
                    _put(target, target_storage, result + c, value)

"""Resize and blur: weighted sums down the columns, then along the rows, one result row at a time.

Every result is the same sum in the same order wherever it lies in a tile, so that tiles give the bits of the whole.
"""

import numpy as np
from numba import njit

from engine.backends.cpu.intrinsics import (
    HALF,
    f32,
    float_at,
    floats_at,
    fma,
    half_at,
    load,
    put_float,
    put_half,
    store,
)


@njit(error_model="numpy", cache=True)
def _add_row(total, source, storage, start, count, weight):
    """Add `weight` times `count` numbers of the source, from `start` on, to `total`."""
    if storage == HALF:
        for i in range(count):
            store(total, i, fma(half_at(source, start + i), weight, load(total, i)))
    else:
        for i in range(count):
            store(total, i, fma(float_at(source, start + i), weight, load(total, i)))


@njit(error_model="numpy", cache=True)
def _put(target, storage, index, value):
    if storage == HALF:
        put_half(target, index, value)
    else:
        put_float(target, index, value)


@njit(
    "void(int64[::1], int32[::1], int32[::1], float32[:,::1], int32[::1], int32[::1], float32[:,::1], float32[::1])",
    nogil=True,
    error_model="numpy",
    cache=True,
)
def filter_rows(geometry, first_x, count_x, weights_x, first_y, count_y, weights_y, work):
    """Result rows `top` to before `bottom`. `work` holds one row of the source.

    `geometry`: source address, storage, pixels from row to row; target's the same; channels, source width, top, bottom.
    """
    source, source_storage, source_stride = geometry[0], geometry[1], geometry[2]
    target, target_storage, target_stride = geometry[3], geometry[4], geometry[5]
    channels, width, top, bottom = geometry[6], geometry[7], geometry[8], geometry[9]
    total = floats_at(np.int64(work.ctypes.data))
    for y in range(top, bottom):
        for i in range(width * channels):
            store(total, i, f32(0.0))
        for k in range(count_y[y]):
            start = (np.int64(first_y[y]) + k) * source_stride * channels
            _add_row(total, source, source_storage, start, width * channels, weights_y[y, k])
        for x in range(len(first_x)):
            at, result = np.int64(first_x[x]) * channels, (y * target_stride + x) * channels
            if channels == 4:
                r, g, b, a = f32(0.0), f32(0.0), f32(0.0), f32(0.0)
                for k in range(count_x[x]):
                    weight = weights_x[x, k]
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
                        value = fma(load(total, at + channels * k + c), weights_x[x, k], value)
                    _put(target, target_storage, result + c, value)

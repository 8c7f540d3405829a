"""Runs ops over pixels: unpacks them into planes block by block, calls the ops in turn and packs the result."""

import numpy as np
from numba import njit

from engine.backends.cpu.intrinsics import (
    BLOCK,
    BYTE,
    HALF,
    addresses_at,
    call_op,
    f32,
    fence,
    float_at,
    floats_at,
    half_at,
    load,
    put_byte,
    put_float,
    put_half,
    put_past_cache,
    store,
    t_max,
    t_min,
)


@njit(error_model="numpy", cache=True)
def _unpack(planes, at, count, source, storage, channels, first):
    """`count` pixels of `source` from pixel `first` on -> the planes from `at` on."""
    base = first * channels
    if storage == HALF and channels == 4:
        for i in range(count):
            for c in range(4):
                store(planes, c * BLOCK + at + i, half_at(source, base + 4 * i + c))
    elif storage == HALF:
        for i in range(count):
            for c in range(3):
                store(planes, c * BLOCK + at + i, half_at(source, base + 3 * i + c))
    elif channels == 4:
        for i in range(count):
            for c in range(4):
                store(planes, c * BLOCK + at + i, float_at(source, base + 4 * i + c))
    else:
        for i in range(count):
            for c in range(3):
                store(planes, c * BLOCK + at + i, float_at(source, base + 3 * i + c))


@njit(error_model="numpy", cache=True)
def _to_byte(x):
    return t_min(t_max(x, f32(0.0)), f32(1.0)) * f32(255.0)


@njit(error_model="numpy", cache=True)
def _pack(planes, at, count, target, storage, channels, first):
    """The planes from `at` on -> `count` pixels of `target` from pixel `first` on."""
    base = first * channels
    if storage == HALF and channels == 4:
        for i in range(count):
            for c in range(4):
                put_half(target, base + 4 * i + c, load(planes, c * BLOCK + at + i))
    elif storage == HALF:
        for i in range(count):
            for c in range(3):
                put_half(target, base + 3 * i + c, load(planes, c * BLOCK + at + i))
    elif storage == BYTE:
        for i in range(count):
            for c in range(3):
                put_byte(target, base + 4 * i + c, _to_byte(load(planes, c * BLOCK + at + i)))
            put_byte(target, base + 4 * i + 3, f32(255.0))
    elif channels == 4:
        for i in range(count):
            for c in range(4):
                put_float(target, base + 4 * i + c, load(planes, c * BLOCK + at + i))
    else:
        for i in range(count):
            for c in range(3):
                put_float(target, base + 3 * i + c, load(planes, c * BLOCK + at + i))


@njit(error_model="numpy", cache=True)
def _pack_past_cache(planes, staging, target, storage, channels, first):
    """A whole block -> pixels of `target` from `first` on, which is not read into the cache before it is written."""
    _pack(planes, np.int64(0), BLOCK, staging, storage, channels, np.int64(0))
    size = channels * (2 if storage == HALF else 1 if storage == BYTE else 4)
    for i in range(BLOCK * size // 16):
        put_past_cache(target + first * size, staging, i)


@njit(error_model="numpy", cache=True)
def _pack_rows(planes, count, target, storage, channels, stride, width, first):
    """`count` pixels of a region of `width`, counted along its rows from `first` on."""
    row, column, done = first // width, first % width, np.int64(0)
    while done < count:
        run = min(count - done, width - column)
        _pack(planes, done, run, target, storage, channels, row * stride + column)
        done, row, column = done + run, row + 1, np.int64(0)


WORK = 8 * BLOCK
"""Floats that `run_band` works in: the planes, and one block packed."""
GEOMETRY = "source, storage, channels, stride; target, storage, channels, stride; width, first, last, past_cache"
"""The numbers that `run_band` takes as one array: addresses, storages, channels, pixels from one row to the next of
source and target; the width of the region and its pixels, counted along its rows, from `first` to before `last`;
whether to write past the cache, for a target of 16-byte alignment without gaps between its rows."""


@njit("void(int64[::1], int64[::1], int64[::1], int64[::1], float32[::1])", nogil=True, error_model="numpy", cache=True)
def run_band(geometry, ops, uniforms, tables, work):
    """Run the ops at the addresses `ops` over some pixels of a region, block by block."""
    source, source_storage, source_channels, source_stride = geometry[0], geometry[1], geometry[2], geometry[3]
    target, target_storage, target_channels, target_stride = geometry[4], geometry[5], geometry[6], geometry[7]
    width, first, last, past_cache = geometry[8], geometry[9], geometry[10], geometry[11]
    staging = np.int64(work.ctypes.data) + 16 * BLOCK
    planes = floats_at(np.int64(work.ctypes.data))
    while first < last:
        count = min(BLOCK, last - first)
        row, column, done = first // width, first % width, np.int64(0)
        while done < count:
            run = min(count - done, width - column)
            _unpack(planes, done, run, source, source_storage, source_channels, row * source_stride + column)
            done, row, column = done + run, row + 1, np.int64(0)
        if source_channels == 3:
            for i in range(BLOCK):
                store(planes, 3 * BLOCK + i, f32(1.0))
        for k in range(len(ops)):
            call_op(ops[k], planes, floats_at(uniforms[k]), addresses_at(tables[k]))
        if past_cache and count == BLOCK:
            _pack_past_cache(planes, staging, target, target_storage, target_channels, first)
        else:
            _pack_rows(planes, count, target, target_storage, target_channels, target_stride, width, first)
        first += count
    if past_cache:
        fence()

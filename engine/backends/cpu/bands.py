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
    float_at,
    floats_at,
    half_at,
    load,
    put_byte,
    put_float,
    put_half,
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


GEOMETRY = "source, storage, channels, stride; target, storage, channels, stride; width, first, last"
"""The numbers that `run_band` takes as one array: addresses, storages, channels, pixels from one row to the next of
source and target; the width of the region and its pixels, counted along its rows, from `first` to before `last`."""


@njit("void(int64[::1], int64[::1], int64[::1], int64[::1], float32[::1])", nogil=True, error_model="numpy", cache=True)
def run_band(geometry, ops, uniforms, tables, work):
    """Run the ops at the addresses `ops` over some pixels of a region, block by block."""
    source, source_storage, source_channels, source_stride = geometry[0], geometry[1], geometry[2], geometry[3]
    target, target_storage, target_channels, target_stride = geometry[4], geometry[5], geometry[6], geometry[7]
    width, first, last = geometry[8], geometry[9], geometry[10]
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
        row, column, done = first // width, first % width, np.int64(0)
        while done < count:
            run = min(count - done, width - column)
            _pack(planes, done, run, target, target_storage, target_channels, row * target_stride + column)
            done, row, column = done + run, row + 1, np.int64(0)
        first += count

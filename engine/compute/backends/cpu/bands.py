"""Execution of ops on bands of pixels: unpack a block into planes, call the ops in order, and pack the result."""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import band_at
from engine.compute.backends.cpu.intrinsics import (
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
    store,
    store_nontemporal,
    t_max,
    t_min,
)
from engine.compute.backends.cpu.layout import BLOCK, BYTE, HALF


@njit(error_model="numpy")
def _unpack(planes, at, count, source, storage, channels, first):
    """Unpack `count` pixels of `source` from pixel `first` on into the planes from `at` on."""
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


@njit(error_model="numpy")
def unpack_rows(planes, count, source, width, first):
    """Unpack `count` pixels of a region of `width`, counted along its rows from `first` on, into the planes."""
    row, column, done = first // width, first % width, np.int64(0)
    while done < count:
        run = min(count - done, width - column)
        _unpack(planes, done, run, source.address, source.storage, source.channels, row * source.stride + column)
        done, row, column = done + run, row + 1, np.int64(0)
    if source.channels == 3:
        for i in range(BLOCK):
            store(planes, 3 * BLOCK + i, f32(1.0))


@njit(error_model="numpy")
def to_byte(x):
    """Return a value scaled and clamped to 0..255, not yet rounded."""
    return t_min(t_max(x, f32(0.0)), f32(1.0)) * f32(255.0)


@njit(error_model="numpy")
def _pack(planes, at, count, target, storage, channels, first):
    """Pack the planes from `at` on into `count` pixels of `target` from pixel `first` on."""
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
                put_byte(target, base + 4 * i + c, to_byte(load(planes, c * BLOCK + at + i)))
            put_byte(target, base + 4 * i + 3, f32(255.0))
    elif channels == 4:
        for i in range(count):
            for c in range(4):
                put_float(target, base + 4 * i + c, load(planes, c * BLOCK + at + i))
    else:
        for i in range(count):
            for c in range(3):
                put_float(target, base + 3 * i + c, load(planes, c * BLOCK + at + i))


@njit(error_model="numpy")
def _pack_past_cache(planes, staging, target, first):
    """Pack a whole block into pixels of `target` from `first` on, with non-temporal stores."""
    _pack(planes, np.int64(0), BLOCK, staging, target.storage, target.channels, np.int64(0))
    size = target.channels * (2 if target.storage == HALF else 1 if target.storage == BYTE else 4)
    for i in range(BLOCK * size // 16):
        store_nontemporal(target.address + first * size, staging, i)


@njit(error_model="numpy")
def pack_rows(planes, count, target, width, first):
    """Pack the planes into `count` pixels of a region of `width`, counted along its rows from `first` on."""
    row, column, done = first // width, first % width, np.int64(0)
    while done < count:
        run = min(count - done, width - column)
        _pack(planes, done, run, target.address, target.storage, target.channels, row * target.stride + column)
        done, row, column = done + run, row + 1, np.int64(0)


def run_band(geometry, ops, uniforms, tables, work):
    """Run ops on some pixels of a region, block by block.

    All arguments are addresses: `geometry` of a Band; `ops`, `uniforms` and `tables` of one int64 per op, the addresses
    of the op, of its uniforms and of the addresses of its tables; `work` of WORK floats of scratch memory.
    """
    band, ops, uniforms, tables = band_at(geometry), addresses_at(ops), addresses_at(uniforms), addresses_at(tables)
    planes, staging, first = floats_at(work), work + 16 * BLOCK, band.first
    while first < band.last:
        pixels = min(BLOCK, band.last - first)
        unpack_rows(planes, pixels, band.source, band.width, first)
        for k in range(band.ops):
            call_op(ops[k], planes, floats_at(uniforms[k]), addresses_at(tables[k]))
        if band.past_cache and pixels == BLOCK:
            _pack_past_cache(planes, staging, band.target, first)
        else:
            pack_rows(planes, pixels, band.target, band.width, first)
        first += pixels
    if band.past_cache:
        fence()

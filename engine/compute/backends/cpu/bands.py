"""Execution of ops on bands of pixels: unpack a block into planes, call the ops in order, and pack the result."""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import band_at, inputs_at
from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    call_op,
    call_with,
    doubles_at,
    f32,
    fence,
    float_at,
    floats_at,
    half_at,
    i32,
    i_add,
    load,
    put_byte,
    put_float,
    put_half,
    store,
    store_nontemporal,
    t_max,
    t_min,
)
from engine.compute.backends.cpu.layout import BLOCK, BYTE, HALF, PLACE, PLANES, STAGING


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
def _put_place(planes, at, count, numbers, column, row):
    """Store x and y of `count` pixels from (`column`, `row`) on, and their low-order parts, in planes from `at` on."""
    x, y, step_x, step_y = numbers[0], numbers[1], numbers[2], numbers[3]
    down = y + (row + 0.5) * step_y
    high, low = f32(down), f32(down - f32(down))
    for i in range(count):
        across = x + (np.float64(i_add(i32(column), i32(i))) + 0.5) * step_x
        store(planes, PLACE * BLOCK + at + i, f32(across))
        store(planes, (PLACE + 1) * BLOCK + at + i, high)
        store(planes, (PLACE + 2) * BLOCK + at + i, f32(across - f32(across)))
        store(planes, (PLACE + 3) * BLOCK + at + i, low)


@njit(error_model="numpy")
def unpack_inputs(planes, count, address, width, first):
    """Put what ops read beside the channels of pixels, the Inputs at `address`, beside the planes."""
    inputs, row, column, done = inputs_at(address), first // width, first % width, np.int64(0)
    while done < count:
        run = min(count - done, width - column)
        if inputs.placed:
            _put_place(planes, done, run, doubles_at(inputs.numbers), inputs.column + column, inputs.row + row)
        for image in range(inputs.images):
            buffer = inputs.low if image == 0 else inputs.high
            at, start = (PLANES + 4 * image) * BLOCK + done, row * buffer.stride + column
            _unpack(planes, at, run, buffer.address, buffer.storage, buffer.channels, start)
        done, row, column = done + run, row + 1, np.int64(0)


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
    of the op, of its uniforms and of the addresses of its tables; `work` of scratch memory, WORK floats or more.
    """
    band, ops, uniforms, tables = band_at(geometry), addresses_at(ops), addresses_at(uniforms), addresses_at(tables)
    planes, staging, first = floats_at(work), work + 4 * STAGING * BLOCK, band.first
    while first < band.last:
        pixels = min(BLOCK, band.last - first)
        if band.planar != 0:
            call_with(band.unpack, work, pixels, band.planar, band.width, first)
        else:
            unpack_rows(planes, pixels, band.source, band.width, first)
        if band.inputs != 0:
            unpack_inputs(planes, pixels, band.inputs, band.width, first)
        for k in range(band.ops):
            call_op(ops[k], planes, floats_at(uniforms[k]), addresses_at(tables[k]))
        if band.past_cache and pixels == BLOCK:
            _pack_past_cache(planes, staging, band.target, first)
        else:
            pack_rows(planes, pixels, band.target, band.width, first)
        first += pixels
    if band.past_cache:
        fence()

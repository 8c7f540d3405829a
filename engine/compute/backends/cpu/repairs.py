"""Execution of ops for display, with other ops for the pixels whose alpha they make negative."""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.bands import pack_rows, to_byte, unpack_inputs, unpack_rows
from engine.compute.backends.cpu.geometry_readers import band_at
from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    bits_of,
    call_op,
    call_with,
    floats_at,
    i32,
    i_add,
    i_shr,
    load,
    put_byte,
    store,
)
from engine.compute.backends.cpu.layout import BLOCK, PLACES, QUEUE, STAGING


@njit(error_model="numpy")
def _keep(kept, planes):
    for i in range(4 * BLOCK):
        store(kept, i, load(planes, i))


@njit(error_model="numpy")
def _any_negative(planes):
    """Return whether alpha is negative anywhere in a block."""
    found = i32(0)
    for i in range(BLOCK):
        found = i_add(found, i_shr(bits_of(load(planes, 3 * BLOCK + i)), i32(31)))
    return found != i32(0)


@njit(error_model="numpy")
def _repair(first, last, ops, uniforms, tables, queue, places, count, target):
    """Run some ops on `count` pixels of the queue and write them to their places."""
    for k in range(first, last):
        call_op(ops[k], queue, floats_at(uniforms[k]), addresses_at(tables[k]))
    for i in range(count):
        for c in range(3):
            put_byte(target, 4 * places[i] + c, to_byte(load(queue, c * BLOCK + i)))


def run_repaired_band(geometry, ops, uniforms, tables, work):
    """Run ops as `run_band` does, into bytes, and repair pixels whose alpha is negative after the first ops.

    These pixels are queued with their values before the last of the first ops. When a block is full, the other ops run
    on it: these read neither place nor planes. The arguments are those of `run_band`.
    """
    band, ops, uniforms, tables = band_at(geometry), addresses_at(ops), addresses_at(uniforms), addresses_at(tables)
    width, first, target, stride = band.width, band.first, band.target.address, band.target.stride
    count, total = band.ops, band.all_ops
    planes, kept, queue = floats_at(work), floats_at(work + 4 * STAGING * BLOCK), floats_at(work + 4 * QUEUE * BLOCK)
    places, waiting = addresses_at(work + 4 * PLACES * BLOCK), np.int64(0)
    while first < band.last:
        pixels = min(BLOCK, band.last - first)
        if band.planar != 0:
            call_with(band.unpack, work, pixels, band.planar, width, first)
        else:
            unpack_rows(planes, pixels, band.source, width, first)
        if band.inputs != 0:
            unpack_inputs(planes, pixels, band.inputs, width, first)
        for k in range(count - 1):
            call_op(ops[k], planes, floats_at(uniforms[k]), addresses_at(tables[k]))
        _keep(kept, planes)
        call_op(ops[count - 1], planes, floats_at(uniforms[count - 1]), addresses_at(tables[count - 1]))
        pack_rows(planes, pixels, band.target, width, first)
        for i in range(pixels if _any_negative(planes) else 0):
            if load(planes, 3 * BLOCK + i) < 0.0:
                for c in range(4):
                    store(queue, c * BLOCK + waiting, load(kept, c * BLOCK + i))
                place = first + i
                places[waiting] = place // width * stride + place % width
                waiting += 1
                if waiting == BLOCK:
                    _repair(count, total, ops, uniforms, tables, queue, places, waiting, target)
                    waiting = np.int64(0)
        first += pixels
    if waiting > 0:
        _repair(count, total, ops, uniforms, tables, queue, places, waiting, target)

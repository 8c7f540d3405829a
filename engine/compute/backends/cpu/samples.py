"""Planes of frames from codes: rounded to the nearest, ties to even, and clamped."""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import sample_band_at
from engine.compute.backends.cpu.intrinsics import (
    f32,
    float_at,
    i32,
    i_add,
    i_and,
    i_lshr,
    i_mul,
    i_sub,
    i_xor,
    inlined,
    rint,
    t_max,
    t_min,
)
from engine.compute.backends.cpu.sample_intrinsics import put_byte_code, put_word_code

_FIRST, _SECOND = np.array([0x7FEB352D, 0x846CA68B], np.uint32).view(np.int32)
_UNIT = f32(2.0**-16)


@inlined
def _noise(number, key):
    """Return noise from -1 to 1, of a triangular distribution: two halves of a hash (Wellons, "lowbias32", 2018)."""
    h = i_add(number, key)
    h = i_mul(i_xor(h, i_lshr(h, i32(16))), _FIRST)
    h = i_mul(i_xor(h, i_lshr(h, i32(15))), _SECOND)
    h = i_xor(h, i_lshr(h, i32(16)))
    return f32(i_sub(i_and(h, i32(0xFFFF)), i_lshr(h, i32(16)))) * _UNIT


@inlined
def _code(source, at, i, number, key, share, low, high):
    """Return the rounded code of column `i` of a row that begins at `at`, the first of whose samples has a number."""
    code = float_at(source, at + 4 * i) + _noise(i_add(number, i32(i)), key) * share
    return rint(t_min(t_max(code, low), high))


@njit(error_model="numpy")
def _put_samples(target, first, source, at, count, number, key, share, low, high):
    """Store `count` samples, one in each column from `first` on; the pixels that they come from have four channels."""
    address, shift = target.address, target.shift
    if target.bytes == 1 and target.step == 1:
        for i in range(count):
            put_byte_code(address, first + i, _code(source, at, i, number, key, share, low, high), shift)
    elif target.bytes == 1:
        for i in range(count):
            put_byte_code(address, first + 2 * i, _code(source, at, i, number, key, share, low, high), shift)
    elif target.step == 1:
        for i in range(count):
            put_word_code(address, first + i, _code(source, at, i, number, key, share, low, high), shift)
    else:
        for i in range(count):
            put_word_code(address, first + 2 * i, _code(source, at, i, number, key, share, low, high), shift)


def sample_rows(geometry):
    """Fill some rows of a plane. `geometry` is the address of a SampleBand."""
    band = sample_band_at(geometry)
    low, high, share = f32(band.low), f32(band.high), f32(band.noise)
    for y in range(band.top, band.bottom):
        number = i32(y * band.width)
        for c in range(band.target.step):
            at, first = 4 * y * band.source.stride + band.channel + c, y * band.target.row + c
            key = i32(band.next_key if c else band.key)
            _put_samples(band.target, first, band.source.address, at, band.width, number, key, share, low, high)

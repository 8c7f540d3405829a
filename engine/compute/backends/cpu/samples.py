"""Planes of frames from codes: rounded to the nearest, ties to even, and clamped."""

from numba import njit

from engine.compute.backends.cpu.geometry_readers import sample_band_at
from engine.compute.backends.cpu.intrinsics import f32, float_at, rint, t_max, t_min
from engine.compute.backends.cpu.sample_intrinsics import put_byte_code, put_word_code


@njit(error_model="numpy")
def _put_samples(target, first, source, at, count, low, high):
    """Store `count` samples, one in each column from `first` on; the pixels that they come from have four channels."""
    address, shift = target.address, target.shift
    if target.bytes == 1 and target.step == 1:
        for i in range(count):
            code = rint(t_min(t_max(float_at(source, at + 4 * i), low), high))
            put_byte_code(address, first + i, code, shift)
    elif target.bytes == 1:
        for i in range(count):
            code = rint(t_min(t_max(float_at(source, at + 4 * i), low), high))
            put_byte_code(address, first + 2 * i, code, shift)
    elif target.step == 1:
        for i in range(count):
            code = rint(t_min(t_max(float_at(source, at + 4 * i), low), high))
            put_word_code(address, first + i, code, shift)
    else:
        for i in range(count):
            code = rint(t_min(t_max(float_at(source, at + 4 * i), low), high))
            put_word_code(address, first + 2 * i, code, shift)


def sample_rows(geometry):
    """Fill some rows of a plane. `geometry` is the address of a SampleBand."""
    band = sample_band_at(geometry)
    low, high = f32(band.low), f32(band.high)
    for y in range(band.top, band.bottom):
        for c in range(band.target.step):
            at, first = 4 * y * band.source.stride + band.channel + c, y * band.target.row + c
            _put_samples(band.target, first, band.source.address, at, band.width, low, high)

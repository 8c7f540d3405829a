"""Unpacking of planar frames into the planes of a block: codes as float32, with chroma interpolated between samples.

Positions of chroma are in quarters of a chroma sample, so that each interpolated code is exact.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import planar_at
from engine.compute.backends.cpu.intrinsics import f32, floats_at, load, store
from engine.compute.backends.cpu.layout import BLOCK, STAGING
from engine.compute.backends.cpu.sample_intrinsics import byte_code, word_code

_QUARTER = f32(0.25)


@njit(error_model="numpy")
def _codes(planes, at, count, source, first):
    """Store `count` codes of a row of samples, from sample `first` on, every `source.step` samples."""
    address, shift = source.address, source.shift
    if source.bytes == 1 and source.step == 1:
        for i in range(count):
            store(planes, at + i, byte_code(address, first + i, shift))
    elif source.bytes == 1:
        for i in range(count):
            store(planes, at + i, byte_code(address, first + 2 * i, shift))
    elif source.step == 1:
        for i in range(count):
            store(planes, at + i, word_code(address, first + i, shift))
    else:
        for i in range(count):
            store(planes, at + i, word_code(address, first + 2 * i, shift))


@njit(error_model="numpy")
def _blended_codes(planes, at, count, source, first, share):
    """Move stored codes by a share of the way to those of another row."""
    address, shift = source.address, source.shift
    if source.bytes == 1 and source.step == 1:
        for i in range(count):
            code = load(planes, at + i)
            store(planes, at + i, code + (byte_code(address, first + i, shift) - code) * share)
    elif source.bytes == 1:
        for i in range(count):
            code = load(planes, at + i)
            store(planes, at + i, code + (byte_code(address, first + 2 * i, shift) - code) * share)
    elif source.step == 1:
        for i in range(count):
            code = load(planes, at + i)
            store(planes, at + i, code + (word_code(address, first + i, shift) - code) * share)
    else:
        for i in range(count):
            code = load(planes, at + i)
            store(planes, at + i, code + (word_code(address, first + 2 * i, shift) - code) * share)


@njit(error_model="numpy")
def _chroma_row(planes, at, first, count, source, frame, quarters):
    """Store `count` chroma codes from column `first` on, interpolated between rows; outside of the plane the nearest.

    `quarters` is the position between the rows.
    """
    above = quarters >> 2
    low, high = max(above, np.int64(0)), min(above + 1, frame.chroma_height - 1)
    share = f32(quarters & 3) * _QUARTER
    start, end = max(first, np.int64(0)), min(first + count, frame.chroma_width)
    to = at + start - first
    _codes(planes, to, end - start, source, low * source.row + start * source.step)
    if share > f32(0.0):
        _blended_codes(planes, to, end - start, source, high * source.row + start * source.step, share)
    for i in range(start - first):
        store(planes, at + i, load(planes, to))
    for i in range(end - first, count):
        store(planes, at + i, load(planes, at + end - first - 1))


@njit(error_model="numpy")
def _spread(planes, at, row, column, count, phase):
    """Store the chroma of `count` pixels from `column` on at `at`.

    `row` is where the codes are, from that at or left of the first pixel on.
    """
    odd = column & 1
    before, after = f32(-phase & 3) * _QUARTER, f32(2 - phase) * _QUARTER
    even, pair = row + (1 - phase if odd else 0), row + (1 if odd else phase)
    if odd:
        left = load(planes, row)
        store(planes, at, left + (load(planes, row + 1) - left) * after)
    pairs = (count - odd) >> 1
    for i in range(pairs):
        left, here = load(planes, even + i), load(planes, pair + i)
        store(planes, at + odd + 2 * i, left + (load(planes, even + i + 1) - left) * before)
        store(planes, at + odd + 2 * i + 1, here + (load(planes, pair + i + 1) - here) * after)
    if odd + 2 * pairs < count:
        left = load(planes, even + pairs)
        store(planes, at + count - 1, left + (load(planes, even + pairs + 1) - left) * before)


@njit(error_model="numpy")
def _chroma(planes, at, count, source, frame, column, row):
    """Store the chroma of `count` pixels of a row from `column` on."""
    down = 2 * row - frame.phase_y if frame.down else 4 * row
    if not frame.across:
        _chroma_row(planes, at, column, count, source, frame, down)
        return
    first, last = (2 * column - frame.phase_x) >> 2, ((2 * (column + count - 1) - frame.phase_x) >> 2) + 1
    _chroma_row(planes, np.int64(STAGING * BLOCK), first, last - first + 1, source, frame, down)
    _spread(planes, at, np.int64(STAGING * BLOCK), column, count, frame.phase_x)


def unpack_planar(work, count, address, width, first):
    """Unpack `count` pixels of a region of `width`, counted along its rows from `first` on, into planes.

    `work` is the address of the planes and of a band's scratch memory, `address` that of a Planar.
    """
    planes = floats_at(work)
    frame, row, column, done = planar_at(address), first // width, first % width, np.int64(0)
    while done < count:
        run = min(count - done, width - column)
        x, y = frame.column + column, frame.row + row
        _codes(planes, done, run, frame.luma, y * frame.luma.row + x)
        if frame.chroma_width > 0:
            _chroma(planes, BLOCK + done, run, frame.cb, frame, x, y)
            _chroma(planes, 2 * BLOCK + done, run, frame.cr, frame, x, y)
        if frame.alpha.bytes > 0:
            _codes(planes, 3 * BLOCK + done, run, frame.alpha, y * frame.alpha.row + x)
        done, row, column = done + run, row + 1, np.int64(0)
    for i in range(BLOCK if frame.chroma_width == 0 else 0):
        store(planes, BLOCK + i, f32(frame.neutral))
        store(planes, 2 * BLOCK + i, f32(frame.neutral))
    for i in range(BLOCK if frame.alpha.bytes == 0 else 0):
        store(planes, 3 * BLOCK + i, f32(1.0))

"""Samples of some channels from EXR chunks as they are packed in a file, as in the OpenEXR file layout document.

A chunk that was compressed by ZIP holds the differences of neighbouring bytes, and all bytes with even numbers before
those with odd ones. Only the bytes of the channels that are wanted are restored; of the others the sum is enough.
"""

import numpy as np
from llvmlite import ir
from numba import types

from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    bytes_at,
    counts_at,
    floats_at,
    half_at,
    i32,
    inlined,
    intrinsic,
    shorts_at,
)
from engine.compute.backends.cpu.layout import CHUNK_FIELDS, HALF


@intrinsic
def call_inflate(typing, address, source, packed, target, size, count):
    """Call the function at `address` as `exr_uncompress_buffer` (openexr_compression.h) is called; all are int64.

    It inflates `packed` bytes to `size` at most, whose number it writes to `count`; 0 says that it succeeded.
    """

    def emit(context, builder, signature, args):
        arguments = [ir.Constant(args[0].type, 0), *args[1:]]  # without a context
        function = ir.FunctionType(ir.IntType(32), [value.type for value in arguments])
        return builder.call(builder.inttoptr(args[0], function.as_pointer()), arguments)

    return types.int32(*[types.int64] * 6), emit


@inlined
def _sum(data, start, end):
    total = i32(0)
    for n in range(start, end):
        total += i32(data[n])
    return np.uint8(total & 255)


@inlined
def _restore(data, start, end, before):
    """Replace differences by bytes, from the byte `before` them on; return the last one.

    Each difference is stored plus 128, which changes the bytes with odd numbers only.
    """
    value = before
    for n in range(start, end):
        value = np.uint8(value + data[n])
        data[n] = value ^ np.uint8(128 * (n & 1))
    return value


@inlined
def _restore_channels(data, channels, count, width, height, line):
    """Replace the differences of the wanted channels of a chunk by bytes."""
    at, value = np.int64(0), np.uint8(0)
    for part in range(2):
        for y in range(height):
            for c in range(count):
                size = width if channels[3 * c + 1] == HALF else 2 * width
                start = part * (height * line // 2) + (y * line + width * channels[3 * c]) // 2
                value = np.uint8(value + _sum(data, at, start))
                value = _restore(data, start, start + size, value)
                at = start + size


@inlined
def _gather(data, start, size, half, coded, scratch):
    """Put the bytes of one channel of a line, `size` times two, into the scratch memory."""
    if coded:
        even = start // 2
        for n in range(size):
            scratch[2 * n] = data[even + n]
            scratch[2 * n + 1] = data[half + even + n]
    else:
        for n in range(2 * size):
            scratch[n] = data[start + n]


@inlined
def _write(target, first, step, width, is_half, to_half, work):
    """Write one channel of a line from the scratch memory, every `step` numbers of the target from `first` on."""
    if to_half:
        shorts, numbers = shorts_at(target), shorts_at(work)
        for x in range(width):
            shorts[first + x * step] = numbers[x]
    elif is_half:
        values = floats_at(target)
        for x in range(width):
            values[first + x * step] = half_at(work, x)
    else:
        bits, counts = counts_at(target), counts_at(work)
        for x in range(width):
            bits[first + x * step] = counts[x]


def chunk_lines(geometry, chunks, data, channels, work):
    """Write the samples of some channels of chunks: half as they are or as float32, integers as their bits.

    All arguments are addresses. `geometry`: ChunkLines. `chunks`: CHUNK_FIELDS int64 for each chunk: where it begins in
    `data`, its packed bytes, its left column, top row, width and height in the target, and whether it is good, which is
    written. `data`: the packed bytes. `channels`: int64, the bytes of a pixel before each channel, its storage, and its
    number in the target, in file order. `work`: bytes, of one unpacked chunk and of one line of a channel after it.
    """
    g, channels = addresses_at(geometry), addresses_at(channels)
    count, pixel_bytes, wanted, rows, target, to_half = g[0], g[1], g[2], g[3], g[4], g[5] == HALF
    row_stride, channel_stride, step, inflate, largest = g[6], g[7], g[8], g[9], g[10]
    actual, unpacked = work, work + 8
    line_at = unpacked + largest
    scratch = bytes_at(line_at)
    for number in range(count):
        chunk = addresses_at(chunks + 8 * CHUNK_FIELDS * number)
        packed, left, top, width, height = chunk[1], chunk[2], chunk[3], chunk[4], chunk[5]
        line, size = width * pixel_bytes, width * height * pixel_bytes
        coded, source = packed < size, data + chunk[0]
        chunk[6] = packed <= size
        if packed > size:
            continue
        if coded:
            failed = call_inflate(inflate, source, packed, unpacked, size, actual)
            if failed != 0 or addresses_at(actual)[0] != size:
                chunk[6] = 0
                continue
            source = unpacked
            _restore_channels(bytes_at(source), channels, wanted, width, height, line)
        for y in range(max(0, -top), min(height, rows - top)):
            for c in range(wanted):
                is_half = channels[3 * c + 1] == HALF
                start = y * line + width * channels[3 * c]
                _gather(bytes_at(source), start, width if is_half else 2 * width, height * line // 2, coded, scratch)
                first = (top + y) * row_stride + left * step + channels[3 * c + 2] * channel_stride
                _write(target, first, step, width, is_half, to_half, line_at)

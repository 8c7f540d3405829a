"""Samples of some channels from the bytes of EXR chunks, as in the OpenEXR file layout document.

A chunk that was compressed by ZIP holds the differences of neighbouring bytes, and all bytes with even numbers before
those with odd ones. Only the bytes of the channels that are wanted are restored; of the others the sum is enough.
"""

import numpy as np

from engine.compute.backends.cpu.intrinsics import addresses_at, bytes_at, counts_at, floats_at, half_at, i32, inlined
from engine.compute.backends.cpu.layout import HALF


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


def chunk_lines(geometry, data, channels, target, work):
    """Write the samples of some channels of a chunk as float32, integers as their bits. All arguments are addresses.

    `geometry`: int64, whether the bytes are differences, width and height of the chunk, bytes of a line, the number of
    channels, and the strides of `target` in numbers, from row to row and from channel to channel. `data`: the bytes,
    which are changed. `channels`: int64, the first byte in a line and the type of each channel, in file order.
    `target`: float32, at the first sample of the chunk. `work`: bytes, one line of a channel.
    """
    g, channels = addresses_at(geometry), addresses_at(channels)
    coded, width, height, line, count, row_stride, channel_stride = g[0], g[1], g[2], g[3], g[4], g[5], g[6]
    bytes_, scratch = bytes_at(data), bytes_at(work)
    half = height * line // 2
    if coded:
        at, value = np.int64(0), np.uint8(0)
        for part in range(2):
            for y in range(height):
                for c in range(count):
                    size = width if channels[2 * c + 1] == HALF else 2 * width
                    start = part * half + (y * line + channels[2 * c]) // 2
                    value = np.uint8(value + _sum(bytes_, at, start))
                    value = _restore(bytes_, start, start + size, value)
                    at = start + size
    for y in range(height):
        for c in range(count):
            is_half = channels[2 * c + 1] == HALF
            start, size = y * line + channels[2 * c], width if is_half else 2 * width
            if coded:
                even = start // 2
                for n in range(size):
                    scratch[2 * n] = bytes_[even + n]
                    scratch[2 * n + 1] = bytes_[half + even + n]
            else:
                for n in range(2 * size):
                    scratch[n] = bytes_[start + n]
            first = y * row_stride + c * channel_stride
            if is_half:
                values = floats_at(target)
                for x in range(width):
                    values[first + x] = half_at(work, x)
            else:
                bits, numbers = counts_at(target), counts_at(work)
                for x in range(width):
                    bits[first + x] = numbers[x]

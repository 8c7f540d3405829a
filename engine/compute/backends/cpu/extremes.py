"""The largest or smallest value in a window, along the rows, then along the columns.

A line of the image, or a strip of neighbouring columns, is copied into memory that stays in the cache. There each step
of `engine.compute.backends.extremes` is a loop over neighbouring floats.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import extreme_lines_at
from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    float_at,
    floats_at,
    inlined,
    load,
    put_float,
    select,
    store,
)


@inlined
def _larger(a, b):
    """Return the larger one; NaN only if both are."""
    return select((a > b) | (b != b), a, b)


@njit(error_model="numpy")
def _fetch(line, count, wide, source, start, step, sign):
    """Copy `count` groups of `wide` floats, `step` apart from `start` on."""
    if step == wide:
        count, wide = np.int64(1), count * wide
    for k in range(count):
        for i in range(wide):
            store(line, k * wide + i, sign * float_at(source, start + k * step + i))


@njit(error_model="numpy")
def _put(line, count, wide, target, start, step, sign):
    if step == wide:
        count, wide = np.int64(1), count * wide
    for k in range(count):
        for i in range(wide):
            put_float(target, start + k * step + i, sign * load(line, k * wide + i))


@njit(error_model="numpy")
def _grow(line, into, count, wide, step):
    """Store the largest of three groups `step` apart for each group; one beyond an end counts as the one at the end."""
    reach, last = min(step, count), (count - 1) * wide
    for k in range(reach):
        after = min(k + step, count - 1) * wide
        for i in range(wide):
            beside = _larger(load(line, i), load(line, after + i))
            store(into, k * wide + i, _larger(load(line, k * wide + i), beside))
    for i in range(reach * wide, (count - step) * wide):
        beside = _larger(load(line, i - step * wide), load(line, i + step * wide))
        store(into, i, _larger(load(line, i), beside))
    for k in range(max(reach, count - step), count):
        before = max(k - step, 0) * wide
        for i in range(wide):
            beside = _larger(load(line, before + i), load(line, last + i))
            store(into, k * wide + i, _larger(load(line, k * wide + i), beside))


def extreme_lines(geometry, steps, work):
    """Compute some lines of the result.

    All arguments are addresses: `geometry` of ExtremeLines; `steps` along the line, int64; `work` of memory for two
    lines of floats.
    """
    lines, steps = extreme_lines_at(geometry), addresses_at(steps)
    count, sign = lines.groups, np.float32(1.0 if lines.largest else -1.0)
    for line in range(lines.first, lines.last):
        wide = min(lines.wide, lines.floats - line * lines.wide)
        read, written = floats_at(work), floats_at(work + 4 * count * wide)
        _fetch(read, count, wide, lines.source, line * lines.source_line, lines.source_step, sign)
        for n in range(lines.steps):
            _grow(read, written, count, wide, steps[n])
            read, written = written, read
        _put(read, count, wide, lines.target, line * lines.target_line, lines.target_step, sign)

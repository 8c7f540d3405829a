"""Planes of mattes from decoded samples: packing of Cryptomatte ranks, coverage of objects, and means at a mip level.

IDs are read and compared as 32-bit integers, never as floats.
"""

import numpy as np

from engine.compute.backends.cpu.intrinsics import (
    addresses_at,
    counts_at,
    doubles_at,
    f32,
    floats_at,
    i32,
    inlined,
    ints_at,
)
from engine.compute.backends.cpu.planes import (
    BAND_FIELDS,
    COLUMNS,
    HASH_FACTOR,
    HASH_SHIFT,
    IDS,
    LARGEST_COVERAGE,
    MORE_IDS,
    MORE_VALUES,
    STARTS,
    VALUES,
)

_BAND_BYTES = 8 * BAND_FIELDS
_FACTOR, _SHIFT = np.int64(HASH_FACTOR), np.int64(HASH_SHIFT)
_LARGEST = f32(LARGEST_COVERAGE)


@inlined
def _is_wanted(wanted, mask, id):
    """Return whether an ID is in an open hash table of int64, whose empty places are negative."""
    place = (id * _FACTOR >> _SHIFT) & mask
    while wanted[place] >= 0:
        if wanted[place] == id:
            return True
        place += 1
    return False


@inlined
def _first_rank(row, offset, ids, coverages, base, start, end, wanted, mask):
    """Write the coverage of the first rank; neighbours usually have the same ID."""
    last, covered = np.int64(-1), False
    for x in range(start, end):
        id = np.int64(ids[base + x])
        if id != last:
            last, covered = id, _is_wanted(wanted, mask, id)
        row[x + offset] = coverages[base + x] if covered else f32(0.0)


@inlined
def _fill(row, offset, band, line, width, start, end, wanted, mask, single):
    """Write the columns start..end of a line of a band to `row`, at `offset`."""
    base, coverages = line * width, floats_at(band[VALUES])
    if band[IDS] == 0:
        for x in range(start, end):
            row[x + offset] = coverages[base + x]
        return
    ids = counts_at(band[IDS])
    if single >= 0:
        one = np.uint32(single)
        for x in range(start, end):
            row[x + offset] = coverages[base + x] if ids[base + x] == one else f32(0.0)
    else:
        _first_rank(row, offset, ids, coverages, base, start, end, wanted, mask)
    if band[STARTS] != 0:
        starts, columns = addresses_at(band[STARTS]), ints_at(band[COLUMNS])
        more_ids, more = counts_at(band[MORE_IDS]), floats_at(band[MORE_VALUES])
        for n in range(starts[line], starts[line + 1]):
            x = np.int64(columns[n])
            if start <= x < end and _is_wanted(wanted, mask, np.int64(more_ids[n])):
                row[x + offset] += more[n]
    for x in range(start, end):
        row[x + offset] = min(max(row[x + offset], f32(0.0)), f32(1.0))


@inlined
def _store_means(target, at, step, sums, width, level, count, rows):
    """Write the mean of each 2**level columns of the sums of some rows, fewer at the right edge."""
    side = np.int64(1) << level
    for x in range(count):
        total = np.float64(0.0)
        end = min((x + 1) * side, width)
        for k in range(x * side, end):
            total += sums[k]
        target[at + x * step] = f32(total / np.float64((end - x * side) * rows))


def plane_rows(geometry, bands, wanted, target, work, sums):
    """Write some rows of a plane at a mip level. All arguments are addresses.

    `geometry`: a PlaneRows. `bands`: int64, the addresses of each band of the part. `wanted`: int64, the hash table of
    IDs. `target`: float32. `work` and `sums`: float32 and float64 scratch memory of a row at level 0.
    """
    g = addresses_at(geometry)
    top, bottom, left, right, level, width, height = g[0], g[1], g[2], g[3], g[4], g[5], g[6]
    across, down, part_width, part_height = g[7], g[8], g[9], g[10]
    band_rows, first_band, stride, step, mask, single = g[11], g[12], g[13], g[14], g[15], g[16]
    wanted, target, row, sums = addresses_at(wanted), floats_at(target), floats_at(work), doubles_at(sums)
    x0, x1, count = left << level, min(right << level, width), right - left
    start, end = max(x0 - across, np.int64(0)), min(x1 - across, part_width)
    offset = across - x0
    for y in range(top, bottom):
        y0, y1 = y << level, min((y + 1) << level, height)
        for at in range(y0, y1):
            line = at - down
            if start > x0 - across or end < x1 - across or line < 0 or line >= part_height:
                for x in range(x1 - x0):
                    row[x] = f32(0.0)
            if 0 <= line < part_height and start < end:
                number = line // band_rows
                band = addresses_at(bands + (number - first_band) * _BAND_BYTES)
                _fill(row, offset, band, line - number * band_rows, part_width, start, end, wanted, mask, single)
            if level == 0:
                for x in range(count):
                    target[y * stride + x * step] = row[x]
            elif at == y0:
                for x in range(x1 - x0):
                    sums[x] = np.float64(row[x])
            else:
                for x in range(x1 - x0):
                    sums[x] += np.float64(row[x])
        if level > 0:
            _store_means(target, y * stride, step, sums, x1 - x0, level, count, y1 - y0)


@inlined
def _kept(coverage):
    """Return a coverage that can be summed: 0 if it is not a number."""
    return min(max(coverage, -_LARGEST), _LARGEST) if coverage == coverage else f32(0.0)


def count_ranks(geometry, samples, places, counts):
    """Count, for some rows, the samples of all ranks but the first that have coverage. All arguments are addresses.

    `geometry`: a RankRows. `samples`: float32. `places`: int64, the channels of ID and coverage of each rank. `counts`:
    int64, one for each row.
    """
    g, places, counts, samples = addresses_at(geometry), addresses_at(places), addresses_at(counts), floats_at(samples)
    top, bottom, width, ranks, row, column, channel = g[0], g[1], g[2], g[3], g[4], g[5], g[6]
    for y in range(top, bottom):
        found = 0
        for rank in range(1, ranks):
            at = y * row + places[2 * rank + 1] * channel
            for x in range(width):
                found += np.int64(_kept(samples[at + x * column]) != f32(0.0))
        counts[y] = found


def pack_ranks(geometry, samples, places, band):
    """Pack some rows of samples into a band. All arguments are addresses.

    `geometry`, `samples` and `places` are those of `count_ranks`; `band`: int64, the addresses of a band.
    """
    g, places, band = addresses_at(geometry), addresses_at(places), addresses_at(band)
    values, bits = floats_at(samples), counts_at(samples)
    top, bottom, width, ranks, row, column, channel = g[0], g[1], g[2], g[3], g[4], g[5], g[6]
    ids, coverages = counts_at(band[IDS]), floats_at(band[VALUES])
    starts, columns = addresses_at(band[STARTS]), ints_at(band[COLUMNS])
    more_ids, more = counts_at(band[MORE_IDS]), floats_at(band[MORE_VALUES])
    for y in range(top, bottom):
        of_id, of_coverage, n = y * row + places[0] * channel, y * row + places[1] * channel, starts[y]
        for x in range(width):
            ids[y * width + x] = bits[of_id + x * column]
            coverages[y * width + x] = _kept(values[of_coverage + x * column])
        for rank in range(1, ranks):
            of_id, of_coverage = y * row + places[2 * rank] * channel, y * row + places[2 * rank + 1] * channel
            for x in range(width):
                coverage = _kept(values[of_coverage + x * column])
                if coverage != f32(0.0):
                    columns[n] = i32(x)
                    more_ids[n] = bits[of_id + x * column]
                    more[n] = coverage
                    n += 1

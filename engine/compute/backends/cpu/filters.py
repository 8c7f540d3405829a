"""Resize and blur: weighted sums along the columns, then along the rows, one result row at a time.

Source pixels with a weight of 0, as between those of a wavelet transform with holes, are left out. Neighbouring results
with the same weights, as all but those near the edges of a blur, are added up as rows are: several at once.
Every result is the same sum in the same order regardless of its place in a tile, so that tiles are identical to the
whole image.
"""

import numpy as np
from numba import njit

from engine.compute.backends.cpu.geometry_readers import filter_band_at
from engine.compute.backends.cpu.intrinsics import (
    f32,
    float_at,
    floats_at,
    fma,
    half_at,
    ints_at,
    load,
    put_float,
    put_half,
    store,
)
from engine.compute.backends.cpu.layout import HALF
from engine.compute.backends.cpu.vector_intrinsics import add_four, no_four, put_four_floats, put_four_halves

PART = 2048
"""Numbers of a row that are added up at a time: they stay in the L1 cache."""


@njit(error_model="numpy")
def _add_row(total, source, storage, start, count, weight):
    """Add `weight` times `count` numbers of the source, from `start` on, to `total`."""
    if storage == HALF:
        for i in range(count):
            store(total, i, fma(half_at(source, start + i), weight, load(total, i)))
    else:
        for i in range(count):
            store(total, i, fma(float_at(source, start + i), weight, load(total, i)))


@njit(error_model="numpy")
def _add_four_rows(total, source, storage, start, taps, used, at, step, count):
    """Add four rows as `_add_row` does, one after the other."""
    a, b = start + np.int64(used[at]) * step, start + np.int64(used[at + 1]) * step
    c, d = start + np.int64(used[at + 2]) * step, start + np.int64(used[at + 3]) * step
    wa, wb, wc, wd = load(taps, at), load(taps, at + 1), load(taps, at + 2), load(taps, at + 3)
    if storage == HALF:
        for i in range(count):
            value = fma(half_at(source, b + i), wb, fma(half_at(source, a + i), wa, load(total, i)))
            store(total, i, fma(half_at(source, d + i), wd, fma(half_at(source, c + i), wc, value)))
    else:
        for i in range(count):
            value = fma(float_at(source, b + i), wb, fma(float_at(source, a + i), wa, load(total, i)))
            store(total, i, fma(float_at(source, d + i), wd, fma(float_at(source, c + i), wc, value)))


@njit(error_model="numpy")
def _add_shifted(sums, total, taps, used, at, step, count):
    """Add `count` numbers of `total` to `sums`, shifted by one tap and weighted."""
    a, weight = np.int64(used[at]) * step, load(taps, at)
    for i in range(count):
        store(sums, i, fma(load(total, a + i), weight, load(sums, i)))


@njit(error_model="numpy")
def _add_four_shifted(sums, total, taps, used, at, step, count):
    """Add as `_add_shifted` does, by four taps one after the other."""
    a, b = np.int64(used[at]) * step, np.int64(used[at + 1]) * step
    c, d = np.int64(used[at + 2]) * step, np.int64(used[at + 3]) * step
    wa, wb, wc, wd = load(taps, at), load(taps, at + 1), load(taps, at + 2), load(taps, at + 3)
    for i in range(count):
        value = fma(load(total, b + i), wb, fma(load(total, a + i), wa, load(sums, i)))
        store(sums, i, fma(load(total, d + i), wd, fma(load(total, c + i), wc, value)))


@njit(error_model="numpy")
def _gather_taps(taps, used, weights, count, places, most):
    """Store the weights of a result that are not 0, and their numbers. Return how many there are."""
    found = np.int64(0)
    for j in range(most if most else count):
        k = np.int64(places[j]) if most else np.int64(j)
        if k < 0:
            break
        weight = load(weights, k)
        if weight != f32(0.0):
            store(taps, found, weight)
            used[found] = np.int32(k)
            found += 1
    return found


@njit(error_model="numpy")
def _add_rows(total, band, taps, used, found, row):
    """Set `total`, an address, to the weighted sum of rows of the source; row 0 of the taps begins at `row`."""
    source, count = band.source, band.source_width * band.source.channels
    step, first = source.stride * source.channels, np.int64(0)
    while first < count:
        part, floats, start, done = min(count - first, PART), floats_at(total + 4 * first), row + first, np.int64(0)
        for i in range(part):
            store(floats, i, f32(0.0))
        while done + 4 <= found:
            _add_four_rows(floats, source.address, source.storage, start, taps, used, done, step, part)
            done += 4
        while done < found:
            at = start + np.int64(used[done]) * step
            _add_row(floats, source.address, source.storage, at, part, load(taps, done))
            done += 1
        first += part


@njit(error_model="numpy")
def _put_even(sums, total, band, taps, used, found, y):
    """Put the results of a row that have the same weights; `total` is the address of the first number they need."""
    target, channels = band.target, band.target.channels
    count, first = (band.even_last - band.even_first) * channels, np.int64(0)
    while first < count:
        part, floats, done = min(count - first, PART), floats_at(total + 4 * first), np.int64(0)
        for i in range(part):
            store(sums, i, f32(0.0))
        while done + 4 <= found:
            _add_four_shifted(sums, floats, taps, used, done, channels, part)
            done += 4
        while done < found:
            _add_shifted(sums, floats, taps, used, done, channels, part)
            done += 1
        start = (y * target.stride + band.even_first) * channels + first
        if target.storage == HALF:
            for i in range(part):
                put_half(target.address, start + i, load(sums, i))
        else:
            for i in range(part):
                put_float(target.address, start + i, load(sums, i))
        first += part


@njit(error_model="numpy")
def _put(target, storage, index, value):
    if storage == HALF:
        put_half(target, index, value)
    else:
        put_float(target, index, value)


@njit(error_model="numpy")
def _put_four(target, storage, index, pixel):
    if storage == HALF:
        put_four_halves(target, index, pixel)
    else:
        put_four_floats(target, index, pixel)


@njit(error_model="numpy")
def _put_each(total, band, first_x, count_x, columns, y, first, last):
    """Put the results of a row from `first` to `last` (exclusive), one after the other."""
    (weights_x, places_x), target, channels = columns, band.target, band.target.channels
    for x in range(first, last):
        at, result = np.int64(first_x[x]) * channels, (y * target.stride + x) * channels
        if channels == 4 and band.column_places:
            pixel = no_four()
            for j in range(band.column_places):
                k = np.int64(places_x[x * band.column_places + j])
                if k < 0:
                    break
                pixel = add_four(pixel, total, at + 4 * k, load(weights_x, x * band.column_weights + k))
            _put_four(target.address, target.storage, result, pixel)
        elif channels == 4:
            pixel = no_four()
            for k in range(np.int64(count_x[x])):
                weight = load(weights_x, x * band.column_weights + k)
                if weight != f32(0.0):
                    pixel = add_four(pixel, total, at + 4 * k, weight)
            _put_four(target.address, target.storage, result, pixel)
        else:
            for c in range(channels):
                value = f32(0.0)
                for k in range(count_x[x]):
                    weight = load(weights_x, x * band.column_weights + k)
                    if weight != f32(0.0):
                        value = fma(load(total, at + channels * k + c), weight, value)
                _put(target.address, target.storage, result + c, value)


@njit(error_model="numpy")
def _put_fours(total, band, first_x, weights_x, y, first, last):
    """Put results as `_put_each` does, where each has four channels and four weights that are not 0."""
    target = band.target
    for x in range(first, last):
        at, w = np.int64(first_x[x]) * 4, x * 4
        pixel = add_four(no_four(), total, at, load(weights_x, w))
        pixel = add_four(pixel, total, at + 4, load(weights_x, w + 1))
        pixel = add_four(pixel, total, at + 8, load(weights_x, w + 2))
        pixel = add_four(pixel, total, at + 12, load(weights_x, w + 3))
        _put_four(target.address, target.storage, (y * target.stride + x) * 4, pixel)


def filter_rows(geometry, first_x, count_x, weights_x, places_x, first_y, count_y, weights_y, places_y, work):
    """Compute some rows of the result.

    All arguments are addresses: `geometry` of a FilterBand; for the columns and rows of the result, `first` and `count`
    of the source pixels that each sums (int32), their `weights` (float32) and `places` of these (int32); `work` of
    scratch memory: a row of the source and one of the result as floats, and twice the most weights of a result.
    """
    band = filter_band_at(geometry)
    source, most = band.source, max(band.column_weights, band.row_weights)
    channels, first = source.channels, band.even_first
    total, sums = floats_at(work), floats_at(work + 4 * band.source_width * channels)
    scratch = work + 4 * (band.source_width + band.target_width) * channels
    taps, used = floats_at(scratch), ints_at(scratch + 4 * most)
    firsts, counts, firsts_y, counts_y = ints_at(first_x), ints_at(count_x), ints_at(first_y), ints_at(count_y)
    columns = floats_at(weights_x), ints_at(places_x)
    for y in range(band.top, band.bottom):
        weights, places = floats_at(weights_y + 4 * y * band.row_weights), ints_at(places_y + 4 * y * band.row_places)
        found = _gather_taps(taps, used, weights, counts_y[y], places, band.row_places)
        _add_rows(work, band, taps, used, found, np.int64(firsts_y[y]) * source.stride * channels)
        if band.fours:
            _put_fours(total, band, firsts, columns[0], y, np.int64(0), band.target_width)
            continue
        _put_each(total, band, firsts, counts, columns, y, np.int64(0), first)
        if first < band.even_last:
            weights = floats_at(weights_x + 4 * first * band.column_weights)
            places = ints_at(places_x + 4 * first * band.column_places)
            found = _gather_taps(taps, used, weights, counts[first], places, band.column_places)
            needed = work + 4 * np.int64(firsts[first]) * channels
            _put_even(sums, needed, band, taps, used, found, y)
        _put_each(total, band, firsts, counts, columns, y, band.even_last, band.target_width)

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
from engine.compute.backends.cpu.vector_intrinsics import (
    add_four,
    add_sixteen,
    add_sixteen_halves,
    no_four,
    no_sixteen,
    put_four,
    put_four_halves,
    put_sixteen,
    put_sixteen_halves,
)


def _sums(add, number_at, put_vector, put_number):
    """Return a function that puts sums of numbers of a kind as numbers of a kind."""

    @njit(error_model="numpy")
    def put_sums(target, to, source, start, taps, used, found, step, count):
        """Put `count` sums of numbers `step` apart, from `start` of `source` on, into `target` from `to` on."""
        i = np.int64(0)
        while i + 64 <= count:
            a, b, c, d = no_sixteen(), no_sixteen(), no_sixteen(), no_sixteen()
            for j in range(found):
                at, weight = start + np.int64(used[j]) * step + i, load(taps, j)
                a, b = add(a, source, at, weight), add(b, source, at + 16, weight)
                c, d = add(c, source, at + 32, weight), add(d, source, at + 48, weight)
            put_vector(target, to + i, a)
            put_vector(target, to + i + 16, b)
            put_vector(target, to + i + 32, c)
            put_vector(target, to + i + 48, d)
            i += 64
        while i < count:
            value = f32(0.0)
            for j in range(found):
                value = fma(number_at(source, start + np.int64(used[j]) * step + i), load(taps, j), value)
            put_number(target, to + i, value)
            i += 1

    return put_sums


_put_sums = _sums(add_sixteen, float_at, put_sixteen, put_float)
_put_sums_of_halves = _sums(add_sixteen_halves, half_at, put_sixteen, put_float)
_put_sums_as_halves = _sums(add_sixteen, float_at, put_sixteen_halves, put_half)


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
    step = source.stride * source.channels
    if source.storage == HALF:
        _put_sums_of_halves(total, np.int64(0), source.address, row, taps, used, found, step, count)
    else:
        _put_sums(total, np.int64(0), source.address, row, taps, used, found, step, count)


@njit(error_model="numpy")
def _put_even(total, band, taps, used, found, y):
    """Put the results of a row that have the same weights; `total` is the address of the first number they need."""
    target, channels = band.target, band.target.channels
    count, to = (band.even_last - band.even_first) * channels, (y * target.stride + band.even_first) * channels
    if target.storage == HALF:
        _put_sums_as_halves(target.address, to, total, np.int64(0), taps, used, found, channels, count)
    else:
        _put_sums(target.address, to, total, np.int64(0), taps, used, found, channels, count)


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
        put_four(target, index, pixel)


@njit(error_model="numpy")
def _put_each(sums, band, first_x, count_x, columns, y, first, last):
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
                pixel = add_four(pixel, sums, at + 4 * k, load(weights_x, x * band.column_weights + k))
            _put_four(target.address, target.storage, result, pixel)
        elif channels == 4:
            pixel = no_four()
            for k in range(np.int64(count_x[x])):
                weight = load(weights_x, x * band.column_weights + k)
                if weight != f32(0.0):
                    pixel = add_four(pixel, sums, at + 4 * k, weight)
            _put_four(target.address, target.storage, result, pixel)
        else:
            for c in range(channels):
                value = f32(0.0)
                for k in range(count_x[x]):
                    weight = load(weights_x, x * band.column_weights + k)
                    if weight != f32(0.0):
                        value = fma(float_at(sums, at + channels * k + c), weight, value)
                _put(target.address, target.storage, result + c, value)


@njit(error_model="numpy")
def _put_fours(sums, band, first_x, weights_x, y, first, last):
    """Put results as `_put_each` does, where each has four channels and four weights that are not 0."""
    target = band.target
    for x in range(first, last):
        at, w = np.int64(first_x[x]) * 4, x * 4
        pixel = add_four(no_four(), sums, at, load(weights_x, w))
        pixel = add_four(pixel, sums, at + 4, load(weights_x, w + 1))
        pixel = add_four(pixel, sums, at + 8, load(weights_x, w + 2))
        pixel = add_four(pixel, sums, at + 12, load(weights_x, w + 3))
        _put_four(target.address, target.storage, (y * target.stride + x) * 4, pixel)


def filter_rows(geometry, first_x, count_x, weights_x, places_x, first_y, count_y, weights_y, places_y, work):
    """Compute some rows of the result.

    All arguments are addresses: `geometry` of a FilterBand; for the columns and rows of the result, `first` and `count`
    of the source pixels that each sums (int32), their `weights` (float32) and `places` of these (int32); `work` of
    scratch memory: a row of the source as floats, and twice the most weights of a result.
    """
    band = filter_band_at(geometry)
    source, most = band.source, max(band.column_weights, band.row_weights)
    channels, first = source.channels, band.even_first
    scratch = work + 4 * band.source_width * channels
    taps, used = floats_at(scratch), ints_at(scratch + 4 * most)
    firsts, counts, firsts_y, counts_y = ints_at(first_x), ints_at(count_x), ints_at(first_y), ints_at(count_y)
    columns = floats_at(weights_x), ints_at(places_x)
    for y in range(band.top, band.bottom):
        weights, places = floats_at(weights_y + 4 * y * band.row_weights), ints_at(places_y + 4 * y * band.row_places)
        found = _gather_taps(taps, used, weights, counts_y[y], places, band.row_places)
        _add_rows(work, band, taps, used, found, np.int64(firsts_y[y]) * source.stride * channels)
        if band.fours:
            _put_fours(work, band, firsts, columns[0], y, np.int64(0), band.target_width)
            continue
        _put_each(work, band, firsts, counts, columns, y, np.int64(0), first)
        if first < band.even_last:
            weights = floats_at(weights_x + 4 * first * band.column_weights)
            places = ints_at(places_x + 4 * first * band.column_places)
            found = _gather_taps(taps, used, weights, counts[first], places, band.column_places)
            _put_even(work + 4 * np.int64(firsts[first]) * channels, band, taps, used, found, y)
        _put_each(work, band, firsts, counts, columns, y, band.even_last, band.target_width)

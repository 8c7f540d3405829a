"""Reading of the geometries of `layout` from an address, for numba code."""

from engine.compute.backends.cpu.intrinsics import addresses_at, inlined
from engine.compute.backends.cpu.layout import (
    Band,
    Buffer,
    ExtremeLines,
    FilterBand,
    Inputs,
    Planar,
    Rows,
    SampleBand,
    Samples,
    ScopeRows,
)


@inlined
def _buffer(numbers, at):
    return Buffer(numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3])


@inlined
def band_at(address):
    n = addresses_at(address)
    return Band(n[0], n[1], _buffer(n, 2), _buffer(n, 6), n[10], n[11], n[12], n[13], n[14], n[15], n[16])


@inlined
def inputs_at(address):
    n = addresses_at(address)
    return Inputs(n[0], n[1], n[2], n[3], n[4], _buffer(n, 5), _buffer(n, 9))


@inlined
def _samples(numbers, at):
    return Samples(numbers[at], numbers[at + 1], numbers[at + 2], numbers[at + 3], numbers[at + 4])


@inlined
def planar_at(address):
    n = addresses_at(address)
    planes = _samples(n, 0), _samples(n, 5), _samples(n, 10), _samples(n, 15)
    return Planar(*planes, n[20], n[21], n[22], n[23], n[24], n[25], n[26], n[27], n[28])


@inlined
def sample_band_at(address):
    n = addresses_at(address)
    numbers = n[9], n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17]
    return SampleBand(_buffer(n, 0), _samples(n, 4), *numbers)


@inlined
def filter_band_at(address):
    n = addresses_at(address)
    numbers = n[10], n[11], n[12], n[13], n[14], n[15], n[16], n[17], n[18]
    return FilterBand(n[0], n[1], _buffer(n, 2), _buffer(n, 6), *numbers)


@inlined
def extreme_lines_at(address):
    n = addresses_at(address)
    return ExtremeLines(n[0], n[1], n[2], n[3], n[4], n[5], n[6], n[7], n[8], n[9], n[10], n[11], n[12])


@inlined
def rows_at(address):
    n = addresses_at(address)
    return Rows(_buffer(n, 0), n[4], n[5], n[6])


@inlined
def scope_rows_at(address):
    n = addresses_at(address)
    return ScopeRows(rows_at(address), n[7], n[8], n[9])

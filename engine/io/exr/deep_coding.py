"""The byte codecs of deep chunks: none, RLE and ZIPS, as in the OpenEXR file layout document.

A chunk's bytes are split into those at even and those at odd places, each is replaced by its difference from the one
before, and the result is run-length encoded or deflated. What does not shrink is stored as it is.
"""

from __future__ import annotations

import zlib

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]
DEEP_COMPRESSIONS = ("none", "rle", "zips")
"""The compressions of deep parts that are decoded and encoded here."""
ZIP_LEVEL = 4
"""The default of OpenEXR."""
LONGEST_RUN, LONGEST_PLAIN = 128, 127
"""The most bytes that one count of a run-length encoding stands for: equal ones, and others."""
SHORTEST_RUN = 3


def decode(packed: bytes, size: int, compression: str) -> Bytes:
    """Return the `size` bytes that a compression packed. Raises ValueError if the data are damaged."""
    if len(packed) == size:
        return np.frombuffer(packed, np.uint8)
    if compression == "zips":
        coded = _inflated(packed, size)
    elif compression == "rle":
        coded = _runs_expanded(np.frombuffer(packed, np.uint8), size)
    else:
        raise ValueError(f"{len(packed)} bytes where {size} should be")
    return _joined(coded)


def encode(data: Bytes, compression: str, level: int = ZIP_LEVEL) -> bytes:
    """Return bytes as they are stored: packed, or unchanged if that makes them no smaller."""
    if compression == "none" or not data.size:
        return data.tobytes()
    coded = _split(data)
    found = zlib.compress(coded.tobytes(), level) if compression == "zips" else _runs_packed(coded).tobytes()
    return found if len(found) < data.size else data.tobytes()


def _inflated(packed: bytes, size: int) -> Bytes:
    inflater = zlib.decompressobj()
    try:
        found = inflater.decompress(packed, size + 1)
    except zlib.error as problem:
        raise ValueError(str(problem)) from problem
    if len(found) != size or not inflater.eof:
        raise ValueError(f"{len(found)} bytes where {size} should be")
    return np.frombuffer(found, np.uint8)


def _split(data: Bytes) -> Bytes:
    """Return the bytes at even places, then those at odd ones, as differences from the byte before, plus 128."""
    halves = np.concatenate([data[::2], data[1::2]])
    halves[1:] = np.diff(halves) + np.uint8(128)
    return halves


def _joined(coded: Bytes) -> Bytes:
    """Undo `_split`."""
    steps = coded.copy()
    steps[1:] -= np.uint8(128)
    halves = np.cumsum(steps, dtype=np.uint8)
    joined, middle = np.empty_like(halves), (halves.size + 1) // 2
    joined[::2], joined[1::2] = halves[:middle], halves[middle:]
    return joined


def _runs_expanded(packed: Bytes, size: int) -> Bytes:
    """Undo `_runs_packed`: a count n >= 0 repeats the next byte n + 1 times, n < 0 is followed by -n plain bytes."""
    counts = packed.view(np.int8).astype(np.int64)
    heads = _chain(np.arange(packed.size) + np.where(counts < 0, 1 - counts, 2))
    plain = counts[heads] < 0
    lengths = np.where(plain, -counts[heads], counts[heads] + 1)
    ends = heads + 1 + np.where(plain, lengths, 1)
    if int(lengths.sum()) != size or (heads.size and int(ends[-1]) != packed.size):
        raise ValueError("its runs don't fit")
    starts = np.cumsum(lengths) - lengths
    along = np.arange(size) - np.repeat(starts, lengths)
    places: NDArray[np.int64] = np.repeat(heads + 1, lengths) + along * np.repeat(plain, lengths)
    return packed[places]


def _chain(following: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the places that are reached from place 0, where `following` gives the next place of each.

    The reached places are doubled in each round: what is reached by k steps, and by k more from there.
    """
    size = following.size
    jump = np.append(np.minimum(following, size), size)
    reached = np.zeros(size + 1, bool)
    reached[0] = True
    steps = 1
    while steps < size:
        reached[jump[np.flatnonzero(reached)]] = True
        jump = jump[jump]
        steps *= 2
    return np.flatnonzero(reached[:size])


def _runs_packed(data: Bytes) -> Bytes:
    """Return run-length encoded bytes: runs of at least SHORTEST_RUN equal bytes, and plain bytes between them."""
    begins = np.flatnonzero(np.diff(data, prepend=data[:1] ^ np.uint8(1)))
    lengths = np.diff(begins, append=data.size)
    is_run = lengths >= SHORTEST_RUN
    group = np.cumsum(is_run | np.concatenate([[True], is_run[:-1]])) - 1  # plain bytes between two runs are one group
    firsts = np.unique(group, return_index=True)[1]
    starts, repeats = begins[firsts], is_run[firsts]
    whole = np.diff(starts, append=data.size)
    most = np.where(repeats, LONGEST_RUN, LONGEST_PLAIN)
    pieces = -(-whole // most)
    number = np.arange(int(pieces.sum())) - np.repeat(np.cumsum(pieces) - pieces, pieces)
    start = np.repeat(starts, pieces) + number * np.repeat(most, pieces)
    length = np.minimum(np.repeat(most, pieces), np.repeat(starts + whole, pieces) - start)
    repeat = np.repeat(repeats, pieces)
    stored = np.where(repeat, 1, length)  # bytes after each count
    places = np.cumsum(stored + 1) - (stored + 1)
    out = np.empty(int((stored + 1).sum()), np.uint8)
    out[places] = np.where(repeat, length - 1, -length).astype(np.int8).view(np.uint8)
    along = np.arange(int(stored.sum())) - np.repeat(np.cumsum(stored) - stored, stored)
    out[np.repeat(places + 1, stored) + along] = data[np.repeat(start, stored) + along]
    return out

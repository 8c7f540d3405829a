"""Planes of half the size, for views of movies: the means of 2 x 2 pixels, without converting each of them first.

Conversion to R'G'B' is linear, so that the mean of converted pixels is the conversion of the mean. Chroma counts as it
is interpolated between its samples. The means are sums of codes by whole weights, exact in some bits more.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.planar import PlanarFormat

Codes = NDArray[Any]
MOST_BITS = 16
LEFT, CENTRED = 2, 3
"""Bits that the weights of subsampled chroma need along an axis, for the two places of its samples."""


def half_format(format: PlanarFormat) -> PlanarFormat | None:
    """Return the format of planes of half the size; None for odd sizes, and where sums do not fit into 16 bits."""
    bits = format.depth + sum(_chroma_bits(format))
    if format.width % 2 or format.height % 2 or format.packing != "planar" or format.fraction or bits > MOST_BITS:
        return None
    size = format.width // 2, format.height // 2
    chroma = format.chroma if format.chroma == "400" else "444"
    return replace(format, width=size[0], height=size[1], depth=bits, chroma=chroma, fraction=bits - format.depth)


def halved(planes: Sequence[Codes], format: PlanarFormat) -> list[Codes]:
    """Return the planes in the format `half_format(format)`, which must exist."""
    across, down = _chroma_bits(format)
    found = []
    for number, (plane, (rows, columns, _)) in enumerate(zip(planes, format.shapes, strict=True)):
        codes = plane.reshape(rows, columns)
        if number in (1, 2) and format.chroma in ("420", "422"):
            sums = _tent(codes, across, 1)
            found.append(_tent(sums, down, 0) if format.subsampling[1] else _pairs_of_rows(sums))
        else:
            found.append(_pairs_of_rows(_pairs_of_columns(codes)) << (across + down - 2))
    return found


def _chroma_bits(format: PlanarFormat) -> tuple[int, int]:
    """Return by how many bits a sum along a row and along a column exceeds a code of chroma."""
    pairs = zip(format.subsampling, format.phases, strict=True)
    across, down = ((CENTRED if phase else LEFT) if is_subsampled else 1 for is_subsampled, phase in pairs)
    return across, down


def _pairs_of_columns(codes: Codes) -> Codes:
    """Return the sums of neighbours in a row, as uint16. A pair of codes is read as one number, which is faster."""
    rows, columns = codes.shape
    low = 8 * codes.itemsize
    pairs = np.ascontiguousarray(codes).view(np.dtype(f"u{2 * codes.itemsize}"))
    sums: Codes = (pairs & ((1 << low) - 1)) + (pairs >> low)
    return sums.reshape(rows, columns // 2).astype(np.uint16, copy=False)


def _pairs_of_rows(sums: Codes) -> Codes:
    found: Codes = sums[0::2] + sums[1::2]
    return found


def _tent(codes: Codes, bits: int, axis: int) -> Codes:
    """Return the sums of two interpolated neighbours for each chroma sample, as uint16; beyond the edge the last one.

    A sample at the first of the two counts 3/4, the next one 1/4. One between them counts 6/8, its neighbours 1/8.
    """
    codes = codes.astype(np.uint16, copy=False)
    after = np.concatenate([_cut(codes, axis, 1, None), _cut(codes, axis, -1, None)], axis)
    sums: Codes = 3 * codes + after
    if bits == CENTRED:
        before = np.concatenate([_cut(codes, axis, 0, 1), _cut(codes, axis, 0, -1)], axis)
        sums = sums + 3 * codes + before
    return sums


def _cut(codes: Codes, axis: int, start: int, stop: int | None) -> Codes:
    cut = [slice(None), slice(None)]
    cut[axis] = slice(start, stop)
    return codes[tuple(cut)]

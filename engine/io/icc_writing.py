"""Writing of ICC profiles made of primaries and a curve. Layout: ICC.1:2022 (version 4)."""

from __future__ import annotations

import re
import struct

import numpy as np

from engine.core.colorimetry import PRIMARIES, Matrix, adaptation, to_xyz
from engine.io.icc import D50

CURVES: dict[str, tuple[float, ...]] = {
    "srgb": (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045),
    "itu709": (1 / 0.45, 1 / 1.099, 0.099 / 1.099, 1 / 4.5, 0.081),
    "lin": (1.0,),
    **{f"g{round(10 * gamma)}": (gamma,) for gamma in (1.8, 2.2, 2.4, 2.6)},
}
"""Parameters of `parametricCurveType`: a power function, or one with a linear segment near black."""
COLORANTS, TRCS = (b"rXYZ", b"gXYZ", b"bXYZ"), (b"rTRC", b"gTRC", b"bTRC")
SPACE = re.compile(r"(?:ocio:)?([a-z0-9]+)_([a-z0-9]+)_(?:scene|display)")
HEADER = struct.Struct(">I4sI4s4s4s6H4s4sI4s4s8sI3i4s44x")


def icc_profile(interop_id: str) -> bytes:
    """Return the profile of the space with this colorInteropID, or b'' if it is not a curve on known primaries."""
    match = SPACE.fullmatch(interop_id)
    if match is None or match[1] not in CURVES or match[2] not in PRIMARIES:
        return b""
    adapted, columns = _colorants(PRIMARIES[match[2]])
    curve = CURVES[match[1]]
    shared = {
        b"desc": _text(interop_id),
        b"cprt": _text("No copyright, use freely"),
        b"wtpt": b"XYZ \0\0\0\0" + _fixed(D50),
        b"chad": b"sf32\0\0\0\0" + _fixed(adapted.ravel()),
        **{name: b"XYZ \0\0\0\0" + _fixed(column) for name, column in zip(COLORANTS, columns.T, strict=True)},
        **dict.fromkeys(TRCS, b"para\0\0\0\0" + struct.pack(">2H", 3 if len(curve) == 5 else 0, 0) + _fixed(curve)),
    }
    return _assembled(shared)


def _colorants(primaries: tuple[float, ...]) -> tuple[Matrix, Matrix]:
    """Return the adaptation to D50 by Bradford's method (ICC.1:2022, annex E), and the adapted XYZ of red, green and
    blue as columns."""
    native = to_xyz(primaries)
    adapted = adaptation(native.sum(axis=1), np.array(D50))
    return adapted, adapted @ native


def _fixed(values: object) -> bytes:
    numbers = np.rint(np.asarray(values, np.float64) * 65536.0).astype(int)
    return struct.pack(f">{len(numbers)}i", *numbers)


def _text(text: str) -> bytes:
    """Return an English string as `multiLocalizedUnicodeType`."""
    coded = text.encode("utf-16-be")
    return b"mluc\0\0\0\0" + struct.pack(">2I4s2I", 1, 12, b"enUS", len(coded), 28) + coded


def _assembled(tags: dict[bytes, bytes]) -> bytes:
    """Return header, tag table and data; equal data are stored once, all aligned to four bytes."""
    places: dict[bytes, int] = {}
    data, start = b"", 132 + 12 * len(tags)
    for datum in tags.values():
        if datum not in places:
            places[datum] = start + len(data)
            data += datum + bytes(-len(datum) % 4)
    table = b"".join(struct.pack(">4s2I", name, places[datum], len(datum)) for name, datum in tags.items())
    whole = struct.pack(">I", len(tags)) + table + data
    about = (b"\0\0\0\0", 0x04300000, b"mntr", b"RGB ", b"XYZ ", 2026, 1, 1, 0, 0, 0, b"acsp", b"\0\0\0\0", 0)
    white = (0xF6D6, 0x10000, 0xD32D)
    return HEADER.pack(128 + len(whole), *about, b"\0" * 4, b"\0" * 4, b"\0" * 8, 1, *white, b"\0" * 4) + whole

"""Lengths of the values of EXR attributes, from the OpenEXR file layout document."""

from __future__ import annotations

import struct

FIXED_LENGTHS = {
    "box2f": 16,
    "box2i": 16,
    "chromaticities": 32,
    "compression": 1,
    "deepImageState": 1,
    "double": 8,
    "envmap": 1,
    "float": 4,
    "int": 4,
    "keycode": 28,
    "lineOrder": 1,
    "m33d": 72,
    "m33f": 36,
    "m44d": 128,
    "m44f": 64,
    "rational": 8,
    "tiledesc": 9,
    "timecode": 8,
    "v2d": 16,
    "v2f": 8,
    "v2i": 8,
    "v3d": 24,
    "v3f": 12,
    "v3i": 12,
}
"""Bytes of attribute values by type. OpenEXR misreads everything after a value of another length, except 0."""


def has_sound_length(kind: str, value: bytes) -> bool:
    """Return whether a value has the length of its type. Values of type `bytes` begin with a length and a name."""
    if kind == "bytes":
        return len(value) >= 4 and struct.unpack_from("<I", value)[0] <= len(value) - 4
    return len(value) in (0, FIXED_LENGTHS.get(kind, len(value)))

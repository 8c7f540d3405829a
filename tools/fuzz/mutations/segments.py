"""Mutators of JPEG segments and of DPX and Cineon headers."""

from __future__ import annotations

import struct

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import icc, raw, values

DPX_FIELDS = (
    *(4, 24, 28, 768, 770, 772, 776, 780, 784, 788, 792, 796, 800, 801, 802, 803, 804, 806, 808, 812, 816),
    *(1408, 1412, 1416, 1424, 1428, 1432, 1628, 1632, 1664, 1712, 1920, 1924, 1928, 1932, 1940, 1944, 1948),
)
"""Offsets of fields that readers look at: SMPTE ST 268-1."""
DPX_BYTES = (770, 800, 801, 802, 803, 804, 806)
"""Those that are of a byte or two."""


def jpeg(data: bytes, chance: Chance) -> bytes:
    """Change, remove, double, move or add a segment of a JPEG."""
    if data[:2] != b"\xff\xd8":
        raise ValueError
    at, found = 2, list[bytes]()
    while data[at] == 0xFF and data[at + 1] != 0xDA:
        (size,) = struct.unpack_from(">H", data, at + 2)
        found.append(data[at : at + 2 + size])
        at += 2 + size
    rest = data[at:]
    one = chance.below(len(found))
    segment = found[one]
    match chance.below(7):
        case 0:
            del found[one]
        case 1:
            found[one:one] = [segment] * chance.choice((1, 30))
        case 2:
            found.insert(chance.below(len(found)), found.pop(one))
        case 3:
            body = b"ICC_PROFILE\0" + bytes((chance.choice((0, 1, 2)), chance.choice((0, 1, 255))))
            body += icc.mutate(chance.choice(icc.SOUND), chance)[:60000]
            found.insert(0, b"\xff\xe2" + struct.pack(">H", len(body) + 2) + body)
        case 4:
            body = b"Exif\0\0MM\0*" + values.packed(chance, 4, big=True) + raw.mutate(segment * 3, chance)[:60000]
            found.insert(0, b"\xff\xe1" + struct.pack(">H", len(body) + 2) + body)
        case 5:
            rest = raw.mutate(rest, chance)
        case _:
            at = 4 + chance.below(len(segment) - 4)
            found[one] = segment[:at] + values.packed(chance, 1) + segment[at + 1 :]
    return b"\xff\xd8" + b"".join(found) + rest


def dpx(data: bytes, chance: Chance) -> bytes:
    """Another value of a field of a DPX header."""
    if data[:4] not in (b"SDPX", b"XPDS"):
        raise ValueError
    at = chance.choice(DPX_FIELDS)
    size = chance.choice((1, 2)) if at in DPX_BYTES else 4
    if chance.often(0.3):
        return data[:at] + struct.pack(">I", chance.choice((0, 1, 2, 7, 12, 30, 40)))[-size:] + data[at + size :]
    return data[:at] + values.packed(chance, size, data[:4] == b"SDPX") + data[at + size :]

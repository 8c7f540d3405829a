"""Mutators of PNG files: their chunks, with checksums that fit, and the pixels in them. Layout: W3C PNG."""

from __future__ import annotations

import struct
import zlib

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import icc, raw, values

SIGNATURE = b"\x89PNG\r\n\x1a\n"
NEW = (
    (b"sRGB", b"\0"),
    (b"gAMA", struct.pack(">I", 45455)),
    (b"gAMA", struct.pack(">I", 0)),
    (b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000)),
    (b"cHRM", bytes(32)),
    (b"cICP", bytes((9, 16, 0, 1))),
    (b"mDCV", bytes(24)),
    (b"tEXt", b"Software\0Tessera"),
    (b"zTXt", b"Comment\0\0" + zlib.compress(bytes(1 << 20))),
    (b"iTXt", b"XML:com.adobe.xmp\0\0\0\0\0<x:xmpmeta xmlns:x='adobe:ns:meta/'/>"),
    (b"eXIf", b"MM\0*\0\0\0\x08\0\1\x01\x12\0\3\0\0\0\1\0\6\0\0\0\0\0\0"),
    (b"PLTE", bytes(range(48))),
    (b"tRNS", bytes(6)),
    (b"pHYs", struct.pack(">2IB", 0, 1 << 31, 1)),
    (b"sBIT", b"\0\0\0\0"),
    (b"bKGD", bytes(6)),
    (b"IEND", b""),
)

Chunk = tuple[bytes, bytes]


def split(data: bytes) -> list[Chunk]:
    """(name, content) of every chunk; ValueError where it is no PNG."""
    if not data.startswith(SIGNATURE):
        raise ValueError
    at, found = 8, list[Chunk]()
    while at + 8 <= len(data):
        size, name = struct.unpack_from(">I4s", data, at)
        found.append((name, data[at + 8 : at + 8 + size]))
        at += 12 + size
    return found


def joined(chunks: list[Chunk]) -> bytes:
    """The file, with lengths and checksums."""
    return SIGNATURE + b"".join(
        struct.pack(">I", len(body)) + name + body + struct.pack(">I", zlib.crc32(name + body)) for name, body in chunks
    )


def chunks(data: bytes, chance: Chance) -> bytes:
    """Change, remove, double, move, rename or add a chunk."""
    found = split(data)
    one, other = chance.below(len(found)), chance.below(len(found))
    name, body = found[one]
    match chance.below(7):
        case 0:
            del found[one]
        case 1:
            found[one:one] = [found[one]] * chance.choice((1, 40, 1500))
        case 2:
            found.insert(other, found.pop(one))
        case 3 | 4:
            found.insert(chance.below(len(found)), chance.choice(NEW))
        case 5:
            found[one] = (chance.choice(NEW)[0], body)
        case _:
            found[one] = (name, raw.mutate(body, chance))
    return joined(found)


def header(data: bytes, chance: Chance) -> bytes:
    """Another size, depth, colour type, filter or interlacing."""
    found = split(data)
    body = bytearray(found[0][1])
    at = chance.below(7)
    if at < 2:
        number = struct.unpack_from(">I", body, 4 * at)[0] + chance.choice((-1, 1, 7, 64, 1 << 14))
        struct.pack_into(">I", body, 4 * at, number if chance.often(0.6) else values.integer(chance, 32, signed=False))
    else:
        body[6 + at] = chance.choice((0, 1, 2, 3, 4, 6, 8, 16, 255))
    found[0] = (b"IHDR", bytes(body))
    return joined(found)


def pixels(data: bytes, chance: Chance) -> bytes:
    """The pixels changed as they are stored, or as what the zlib stream holds."""
    found = split(data)
    stream = b"".join(body for name, body in found if name == b"IDAT")
    if chance.often(0.5):
        stream = raw.mutate(stream, chance)
    else:
        stream = zlib.compress(raw.mutate(zlib.decompress(stream), chance))
    at = [name for name, _ in found].index(b"IDAT")
    cut = chance.below(len(stream)) if chance.often(0.3) else len(stream)
    rest = [each for each in found if each[0] != b"IDAT"]
    return joined([*rest[:at], (b"IDAT", stream[:cut]), (b"IDAT", stream[cut:]), *rest[at:]])


def profile(data: bytes, chance: Chance) -> bytes:
    """A changed ICC profile."""
    found = [each for each in split(data) if each[0] != b"iCCP"]
    changed = icc.mutate(chance.choice(icc.SOUND), chance)
    name = b"x" if chance.often(0.8) else values.text_bytes(chance).replace(b"\0", b"")
    return joined([found[0], (b"iCCP", name + b"\0\0" + zlib.compress(changed)), *found[1:]])


ALL = ((chunks, 3.0), (header, 2.0), (pixels, 2.0), (profile, 1.0), (raw.mutate, 1.5))


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

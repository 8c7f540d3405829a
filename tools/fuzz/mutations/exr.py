"""Mutators of OpenEXR files: attributes, windows, channel lists, tile descriptions, chunk tables, chunks and payloads.

A file is taken apart by its own chunk table and put together with a table that fits, so that a reader comes as far as
the change. Layout: the OpenEXR file layout document.
"""

from __future__ import annotations

import struct
import zlib
from dataclasses import dataclass, field

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, tree, values

MAGIC = b"\x76\x2f\x31\x01"
MULTIPART, TILED, LONG_NAMES, DEEP = 0x1000, 0x200, 0x400, 0x800
DEFLATED = (2, 3)
"""Numbers of the compressions zips and zip, whose payloads are zlib streams."""
COMPRESSIONS = 14
TYPES = (
    *(b"box2i", b"box2f", b"chlist", b"chromaticities", b"compression", b"double", b"envmap", b"float", b"int"),
    *(b"keycode", b"lineOrder", b"m33f", b"m44f", b"preview", b"rational", b"string", b"stringvector", b"tiledesc"),
    *(b"timecode", b"v2i", b"v2f", b"v3i", b"v3f", b"deepImageState", b"floatvector", b"bytes", b"idmanifest", b"blob"),
)
NEW: tuple[tuple[bytes, bytes, bytes], ...] = (
    (b"chromaticities", b"chromaticities", struct.pack("<8f", 0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)),
    (b"chromaticities", b"chromaticities", bytes(32)),
    (b"preview", b"preview", struct.pack("<2I", 1 << 15, 1 << 15)),
    (b"timeCode", b"timecode", bytes(8)),
    (b"framesPerSecond", b"rational", struct.pack("<iI", 24, 0)),
    (b"acesImageContainerFlag", b"int", struct.pack("<i", 1)),
    (b"colorInteropID", b"string", b"lin_ap1_scene"),
    (b"multiView", b"stringvector", struct.pack("<i4si5s", 4, b"left", 5, b"right")),
    (b"dwaCompressionLevel", b"float", struct.pack("<f", float("nan"))),
    (b"pixelAspectRatio", b"float", struct.pack("<f", 0.0)),
    (b"tessera:grade", b"string", b'{"tessera":"grade","version":1,"entries":[]}'),
    (b"tessera:layers", b"string", b"main"),
    (b"tessera:export", b"string", b"0" * 32),
    (b"view", b"string", b"left"),
    (b"type", b"string", b"tiledimage"),
    (b"tiles", b"tiledesc", struct.pack("<IIB", 8, 8, 0)),
    (b"chunkCount", b"int", struct.pack("<i", 1)),
    (b"deepImageState", b"deepImageState", b"\3"),
    (b"envmap", b"envmap", b"\1"),
)


@dataclass
class Parts:
    """A file taken apart. `table` holds for each entry the number of its chunk; `wrong` what is written instead."""

    version: int
    headers: list[list[tuple[bytes, bytes, bytes]]]
    table: list[int]
    chunks: list[bytes]
    wrong: dict[int, int] = field(default_factory=dict)

    @property
    def multipart(self) -> bool:
        return bool(self.version & MULTIPART)

    def attribute(self, part: int, name: bytes) -> bytes:
        return {known: data for known, _, data in self.headers[part]}[name]

    def put(self, part: int, name: bytes, kind: bytes, data: bytes) -> None:
        """Set an attribute."""
        header = self.headers[part]
        known = [n for n, attribute in enumerate(header) if attribute[0] == name]
        if known:
            header[known[0]] = (name, kind, data)
        else:
            header.append((name, kind, data))

    def joined(self) -> bytes:
        """The file, with a table that fits its chunks."""
        head = MAGIC + struct.pack("<I", self.version)
        for header in self.headers:
            head += b"".join(b"%s\0%s\0" % (n, k) + struct.pack("<i", len(d)) + d for n, k, d in header) + b"\0"
        head += b"\0" if self.multipart else b""
        places, at = [], len(head) + 8 * len(self.table)
        for chunk in self.chunks:
            places.append(at)
            at += len(chunk)
        listed = [self.wrong.get(n, places[c] if c < len(places) else at) for n, c in enumerate(self.table)]
        return (
            head + struct.pack(f"<{len(listed)}Q", *(each & (1 << 64) - 1 for each in listed)) + b"".join(self.chunks)
        )


def parted(data: bytes) -> Parts:
    """Take a file apart; ValueError and the like where it is no sound EXR."""
    if data[:4] != MAGIC:
        raise ValueError
    (version,) = struct.unpack_from("<I", data, 4)
    at, headers = 8, []
    while True:
        header = []
        while data[at]:
            name, at = _name(data, at)
            kind, at = _name(data, at)
            (size,) = struct.unpack_from("<i", data, at)
            header.append((name, kind, data[at + 4 : at + 4 + size]))
            at += 4 + size
        at += 1
        if version & MULTIPART and not header:
            break
        headers.append(header)
        if not version & MULTIPART:
            break
    first, offsets = len(data), list[int]()
    while at < first:
        (offset,) = struct.unpack_from("<Q", data, at)
        if not at < offset < len(data):
            raise ValueError
        offsets.append(offset)
        first, at = min(first, offset), at + 8
    places = sorted(set(offsets))
    chunks = [data[a:b] for a, b in zip(places, [*places[1:], len(data)], strict=True)]
    return Parts(version, headers, [places.index(offset) for offset in offsets], chunks)


def _name(data: bytes, at: int) -> tuple[bytes, int]:
    end = data.index(b"\0", at)
    return data[at:end], end + 1


def attributes(data: bytes, chance: Chance) -> bytes:
    """Change, remove, double, rename, retype or add an attribute."""
    file = parted(data)
    header = chance.choice(file.headers)
    at = chance.below(len(header))
    name, kind, value = header[at]
    match chance.below(8):
        case 0:
            del header[at]
        case 1:
            header.insert(chance.below(len(header)), header[at])
        case 2:
            header[at] = (
                chance.choice((values.text_bytes(chance).replace(b"\0", b""), chance.choice(NEW)[0])),
                kind,
                value,
            )
        case 3:
            header[at] = (name, chance.choice(TYPES), value)
        case 4 | 5:
            header.insert(chance.below(len(header) + 1), chance.choice(NEW))
        case 6 if kind == b"string" and value.startswith(b"{"):
            header[at] = (name, kind, tree.mutate(value, chance))
        case _:
            header[at] = (name, kind, _value(kind, value, chance))
    return file.joined()


def _value(kind: bytes, value: bytes, chance: Chance) -> bytes:
    if kind == b"string" or not value:
        return chance.choice((values.text_bytes(chance), value + values.text_bytes(chance), b"x" * 40000))
    if len(value) % 4 or chance.often(0.3):
        return raw.mutate(value, chance)
    at = 4 * chance.below(len(value) // 4)
    return value[:at] + values.packed(chance, 4) + value[at + 4 :]


def windows(data: bytes, chance: Chance) -> bytes:
    """Move or resize a window by a little, or beyond what can be."""
    file = parted(data)
    part, name = chance.below(len(file.headers)), chance.choice((b"dataWindow", b"dataWindow", b"displayWindow"))
    box = list(struct.unpack("<4i", file.attribute(part, name)))
    for _ in range(chance.choice((1, 1, 2))):
        at = chance.below(4)
        if chance.often(0.3):
            box[at] = values.integer(chance)
        else:
            box[at] += chance.choice((-17, -8, -1, 1, 2, 9, 40, 3000))
    file.put(part, name, b"box2i", struct.pack("<4i", *box))
    return file.joined()


def channels(data: bytes, chance: Chance) -> bytes:
    """Rename, retype, resample, remove, double or reorder channels."""
    file = parted(data)
    part = chance.below(len(file.headers))
    text, at, found = file.attribute(part, b"channels"), 0, list[list[bytes]]()
    while text[at]:
        name, at = _name(text, at)
        found.append([name, text[at : at + 16]])
        at += 16
    one, other = chance.choice(found), chance.choice(found)
    match chance.below(7):
        case 0 | 1:
            one[0] = chance.choice(
                (values.text_bytes(chance).replace(b"\0", b""), other[0], b"Y", b"RY", b"R", b"id", b"a.b.c")
            )
        case 2:
            one[1] = struct.pack("<i", chance.choice((0, 1, 2, 3, -1))) + one[1][4:]
        case 3:
            one[1] = one[1][:8] + struct.pack("<2i", values.small(chance), values.small(chance))
        case 4:
            found.remove(one)
        case 5:
            found += [[b"%s%d" % (one[0], n), one[1]] for n in range(chance.choice((1, 3, 1200)))]
        case _:
            chance.shuffle(found)
    file.put(part, b"channels", b"chlist", b"".join(b"%s\0%s" % (name, rest) for name, rest in found) + b"\0")
    return file.joined()


def storage(data: bytes, chance: Chance) -> bytes:
    """Another compression, line order, tile description, storage type, number of chunks, or version flag."""
    file = parted(data)
    part = chance.below(len(file.headers))
    match chance.below(6):
        case 0 | 1:
            file.put(part, b"compression", b"compression", bytes([chance.choice((*range(COMPRESSIONS), 14, 255))]))
        case 2:
            file.put(part, b"lineOrder", b"lineOrder", bytes([chance.choice((0, 1, 2, 3, 200))]))
        case 3:
            sides = [values.small(chance) if chance.often(0.7) else values.integer(chance) for _ in range(2)]
            mode = chance.choice((0, 1, 2, 16, 17, 18, 3, 0x21, 255))
            file.put(part, b"tiles", b"tiledesc", struct.pack("<iiB", *sides, mode))
        case 4:
            kinds = (b"scanlineimage", b"tiledimage", b"deepscanline", b"deeptile", b"", b"scanlineimage\0")
            file.put(part, b"type", b"string", chance.choice(kinds))
        case _:
            file.version ^= chance.choice((MULTIPART, TILED, LONG_NAMES, DEEP, 0x2000, 1, 4))
    return file.joined()


def offsets(data: bytes, chance: Chance) -> bytes:
    """Entries of the chunk table that point elsewhere, exchanged, removed or added."""
    file = parted(data)
    one, other = chance.below(len(file.table)), chance.below(len(file.table))
    match chance.below(5):
        case 0 | 1:
            bad = (
                0,
                1,
                8,
                len(data) - 1,
                len(data),
                len(data) + 1,
                1 << 31,
                1 << 40,
                (1 << 64) - 1,
                chance.below(len(data)),
            )
            for _ in range(chance.choice((1, 1, len(file.table)))):
                file.wrong[one] = chance.choice(bad)
                one = (one + 1) % len(file.table)
        case 2:
            file.table[one], file.table[other] = file.table[other], file.table[one]
        case 3:
            file.table[one] = file.table[other]
        case _:
            file.table[one:one] = file.table[one:][: chance.choice((0, 1))] * chance.choice((1, 3))
            del file.table[other]
    return file.joined()


def chunks(data: bytes, chance: Chance) -> bytes:
    """Chunks with another leader or length, cut, doubled, removed or exchanged."""
    file = parted(data)
    one, other = chance.below(len(file.chunks)), chance.below(len(file.chunks))
    chunk = file.chunks[one]
    match chance.below(6):
        case 0 | 1:
            at = 4 * chance.below(min(10, len(chunk) // 4))
            listed = struct.unpack_from("<i", chunk, at)[0] + chance.choice((-16, -1, 1, 16))
            near = struct.pack("<i", listed) if chance.often(0.5) and -(1 << 31) <= listed < 1 << 31 else b""
            file.chunks[one] = chunk[:at] + (near or values.packed(chance, 4)) + chunk[at + 4 :]
        case 2:
            file.chunks[one] = chunk[: chance.below(len(chunk))]
        case 3:
            file.chunks[one], file.chunks[other] = file.chunks[other], chunk
        case 4:
            file.chunks[one] = chunk[: 8 + 12 * chance.below(2)] + file.chunks[other][8:]
        case _:
            del file.chunks[chance.below(len(file.chunks)) :]
    return file.joined()


def payload(data: bytes, chance: Chance) -> bytes:
    """The pixels of a chunk changed as they are stored, or as what a zlib stream holds."""
    file = parted(data)
    one = chance.below(len(file.chunks))
    chunk = file.chunks[one]
    at = (4 if file.multipart else 0) + (16 if file.version & TILED else 4) + 4
    body = chunk[at:]
    if file.attribute(0, b"compression")[0] in DEFLATED and chance.often(0.5):
        plain = zlib.decompress(body)
        changed = bytes(chance.choice((0, 1, 1 << 20))) if chance.often(0.2) else raw.mutate(plain, chance)
        body = zlib.compress(changed, chance.choice((0, 1, 9)))
    else:
        body = raw.mutate(body, chance)
    size = struct.pack("<I", len(body)) if chance.often(0.8) else chunk[at - 4 : at]
    file.chunks[one] = chunk[: at - 4] + size + body
    return file.joined()


def parts(data: bytes, chance: Chance) -> bytes:
    """Double, remove or exchange headers; or take one of another seed."""
    file = parted(data)
    one = chance.below(len(file.headers))
    match chance.below(3):
        case 0:
            file.headers.insert(one, list(file.headers[one]))
            file.version |= MULTIPART
        case 1:
            file.headers.append(file.headers.pop(one)) if len(file.headers) > 1 else file.headers[0].reverse()
        case _:
            file.headers[one] = list(chance.choice(parted(chance.other()).headers))
    return file.joined()


ALL = (
    (attributes, 3.0),
    (windows, 2.0),
    (channels, 2.0),
    (storage, 2.0),
    (offsets, 2.0),
    (chunks, 2.5),
    (payload, 3.5),
    (parts, 0.5),
    (raw.mutate, 2.5),
)


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

"""ICC profiles made here, and mutators of their header, tag table and tags. Layout: ICC.1:2022."""

from __future__ import annotations

import struct

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, values

Tag = tuple[bytes, bytes]
HEADER = 128


def _xyz(x: float, y: float, z: float) -> bytes:
    return b"XYZ \0\0\0\0" + struct.pack(">3i", *(round(v * 65536) for v in (x, y, z)))


def _text(text: bytes) -> bytes:
    return b"desc\0\0\0\0" + struct.pack(">I", len(text) + 1) + text + b"\0" + bytes(79)


def _profile(curve: bytes, *more: Tag, space: bytes = b"RGB ") -> bytes:
    colours: list[Tag] = [
        (b"desc", _text(b"made for a test")),
        (b"wtpt", _xyz(0.9642, 1.0, 0.8249)),
        (b"rXYZ", _xyz(0.4361, 0.2225, 0.0139)),
        (b"gXYZ", _xyz(0.3851, 0.7169, 0.0971)),
        (b"bXYZ", _xyz(0.1431, 0.0606, 0.7142)),
        (b"rTRC", curve),
        (b"gTRC", curve),
        (b"bTRC", curve),
    ]
    grey: list[Tag] = [(b"desc", _text(b"grey")), (b"wtpt", _xyz(0.9642, 1.0, 0.8249)), (b"kTRC", curve)]
    head = struct.pack(">4s4sI4s4s4s", bytes(4), bytes(4), 0x04300000, b"mntr", space, b"XYZ ") + bytes(12) + b"acsp"
    head += bytes(28) + struct.pack(">3i", 63190, 65536, 54061)
    return joined(head.ljust(HEADER, b"\0"), [*(grey if space == b"GRAY" else colours), *more])


def joined(header: bytes, tags: list[Tag], wrong: dict[int, tuple[int, int]] | None = None) -> bytes:
    """A profile with a table that fits its tags, but for `wrong` places: number -> (offset, size)."""
    at = HEADER + 4 + 12 * len(tags)
    table, body = struct.pack(">I", len(tags)), b""
    for number, (name, data) in enumerate(tags):
        offset, size = (wrong or {}).get(number, (at + len(body), len(data)))
        table += struct.pack(">4sII", name, offset & 0xFFFFFFFF, size & 0xFFFFFFFF)
        body += data + bytes(-len(data) % 4)
    whole = header + table + body
    return struct.pack(">I", len(whole)) + whole[4:]


def split(data: bytes) -> tuple[bytes, list[Tag]]:
    """The header, and the tags; ValueError where it is no profile."""
    if data[36:40] != b"acsp":
        raise ValueError
    (count,) = struct.unpack_from(">I", data, HEADER)
    entries = [struct.unpack_from(">4sII", data, HEADER + 4 + 12 * n) for n in range(min(count, 60))]
    return data[:HEADER], [(name, data[at : at + size]) for name, at, size in entries]


_PARAMETRIC = b"para\0\0\0\0\0\3\0\0" + struct.pack(">5i", 157286, 62119, 3417, 5072, 2651)
_GAMMA = b"curv\0\0\0\0" + struct.pack(">IH", 1, 563) + b"\0\0"
_TABLE = b"curv\0\0\0\0" + struct.pack(">I17H", 17, *(round(65535 * (n / 16) ** 2.2) for n in range(17))) + b"\0\0"
SOUND = (
    _profile(_PARAMETRIC),
    _profile(_GAMMA, (b"chad", b"sf32\0\0\0\0" + struct.pack(">9i", 65536, 0, 0, 0, 65536, 0, 0, 0, 65536))),
    _profile(_TABLE, (b"cicp", b"cicp\0\0\0\0" + bytes((9, 16, 0, 1)))),
    _profile(_GAMMA, space=b"GRAY"),
    _profile(_GAMMA, (b"A2B0", b"mft1\0\0\0\0\3\3\2\0" + bytes(36 + 768 + 24 + 768))),
)


def table(data: bytes, chance: Chance) -> bytes:
    """Tags with another place or size, removed, doubled, exchanged or renamed."""
    header, tags = split(data)
    one, other = chance.below(len(tags)), chance.below(len(tags))
    wrong = dict[int, tuple[int, int]]()
    match chance.below(6):
        case 0 | 1:
            size = values.integer(chance, 32, signed=False) if chance.often(0.6) else len(tags[one][1])
            wrong[one] = (chance.choice((0, 128, len(data) - 1, len(data), 1 << 31, (1 << 32) - 1, 200)), size)
        case 2:
            del tags[one]
        case 3:
            tags[one:one] = [tags[one]] * chance.choice((1, 30, 120))
        case 4:
            tags[one] = (tags[other][0], tags[one][1])
        case _:
            tags[one] = (tags[one][0], tags[other][1])
    return joined(header, tags, wrong)


def tag(data: bytes, chance: Chance) -> bytes:
    """A number in a tag: a count, a kind of curve, a coefficient."""
    header, tags = split(data)
    one = chance.below(len(tags))
    name, body = tags[one]
    at, size = 4 * chance.below(len(body) // 4), chance.choice((2, 4, 4))
    tags[one] = (name, body[:at] + values.packed(chance, size, big=True) + body[at + size :])
    return joined(header, tags)


def header(data: bytes, chance: Chance) -> bytes:
    """Another version, class, colour space or number of tags."""
    at = chance.choice((0, 8, 12, 16, 20, 36, 64, 68, HEADER))
    words = (
        b"RGB ",
        b"GRAY",
        b"CMYK",
        b"Lab ",
        b"XYZ ",
        b"mntr",
        b"link",
        b"abst",
        b"nmcl",
        b"\4\x40\0\0",
        b"\2\0\0\0",
    )
    new = chance.choice(words) if chance.often(0.6) else values.packed(chance, 4, big=True)
    return data[:at] + new + data[at + 4 :]


ALL = ((table, 3.0), (tag, 4.0), (header, 1.5), (raw.mutate, 2.0))


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

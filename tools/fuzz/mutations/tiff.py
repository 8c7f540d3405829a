"""Mutators of TIFF files: entries of their directories, and the chain of these. Layout: TIFF 6.0, BigTIFF."""

from __future__ import annotations

import struct

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import icc, raw, values

TAGS = (
    *(254, 256, 257, 258, 259, 262, 266, 270, 273, 274, 277, 278, 279, 282, 283, 284, 296, 305, 306, 315, 317, 318),
    *(
        319,
        320,
        322,
        323,
        324,
        325,
        330,
        338,
        339,
        340,
        341,
        347,
        529,
        530,
        532,
        700,
        33723,
        34377,
        34665,
        34675,
        40961,
    ),
)
"""Tags that readers look at: sizes, strips, tiles, compression, predictors, sample formats, profiles."""
SIZES = {1: 1, 2: 1, 3: 2, 4: 4, 5: 8, 6: 1, 7: 1, 8: 2, 9: 4, 10: 8, 11: 4, 12: 8, 13: 4, 16: 8}
COMPRESSIONS = (1, 2, 5, 6, 7, 8, 32773, 32946, 34712, 34925, 50000, 50001, 50002)


class Directory:
    """Where the entries of a TIFF's first directory stand; ValueError and the like where it has none."""

    def __init__(self, data: bytes) -> None:
        self.big = data[:2] == b"MM"
        self.order = ">" if self.big else "<"
        if data[:2] not in (b"II", b"MM") or self._unpack("H", data, 2)[0] != 42:
            raise ValueError
        (self.at,) = self._unpack("I", data, 4)
        (count,) = self._unpack("H", data, self.at)
        self.entries = [self.at + 2 + 12 * n for n in range(count)]

    def _unpack(self, form: str, data: bytes, at: int) -> tuple[int, ...]:
        return struct.unpack_from(self.order + form, data, at)

    def pack(self, form: str, *numbers: int) -> bytes:
        return struct.pack(self.order + form, *numbers)

    def entry(self, data: bytes, at: int) -> tuple[int, ...]:
        """Tag, type, count, and the value or its place."""
        return self._unpack("HHII", data, at)


def entry(data: bytes, chance: Chance) -> bytes:
    """Another tag, type, count or value of an entry; or a copy of another entry."""
    found = Directory(data)
    at, other = chance.choice(found.entries), chance.choice(found.entries)
    match chance.below(6):
        case 0:
            return data[:at] + found.pack("H", chance.choice(TAGS)) + data[at + 2 :]
        case 1:
            return data[: at + 2] + found.pack("H", chance.choice((*SIZES, 0, 14, 255))) + data[at + 4 :]
        case 2:
            return data[: at + 4] + values.packed(chance, 4, found.big) + data[at + 8 :]
        case 3:
            return data[:at] + data[other : other + 12] + data[at + 12 :]
        case _:
            short = found.entry(data, at)[1] == 3
            new = (
                found.pack("HH", values.integer(chance, 16, signed=False), 0)
                if short
                else values.packed(chance, 4, found.big)
            )
            return data[: at + 8] + new + data[at + 12 :]


def known(data: bytes, chance: Chance) -> bytes:
    """A value that means something else: size, bits, compression, photometry, samples, layout."""
    found = Directory(data)
    choices = {
        **dict.fromkeys((256, 257, 278, 322, 323), (0, 1, 2, 15, 16, 17, 31, 4096, 65535)),
        258: (1, 2, 4, 8, 12, 16, 24, 32, 64, 0, 65535),
        259: COMPRESSIONS,
        262: (0, 1, 2, 3, 4, 5, 6, 8, 9, 32844, 32845),
        277: (0, 1, 2, 3, 4, 5, 100, 65535),
        284: (1, 2, 3),
        317: (1, 2, 3, 4),
        339: (1, 2, 3, 4, 5, 6, 0),
        274: tuple(range(10)),
    }
    at = chance.choice([at for at in found.entries if found.entry(data, at)[0] in choices])
    tag, kind, count, _ = found.entry(data, at)
    value = chance.choice(choices[tag])
    if kind == 3 and count > 2:  # the values stand elsewhere
        place = found.entry(data, at)[3] + 2 * chance.below(count)
        return data[:place] + found.pack("H", value) + data[place + 2 :]
    return data[: at + 8] + (found.pack("HH", value, 0) if kind == 3 else found.pack("I", value)) + data[at + 12 :]


def strips(data: bytes, chance: Chance) -> bytes:
    """Strips or tiles in another place or of another length."""
    found = Directory(data)
    at = chance.choice([at for at in found.entries if found.entry(data, at)[0] in (273, 279, 324, 325)])
    _, kind, count, value = found.entry(data, at)
    size = SIZES[kind]
    place = at + 8 if size * count <= 4 else value + size * chance.below(count)
    return data[:place] + values.packed(chance, size, found.big) + data[place + size :]


def chain(data: bytes, chance: Chance) -> bytes:
    """Directories that follow each other for ever, lie elsewhere, or have more entries than there are."""
    found = Directory(data)
    following = found.at + 2 + 12 * len(found.entries)
    match chance.below(4):
        case 0:
            return (
                data[:following]
                + found.pack("I", chance.choice((found.at, 8, 1, len(data), 1 << 31)))
                + data[following + 4 :]
            )
        case 1:
            return data[:4] + values.packed(chance, 4, found.big) + data[8:]
        case 2:
            return data[: found.at] + found.pack("H", chance.choice((0, 1, 200, 65535))) + data[found.at + 2 :]
        case _:
            block = data[found.at : following + 4]
            times = chance.choice((2, 30, 300))
            starts = [len(data) + n * len(block) for n in range(times)]
            copies = [block[:-4] + found.pack("I", after) for after in [*starts[1:], 0]]
            return data[:following] + found.pack("I", starts[0]) + data[following + 4 :] + b"".join(copies)


def profile(data: bytes, chance: Chance) -> bytes:
    """A changed ICC profile in the place of an entry."""
    found = Directory(data)
    changed = icc.mutate(chance.choice(icc.SOUND), chance)
    at = chance.choice(found.entries)
    return data[:at] + found.pack("HHII", 34675, 7, len(changed), len(data)) + data[at + 12 :] + changed


ALL = ((entry, 3.0), (known, 3.0), (strips, 2.0), (chain, 1.0), (profile, 0.7), (raw.mutate, 2.5))


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

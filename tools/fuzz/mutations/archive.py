"""Mutators of zip archives: their members, the names of these, and what headers claim."""

from __future__ import annotations

import io
import struct
import zipfile

from tools.fuzz.kind import Chance, Mutator
from tools.fuzz.mutations import raw, values

NAMES = (
    *("../config.ocio", "/tmp/config.ocio", "config.ocio/", "luts/../../x.cube", "CONFIG.OCIO", "a" * 300, ""),
    *("luts\\look.cube", "config.ocio\n", "lüts/look.cube", "config.ocio "),
)
BOMB = bytes(1 << 22)
LOCAL, CENTRAL, END = b"PK\x03\x04", b"PK\x01\x02", b"PK\x05\x06"

Member = tuple[str, bytes]


def split(data: bytes) -> list[Member]:
    """(name, content) of every member."""
    with zipfile.ZipFile(io.BytesIO(data)) as file:
        try:
            return [(info.filename, file.read(info)) for info in file.infolist()]
        except RuntimeError as error:  # a flag that claims a password
            raise zipfile.BadZipFile from error


def joined(members: list[Member], how: int = zipfile.ZIP_DEFLATED) -> bytes:
    """The archive, always with the same time."""
    held = io.BytesIO()
    with zipfile.ZipFile(held, "w", how) as file:
        for name, body in members:
            file.writestr(zipfile.ZipInfo(name), body, how)
    return held.getvalue()


def members(inner: Mutator) -> Mutator:
    """A mutator that removes, doubles, renames or replaces members, or changes one by `inner`."""

    def mutate(data: bytes, chance: Chance) -> bytes:
        found = split(data)
        one, other = chance.below(len(found)), chance.below(len(found))
        name, body = found[one]
        match chance.below(10):
            case 0:
                del found[one]
            case 1:
                found.append((chance.choice(NAMES), body))
            case 2:
                found[one] = (chance.choice(NAMES), body)
            case 3:
                found[one] = (name, found[other][1])
            case 4 if chance.often(0.1):
                found[one] = (name, BOMB)
            case _:
                found[one] = (name, inner(body, chance))
        how = chance.choice((zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2))
        return joined(found, how)

    return mutate


def headers(data: bytes, chance: Chance) -> bytes:
    """A field of a member's header, of the directory or of its end."""
    mark = chance.choice((LOCAL, CENTRAL, CENTRAL, END))
    places = [at for at in range(len(data)) if data.startswith(mark, at)]
    length = {LOCAL: 30, CENTRAL: 46, END: 22}[mark]
    at, size = chance.choice(places) + 4 + 2 * chance.below((length - 4) // 2), chance.choice((2, 4))
    new = values.packed(chance, size) if chance.often(0.7) else struct.pack("<Q", chance.choice((0, 1, 8, 99)))[:size]
    return data[:at] + new + data[at + size :]


def all_of(inner: Mutator) -> tuple[tuple[Mutator, float], ...]:
    """The mutators of archives whose members `inner` changes."""
    return ((members(inner), 6.0), (headers, 2.0), (raw.mutate, 1.5))

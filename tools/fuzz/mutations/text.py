"""Mutators of text files: their lines, words and numbers."""

from __future__ import annotations

import re

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, values

NUMBER = re.compile(rb"[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?")
WORD = re.compile(rb"[^\s,:=<>\"'{}\[\]]+")


def lines(data: bytes, chance: Chance) -> bytes:
    """Delete, double, swap, join or move lines."""
    found = data.splitlines(keepends=True)
    one, other = chance.below(len(found)), chance.below(len(found))
    match chance.below(6):
        case 0:
            del found[one : one + chance.choice((1, 1, 3, 20))]
        case 1:
            found[one:one] = found[one : one + chance.choice((1, 3))] * chance.choice((1, 2, 30))
        case 2:
            found[one], found[other] = found[other], found[one]
        case 3:
            found[one] = found[one].rstrip(b"\r\n") + b" "
        case 4:
            found[one] = found[one].rstrip(b"\r\n") * chance.choice((2, 40)) + b"\n"
        case _:
            found.insert(one, chance.choice((b"\n", b"#\n", b" \t\n", b"\x0c\n", b"\r\n", found[other])))
    return b"".join(found)


def _replace(data: bytes, chance: Chance, pattern: re.Pattern[bytes], new: bytes) -> bytes:
    found = list(pattern.finditer(data))
    match = chance.choice(found)
    return data[: match.start()] + new + data[match.end() :]


def numbers(data: bytes, chance: Chance) -> bytes:
    """Put another number in the place of one."""
    return _replace(data, chance, NUMBER, values.number_text(chance).encode())


def words(data: bytes, chance: Chance) -> bytes:
    """Put another word of the text, or a special one, in the place of one; or take it away."""
    found = WORD.findall(data)
    new = chance.choice(found) if chance.often(0.4) else values.text_bytes(chance)
    return _replace(data, chance, WORD, b"" if chance.often(0.15) else new)


def case(data: bytes, chance: Chance) -> bytes:
    """Write a word in capitals or in small letters."""
    found = chance.choice(list(WORD.finditer(data)))
    word = found[0].swapcase()
    return data[: found.start()] + word + data[found.end() :]


def encoding(data: bytes, chance: Chance) -> bytes:
    """Another encoding, another line ending, or a byte order mark."""
    match chance.below(5):
        case 0:
            return b"\xef\xbb\xbf" + data
        case 1:
            return data.decode("latin-1").encode("utf-16")
        case 2:
            return data.replace(b"\n", b"\r\n")
        case 3:
            return data.replace(b"\n", b"\r")
        case _:
            at = chance.below(len(data))
            return data[:at] + values.text_bytes(chance) + data[at:]


ALL = ((lines, 3.0), (numbers, 4.0), (words, 3.0), (case, 0.5), (encoding, 1.0), (raw.mutate, 2.0))


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

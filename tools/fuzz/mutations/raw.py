"""Mutators that know nothing of the data's structure."""

from __future__ import annotations

from tools.fuzz.kind import Chance, Mutator
from tools.fuzz.mutations import values


def flip_bits(data: bytes, chance: Chance) -> bytes:
    """Flip a few bits, perhaps all near each other."""
    changed = bytearray(data)
    first, width = chance.below(len(data)), chance.choice((1, 8, 64, len(data)))
    for _ in range(chance.choice((1, 1, 2, 4, 16))):
        changed[(first + chance.below(width)) % len(data)] ^= 1 << chance.below(8)
    return bytes(changed)


def overwrite(data: bytes, chance: Chance) -> bytes:
    """Put a number in the place of 1, 2, 4 or 8 bytes."""
    size = chance.choice((1, 1, 2, 4, 4, 8))
    at = chance.below(len(data))
    return data[:at] + values.packed(chance, size, chance.often(0.5)) + data[at + size :]


def truncate(data: bytes, chance: Chance) -> bytes:
    """Cut the end off; seldom the beginning."""
    at = chance.below(len(data)) if chance.often(0.7) else max(0, len(data) - chance.randint(1, 16))
    return data[at:] if chance.often(0.05) else data[:at]


def move(data: bytes, chance: Chance) -> bytes:
    """Delete, double or move a stretch."""
    at, size = chance.below(len(data)), chance.choice((1, 2, 4, 8, 33, 257, max(1, len(data) // 4)))
    piece, rest = data[at : at + size], data[:at] + data[at + size :]
    if chance.often(0.4):
        return rest
    to = chance.below(len(rest)) if chance.often(0.5) else at
    return rest[:to] + piece * chance.choice((1, 1, 2, 16)) + rest[to:]


def insert(data: bytes, chance: Chance) -> bytes:
    """Insert zeros, ones or bytes that are no text."""
    at = len(data) if chance.often(0.2) else chance.below(len(data))
    size = chance.choice((1, 2, 7, 16, 255, 5000))
    piece = chance.choice((b"\0" * size, b"\xff" * size, chance.randbytes(size), values.text_bytes(chance)))
    return data[:at] + piece + data[at:]


def splice(data: bytes, chance: Chance) -> bytes:
    """The beginning of this and the end of another seed."""
    other = chance.other()
    at, to = chance.below(len(data)), chance.below(len(other))
    if chance.often(0.5):
        size = chance.choice((4, 16, 64, 256, 2048))
        return data[:at] + other[to : to + size] + data[at + size :]
    return data[:at] + other[to:]


ALL: tuple[tuple[Mutator, float], ...] = (
    (flip_bits, 4.0),
    (overwrite, 3.0),
    (truncate, 1.0),
    (move, 1.5),
    (insert, 1.0),
    (splice, 1.5),
)


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

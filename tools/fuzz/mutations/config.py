"""Mutators of OpenColorIO configs, which are YAML: their entries, indents, tags, lists and names."""

from __future__ import annotations

import re

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, text, values

KEY = re.compile(rb"(?m)^( *(?:- )?)([\w ]+):")
FIELD = re.compile(rb"([{,]\s*)([\w]+): ([^,{}\[\]]+|\[[^\]]*\])")
TAG = re.compile(rb"!<(\w+)>")
STRANGE = (
    *(
        b"&a [*a]",
        b"*x",
        b"!!binary aGVsbG8=",
        b"!!python/object:x {}",
        b"~",
        b"{}",
        b"[]",
        b"[[]]",
        b"{a: {b: {c: 1}}}",
    ),
    *(b"|\n  x", b"? x", b"<<: *x", b"%YAML 9.9", b"---", b"...", b'"\\ud800"', b'"\\x00"', b'"a\\nb"', b"'", b"\t"),
    *(
        b"$SHOT",
        b"${SHOT}",
        b"%SHOT%",
        b"$F4",
        b"/dev/zero",
        b"../look.cube",
        b"look.cube",
        b"../stage/look.cc",
        b"../stage/pipe",
    ),
)


def _name(chance: Chance) -> bytes:
    return chance.choice((chance.choice(STRANGE), values.text_bytes(chance), values.number_text(chance).encode()))


def blocks(data: bytes, chance: Chance) -> bytes:
    """Delete, double or move an entry with all that is indented below it."""
    lines = data.splitlines(keepends=True)
    first = chance.below(len(lines))
    depth = len(lines[first]) - len(lines[first].lstrip())
    end = first + 1
    while end < len(lines) and (len(lines[end]) - len(lines[end].lstrip()) > depth or not lines[end].strip()):
        end += 1
    block = lines[first:end]
    match chance.below(4):
        case 0:
            lines[first:end] = []
        case 1:
            lines[first:first] = block * chance.choice((1, 2, 40))
        case 2:
            del lines[first:end]
            to = chance.below(len(lines))
            lines[to:to] = block
        case _:
            shift = chance.choice((b" ", b"  ", b"\t", b"    "))
            lines[first:end] = [shift + line if chance.often(0.5) else line.removeprefix(shift) for line in block]
    return b"".join(lines)


def keys(data: bytes, chance: Chance) -> bytes:
    """Another key, or another value behind one."""
    found = list(KEY.finditer(data))
    match = chance.choice(found)
    if chance.often(0.4):
        new = chance.choice(found)[2] if chance.often(0.6) else _name(chance)
        return data[: match.start(2)] + new + data[match.end(2) :]
    end = data.find(b"\n", match.end())
    end = len(data) if end < 0 else end
    return data[: match.end()] + b" " + _name(chance) + data[end:]


def fields(data: bytes, chance: Chance) -> bytes:
    """Another name or value within braces."""
    found = list(FIELD.finditer(data))
    match, other = chance.choice(found), chance.choice(found)
    if chance.often(0.2):
        return data[: match.start(2)] + other[2] + data[match.end(2) :]
    new = other[3] if chance.often(0.3) else _name(chance)
    return data[: match.start(3)] + new + data[match.end(3) :]


def tags(data: bytes, chance: Chance) -> bytes:
    """A transform, rule or space of another type."""
    found = list(TAG.finditer(data))
    match = chance.choice(found)
    kinds = {each[1] for each in found} | {b"CubeTransform", b"DisplayViewTransform", b"Lut1DTransform", b"x"}
    return data[: match.start(1)] + chance.choice(sorted(kinds)) + data[match.end(1) :]


def names(data: bytes, chance: Chance) -> bytes:
    """One name everywhere, or in a few places, in the place of another: references that miss, or go in circles."""
    found = sorted(set(re.findall(rb"(?:name|src|dst|looks|colorspace|process_space): ([\w ]+)", data)))
    old, new = chance.choice(found), chance.choice(found)
    return re.sub(rb"\b" + re.escape(old) + rb"\b", lambda _: new, data, count=chance.choice((0, 1, 2)))


ALL = (
    (blocks, 2.5),
    (keys, 3.0),
    (fields, 3.0),
    (tags, 1.0),
    (names, 2.0),
    (text.numbers, 1.5),
    (text.mutate, 1.0),
    (raw.mutate, 1.0),
)


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

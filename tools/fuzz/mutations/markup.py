"""Mutators of XML: elements, attributes and numbers. The text is cut at its tags, so that damaged XML works, too."""

from __future__ import annotations

import re

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, text, values

TAG = re.compile(rb"(<[^<>]*>)")
ATTRIBUTE = re.compile(rb"([\w:.-]+)=([\"'])(.*?)\2", re.DOTALL)
NAME = re.compile(rb"</?([\w:.-]+)")
BOMB = b'<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa">%s]>' % b"".join(
    b'<!ENTITY %c "%s">' % (98 + n, b"&%c;" % (97 + n) * 10) for n in range(9)
)


def elements(data: bytes, chance: Chance) -> bytes:
    """Delete, double, move or exchange elements or stretches of them."""
    tokens = TAG.split(data)
    one, size = chance.below(len(tokens)), chance.choice((1, 1, 2, 4, 9))
    piece = tokens[one : one + size]
    match chance.below(5):
        case 0:
            del tokens[one : one + size]
        case 1:
            tokens[one:one] = piece * chance.choice((1, 2, 50))
        case 2:
            del tokens[one : one + size]
            to = chance.below(len(tokens))
            tokens[to:to] = piece
        case 3:
            found = TAG.split(chance.other())
            there = chance.below(len(found))
            tokens[one : one + chance.choice((0, size))] = found[there : there + size]
        case _:
            depth = chance.choice((3, 200, 3000))
            tokens[one:one] = [b"<%s>" % b"Description" * depth]
    return b"".join(tokens)


def whole_element(data: bytes, chance: Chance) -> bytes:
    """Delete or double an element with all that is in it."""
    tags = [tag for tag in TAG.finditer(data) if NAME.match(tag[0]) and not tag[0].startswith(b"</")]
    tag = chance.choice(tags)
    name = NAME.match(tag[0])
    assert name is not None
    closing = b"</" + name[1] + b">"
    end = tag.end() if tag[0].endswith(b"/>") else data.index(closing, tag.end()) + len(closing)
    times = chance.choice((0, 0, 2, 3, 60))
    return data[: tag.start()] + data[tag.start() : end] * times + data[end:]


def attributes(data: bytes, chance: Chance) -> bytes:
    """Change, remove, double or add an attribute."""
    found = list(ATTRIBUTE.finditer(data))
    match = chance.choice(found)
    name, value = match[1], match[3]
    match chance.below(6):
        case 0:
            new = b""
        case 1:
            new = match[0] + b" " + match[0]
        case 2:
            new = b'%s="%s"' % (chance.choice(found)[1], value)
        case 3:
            new = b'%s="%s"' % (name, chance.choice(found)[3])
        case 4:
            new = b'%s="%s"' % (name, values.number_text(chance).encode())
        case _:
            new = b'%s="%s"' % (name, values.text_bytes(chance).replace(b'"', b"&quot;"))
    return data[: match.start()] + new + data[match.end() :]


def rename(data: bytes, chance: Chance) -> bytes:
    """Give a tag, or all tags of that name, another name."""
    names = [match[1] for match in NAME.finditer(data)]
    old, new = chance.choice(names), chance.choice(names) if chance.often(0.7) else b"x:y"
    return re.sub(
        rb"(</?)" + re.escape(old) + rb"\b", lambda match: match[1] + new, data, count=chance.choice((0, 1, 2))
    )


def entries(data: bytes, chance: Chance) -> bytes:
    """Take numbers of a table away, or add many."""
    runs = [match for match in re.finditer(rb">([^<>]*\d[^<>]*)<", data) if len(match[1]) > 8]
    run = chance.choice(runs)
    found = run[1].split()
    if chance.often(0.5):
        at = chance.below(len(found))
        del found[at : at + chance.choice((1, 3, len(found)))]
    else:
        found *= chance.choice((2, 30))
    return data[: run.start(1)] + b" ".join(found) + data[run.end(1) :]


def prologue(data: bytes, chance: Chance) -> bytes:
    """Another declaration, a document type with entities, a comment or a CDATA section."""
    body = re.sub(rb"^\s*<\?xml[^>]*\?>", b"", data)
    match chance.below(5):
        case 0:
            code = chance.choice((b"UTF-16", b"latin-1", b"EBCDIC-CP-US", b"", b"UTF-7", b"x" * 300))
            return b'<?xml version="1.0" encoding="%s"?>' % code + body
        case 1 if chance.often(0.1):
            return b'<?xml version="1.0"?>' + BOMB + body.replace(b"1", b"&j;", 3)
        case 2:
            return b'<!DOCTYPE x [<!ENTITY f SYSTEM "file:///dev/zero">]>' + body.replace(b"1", b"&f;", 3)
        case 1 | 3:
            return body
        case _:
            at = chance.below(len(data))
            return (
                data[:at] + chance.choice((b"<!--", b"-->", b"<![CDATA[", b"]]>", b"<?", b"&#0;", b"&x;")) + data[at:]
            )


ALL = (
    (elements, 2.0),
    (whole_element, 2.0),
    (attributes, 3.0),
    (rename, 1.0),
    (entries, 1.5),
    (prologue, 0.5),
    (text.numbers, 4.0),
    (text.mutate, 1.0),
    (raw.mutate, 1.0),
)


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

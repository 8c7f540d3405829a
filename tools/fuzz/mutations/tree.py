"""Mutators of JSON: nodes of its tree are changed, removed, renamed, doubled, exchanged or nested."""

from __future__ import annotations

import base64
import json
import zlib
from typing import Any

from tools.fuzz.kind import Chance
from tools.fuzz.mutations import raw, values

Place = tuple[Any, Any]
"""A list or dict, and the index or key of a node in it."""


def places(tree: Any) -> list[Place]:
    """Every node but the root."""
    found: list[Place] = []
    waiting = [tree]
    while waiting:
        node = waiting.pop()
        keys = list(node) if isinstance(node, dict) else range(len(node)) if isinstance(node, list) else ()
        for key in keys:
            found.append((node, key))
            waiting.append(node[key])
    return found


def another(node: Any, chance: Chance) -> Any:
    """A value for the place of a node, most often one of its own type."""
    if chance.often(0.25):
        return chance.choice((None, True, False, 0, -1, 1.5, "", [], {}, [[]], {"": None}, 1 << 70, "x" * 3000))
    if isinstance(node, bool):
        return not node
    if isinstance(node, int):
        return values.integer(chance, 64)
    if isinstance(node, float):
        return values.number(chance)
    if isinstance(node, str):
        return _text(node, chance)
    if isinstance(node, list):
        return node * chance.choice((0, 2, 40)) if chance.often(0.5) else [*node, chance.choice(node or [None])]
    return {str(key): each for key, each in enumerate(node.values())} if isinstance(node, dict) else values.text(chance)


def _text(text: str, chance: Chance) -> str:
    """Another text; packed data are unpacked, changed and packed again."""
    if len(text) > 16 and chance.often(0.7):
        try:
            plain = zlib.decompress(base64.b64decode(text, validate=True))
        except (ValueError, zlib.error):
            pass
        else:
            changed = b"\0" * (1 << 22) if chance.often(0.1) else raw.mutate(plain, chance)
            return base64.b64encode(zlib.compress(changed)).decode()
    if chance.often(0.3):
        return text + values.text(chance)
    return chance.choice(("\ud800", values.number_text(chance), values.text(chance)))


def node(data: bytes, chance: Chance) -> bytes:
    """Change one or two nodes."""
    tree = json.loads(data)
    for _ in range(chance.choice((1, 1, 2))):
        found = places(tree)
        if not found:
            return written(another(tree, chance))
        parent, key = chance.choice(found)
        match chance.below(9):
            case 0:
                del parent[key]
            case 1 if isinstance(parent, dict):
                parent[values.text(chance) if chance.often(0.5) else str(chance.choice(found)[1])] = parent.pop(key)
            case 2 | 3:
                other, there = chance.choice(found)
                parent[key] = json.loads(json.dumps(other[there]))
            case 4 if isinstance(parent, list):
                parent.insert(key, json.loads(json.dumps(parent[key])))
            case _:
                parent[key] = another(parent[key], chance)
    return written(tree)


def graft(data: bytes, chance: Chance) -> bytes:
    """A node of another seed in the place of one."""
    tree, other = json.loads(data), json.loads(chance.other())
    (parent, key), (there, name) = chance.choice(places(tree)), chance.choice(places(other))
    parent[key] = there[name]
    return written(tree)


def nest(data: bytes, chance: Chance) -> bytes:
    """Brackets deeper than a reader may recurse, in the place of a node."""
    tree = json.loads(data)
    parent, key = chance.choice(places(tree))
    parent[key] = "HERE"
    depth = chance.choice((10, 900, 5000))
    opened, closed = chance.choice(((b"[", b"]"), (b'{"a":', b"}")))
    return written(tree).replace(b'"HERE"', opened * depth + b"1" + closed * depth)


def doubled_key(data: bytes, chance: Chance) -> bytes:
    """The same key twice: the text says one thing, the parsed tree another."""
    tree = json.loads(data)
    parent, key = chance.choice([(parent, key) for parent, key in places(tree) if isinstance(parent, dict)])
    text = json.dumps(parent[key])
    return data.replace(b'"' + str(key).encode() + b'"', f'"{key}": {text}, "{key}"'.encode(), 1)


def written(tree: Any) -> bytes:
    """The tree as JSON, surrogates, NaN and Infinity as Python writes them."""
    return json.dumps(tree).encode()


ALL = ((node, 6.0), (graft, 1.5), (nest, 0.3), (doubled_key, 0.3), (raw.mutate, 1.5))


def mutate(data: bytes, chance: Chance) -> bytes:
    """Any of them."""
    return chance.weighted(ALL)(data, chance)

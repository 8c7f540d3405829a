"""Keys of a matte that follow its nodes and vertices when its tree changes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from engine.grade.curves import Curve, Key, Keys
from engine.grade.parameters import MATTE, TREE, numbers_of_matte, with_numbers
from engine.mattes.tree import Branch, Leaf, Matte, Node, nodes
from engine.mattes.windows import Path

NOWHERE = (0, 0)
NODE = f"{MATTE}{TREE}"
POINTS = "points."


def followed(keys: Keys, before: Matte | None, after: Matte | None) -> Keys:
    """Return the keys of an entry whose matte `before` becomes `after`.

    Nodes are found again by identity, then by their source, then by their order among those of their kind; vertices by
    their position. Keys of what is gone are dropped. Positions follow another size of the display window.
    """
    own = {path: curve for path, curve in keys.items() if not path.startswith(MATTE)}
    if before is None or after is None:
        return Keys(own)
    of_matte = {path: curve for path, curve in keys.items() if path not in own}
    if before.frame != after.frame and NOWHERE not in (before.frame, after.frame):
        of_matte = _fitted(of_matte, before, after.frame)
        before = before.fitted(*after.frame)
    known = {f"{MATTE}{path}" for path in numbers_of_matte(after)}
    renamed = _renaming(before, after)
    moved = ((renamed(path), curve) for path, curve in of_matte.items())
    return Keys(own | {path: curve for path, curve in moved if path in known})


def _renaming(before: Matte, after: Matte) -> Callable[[str], str]:
    """Return what gives the path of a number in the later matte, '' for one that is gone."""
    old, new = list(nodes(before.root)), list(nodes(after.root))
    places = _matched(old, new)

    def renamed(path: str) -> str:
        if not path.startswith(NODE):
            return path
        number, _, name = path[len(NODE) :].partition(".")
        place = places.get(int(number))
        if place is None:
            return ""
        one, other = old[int(number)], new[place]
        name = _vertex(name, _points(one), _points(other)) if name.startswith(POINTS) else name
        return f"{NODE}{place}.{name}" if name else ""

    return renamed


def _matched(old: Sequence[Node], new: Sequence[Node]) -> dict[int, int]:
    """Return the places of nodes in the later tree by those in the earlier one."""
    found = dict[int, int]()
    for key in (id, _source, _kind):
        free = dict[Any, list[int]]()
        for place, node in enumerate(new):
            if place not in found.values():
                free.setdefault(key(node), []).append(place)
        for place, node in enumerate(old):
            if place not in found and (places := free.get(key(node))):
                found[place] = places.pop(0)
    return found


def _source(node: Node) -> Any:
    return id(node.source) if isinstance(node, Leaf) else (node.mode, *map(_source, node.nodes))


def _kind(node: Node) -> Any:
    return type(node.source) if isinstance(node, Leaf) else Branch


def _points(node: Node) -> tuple[tuple[float, ...], ...]:
    return node.source.points if isinstance(node, Leaf) and isinstance(node.source, Path) else ()


def _vertex(name: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """Return the name of a number of a vertex of a path with other vertices, '' if the vertex is gone.

    Vertices are inserted or removed in one place: those before and after it are the same.
    """
    if len(old) == len(new):
        return name
    _, number, rest = name.split(".")
    place, least = int(number), min(len(old), len(new))
    first = next((n for n in range(least) if old[n][:2] != new[n][:2]), least)
    if place < first:
        return name
    place += len(new) - len(old)
    return f"{POINTS}{place}.{rest}" if place >= first else ""


def _fitted(keys: dict[str, Curve], matte: Matte, size: tuple[int, int]) -> dict[str, Curve]:
    """Return the keys of a matte with the values that they have for a display window of this size."""
    found = dict[str, list[Key]]()
    for frame in sorted({frame for curve in keys.values() for frame in curve.frames}):
        values = {path[len(MATTE) :]: curve.at(frame) for path, curve in keys.items()}
        numbers = numbers_of_matte(with_numbers(matte, values).fitted(*size))
        for path, curve in keys.items():
            if (key := curve.key_at(frame)) is not None:
                found.setdefault(path, []).append(Key(frame, numbers[path[len(MATTE) :]], key.interpolation))
    return {path: Curve(each) for path, each in found.items()}

"""Keys of a matte that follow its nodes and vertices when its tree changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from engine.grade.curves import Curve, Key, Keys
from engine.grade.parameters import MATTE, TREE, numbers_of_matte, with_numbers
from engine.mattes.tree import Branch, Leaf, Matte, Node, nodes

NOWHERE = (0, 0)
NODE = f"{MATTE}{TREE}"
POINTS = "points."


def followed(keys: Keys, before: Matte | None, after: Matte | None) -> Keys:
    """Return the keys of an entry whose matte `before` becomes `after`.

    Nodes are found again by identity, then by their source, then by their values, then by their order among those of
    their kind; vertices by their position. A copy of a node has its keys, and a new vertex moves as those beside it do.
    Keys of what is gone are dropped. Positions follow another size of the display window.
    """
    own = {path: curve for path, curve in keys.items() if not path.startswith(MATTE)}
    if before is None or after is None:
        return Keys(own)
    of_matte = {path: curve for path, curve in keys.items() if path not in own}
    if before.frame != after.frame and NOWHERE not in (before.frame, after.frame):
        of_matte = _fitted(of_matte, before, after.frame)
        before = before.fitted(*after.frame)
    known = {f"{MATTE}{path}" for path in numbers_of_matte(after)}
    moved = {path: curve for path, curve in of_matte.items() if not path.startswith(NODE)}
    of_nodes = dict[int, dict[str, Curve]]()
    for path in of_matte.keys() - moved.keys():
        number, _, name = path[len(NODE) :].partition(".")
        of_nodes.setdefault(int(number), {})[name] = of_matte[path]
    old, new = list(nodes(before.root)), list(nodes(after.root))
    for place, places in _matched(old, new).items() if of_nodes else ():
        for to in places:
            curves = _of_vertices(of_nodes.get(place, {}), _points(old[place]), _points(new[to]))
            moved |= {f"{NODE}{to}.{name}": curve for name, curve in curves.items()}
    return Keys(own | {path: curve for path, curve in moved.items() if path in known})


def _matched(old: Sequence[Node], new: Sequence[Node]) -> dict[int, list[int]]:
    """Return the places of nodes in the later tree by those in the earlier one; several for one that was copied."""
    found = dict[int, int]()
    for key in (id, _source, _itself, _kind):
        free = dict[Any, list[int]]()
        for place, node in enumerate(new):
            if place not in found.values():
                free.setdefault(key(node), []).append(place)
        for place, node in enumerate(old):
            if place not in found and (places := free.get(key(node))):
                found[place] = places.pop(0)
    taken = set(found.values())
    copies = {id(node): [at for at, each in enumerate(new) if each is node and at not in taken] for node in new}
    return {place: [to, *copies[id(new[to])]] for place, to in found.items()}


def _itself(node: Node) -> Any:
    return node


def _source(node: Node) -> Any:
    return id(node.source) if isinstance(node, Leaf) else (node.mode, *map(_source, node.nodes))


def _kind(node: Node) -> Any:
    return type(node.source) if isinstance(node, Leaf) else Branch


def _points(node: Node) -> tuple[tuple[float, ...], ...]:
    from engine.mattes.windows import Path

    return node.source.points if isinstance(node, Leaf) and isinstance(node.source, Path) else ()


def _of_vertices(curves: dict[str, Curve], old: Sequence[Any], new: Sequence[Any]) -> dict[str, Curve]:
    """Return the keys of a node whose path may have other vertices."""
    if len(old) == len(new):
        return curves
    named = ((_vertex(name, old, new) if name.startswith(POINTS) else name, curve) for name, curve in curves.items())
    found = {name: curve for name, curve in named if name}
    first = _first_other(old, new)
    for place in range(first, first + len(new) - len(old)):
        beside = [at % len(new) for at in (first - 1, first + len(new) - len(old))]
        for part in (0, 1):
            moves = {at: curve for at in beside if (curve := found.get(f"{POINTS}{at}.{part}")) is not None}
            if moves:
                found[f"{POINTS}{place}.{part}"] = _average(new, place, part, moves)
    return found


def _average(points: Sequence[Any], place: int, part: int, moves: dict[int, Curve]) -> Curve:
    """Return the keys of a coordinate of a vertex that moves half as far as each of two others, if they move."""
    keys = {key.frame: key for curve in moves.values() for key in curve.keys}
    away = {frame: sum(curve.at(frame) - points[at][part] for at, curve in moves.items()) / 2.0 for frame in keys}
    return Curve(Key(frame, points[place][part] + away[frame], key.interpolation) for frame, key in keys.items())


def _first_other(old: Sequence[Any], new: Sequence[Any]) -> int:
    """Return the place of the first vertex that is another one."""
    least = min(len(old), len(new))
    return next((place for place in range(least) if old[place][:2] != new[place][:2]), least)


def _vertex(name: str, old: Sequence[Any], new: Sequence[Any]) -> str:
    """Return the name of a number of a vertex of a path with other vertices, '' if the vertex is gone.

    Vertices are inserted or removed in one place: those before and after it are the same.
    """
    _, number, rest = name.split(".")
    place, first = int(number), _first_other(old, new)
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

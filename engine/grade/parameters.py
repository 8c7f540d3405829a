"""The numbers of ops and mattes by their paths: what keys can change.

The path of a slider of an op is its name, `stops`; each number of a slider of several is `slope.0` and so on. Each
entry has a `mix`. Its matte has, after `matte.`, `feather`, `grow`, `gain` and `gamma`, and for each node of its tree,
numbered as `nodes` yields them, `tree.0.opacity` and the sliders of its source: `tree.0.center.1`. The vertices of a
path are `tree.0.points.3.0` to `tree.0.points.3.5`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from itertools import count
from typing import Any, NamedTuple

from engine.errors import GradeError
from engine.grade.missing import MissingOp
from engine.kernel.fields import Slider
from engine.kernel.op import Op
from engine.mattes.checks import FARTHEST
from engine.mattes.source import MatteSource
from engine.mattes.tree import RANGES, Branch, Leaf, Matte, Node, nodes

Numbers = dict[str, float]
TREE, OPACITY = "tree.", "opacity"

MIX, MATTE = "mix", "matte."


class Parts(NamedTuple):
    """What of an entry has numbers: its op (a FileLook and a Group have none of their own), its mix, and its matte."""

    entry: Any
    mix: float
    matte: Matte | None

    def numbers(self) -> Numbers:
        """Return all numbers by their paths."""
        found = numbers_of_op(self.entry) if isinstance(self.entry, Op) else Numbers()
        found[MIX] = self.mix
        if self.matte is not None:
            found |= {f"{MATTE}{path}": number for path, number in numbers_of_matte(self.matte).items()}
        return found

    def with_numbers(self, numbers: Mapping[str, float]) -> Parts:
        """Return the parts with other numbers at some paths. Raises GradeError if they can't have them."""
        of_op = {path: number for path, number in numbers.items() if is_of_op(path)}
        of_matte = {path[len(MATTE) :]: number for path, number in numbers.items() if path.startswith(MATTE)}
        entry = with_numbers(self.entry, of_op) if of_op and not isinstance(self.entry, MissingOp) else self.entry
        matte = with_numbers(self.matte, of_matte) if of_matte else self.matte
        mix = numbers.get(MIX, self.mix)
        _check_range(mix, 0.0, 1.0)
        return Parts(entry, mix, matte)

    def check(self, path: str, number: float) -> None:
        """Raise GradeError if a number can't be at a path while the others are as they are."""
        if path.startswith(MATTE):
            check_number(self.matte, path[len(MATTE) :], number)
        else:
            check_number(self.entry if is_of_op(path) else None, path, number)


def is_of_op(path: str) -> bool:
    """Return whether a path is that of a number of the op of an entry."""
    return path != MIX and not path.startswith(MATTE)


def numbers_of_op(op: Op) -> Numbers:
    """Return the numbers of an op, or of a source of a matte, by their paths."""
    from engine.mattes.windows import Path

    found = Numbers()
    for name, kind in op.kinds().items():
        if isinstance(kind, Slider):
            found.update(_flat(name, getattr(op, name)))
    if isinstance(op, Path):
        found.update(_flat("points", op.points))
    return found


def numbers_of_matte(matte: Matte) -> Numbers:
    """Return the numbers of a matte by their paths."""
    found = {name: float(getattr(matte, name)) for name in RANGES}
    for number, node in enumerate(nodes(matte.root)):
        found[f"{TREE}{number}.{OPACITY}"] = node.opacity
        if isinstance(node, Leaf):
            found |= {f"{TREE}{number}.{path}": each for path, each in numbers_of_op(node.source).items()}
    return found


def with_numbers(part: Any, numbers: Mapping[str, float]) -> Any:
    """Return an op, a source or a matte with other numbers. Raises GradeError if it can't have them."""
    if isinstance(part, Matte):
        return _matte_with(part, numbers)
    changes = dict[str, Any]()
    for path, number in numbers.items():
        name, *places = path.split(".")
        changes[name] = _placed(changes.get(name, getattr(part, name)), [int(place) for place in places], number)
    return replace(part, **changes) if changes else part


def check_number(part: Any, path: str, number: float) -> None:
    """Raise GradeError if an op or a matte, its other numbers as they are, or a mix, can't have a number at a path."""
    if isinstance(part, Matte) and path.startswith(TREE):
        place, _, name = path.removeprefix(TREE).partition(".")
        if name != OPACITY:
            part, path = list(nodes(part.root))[int(place)].source, name  # type: ignore[union-attr]
    if isinstance(part, MatteSource) and path.startswith("points."):
        _check_range(number, -FARTHEST, FARTHEST)
    elif isinstance(part, Op):
        with_numbers(part, {path: number})
    else:
        _check_range(number, *RANGES.get(path, (0.0, 1.0)))


def _check_range(number: float, low: float, high: float) -> None:
    if not low <= number <= high:
        raise GradeError(f"it must be a number from {low:g} to {high:g}, not {number:g}")


def _matte_with(matte: Matte, numbers: Mapping[str, float]) -> Matte:
    own, inner = dict[str, Any](), dict[int, Numbers]()
    for path, value in numbers.items():
        if path.startswith(TREE):
            number, _, name = path.removeprefix(TREE).partition(".")
            inner.setdefault(int(number), {})[name] = value
        else:
            own[path] = value
    if inner:
        own["root"] = _node_with(matte.root, inner, count())
    return replace(matte, **own)


def _node_with(node: Node, numbers: Mapping[int, Numbers], numbering: Iterator[int]) -> Node:
    """Return a node with other numbers of it and of those below it."""
    given = dict(numbers.get(next(numbering), {}))
    changes: dict[str, Any] = {OPACITY: given.pop(OPACITY)} if OPACITY in given else {}
    if isinstance(node, Branch):
        changes["nodes"] = tuple(_node_with(each, numbers, numbering) for each in node.nodes)
    elif given:
        changes["source"] = with_numbers(node.source, given)
    return replace(node, **changes) if changes else node


def _flat(path: str, value: Any) -> Iterator[tuple[str, float]]:
    """Yield the numbers of a value, a number or nested tuples of them, with their paths."""
    if not isinstance(value, tuple):
        yield path, float(value)
        return
    for place, each in enumerate(value):
        yield from _flat(f"{path}.{place}", each)


def _placed(value: Any, places: list[int], number: float) -> Any:
    """Return a value with another number at a place in its nested tuples."""
    if not places:
        return number
    first, *rest = places
    return (*value[:first], _placed(value[first], rest, number), *value[first + 1 :])

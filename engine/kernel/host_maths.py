"""The part of a fused program that the host computes: expressions of sliders alone, in float64."""

from __future__ import annotations

import operator
import struct
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import ColorOp
from engine.kernel.pixel import Node
from engine.kernel.primitives import PRIMITIVES

HOST: dict[str, Callable[..., float]] = {
    "add": operator.add,
    "sub": operator.sub,
    "mul": operator.mul,
    "neg": operator.neg,
    "min": lambda a, b: a if a < b else b,
    "max": lambda a, b: a if a > b else b,
}
"""The reference primitives on plain numbers, without the cost of arrays."""
LEAVES = ("const", "uniform", "size")
Slot = tuple[int, str]
"""Number of an op, and the name of its slider or table."""


class HostMaths(NamedTuple):
    """Expressions as a list of numbers, each computed once from those before it.

    First come the constants, then the components of sliders and the sizes of tables, then the results of `steps`.
    `results` are the places of the expressions in this list.
    """

    constants: tuple[float, ...]
    sliders: tuple[tuple[Slot, tuple[int | None, ...]], ...]
    sizes: tuple[Slot, ...]
    steps: tuple[tuple[Callable[..., float], tuple[int, ...]], ...]
    results: tuple[int, ...]

    def values(self, ops: Sequence[ColorOp]) -> NDArray[np.float64]:
        """Return the values of the expressions for the sliders of `ops`."""
        known: list[Any] = list(self.constants)
        for (number, name), components in self.sliders:
            value = getattr(ops[number], name)
            known += [np.float64(value if index is None else value[index]) for index in components]
        known += [float(getattr(ops[number], name).size) for number, name in self.sizes]
        for compute, args in self.steps:
            known.append(compute(*[known[place] for place in args]))
        return np.array([known[place] for place in self.results], np.float64)


def host_maths(expressions: Iterable[Node]) -> HostMaths:
    """Return the maths of expressions of sliders, in which equal expressions are one."""
    ids, of_node = dict[Any, int](), dict[Node, int]()
    results = list(expressions)
    for each in _in_order(results):
        of_node[each] = ids.setdefault(_key(each, of_node), len(ids))
    kinds = {kind: [key for key in ids if key[0] == kind] for kind in LEAVES}
    slots = dict.fromkeys(payload[:2] for _, payload in kinds["uniform"])
    sliders = {slot: [key for key in kinds["uniform"] if key[1][:2] == slot] for slot in slots}
    steps = [key for key in ids if key[0] not in LEAVES]
    order = (*kinds["const"], *(key for found in sliders.values() for key in found), *kinds["size"], *steps)
    places = {ids[key]: place for place, key in enumerate(order)}
    return HostMaths(
        tuple(struct.unpack("<d", bits)[0] for _, bits in kinds["const"]),
        tuple((slot, tuple(index for _, (*_, index) in found)) for slot, found in sliders.items()),
        tuple(slot for _, slot in kinds["size"]),
        tuple((HOST.get(op) or PRIMITIVES[op], tuple(places[arg] for arg in args)) for op, *args in steps),
        tuple(places[of_node[each]] for each in results),
    )


def _key(each: Node, of_node: Mapping[Node, int]) -> tuple[Any, ...]:
    """Return a key that is equal for equal expressions; constants are compared by their bits, -0.0 and NaN included."""
    if each.op == "const":
        return each.op, struct.pack("<d", each.payload)
    if each.op in LEAVES:
        return each.op, each.payload if each.op == "uniform" else each.payload.key
    return each.op, *(of_node[arg] for arg in each.args)


def _in_order(expressions: Sequence[Node]) -> Iterator[Node]:
    """Yield the nodes of expressions, each once and after its arguments."""
    waiting, done = [*reversed(expressions)], set[Node]()
    while waiting:
        each = waiting[-1]
        if missing := [arg for arg in each.args if arg not in done]:
            waiting += missing
            continue
        waiting.pop()
        if each not in done:
            done.add(each)
            yield each

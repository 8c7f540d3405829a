"""From ops to kernel source: trace `pixel()`, share sub-expressions, print numba, WGSL or CUDA C++.

`trace` returns a Program: the fused maths of a sequence of colour ops as numbered instructions, the values that the
host computes (expressions of sliders alone, in float64), and the tables. `print_body` turns a Program into
straight-line code for the three languages.
"""

from __future__ import annotations

import struct
from collections.abc import Sequence
from dataclasses import field
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np

from engine.core.records import dataclass
from engine.kernel.arguments import Arguments, TableKey
from engine.kernel.host_maths import host_maths
from engine.kernel.op import ColorOp, Kind, Slider, TableKind
from engine.kernel.pixel import MOST_PLANES, Node, Pixel, TableSymbol, node
from engine.kernel.primitives import PRIMITIVES

GATHERS = ("lookup", "search", "lut3d", "inverse_lut3d", "path_distance")
INPUTS = ("input", "place", "plane")
"""Instructions whose results a kernel has before it begins: channels, place and planes of the pixel."""
PRECISE = {"pow": (1,), "exp2_affine": (1, 2), "path_distance": (0, 1)}
"""Arguments that are followed by their low-order part, which float32 loses: an exponent's rounding is multiplied, and a
place's is large beside its distance from something near."""


class Operand(NamedTuple):
    """`kind` v: the result of instruction `index`; u: uniform `index`; c: a constant, compared by its bits."""

    kind: str
    index: int = 0  # type: ignore[assignment]  # instead of the method of tuples
    bits: bytes = b""

    @property
    def value(self) -> float:
        """The value of a constant."""
        return float(struct.unpack("<d", self.bits)[0])


def constant(value: float) -> Operand:
    """Return the operand of a constant."""
    return Operand("c", 0, _bits(value))


class Instruction(NamedTuple):
    """`op` of PRIMITIVES or INPUTS, or fma, fms, random3, component, one of GATHERS; `payload` as in Node, but tables
    by number.

    A `place` of 2 or 3 is the low-order part of x or y, which float32 loses.
    """

    op: str
    args: tuple[Operand, ...]
    payload: Any = None


class HostValue(NamedTuple):
    """One uniform: an expression of sliders, or the low-order part that float32 loses (`residual`)."""

    expression: Node
    residual: bool = False


@dataclass(frozen=True)
class Program:
    """The fused maths of a sequence of ops. `outputs` are R, G, B, A."""

    instructions: tuple[Instruction, ...]
    outputs: tuple[Operand, ...]
    uniforms: tuple[HostValue, ...]
    tables: tuple[TableKey, ...]

    @cached_property
    def placed(self) -> bool:
        """Whether the program reads the place of the pixel."""
        return any(i.op == "place" for i in self.instructions)

    @cached_property
    def planes(self) -> int:
        """The number of planes that have to be given: that of the last one that the program reads, plus one."""
        return max((i.payload + 1 for i in self.instructions if i.op == "plane"), default=0)

    @cached_property
    def paths(self) -> tuple[int, ...]:
        """The numbers of the instructions that are a `path_distance`."""
        return tuple(number for number, i in enumerate(self.instructions) if i.op == "path_distance")

    @cached_property
    def arguments(self) -> Arguments:
        """What the kernel of this program takes."""
        residual = np.array([uniform.residual for uniform in self.uniforms], bool)
        uniforms = host_maths(uniform.expression for uniform in self.uniforms)
        return Arguments(uniforms, residual, self.tables, self.placed, self.planes, len(self.paths))


def trace(ops: Sequence[ColorOp]) -> Program:
    """Record the maths of the ops, in order, as one Program."""
    stages = [[Node("input", (), i) for i in range(4)]]
    place, planes = (Node("place", (), 0), Node("place", (), 1)), [Node("plane", (), n) for n in range(MOST_PLANES)]
    r, g, b, a = stages[0]
    given = Pixel(r, g, b, a, *place, tuple(planes))
    for number, op in enumerate(ops):
        px = given.with_rgba(stages[-1])
        stages += [[node(x) for x in stage] for stage in op.bound(_symbols(number)).stages(px)]
    return _Numbering().program(stages[1:] or stages)


def _symbols(number: int) -> Any:
    def leaf(name: str, index: int, kind: Kind, value: Any) -> Any:
        if isinstance(kind, TableKind):
            return TableSymbol((number, name), value.channels)
        return Node("uniform", (), (number, name, index if isinstance(kind, Slider) and kind.size else None))

    return leaf


@dataclass
class _Numbering:
    """Gives equal expressions one number, and separates what the host computes from what the kernel computes."""

    instructions: list[Instruction] = field(default_factory=list)
    uniforms: list[HostValue] = field(default_factory=list)
    tables: list[TableKey] = field(default_factory=list)
    seen: dict[Any, Operand] = field(default_factory=dict)
    host_keys: dict[Node, int | None] = field(default_factory=dict)
    key_numbers: dict[tuple[Any, ...], int] = field(default_factory=dict)
    done: dict[Node, Operand] = field(default_factory=dict)

    def program(self, stages: Sequence[Sequence[Node]]) -> Program:
        """Return the program for the channels of the last stage; the earlier stages are its intermediate results."""
        needed = _reachable(stages[-1])
        for channel in (channel for stage in stages for channel in stage):  # bounds the recursion to one stage
            if channel in needed and self.host_key(channel) is None:
                self.operand(channel)
        outputs = tuple(self.operand(channel) for channel in stages[-1])
        fused = _fuse_multiply_add(self.instructions, outputs)
        return Program(*_without_unused(fused, outputs), tuple(self.uniforms), tuple(self.tables))

    def operand(self, expression: Node) -> Operand:
        found = self.done.get(expression)
        if found is None:
            found = self.done[expression] = self._new_operand(expression)
        return found

    def _new_operand(self, expression: Node) -> Operand:
        key = self.host_key(expression)
        if key is not None:
            if expression.op == "const":
                return constant(expression.payload)
            return self._uniform(key, expression, residual=False)
        op, args = expression.op, expression.args
        if op == "div" and self.host_key(args[1]) is not None:
            op, args = "mul", (args[0], Node("div", (node(1.0), args[1])))
        if op == "sub" and args[0].op == "place" and self.host_key(args[1]) is not None:
            return self._distance(*args)
        operands = [self.operand(arg) for arg in args]
        for place in PRECISE.get(op, ()):
            operands.append(self._low_order(args[place]))
        return self._instruction(Instruction(op, tuple(operands), self._payload(expression)))

    def _distance(self, place: Node, origin: Node) -> Operand:
        """Return place - origin with the low-order parts of both: near the origin the difference has few digits."""
        whole = self._instruction(Instruction("sub", (self.operand(place), self.operand(origin))))
        whole = self._instruction(Instruction("rounded", (whole,)))
        low = self._low_order(place)
        if (lost := self._low_order(origin)) != _NOTHING_LOST:
            low = self._instruction(Instruction("sub", (low, lost)))
        return self._instruction(Instruction("add", (whole, low)))

    def _payload(self, expression: Node) -> Any:
        if expression.op in GATHERS:
            table, how = expression.payload
            size = self.operand(table.size)
            return self._table(table), self._table(how) if isinstance(how, TableSymbol) else how, size
        return expression.payload

    def _table(self, table: TableSymbol) -> int:
        if table.key not in self.tables:
            self.tables.append(table.key)
        return self.tables.index(table.key)

    def _low_order(self, expression: Node) -> Operand:
        if expression.op == "place":
            return self._instruction(Instruction("place", (), expression.payload + 2))
        key = self.host_key(expression)
        if key is None or expression.op == "const":
            return constant(_low_order_of(expression)) if key is not None else _NOTHING_LOST
        return self._uniform(key, expression, residual=True)

    def _uniform(self, key: int, expression: Node, residual: bool) -> Operand:
        found = self.seen.get((key, residual))
        if found is None:
            found = self.seen[key, residual] = Operand("u", len(self.uniforms))
            self.uniforms.append(HostValue(expression, residual))
        return found

    def _instruction(self, instruction: Instruction) -> Operand:
        found = self.seen.get(instruction)
        if found is None:
            found = self.seen[instruction] = Operand("v", len(self.instructions))
            self.instructions.append(instruction)
        return found

    def host_key(self, expression: Node) -> int | None:
        """Return a number that is equal for equal expressions of sliders; None if the expression depends on a pixel."""
        if expression in self.host_keys:
            return self.host_keys[expression]
        key = self._new_host_key(expression)
        number = None if key is None else self.key_numbers.setdefault(key, len(self.key_numbers))
        self.host_keys[expression] = number
        return number

    def _new_host_key(self, expression: Node) -> tuple[Any, ...] | None:
        if expression.op == "const":
            return ("const", _bits(expression.payload))
        if expression.op == "uniform":
            return ("uniform", expression.payload)
        if expression.op == "size":
            return ("size", expression.payload.key)
        if expression.op not in PRIMITIVES:
            return None
        keys = [self.host_key(arg) for arg in expression.args]
        return None if None in keys else (expression.op, *keys)


def _bits(value: float) -> bytes:
    """Return the bits of a constant, which tell 0.0 from -0.0 and compare NaN as equal."""
    return struct.pack("<d", value)


_NOTHING_LOST = constant(0.0)
"""The low-order part of what float32 represents exactly."""


def _reachable(outputs: Sequence[Node]) -> set[Node]:
    """Return all nodes that the outputs depend on."""
    found, waiting = set(outputs), list(outputs)
    while waiting:
        for arg in waiting.pop().args:
            if arg not in found:
                found.add(arg)
                waiting.append(arg)
    return found


def _low_order_of(constant: Node) -> float:
    return float(constant.payload) - float(np.float32(constant.payload))


def _fuse_multiply_add(instructions: Sequence[Instruction], outputs: Sequence[Operand]) -> list[Instruction]:
    """Fuse a*b + c and a*b - c into one operation with one rounding, if the product is used only there."""
    uses: dict[int, int] = {}
    for operand in [*outputs, *(arg for i in instructions for arg in i.args)]:
        if operand.kind == "v":
            uses[operand.index] = uses.get(operand.index, 0) + 1

    def product(operand: Operand) -> tuple[Operand, ...] | None:
        if operand.kind != "v" or uses[operand.index] > 1 or instructions[operand.index].op != "mul":
            return None
        return instructions[operand.index].args

    def fused(instruction: Instruction) -> Instruction:
        if instruction.op not in ("add", "sub"):
            return instruction
        left, right = instruction.args
        if factors := product(left):
            return Instruction("fma" if instruction.op == "add" else "fms", (*factors, right))
        if instruction.op == "add" and (factors := product(right)):
            return Instruction("fma", (*factors, left))
        return instruction

    return [fused(i) for i in instructions]


def _without_unused(
    instructions: Sequence[Instruction], outputs: Sequence[Operand]
) -> tuple[tuple[Instruction, ...], tuple[Operand, ...]]:
    """Drop the instructions that no output needs, and renumber the rest."""
    needed: set[int] = set()
    waiting = [o.index for o in outputs if o.kind == "v"]
    while waiting:
        index = waiting.pop()
        if index not in needed:
            needed.add(index)
            waiting += [arg.index for arg in instructions[index].args if arg.kind == "v"]
    numbers = {old: new for new, old in enumerate(sorted(needed))}

    def moved(operand: Operand) -> Operand:
        return Operand("v", numbers[operand.index]) if operand.kind == "v" else operand

    kept = tuple(
        Instruction(i.op, tuple(moved(a) for a in i.args), i.payload)
        for i in (instructions[old] for old in sorted(needed))
    )
    return kept, tuple(moved(o) for o in outputs)

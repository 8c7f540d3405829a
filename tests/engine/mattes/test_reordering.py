"""Windows as compiled by a compiler that reorders sums, as WGSL lets it: only what is `rounded` is kept as written.

The program of a source is evaluated in float32, with every sum of sums simplified as if numbers were exact, so that
what `a - (a - b)` loses to rounding is lost.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

from engine.core.geometry import Place
from engine.kernel.codegen import Instruction, Operand, Program, trace
from engine.kernel.primitives import PRIMITIVES
from engine.mattes import MatteSource
from engine.mattes import Path as Outline
from tests.engine.mattes.test_parity import HEIGHT, ORIGINS, WIDTH, hard_windows
from tests.tolerance import tolerance

Floats = NDArray[np.float32]
Sum = dict[Any, float]
"""The terms of a sum with their factors."""
ORDERS: dict[str, Callable[[int], int]] = {"as written": lambda n: n, "backwards": lambda n: -n}


class Reordered:
    """Evaluates a program; sums are simplified, and added up in another order."""

    def __init__(self, program: Program, uniforms: Floats, given: dict[int, Floats], order: str, keeps: bool) -> None:
        self._program, self._uniforms, self._given, self._keeps = program, uniforms, given, keeps
        self._place = ORDERS[order]
        self._terms: list[Floats] = []
        self._sums: dict[Operand, Sum] = {}

    def value(self, operand: Operand) -> Floats:
        terms = sorted(self._sum(operand).items(), key=lambda term: self._place(term[0]))
        total: Floats | None = None
        for number, factor in terms:
            term = np.float32(factor) * self._terms[number]
            total = term if total is None else total + term
        return np.zeros((HEIGHT, WIDTH), np.float32) if total is None else total

    def _sum(self, operand: Operand) -> Sum:
        if operand not in self._sums:
            self._sums[operand] = self._new_sum(operand)
        return self._sums[operand]

    def _new_sum(self, operand: Operand) -> Sum:
        if operand.kind == "c":
            return self._term(np.float32(operand.value))
        if operand.kind == "u":
            return self._term(self._uniforms[operand.index])
        instruction = self._program.instructions[operand.index]
        name, args = instruction.op, instruction.args
        if name == "rounded" and not self._keeps:
            return self._sum(args[0])
        if name in ("add", "sub"):
            return _added(self._sum(args[0]), self._sum(args[1]), 1.0 if name == "add" else -1.0)
        if name in ("fma", "fms"):
            product = self._term(self.value(args[0]) * self.value(args[1]))
            return _added(product, self._sum(args[2]), 1.0 if name == "fma" else -1.0)
        if name == "neg":
            return _added({}, self._sum(args[0]), -1.0)
        return self._term(self._computed(instruction))

    def _computed(self, instruction: Instruction) -> Floats:
        if instruction.op == "place":
            return self._given[instruction.payload]
        assert instruction.op != "plane" and instruction.op != "input", "windows read the place of a pixel alone"
        with np.errstate(all="ignore"):
            found = PRIMITIVES[instruction.op](*map(self.value, instruction.args))
        return found if found.dtype == bool else found.astype(np.float32)

    def _term(self, value: Any) -> Sum:
        self._terms.append(value)
        return {len(self._terms) - 1: 1.0}


def _added(a: Sum, b: Sum, factor: float) -> Sum:
    found = {term: a.get(term, 0.0) + factor * b.get(term, 0.0) for term in (*a, *b)}
    return {term: times for term, times in found.items() if times}


def error_of(source: MatteSource, place: Place, order: str, keeps: bool) -> float:
    """The largest error of a window's coverage."""
    program = trace([source])
    xs, ys = (np.broadcast_to(each, (HEIGHT, WIDTH)) for each in place.centres(WIDTH, HEIGHT))
    given = {number: each.astype(np.float32) for number, each in enumerate((xs, ys))}
    given |= {n + 2: (each - given[n].astype(np.float64)).astype(np.float32) for n, each in enumerate((xs, ys))}
    found = Reordered(program, program.arguments.uniform_values([source]), given, order, keeps).value(
        program.outputs[0]
    )
    black = np.zeros((HEIGHT, WIDTH, 4))
    return float(np.abs(found - source.reference(black, place, black[..., :1])[..., 0]).max())


def windows(origin: tuple[float, float]) -> list[MatteSource]:
    found = hard_windows(origin[0] - 25.0, origin[1] - 17.0)
    return [source for source in found if not isinstance(source, Outline)]  # the shader has the maths of paths


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("origin", ORIGINS)
def test_windows_are_exact_however_sums_are_ordered(origin: tuple[float, float], order: str) -> None:
    place = Place(origin[0] + 0.3, origin[1] + 0.1, 0.125, 0.125)
    for source in windows(origin):
        assert error_of(source, place, order, keeps=True) <= tolerance("wgpu"), source


@pytest.mark.parametrize("origin", ORIGINS)
def test_without_rounding_as_written_they_are_not(origin: tuple[float, float]) -> None:
    place = Place(origin[0] + 0.3, origin[1] + 0.1, 0.125, 0.125)
    errors = [error_of(source, place, order, keeps=False) for source in windows(origin) for order in ORDERS]
    assert max(errors) > 10.0 * tolerance("wgpu")

"""LLVM code of generated ops, made by running their text on symbols.

For numba the text is a program whose types it infers, line by line and for seconds. It is straight-line code, so it can
as well be run, once: each intrinsic that it calls then adds its instructions. Only code that branches by the values of
pixels is left to numba.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np
from llvmlite import ir
from numba import types

from engine.compute.backends.cpu.intrinsics import DEFINITIONS, INLINED, SIGNATURE

LLVM = {types.float32: ir.FloatType(), types.boolean: ir.IntType(1)}
LLVM |= {kind: ir.IntType(kind.bitwidth) for kind in (types.int32, types.int64)}
CASTS = {
    (types.float32, types.int32): "fptosi",
    (types.int32, types.float32): "sitofp",
    (types.int64, types.int32): "trunc",
    (types.int32, types.int64): "sext",
}
CONTEXT = SimpleNamespace(get_dummy_value=lambda: None)
"""What the definitions of intrinsics ask numba for: the value of a function that returns none."""


class Branches(Exception):
    """The code branches by the values of pixels."""


class Symbol:
    """A value of LLVM code and its type for numba, whose operators add the instructions that numba would."""

    __array_ufunc__ = None  # numpy's constants leave operators to symbols

    def __init__(self, builder: ir.IRBuilder, kind: Any, value: Any) -> None:
        self.builder, self.kind, self.value = builder, kind, value

    def __bool__(self) -> bool:
        raise Branches("it branches by the value of a pixel")

    def to(self, kind: Any) -> Symbol:
        """Return the value converted to another type."""
        if kind == self.kind:
            return self
        if kind == types.boolean:
            return self != _constant(self.builder, self.kind, 0)
        return Symbol(self.builder, kind, getattr(self.builder, CASTS[self.kind, kind])(self.value, LLVM[kind]))

    def __neg__(self) -> Symbol:
        return Symbol(self.builder, self.kind, self.builder.fsub(ir.Constant(LLVM[self.kind], -0.0), self.value))

    def __add__(self, other: Any) -> Symbol:
        return self._arithmetic("add", other)

    def __sub__(self, other: Any) -> Symbol:
        return self._arithmetic("sub", other)

    def __mul__(self, other: Any) -> Symbol:
        return self._arithmetic("mul", other)

    def __truediv__(self, other: Any) -> Symbol:
        return Symbol(self.builder, self.kind, self.builder.fdiv(self.value, self._like(other)))

    def __radd__(self, other: Any) -> Symbol:
        return _constant(self.builder, self.kind, other) + self

    def __rsub__(self, other: Any) -> Symbol:
        return _constant(self.builder, self.kind, other) - self

    def __lt__(self, other: Any) -> Symbol:
        return self._comparison("<", other)

    def __le__(self, other: Any) -> Symbol:
        return self._comparison("<=", other)

    def __gt__(self, other: Any) -> Symbol:
        return self._comparison(">", other)

    def __ge__(self, other: Any) -> Symbol:
        return self._comparison(">=", other)

    def __eq__(self, other: object) -> Symbol:  # type: ignore[override]
        return self._comparison("==", other)

    def __ne__(self, other: object) -> Symbol:  # type: ignore[override]
        return self._comparison("!=", other)

    __hash__ = None  # type: ignore[assignment]

    def __and__(self, other: Symbol) -> Symbol:
        return Symbol(self.builder, types.boolean, self.builder.and_(self.value, self._like(other)))

    def _arithmetic(self, name: str, other: Any) -> Symbol:
        method = f"f{name}" if self.kind == types.float32 else name
        return Symbol(self.builder, self.kind, getattr(self.builder, method)(self.value, self._like(other)))

    def _comparison(self, sign: str, other: Any) -> Symbol:
        if self.kind != types.float32:
            compare = self.builder.icmp_signed
        else:
            compare = self.builder.fcmp_unordered if sign == "!=" else self.builder.fcmp_ordered
        return Symbol(self.builder, types.boolean, compare(sign, self.value, self._like(other)))

    def _like(self, other: Any) -> Any:
        """Return the LLVM value of an operand, which must have this type or be a Python number."""
        if not isinstance(other, Symbol):
            return _constant(self.builder, self.kind, other).value
        if other.kind != self.kind:
            raise TypeError(f"{self.kind} and {other.kind} are mixed")
        return other.value


def _constant(builder: ir.IRBuilder, kind: Any, number: Any) -> Symbol:
    return Symbol(builder, kind, ir.Constant(LLVM[kind], float(number) if kind == types.float32 else int(number)))


def op_module(kernel: FunctionType, name: str) -> ir.Module:
    """Return LLVM code for a generated `kernel`, as the function `name`.

    Raises Branches if only numba can compile it.
    """
    module = ir.Module(name)
    pointers = [LLVM[kind.dtype].as_pointer() for kind in SIGNATURE.args]
    function = ir.Function(module, ir.FunctionType(ir.VoidType(), pointers), name)
    builder = ir.IRBuilder(function.append_basic_block())
    run = FunctionType(kernel.__code__, _known(kernel, builder) | {"range": partial(_loop, builder)})
    run(*(Symbol(builder, kind, value) for kind, value in zip(SIGNATURE.args, function.args, strict=True)))
    builder.ret_void()
    return module


def _known(function: FunctionType, builder: ir.IRBuilder) -> dict[str, Any]:
    """Return the globals that a function uses, for symbols."""
    return {
        name: _for_symbols(function.__globals__[name], builder)
        for name in function.__code__.co_names
        if name in function.__globals__
    }


def _for_symbols(value: Any, builder: ir.IRBuilder) -> Any:
    if value in (np.float32, np.int32):
        return partial(_converted, builder, types.float32 if value is np.float32 else types.int32)
    if not callable(value):
        return value
    if value in DEFINITIONS:
        return partial(_instruction, builder, DEFINITIONS[value])
    return partial(_call, builder, INLINED.get(value))


def _converted(builder: ir.IRBuilder, kind: Any, value: Any) -> Symbol:
    return value.to(kind) if isinstance(value, Symbol) else _constant(builder, kind, value)


def _instruction(builder: ir.IRBuilder, definition: Callable[..., Any], *args: Any) -> Symbol:
    signature, emit = definition(None, *args)
    values = [_converted(builder, kind, arg).value for kind, arg in zip(signature.args, args, strict=True)]
    return Symbol(builder, signature.return_type, emit(CONTEXT, builder, signature, values))


def _call(builder: ir.IRBuilder, function: FunctionType | None, *args: Any) -> Any:
    if function is None:
        raise Branches("it calls a function that is not inlined")
    return FunctionType(function.__code__, _known(function, builder))(*args)


def _loop(builder: ir.IRBuilder, count: int) -> Iterator[Symbol]:
    """Yield the number of the iteration, once: what is added until the next is the body of the loop."""
    before, body = builder.block, builder.append_basic_block()
    builder.branch(body)
    builder.position_at_end(body)
    number = builder.phi(LLVM[types.int64])
    number.add_incoming(ir.Constant(LLVM[types.int64], 0), before)
    yield Symbol(builder, types.int64, number)
    following = builder.add(number, ir.Constant(LLVM[types.int64], 1), flags=("nuw", "nsw"))
    number.add_incoming(following, body)
    end = builder.append_basic_block()
    builder.cbranch(builder.icmp_unsigned("<", following, ir.Constant(LLVM[types.int64], count)), body, end)
    builder.position_at_end(end)

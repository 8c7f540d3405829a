"""Ops are compiled as numba would, without its inference of types; only what branches by pixels needs it."""

from __future__ import annotations

import ctypes
from types import FunctionType
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from numpy.typing import NDArray

from engine.compute.backends.cpu.compiler import compile_op, object_file
from engine.compute.backends.cpu.intrinsics import SIGNATURE
from engine.compute.backends.cpu.layout import BLOCK
from engine.compute.backends.cpu.machine_code import _placed
from engine.compute.backends.cpu.symbols import Branches, op_module
from engine.kernel.codegen import trace
from engine.kernel.dialects import print_numba
from engine.kernel.op import ColorOp, color_ops
from engine.kernel.table_layout import packed
from tests.engine.images import ops_of, structures
from tests.thorough import THOROUGH

BRANCHING = {"InverseLut3d"}
COMPARED = [
    pytest.param(cls, words, id="-".join([cls.__name__, *words.values()]))
    for cls, words in structures()
    if cls.__name__ not in BRANCHING and (THOROUGH or (cls.__name__, *words.values()) == ("GammaLog", "forward"))
]


def kernel_of(text: str) -> FunctionType:
    module: dict[str, Any] = {"__name__": "generated"}
    exec(compile(text, "generated.py", "exec"), module)
    kernel = module["kernel"]
    assert isinstance(kernel, FunctionType)
    return kernel


@pytest.mark.parametrize("cls", list(color_ops()), ids=lambda cls: cls.__name__)
def test_numba_is_needed_for_few(cls: type[ColorOp]) -> None:
    @settings(max_examples=1)
    @given(ops_of(cls))
    def check(op: ColorOp) -> None:
        kernel = kernel_of(print_numba(trace([op])))
        if cls.__name__ in BRANCHING:
            with pytest.raises(Branches):
                op_module(kernel, "op")
        else:
            assert f'define void @"{cls.__name__}"' in str(op_module(kernel, cls.__name__))

    check()


@pytest.mark.parametrize(("cls", "words"), COMPARED)
def test_the_bits_are_those_of_numba(cls: type[ColorOp], words: dict[str, str]) -> None:
    @settings(max_examples=1)
    @given(ops_of(cls, words))
    def check(op: ColorOp) -> None:
        text = print_numba(trace([op]))
        name = "_".join([cls.__name__, *words.values()])
        ours = run(compile_op(text, f"our_{name}"), f"our_{name}", op)
        theirs = run(object_file(kernel_of(text), SIGNATURE, f"their_{name}"), f"their_{name}", op)
        assert np.array_equal(ours.view(np.uint32), theirs.view(np.uint32))

    check()


def run(code: bytes, name: str, op: ColorOp) -> NDArray[np.float32]:
    """What the machine code of an op makes of a block of all magnitudes, of Inf and of NaN."""
    program, random = trace([op]), np.random.default_rng(7)
    planes = (random.normal(size=(16, BLOCK)) * 10.0 ** random.integers(-12, 8, (16, BLOCK))).astype(np.float32)
    planes[:, :6] = 0.0, -0.0, np.inf, -np.inf, np.nan, 1e-40
    uniforms, tables = (
        program.arguments.uniform_values([op]),
        [packed(table) for table in program.arguments.table_values([op])],
    )
    addresses = np.array([0, *(table.ctypes.data for table in tables)], np.int64)[1:]
    function = ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * 3)(_placed(code, name))
    function(planes.ctypes.data, uniforms.ctypes.data, addresses.ctypes.data)
    return np.where(np.isnan(planes[:4]), np.float32(np.nan), planes[:4])


FRAME = """
from engine.compute.backends.cpu.intrinsics import load, store
from engine.compute.backends.cpu.layout import BLOCK

def kernel(planes, uniforms, tables):
    for i in range(BLOCK):
        store(planes, i, {})
"""


def test_operands_of_different_types_are_refused() -> None:
    assert "fadd float" in str(op_module(kernel_of(FRAME.format("load(planes, i) + load(planes, i)")), "op"))
    with pytest.raises(TypeError, match="float32 and int64"):
        op_module(kernel_of(FRAME.format("load(planes, i) + i")), "op")

"""Compiled functions: one kernel per structure of an op, and the functions of this package that run them.

The unit of compilation is the op, not the run: a new order of known ops compiles nothing. Cached functions are loaded
without numba.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import threading
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

from engine.compute.backends.cpu.cache import CodeFiles, kernel_folder
from engine.compute.backends.cpu.compiler_process import CompilerProcess
from engine.compute.backends.cpu.machine_code import MachineCode
from engine.compute.backends.cpu.traces import Trace, Traces
from engine.errors import KernelError
from engine.kernel.arguments import Arguments
from engine.kernel.codegen import trace
from engine.kernel.dialects import print_numba
from engine.kernel.dump import dump, is_dumping
from engine.kernel.op import ColorOp

FILES = CodeFiles(kernel_folder())
CODE, TRACES = MachineCode(FILES), Traces(FILES)
COMPILER = CompilerProcess()


class Kernel(NamedTuple):
    """What a compiled op takes, and the address of its C function."""

    arguments: Arguments
    address: int


class KernelStore:
    """The kernels of an executor, by op structure."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[Any, ...], Kernel] = {}
        self._lock = threading.Lock()

    def __len__(self) -> int:
        return len(self._kernels)

    def has(self, op: ColorOp) -> bool:
        """Return whether the kernel of an op is ready."""
        return op.structure in self._kernels

    def get(self, op: ColorOp) -> Kernel:
        """Return the kernel of an op, compiled or loaded from the cache on first use."""
        kernel = self._kernels.get(op.structure)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(op.structure) or _build(op)
                self._kernels[op.structure] = kernel
        return kernel


def _build(op: ColorOp) -> Kernel:
    known = None if is_dumping() else TRACES.get(op)
    if known is not None and CODE.load(known.name):
        return Kernel(known.arguments, CODE.address(known.name, bytes))
    program = trace([op])
    text = print_numba(program)
    kind = str(op.structure[0]).lower()
    dump(f"{kind}.py", text)
    name = f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
    try:
        address = CODE.address(name, lambda: COMPILER.compile_op(text, name))
    except Exception as error:
        raise KernelError(f"the kernel of {op.title()} does not compile: {error}") from error
    TRACES.put(op, Trace(name, program.arguments))
    return Kernel(program.arguments, address)


@cache
def function(module: str, name: str, arguments: int) -> Callable[..., None]:
    """Return a compiled function of this package that takes `arguments` integers and runs without the interpreter lock.

    Raises KernelError if it can't be compiled.
    """
    return ctypes.CFUNCTYPE(None, *[ctypes.c_int64] * arguments)(address_of(module, name))


def is_ready(module: str, name: str) -> bool:
    """Return whether `function` takes no time; if not, compile it on a thread."""
    if not CODE.load(name):
        _compile_meanwhile(module, name)
    return name in CODE


@cache
def _compile_meanwhile(module: str, name: str) -> None:
    def compile_it() -> None:
        with contextlib.suppress(KernelError):  # who needs it without delay goes on without it
            address_of(module, name)

    threading.Thread(target=compile_it, name="tessera-compile", daemon=True).start()


@cache
def address_of(module: str, name: str) -> int:
    """Return the address of such a function, for others to call."""
    try:
        return CODE.address(name, lambda: COMPILER.compile_function(module, name))
    except Exception as error:
        raise KernelError(f"the function {name} does not compile: {error}") from error

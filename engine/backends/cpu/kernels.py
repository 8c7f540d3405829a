"""Compiled ops: one kernel for each structure of an op, written to the cache as a module and imported from there.

The unit of compilation is the op, not the run: a new order of known ops compiles nothing.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

from engine.backends.cpu.cache import FOLDER
from engine.codegen import Program, trace
from engine.dialects import print_numba
from engine.dump import dump
from engine.errors import KernelError
from engine.op import ColorOp


@dataclass(frozen=True)
class Kernel:
    """A compiled op: `address` of the C callback; `callback` keeps it alive."""

    program: Program
    address: int
    callback: Any


class KernelStore:
    """The kernels of a process, by the structure of the op."""

    def __init__(self) -> None:
        self._kernels: dict[tuple[Any, ...], Kernel] = {}
        self._lock = threading.Lock()

    def has(self, op: ColorOp) -> bool:
        """Whether the op's kernel is ready in this process."""
        return op.structure in self._kernels

    def get(self, op: ColorOp) -> Kernel:
        """The op's kernel; compiled, or loaded from the cache, on first use."""
        kernel = self._kernels.get(op.structure)
        if kernel is None:
            with self._lock:
                kernel = self._kernels.get(op.structure) or self._build(op)
                self._kernels[op.structure] = kernel
        return kernel

    def _build(self, op: ColorOp) -> Kernel:
        program = trace([op])
        text = print_numba(program)
        kind = type(op).__name__.lower()
        name = f"{kind}_{hashlib.sha256(text.encode()).hexdigest()[:16]}"
        dump(f"{kind}.py", text)
        try:
            module = _import(name, _written(FOLDER / f"{name}.py", text))
        except Exception as error:
            raise KernelError(f"the kernel of {op.title()} does not compile: {error}") from error
        return Kernel(program, int(module.kernel.address), module.kernel)


def _written(path: Path, text: str) -> Path:
    """`path` holding `text`. A file that is there stays: numba's cache looks at its time of change."""
    if not path.exists():
        path.parent.mkdir(parents=True, exist_ok=True)
        temporary = path.with_suffix(f".{os.getpid()}.tmp")
        temporary.write_text(text, encoding="utf-8")
        temporary.replace(path)
    return path


def _import(name: str, path: Path) -> ModuleType:
    specification = importlib.util.spec_from_file_location(f"tessera_kernels.{name}", path)
    if specification is None or specification.loader is None:
        raise ImportError(str(path))
    module = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = module
    specification.loader.exec_module(module)
    return module

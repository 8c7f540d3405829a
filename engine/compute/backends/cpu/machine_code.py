"""Loading of compiled functions: object files are read from the cache, or compiled, and linked into this process."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from typing import Any

from llvmlite import binding

from engine.compute.backends.cpu.cache import CodeFiles, processor

LOADING_SECONDS = 0.5
"""How long to wait for another thread that loads functions; one that compiles takes longer."""


class MachineCode:
    """The compiled functions of a process, by a name that identifies their content. Thread-safe."""

    def __init__(self, files: CodeFiles) -> None:
        self._files = files
        self._addresses: dict[str, int] = {}
        self._lock = threading.Lock()

    def __contains__(self, name: str) -> bool:
        """Return whether a function is loaded."""
        return name in self._addresses

    def __len__(self) -> int:
        return len(self._addresses)

    def load(self, name: str) -> bool:
        """Load a function if it is in the cache; return whether it is loaded. False while others are compiled."""
        if name in self:
            return True
        if not self._lock.acquire(timeout=LOADING_SECONDS):
            return False
        try:
            return self._load(name)
        finally:
            self._lock.release()

    def address(self, name: str, compiled: Callable[[], bytes]) -> int:
        """Return the address of a function. On first use load it from the cache, or the object file of `compiled`."""
        with self._lock:
            if not self._load(name):
                code = compiled()
                self._files.put(name, code)
                self._addresses[name] = _placed(code, name)
            return self._addresses[name]

    def _load(self, name: str) -> bool:
        if name not in self._addresses:
            code = self._files.get(name)
            if code is None:
                return False
            self._addresses[name] = _placed(code, name)
        return True


def target_machine() -> Any:
    """Return LLVM's target machine for this CPU, for code that can be placed anywhere in memory."""
    binding.initialize_native_target()
    binding.initialize_native_asmprinter()
    target = binding.Target.from_triple(binding.get_process_triple())
    name, features = processor()
    relocation = "static" if target.name.startswith("x86") else "default"
    return target.create_target_machine(
        cpu=name, features=features, opt=3, reloc=relocation, codemodel="jitdefault", jit=True
    )


@cache
def _engine() -> Any:
    return binding.create_mcjit_compiler(binding.parse_assembly(""), target_machine())


def _placed(code: bytes, name: str) -> int:
    """Load an object file for the life of the process and return the address of the function `name`."""
    engine = _engine()
    engine.add_object_file(binding.ObjectFileRef.from_data(code))
    engine.finalize_object()
    return int(engine.get_function_address(name))

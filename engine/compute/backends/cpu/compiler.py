"""From Python to machine code, by numba; run as a process of its own (`apart`) where something is not in the cache."""

from __future__ import annotations

import base64
import importlib
import inspect
import json
import os
import signal
import sys
from collections.abc import Callable
from types import FunctionType
from typing import Any

import numba
from llvmlite import binding
from numba import cfunc, types

from engine.compute.backends.cpu.cache import processor
from engine.compute.backends.cpu.machine_code import target_machine

numba.config.CPU_NAME, numba.config.CPU_FEATURES = processor()


def compile_function(module: str, name: str) -> bytes:
    """A function of a module of this package, whose arguments are int64, as an object file with the symbol `name`."""
    function = getattr(importlib.import_module(f"engine.compute.backends.cpu.{module}"), name)
    arguments = [types.int64] * len(inspect.signature(function).parameters)
    return object_file(function, types.void(*arguments), name)


def compile_op(text: str, name: str) -> bytes:
    """The `kernel` of a generated module as an object file with the symbol `name`."""
    from engine.compute.backends.cpu.intrinsics import SIGNATURE

    module: dict[str, Any] = {"__name__": f"tessera_kernels.{name}"}
    exec(compile(text, f"{name}.py", "exec"), module)
    kernel = module["kernel"]
    assert isinstance(kernel, FunctionType)
    return object_file(kernel, SIGNATURE, name)


def object_file(function: Callable[..., None], signature: Any, name: str) -> bytes:
    """A function and all that it calls as an object file, which exports it as `name` and needs nothing."""
    made = cfunc(signature, nopython=True, error_model="numpy")(function)
    module = binding.parse_assembly(made.inspect_llvm())
    for value in (*module.functions, *module.global_variables):
        if value.name == made.native_name:
            value.name = name
        elif not value.is_declaration:
            value.linkage = binding.Linkage.internal
    machine = target_machine()
    passes = binding.create_new_module_pass_manager()
    passes.add_ipsccp_pass()
    passes.add_global_opt_pass()
    passes.add_global_dead_code_eliminate_pass()
    passes.run(module, binding.create_pass_builder(machine, binding.create_pipeline_tuning_options()))
    needed = [each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")]
    if needed:
        raise TypeError(f"it calls {', '.join(needed)}")
    code: bytes = machine.emit_object(module)
    return code


def main() -> None:
    """Answer questions on standard input until it ends: a line of JSON each, with a line of JSON each.

    Ctrl-C, which a terminal sends to both, is for the process that asks.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout, sys.stderr
    makers: dict[str, Callable[[str, str], bytes]] = {"compile_op": compile_op, "compile_function": compile_function}
    for line in sys.stdin:
        what, *words = json.loads(line)
        try:
            answer = {"code": base64.b64encode(makers[what](*words)).decode("ascii")}
        except Exception as error:  # noqa: BLE001 (whatever it is, the other process has to know)
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            print(json.dumps(answer), file=answers, flush=True)
        except OSError:  # the process that asked was killed: nobody is left to tell
            os._exit(1)


if __name__ == "__main__":
    main()

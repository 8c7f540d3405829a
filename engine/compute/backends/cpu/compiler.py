"""Compilation of Python to machine code by numba and LLVM, in a process of its own, for functions not in the cache."""

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
    """Compile a function of this package, whose arguments are int64, to an object file with the symbol `name`."""
    function = getattr(importlib.import_module(f"engine.compute.backends.cpu.{module}"), name)
    arguments = [types.int64] * len(inspect.signature(function).parameters)
    return object_file(function, types.void(*arguments), name)


def compile_op(text: str, name: str) -> bytes:
    """Compile the `kernel` of a generated module to an object file with the symbol `name`."""
    from engine.compute.backends.cpu.intrinsics import SIGNATURE
    from engine.compute.backends.cpu.symbols import Branches, op_module

    module: dict[str, Any] = {"__name__": f"tessera_kernels.{name}"}
    exec(compile(text, f"{name}.py", "exec"), module)
    kernel = module["kernel"]
    assert isinstance(kernel, FunctionType)
    try:
        code = str(op_module(kernel, name))
    except Branches:
        return object_file(kernel, SIGNATURE, name)
    return _optimized(binding.parse_assembly(code))


def object_file(function: Callable[..., None], signature: Any, name: str) -> bytes:
    """Compile a function and all that it calls to an object file without dependencies, which exports it as `name`."""
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
    return _emitted(module, machine)


def _optimized(module: Any) -> bytes:
    """Compile LLVM code to an object file, optimized as numba does."""
    machine = target_machine()
    module.triple, module.data_layout = machine.triple, str(machine.target_data)
    options = binding.create_pipeline_tuning_options(speed_level=3)
    options.loop_vectorization, options.slp_vectorization = True, False
    builder = binding.create_pass_builder(machine, options)
    builder.getModulePassManager().run(module, builder)
    return _emitted(module, machine)


def _emitted(module: Any, machine: Any) -> bytes:
    needed = [each.name for each in module.functions if each.is_declaration and not each.name.startswith("llvm.")]
    if needed:
        raise TypeError(f"it calls {', '.join(needed)}")
    code: bytes = machine.emit_object(module)
    return code


def main() -> None:
    """Answer requests on standard input until it ends; each request and each answer is one line of JSON.

    Ctrl-C, which a terminal sends to both processes, is left to the one that sends requests.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    answers, sys.stdout = sys.stdout, sys.stderr
    makers: dict[str, Callable[[str, str], bytes]] = {"compile_op": compile_op, "compile_function": compile_function}
    for line in sys.stdin:
        what, *words = json.loads(line)
        try:
            answer = {"code": base64.b64encode(makers[what](*words)).decode("ascii")}
        except Exception as error:  # noqa: BLE001 (every error is reported to the other process)
            answer = {"error": f"{type(error).__name__}: {error}"}
        try:
            print(json.dumps(answer), file=answers, flush=True)
        except OSError:  # the requesting process was killed
            os._exit(1)


if __name__ == "__main__":
    main()

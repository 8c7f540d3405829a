"""The longest display view of the built-in configs: lines of kernel text, and seconds until it can run on each backend,
of the clock and of the process.

python -m tests.benchmarks.kernels

Each time is of a new process: the first finds every cache empty, the second what the first left. The kernels of wgpu's
driver are cached by the driver; those of CUDA by Tessera.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from engine import create_executor, detect_backends
from engine.grade.matrix_folding import folded
from engine.kernel.codegen import trace
from engine.kernel.dialects import CUDA, WGSL, print_body, print_numba
from engine.kernel.op import ColorOp
from engine.ocio import ops_from_processor
from tests.benchmarks.timing import table
from tests.engine.ocio_configs import Case, cases, config_names

CACHES = ("TESSERA_CACHE", "MESA_SHADER_CACHE_DIR", "CUPY_CACHE_DIR", "CUDA_CACHE_PATH")
"""Environment variables that say where compiled code is kept."""


def ops_of(case: Case) -> list[ColorOp]:
    """The ops that a grade runs."""
    return [op for op in folded(ops_from_processor(case.processor)) if isinstance(op, ColorOp)]


def lines(ops: list[ColorOp]) -> dict[str, int]:
    """Lines of generated text: of the CPU's kernels, one for each different op, and of the bodies for the GPUs."""
    program = trace(ops)
    texts = {op.structure: print_numba(trace([op])) for op in ops}
    bodies = {"wgpu": print_body(program, WGSL), "cuda": print_body(program, CUDA)}
    return {"cpu": sum(map(_lines, texts.values()))} | {name: _lines(body) for name, body in bodies.items()}


def _lines(text: str) -> int:
    return len(text.splitlines())


def views() -> list[Case]:
    """Every display and view, each processor once."""
    found = {
        case.processor.getCacheID(): case for name in config_names() for case in cases(name) if case.kind == "view"
    }
    return list(found.values())


def longest() -> Case:
    """The view with the longest text."""
    return max(views(), key=lambda case: lines(ops_of(case))["wgpu"])


def seconds(backend: str, case: Case, caches: Path) -> str:
    """Until the kernels are ready, in a process of its own whose caches are in a folder: of the clock, of its work."""
    command = [sys.executable, "-m", "tests.benchmarks.kernels", backend, case.config, case.name]
    environment = os.environ | {name: str(caches / name) for name in CACHES}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=True)
    return "{:.2f}, {:.2f}".format(*map(float, done.stdout.split()[-2:]))


def measure(backend: str, config: str, view: str) -> None:
    """Print the seconds that this process takes to make the kernels of a view ready."""
    ops = next(ops_of(case) for case in cases(config) if (case.kind, case.name) == ("view", view))
    executor = create_executor(backend)
    start, worked = time.perf_counter(), time.process_time()
    executor.prepare(ops)
    print(time.perf_counter() - start, time.process_time() - worked)


def main() -> None:
    """Print the table."""
    case = longest()
    count = lines(ops_of(case))
    print(f"longest view: {case.config}: {case.name}")
    print(" -> ".join(type(op).__name__ for op in ops_of(case)))
    rows = [["backend", "lines", "compiled: clock, process s", "from the cache"]]
    for backend in dict.fromkeys(info.name.partition(":")[0] for info in detect_backends() if info.usable):
        with tempfile.TemporaryDirectory() as folder:
            times = [seconds(backend, case, Path(folder)) for _ in range(2)]
        rows.append([backend, str(count[backend]), *times])
    print(table(rows))


if __name__ == "__main__":
    if len(sys.argv) == 4:
        measure(*sys.argv[1:])
    else:
        main()

"""The first OpenCL device against the CPU backend: a chain at 4K, in turn.

    python -m tests.benchmarks.opencl [ROUNDS]

On PoCL both run on the same cores.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from engine import create_executor, detect_backends, ops
from engine.compute.backends.base import GpuPrimitives
from engine.compute.handles import ImageHandle
from engine.kernel.op import ColorOp
from tests.benchmarks.cpu import chain
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table

WIDTH, HEIGHT = 3840, 2160


def runs() -> dict[str, list[ColorOp]]:
    _, cdl, _, cube = chain()
    return {"CDL, log, 3D LUT of 33": [cdl, ops.LogCamera(), cube], "CDL": [cdl], "log": [ops.LogCamera()]}


def launch(primitives: GpuPrimitives, source: ImageHandle, target: ImageHandle, run: list[ColorOp]) -> None:
    primitives.exec_point(source, target, run)
    primitives.synchronize()


def measure(name: str, run: list[ColorOp], storage: type[np.floating]) -> list[str]:
    """One row: milliseconds of each, whose images stay where they are."""
    rounds, image = int(sys.argv[1]) if len(sys.argv) > 1 else 15, natural(WIDTH, HEIGHT).astype(storage)
    jobs: dict[str, Callable[[], object]] = {}
    for backend in ("cpu", "opencl"):
        primitives = create_executor(backend).primitives
        source, target = primitives.upload(image), primitives.upload(np.empty_like(image))
        jobs[backend] = partial(launch, primitives, source, target, run)
    seconds = in_turn(jobs, rounds)
    cpu, opencl = seconds["cpu"], seconds["opencl"]
    return [name, np.dtype(storage).name, f"{cpu * 1000:.1f}", f"{opencl * 1000:.1f}", f"{cpu / opencl:.2f}"]


def main() -> int:
    if not any(info.name == "opencl" and info.usable for info in detect_backends()):
        print("OpenCL: there is no usable device here")
        return 0
    print(f"{create_executor('opencl').primitives.device}, {WIDTH}x{HEIGHT} RGBA")
    rows = [measure(name, run, storage) for name, run in runs().items() for storage in (np.float32, np.float16)]
    print(table([["", "storage", "CPU ms", "OpenCL ms", "CPU / OpenCL"], *rows]))
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""The CPU backend against OpenColorIO's CPU processor, on the same image, in turn, both on the same threads.

python -m tests.benchmarks.cpu
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import PyOpenColorIO as OCIO

from engine import create_executor, ops
from engine.kernel.op import ColorOp
from tests.benchmarks.images import natural, noise
from tests.benchmarks.timing import in_turn, table
from tests.tolerance import policy_error

WIDTH, HEIGHT, THREADS = 3840, 2160, 2
ROWS = 32
"""Rows that OpenColorIO gets at a time."""


def chain() -> list[ColorOp]:
    """Matrix, CDL, 1D LUT of 1024, 3D LUT of 33 tetrahedral."""
    axis = np.linspace(0.0, 1.0, 33)
    cube = np.stack(np.meshgrid(axis, axis, axis, indexing="ij"), -1) ** 1.1 * np.array([0.98, 1.0, 0.96])
    matrix = (0.9, 0.05, 0.05, 0.0, 0.1, 0.8, 0.1, 0.0, 0.02, 0.08, 0.9, 0.0, 0.0, 0.0, 0.0, 1.0)
    return [
        ops.Matrix(matrix, form="rgb"),
        ops.Cdl(slope=(1.1, 1.0, 0.9), offset=(0.01, 0.0, -0.01), power=(1.2, 1.1, 0.95), saturation=1.2),
        ops.Lut1d(np.linspace(0.0, 1.0, 1024) ** 0.8),
        ops.Lut3d(cube, interpolation="tetrahedral"),
    ]


def transform(op: ColorOp) -> Any:
    """The same op for OpenColorIO."""
    if isinstance(op, ops.Matrix):
        return OCIO.MatrixTransform(list(op.matrix))
    if isinstance(op, ops.Cdl):
        return OCIO.CDLTransform(slope=op.slope, offset=op.offset, power=op.power, sat=op.saturation)
    if isinstance(op, ops.Lut1d):
        curve = OCIO.Lut1DTransform(op.curve.size, False)
        curve.setData(np.repeat(op.curve.array, 3, axis=1).ravel())
        return curve
    if isinstance(op, ops.Lut3d):
        cube = OCIO.Lut3DTransform(op.cube.size)
        cube.setInterpolation(OCIO.INTERP_TETRAHEDRAL)
        cube.setData(op.cube.array.ravel())
        return cube
    raise TypeError(op)


def processor(run: list[ColorOp], optimization: Any) -> Any:
    group = OCIO.GroupTransform([transform(op) for op in run])
    return OCIO.Config.CreateRaw().getProcessor(group).getOptimizedCPUProcessor(optimization)


def measure(name: str, run: list[ColorOp], image: Any, rounds: int) -> list[str]:
    """One row: seconds of each, ratios, our error under the policy."""
    executor = create_executor("cpu", threads=THREADS)
    source, ours, theirs = executor.upload(image), np.empty_like(image), np.empty_like(image)
    target = executor.upload(ours)
    with ThreadPoolExecutor(THREADS) as pool:

        def ocio(cpu: Any) -> Callable[[], object]:
            def band(top: int) -> None:
                rows = min(ROWS, HEIGHT - top)
                images = (OCIO.PackedImageDesc(p[top : top + rows], WIDTH, rows, 4) for p in (image, theirs))
                cpu.apply(*images)

            return lambda: list(pool.map(band, range(0, HEIGHT, ROWS)))

        seconds = in_turn(
            {
                "ours": lambda: executor.primitives.exec_point(source, target, run),
                "fast": ocio(processor(run, OCIO.OPTIMIZATION_DEFAULT)),
                "exact": ocio(processor(run, OCIO.OPTIMIZATION_NONE)),
                "copy": lambda: np.copyto(theirs, image),
            },
            rounds,
        )
    reference = image[::16, ::16].astype(np.float64)
    for op in run:
        reference = op.reference(reference)
    error = float(np.max(policy_error(ours[::16, ::16], reference)))
    return [
        name,
        *(f"{seconds[job] * 1000:.1f}" for job in ("ours", "fast", "exact", "copy")),
        f"{seconds['fast'] / seconds['ours']:.2f}",
        f"{seconds['exact'] / seconds['ours']:.2f}",
        f"{error:.1e}",
    ]


def main() -> int:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else 15
    full = chain()
    head = ["", "ours ms", "OCIO ms", "OCIO exact ms", "copy ms", "x OCIO", "x exact", "error"]
    for title, image in (("natural", natural(WIDTH, HEIGHT)), ("noise", noise(WIDTH, HEIGHT))):
        rows = [[title, *head[1:]], measure("whole chain", full, image, rounds)]
        rows += [measure(op.title(), [op], image, rounds) for op in full]
        print(f"CPU, {WIDTH}x{HEIGHT} RGBA float32, {THREADS} threads\n{table(rows)}\n", flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())

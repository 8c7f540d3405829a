"""Planar frames of movies to graded half floats, and back: milliseconds and frames a second of each format.

    python -m tests.benchmarks.planar [--backend cuda] [--size 7680x4320] [--rounds 9] [--threads 2]

Frames lie on the device, as those of a decoder do. With PyAV installed and on the CPU, swscale converts the same frame
to 16 bits per channel, in one thread.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine import PlanarFormat, create_executor
from engine.compute.backends.base import GpuPrimitives
from engine.kernel.op import ColorOp
from tests.benchmarks.cpu import chain
from tests.benchmarks.gpu import milliseconds
from tests.benchmarks.timing import table

LAYOUTS = {
    "4:2:0 8-bit": ("yuv420p", 8, "420", "planar"),
    "4:2:0 8-bit NV12": ("nv12", 8, "420", "semiplanar"),
    "4:2:0 10-bit": ("yuv420p10le", 10, "420", "planar"),
    "4:2:0 10-bit P010": ("p010le", 10, "420", "semiplanar"),
    "4:2:2 10-bit": ("yuv422p10le", 10, "422", "planar"),
    "4:4:4 12-bit": ("yuv444p12le", 12, "444", "planar"),
}
NOISE_ROWS = 128
"""Rows of noise, which repeat."""
HALF_BYTES = 8
"""Bytes of a pixel of the result."""


def planes_of(format: PlanarFormat) -> list[NDArray[Any]]:
    """Smooth planes with noise, as a camera gives them."""
    rng, planes = np.random.default_rng(2), []
    for rows, columns, samples in format.shapes:
        y, x = np.ogrid[0:NOISE_ROWS, 0:columns]
        wave = 0.5 + 0.3 * np.sin(x / columns * 9.0) * np.cos(y / NOISE_ROWS * 7.0)
        values = (wave[..., None] + rng.normal(0.0, 0.01, (NOISE_ROWS, columns, samples))) * format.largest
        words = values.astype(format.dtype) << format.dtype.type(format.shift)
        planes.append(np.tile(words, (-(-rows // NOISE_ROWS), 1, 1))[:rows])
    return planes


def upload_ms(primitives: GpuPrimitives, planes: list[NDArray[Any]], format: PlanarFormat, rounds: int) -> float:
    """Milliseconds of an upload."""
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        primitives.upload_planes(planes, format)
        primitives.synchronize()
        seconds.append(time.perf_counter() - start)
    return 1e3 * statistics.median(seconds)


def swscale(name: str, format: PlanarFormat, rounds: int) -> float | None:
    """Milliseconds of swscale to planar R'G'B' of 16 bits; None without PyAV."""
    try:
        import av
        from av.video.reformatter import VideoReformatter
    except ImportError:
        return None
    frame, reformatter = av.VideoFrame(format.width, format.height, name), VideoReformatter()
    seconds = []
    for _ in range(rounds):
        start = time.perf_counter()
        reformatter.reformat(frame, format="gbrp16le", interpolation="BILINEAR")
        seconds.append(time.perf_counter() - start)
    return 1e3 * statistics.median(seconds)


def measure(primitives: GpuPrimitives, width: int, height: int, rounds: int) -> None:
    """Print a row for each format."""
    _, cdl, _, cube = chain()
    runs: dict[str, Sequence[ColorOp]] = {"alone": (), "CDL": (cdl,), "CDL, 3D LUT": (cdl, cube)}
    moves = ("frames/s", "GB/s alone", "to planes ms", "upload ms", "swscale ms")
    rows = [[f"{width}x{height} to half", *(f"{name}: ms" for name in runs), *moves]]
    target = primitives.allocate(width, height, 4, np.float16)
    for label, (name, depth, chroma, packing) in LAYOUTS.items():
        format = PlanarFormat(width, height, depth, chroma, packing)
        planes = planes_of(format)
        frame = primitives.upload_planes(planes, format)
        jobs: dict[str, Callable[[], object]] = {
            run: partial(primitives.exec_planes, frame, target, ops) for run, ops in runs.items()
        }
        jobs["to planes"] = partial(primitives.exec_to_planes, target, format)
        times = milliseconds(primitives, jobs, rounds)
        moved = (format.nbytes + HALF_BYTES * width * height) / times["alone"] / 1e6
        theirs = swscale(name, format, rounds) if primitives.runs_on_cpu else None
        cells = [*(f"{times[run]:.3f}" for run in runs), f"{1e3 / times['CDL, 3D LUT']:.0f}", f"{moved:.0f}"]
        cells += [f"{times['to planes']:.3f}", f"{upload_ms(primitives, planes, format, rounds):.2f}"]
        rows.append([label, *cells, f"{theirs:.1f}" if theirs else ""])
        frame.free()
    print(table(rows), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--size", default="7680x4320")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--threads", type=int, default=0, help="of the CPU backend; default: all")
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    primitives = create_executor(asked.backend, threads=asked.threads).primitives
    print(f"{primitives.name}: {primitives.device}")
    measure(primitives, width, height, asked.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

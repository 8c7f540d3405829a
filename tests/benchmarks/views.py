"""The display views of ACES 2 and ACES 1.3 from ACEScg: on the CPU in turn with OpenColorIO, on GPUs against a copy.

python -m tests.benchmarks.views [--rounds 9]
"""

from __future__ import annotations

import argparse
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Any

import numpy as np
import PyOpenColorIO as OCIO

from engine import create_executor, detect_backends
from engine.grade.matrix_folding import folded
from engine.kernel.op import ColorOp
from engine.ocio import ops_from_processor
from tests.benchmarks.cpu import ROWS, THREADS, chain
from tests.benchmarks.gpu import device_copy, milliseconds
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table

WIDTH, HEIGHT = 3840, 2160
LARGE = (7680, 4320)
SPACE, DISPLAY = "ACEScg", "Rec.1886 Rec.709 - Display"
VIEWS = (
    ("ACES 2", "ocio://studio-config-v4.0.0_aces-v2.0_ocio-v2.5", "ACES 2.0 - SDR 100 nits (Rec.709)"),
    ("ACES 1.3", "ocio://studio-config-v2.1.0_aces-v1.3_ocio-v2.3", "ACES 1.0 - SDR Video"),
)


def processor(config: str, view: str) -> Any:
    """OpenColorIO's processor from ACEScg to the view."""
    show = OCIO.DisplayViewTransform(src=SPACE, display=DISPLAY, view=view)
    return OCIO.Config.CreateFromFile(config).getProcessor(show)


def ops_of(config: str, view: str) -> list[ColorOp]:
    """As grades run them."""
    return [op for op in folded(ops_from_processor(processor(config, view))) if isinstance(op, ColorOp)]


def on_cpu(rounds: int) -> None:
    """Milliseconds of Tessera and of OpenColorIO's default and exact paths, both on THREADS threads."""
    executor, image = create_executor("cpu", threads=THREADS), natural(WIDTH, HEIGHT)
    theirs = np.empty_like(image)
    source = executor.upload(image)
    target = executor.upload(np.empty_like(image))
    rows = [["CPU, 3840x2160", "ours ms", "OCIO ms", "OCIO exact ms", "x OCIO", "x exact"]]
    for name, config, view in VIEWS:
        run, theirs_run = ops_of(config, view), processor(config, view)
        with ThreadPoolExecutor(THREADS) as pool:

            def apply(cpu: Any, pool: ThreadPoolExecutor = pool) -> None:
                def band(top: int) -> None:
                    size = min(ROWS, HEIGHT - top)
                    cpu.apply(*(OCIO.PackedImageDesc(p[top : top + size], WIDTH, size, 4) for p in (image, theirs)))

                list(pool.map(band, range(0, HEIGHT, ROWS)))

            fast = theirs_run.getOptimizedCPUProcessor(OCIO.OPTIMIZATION_DEFAULT)
            exact = theirs_run.getOptimizedCPUProcessor(OCIO.OPTIMIZATION_NONE)
            seconds = in_turn(
                {
                    "ours": partial(executor.primitives.exec_point, source, target, run),
                    "fast": partial(apply, fast),
                    "exact": partial(apply, exact),
                },
                rounds,
            )
        ours = seconds["ours"]
        times = [f"{seconds[job] * 1000:.0f}" for job in ("ours", "fast", "exact")]
        rows.append([name, *times, f"{seconds['fast'] / ours:.2f}", f"{seconds['exact'] / ours:.2f}"])
    print(table(rows), flush=True)


def on_gpu(name: str) -> None:
    """Gpx/s of the views alone and fused after a CDL and a 3D LUT, at 8K, and times over a copy of the image."""
    primitives = create_executor(name).primitives
    source, target = primitives.upload(natural(*LARGE)), primitives.allocate(*LARGE, 4)
    _, cdl, _, cube = chain()
    jobs = {"copy": device_copy(primitives, source, target)}
    for label, config, view in VIEWS:
        run = ops_of(config, view)
        jobs[label] = partial(primitives.exec_point, source, target, run)
        jobs[f"{label}, CDL, 3D LUT"] = partial(primitives.exec_point, source, target, [cdl, cube, *run])
    times = milliseconds(primitives, jobs, 5)
    rows = [[f"{name}, 8K float32", "ms", "Gpx/s", "x copy"]]
    pixels = LARGE[0] * LARGE[1]
    rows += [[job, f"{ms:.3f}", f"{pixels / ms / 1e6:.1f}", f"{ms / times['copy']:.2f}"] for job, ms in times.items()]
    print(table(rows), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rounds", type=int, default=9)
    on_cpu(parser.parse_args().rounds)
    for info in detect_backends():
        if info.usable and info.priority > 50:
            on_gpu(info.name)
    return 0


if __name__ == "__main__":
    sys.exit(main())

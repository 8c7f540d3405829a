"""Ops for zones of tones and hues at 4K, each alone, on the CPU and on GPUs, beside ops that everyone knows.

python -m tests.benchmarks.zones [--backend cpu] [--rounds 5]

Milliseconds of one launch on a half-float image of 3840x2160 that stays on the device.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import partial

import numpy as np

from engine import create_executor, detect_backends, ops
from engine.compute.executor import TiledExecutor
from engine.kernel.op import ColorOp
from tests.benchmarks.gpu import milliseconds
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table
from tools.zone_images import GRADES

WIDTH, HEIGHT = 3840, 2160
OPS: tuple[ColorOp, ...] = (
    ops.Exposure(0.3),
    ops.Contrast(1.2),
    *(op for entries in GRADES.values() for op in entries if isinstance(op, ColorOp)),
    ops.LogWheels((0.1, 0.0, -0.1, 0.2), offset=(2.0, 0.0, 0.0, 1.0)),
    ops.ChannelMixer((0.8, 0.2, 0.0)),
)


def measure(executor: TiledExecutor, rounds: int) -> None:
    """Print the table of one backend."""
    image = natural(WIDTH, HEIGHT).astype(np.float16)
    source, target = executor.upload(image), executor.upload(np.empty_like(image))
    jobs: dict[str, Callable[[], object]] = {
        op.title(): partial(executor.primitives.exec_point, source, target, [op]) for op in OPS
    }
    if executor.primitives.name == "cpu":
        found = {name: 1000.0 * seconds for name, seconds in in_turn(jobs, rounds).items()}
    else:
        found = milliseconds(executor.primitives, jobs, rounds)
    rows = [[executor.primitives.device, "4K ms"]]
    print(table([*rows, *([name, f"{ms:.2f}"] for name, ms in found.items())]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="")
    parser.add_argument("--rounds", type=int, default=5)
    given = parser.parse_args()
    for info in detect_backends():
        if info.usable and (info.name == given.backend or (not given.backend and info.priority >= 10)):
            measure(create_executor(info.name), given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

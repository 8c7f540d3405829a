"""Colour warps at 4K on the CPU and on GPUs, on half-float images that stay on the device.

python -m tests.benchmarks.warps [--backend cpu] [--rounds 5]
"""

from __future__ import annotations

import argparse
import sys
from functools import partial

import numpy as np

from engine import create_executor, detect_backends, ops
from engine.compute.executor import TiledExecutor
from engine.kernel.op import ColorOp
from engine.ops.warp_pins import Pin
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table

WIDTH, HEIGHT = 3840, 2160


def pins(count: int) -> list[Pin]:
    """Pins around the disc."""
    hues = (360.0 * at / count for at in range(count))
    return [Pin(hue, 40.0, 0.0, hue + 10.0, 45.0, 0.5, 20.0) for hue in hues]


WARPS: dict[str, ColorOp] = {
    "Exposure, for comparison": ops.Exposure(0.5),
    "Colour warp, 4 pins": ops.ColorWarp.of(*pins(4)),
    "Colour warp, 16 pins": ops.ColorWarp.of(*pins(16)),
    "Colour warp, 4 pins, 3D": ops.ColorWarp.of(*pins(4), mode="3d"),
    "Colour warp, 16 pins, 3D": ops.ColorWarp.of(*pins(16), mode="3d"),
    "Hue-luma grid": ops.HueLumaGrid(hue_3=(10.0,) * 12, light_4=(0.5,) * 12),
}


def measure(executor: TiledExecutor, rounds: int) -> None:
    """Print the table of one backend."""
    image = natural(WIDTH, HEIGHT).astype(np.float16)
    source, target = executor.upload(image), executor.upload(np.empty_like(image))

    def run(op: ColorOp) -> None:
        executor.primitives.exec_point(source, target, [op])
        executor.primitives.synchronize()

    seconds = in_turn({name: partial(run, op) for name, op in WARPS.items()}, rounds)
    rows = [[executor.primitives.device, "4K ms"]]
    print(table([*rows, *([name, f"{1000 * seconds[name]:.1f}"] for name in WARPS)]), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", help="only this one, such as cpu, wgpu or cuda")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    usable = (info.name for info in detect_backends() if info.usable and ":" not in info.name)
    for name in (asked.backend,) if asked.backend else usable:
        measure(create_executor(name), asked.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

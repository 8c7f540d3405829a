"""Exact 4K frames for display with mattes, in turn with the same grade without: CDL, 3D LUT and the ACES 2 view.

    python -m tests.benchmarks.matte_kernels [--backend cuda] [--rounds 15] [--size 3840x2160]

Planes lie on the device, as those of a view do. Processor time counts all threads, and other programs hardly.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from typing import Any

import numpy as np

from engine import Grade, Layer, create_executor
from engine.compute.executor import TiledExecutor
from engine.compute.mattes import MatteInputs
from engine.kernel.op import Op
from engine.mattes import Branch, Cryptomatte, Ellipse, Leaf, Matte
from tests.benchmarks.cpu import chain
from tests.benchmarks.images import natural
from tests.benchmarks.timing import table
from tests.benchmarks.views import VIEWS, ops_of


class _DevicePlanes:
    """One image of planes on the device, for any region."""

    fixed_bytes = 0

    def __init__(self, executor: TiledExecutor, width: int, height: int) -> None:
        planes = np.zeros((height, width, 4), np.float32)
        planes[height // 4 : height // 2, width // 4 : width // 2] = 1.0
        self._image = executor.upload(planes)

    def handles(self, *_: Any) -> list[Any]:
        return [self._image]


def grades(width: int, height: int) -> dict[str, list[Op]]:
    """The ops of each case; the first has no mattes."""
    window = Leaf(Ellipse(center=(width / 2, height / 2), size=(width / 5, height / 4), softness_out=40.0))
    hero = Leaf(Cryptomatte(names=("hero",)))
    both = Branch("intersection", (window, hero))
    _, cdl, _, cube = chain()
    view = ops_of(*VIEWS[0][1:])
    masks: dict[str, list[Any]] = {
        "no mattes": [cdl, cube],
        "window and Cryptomatte, one entry": [Layer(cdl, matte=Matte(both)), cube],
        "window and Cryptomatte, two entries": [Layer(cdl, matte=Matte(window)), Layer(cube, matte=Matte(hero))],
    }
    for feather in (5.0, 40.0, 300.0):
        masks[f"feather of {feather:g} px"] = [Layer(cdl, matte=Matte(both, feather=feather)), cube]
    masks["growth of 10.5 px"] = [Layer(cdl, matte=Matte(both, grow=10.5)), cube]
    return {name: [*Grade(entries), *view] for name, entries in masks.items()}


def measure(executor: TiledExecutor, width: int, height: int, rounds: int) -> None:
    """Print the median time of a frame of each case."""
    source = executor.upload(natural(width, height).astype(np.float16))
    inputs = MatteInputs(planes=_DevicePlanes(executor, width, height))
    cases = grades(width, height)
    seconds: dict[str, list[tuple[float, float]]] = {name: [] for name in cases}
    for number in range(rounds + 1):
        for name, ops in cases.items():
            executor.primitives.synchronize()
            start = time.perf_counter(), time.process_time()
            executor.displayed(source, ops, inputs)
            executor.primitives.synchronize()
            if number:
                seconds[name].append((time.perf_counter() - start[0], time.process_time() - start[1]))
    medians = {name: [1e3 * statistics.median(each) for each in zip(*s, strict=True)] for name, s in seconds.items()}
    wall, processor = next(iter(medians.values()))
    rows = [[f"{executor.name}, {width}x{height} half", "ms", "x", "processor ms", "x"]]
    for name, (each, busy) in medians.items():
        rows.append([name, f"{each:.2f}", f"{each / wall:.2f}", f"{busy:.1f}", f"{busy / processor:.2f}"])
    print(table(rows), flush=True)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="auto")
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--size", default="3840x2160")
    asked = parser.parse_args()
    width, height = (int(side) for side in asked.size.split("x"))
    measure(create_executor(asked.backend), width, height, asked.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

"""Filters at 4K on the CPU and on GPUs, and in a view of 1920x1080 while a slider is dragged.

    python -m tests.benchmarks.filters [--backend cpu] [--rounds 5]
    python -m tests.benchmarks.filters --window [--backend cpu]    drags in the window, as in tests.benchmarks.window

"4K" is the filter alone on a half-float image of 3840x2160 that stays on the device. "Drag" is a quick frame of the
whole image in the view, with its way to the host, and its size once the pace has settled; "exact" is the frame after
the drag.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from functools import partial
from pathlib import Path

import numpy as np

from engine import create_executor, detect_backends, ops
from engine.compute.executor import TiledExecutor
from engine.kernel.op import Op, Slider
from engine.viewing import FrameMaker, WholeLevels
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table

WIDTH, HEIGHT = 3840, 2160
VIEW = (1920, 1080)
FRAMES = 40
FILTERS: tuple[Op, ...] = (
    ops.Sharpen(1.0, 6.0),
    ops.Sharpen(1.0, 6.0, 0.1, overshoot="limited"),
    ops.Clarity(0.5, 40.0),
    ops.Clarity(-0.5, 200.0),
    ops.Bloom(0.5, 1.0, radius=400.0),
    ops.Halation(0.5, 1.0, radius=60.0),
    ops.Denoise(1.0, 1.0),
    ops.ChromaticAberration(0.3, -0.2),
    ops.Grain(0.2),
    ops.Vignette(1.0),
)


def named(op: Op) -> str:
    """The title of an op, with its radius if that is in pixels."""
    kind = op.kinds().get("radius")
    in_pixels = isinstance(kind, Slider) and kind.unit == "px"
    return f"{op.title()} {op.radius:g} px" if in_pixels else op.title()  # type: ignore[attr-defined]


def first_slider(op: Op) -> str:
    """The slider that is dragged."""
    return next(name for name, kind in op.kinds().items() if isinstance(kind, Slider))


def dragged_sliders(op: Op) -> list[str]:
    """The first slider, and the radius: a drag of that makes all side images anew."""
    return [first_slider(op), *(["radius"] if "radius" in op.kinds() else [])]


def dragged(maker: FrameMaker, op: Op) -> tuple[float, str, float]:
    """Median seconds of a quick frame of a drag, its size, and seconds of the exact frame after it."""
    field = first_slider(op)
    region, seconds, frame = (0.0, 0.0, float(WIDTH), float(HEIGHT)), [], None
    for number in range(FRAMES):
        start = time.perf_counter()
        frame = maker.quick(region, *VIEW, [op.replace(**{field: 0.3 + 0.01 * number})], ())
        seconds.append(time.perf_counter() - start)
    assert frame is not None and isinstance(frame.pixels, np.ndarray)
    size = f"{frame.pixels.shape[1]} x {frame.pixels.shape[0]}"
    start = time.perf_counter()
    maker.exact(region, *VIEW, [op], (), lambda: False)
    return statistics.median(seconds), size, time.perf_counter() - start


def measure(executor: TiledExecutor, filters: Sequence[Op], rounds: int) -> None:
    """Print the table of one backend."""
    image = natural(WIDTH, HEIGHT).astype(np.float16)
    image[HEIGHT // 2 : HEIGHT // 2 + 40, WIDTH // 2 : WIDTH // 2 + 60, :3] *= 20.0
    source, maker = executor.upload(image), FrameMaker(executor, WholeLevels(image))

    def run(op: Op) -> None:
        executor.process(source, [op])
        executor.primitives.synchronize()

    rows = [[executor.primitives.device, "4K ms", "drag ms", "drag of", "exact ms"]]
    for op in filters:
        seconds = in_turn({"4K": partial(run, op)}, rounds)["4K"]
        maker.prepare([op], ())
        quick, size, exact = dragged(maker, op)
        rows.append([named(op), f"{1000 * seconds:.1f}", f"{1000 * quick:.1f}", size, f"{1000 * exact:.0f}"])
    print(table(rows), flush=True)


def measure_window(backend: str) -> None:
    """Drags of sliders of each filter, with an exposure after it, in a canvas of the size of the view."""
    from engine import Grade, save_grade
    from tests.benchmarks import start, window

    with tempfile.TemporaryDirectory() as folder:
        image, path = window.make_files(Path(folder))
        turns = window.make_turns()
        for op, slider in ((each, slider) for each in FILTERS for slider in dragged_sliders(each)):
            save_grade(Grade([op, ops.Exposure(0.1)]), path)
            shown = start.make_window(image, path, backend)
            turns.wait(partial(getattr, shown.canvas, "has_frame"))
            window.measure_drag(turns, shown, VIEW, f"{named(op)}, {slider}", slider)
            shown.document.mark_saved(shown.document.grade, path)
            shown.close()


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--backend", default="")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--window", action="store_true")
    given = parser.parse_args()
    if given.window:
        measure_window(given.backend or "auto")
        return 0
    for info in detect_backends():
        if info.usable and (info.name == given.backend or (not given.backend and info.priority >= 10)):
            measure(create_executor(info.name), FILTERS, given.rounds)
    return 0


if __name__ == "__main__":
    sys.exit(main())

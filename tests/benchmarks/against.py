"""Drags in this checkout against those in another one, such as `git worktree add ../before REVISION`. Run as a script.

Machines change their speed within seconds, so that two runs one after the other differ by 10 % and more. Here both
windows stay open, and drags alternate between them: each ratio is of two drags with seconds in between. A quick frame
has as many pixels as can be made in its time; `--coarse 2` gives all of them the same number.

    python -m tests.benchmarks.against ../before [--rounds 12] [--view srgb|aces] [--size 1280|1920] [--coarse 2]
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

ROOT = Path(__file__).resolve().parents[2]
READY = "ready"
FIGURES = ("slider to frame, ms", "computed by the interface, ms", "by all threads, ms", "exact frame, ms")


class Window:
    """A window of a checkout, in a process of its own."""

    def __init__(self, root: Path, arguments: Sequence[str]) -> None:
        command = [sys.executable, __file__, str(root), "--serve", *arguments]
        environment = {**os.environ, "PYTHONPATH": str(root), "QT_QPA_PLATFORM": "offscreen"}
        pipe, null = subprocess.PIPE, subprocess.DEVNULL
        self._process = subprocess.Popen(
            command, cwd=root, env=environment, stdin=pipe, stdout=pipe, stderr=null, text=True
        )
        self.root = root
        self.drags: list[tuple[float, ...]] = []
        self.sizes: Counter[str] = Counter()
        if self._answer() != READY:
            raise SystemExit(f"{root}: the window did not open; is this a checkout with tests/benchmarks/window.py?")

    def drag(self) -> None:
        """Drag once and keep the figures."""
        assert self._process.stdin is not None
        print(flush=True, file=self._process.stdin)
        *figures, size = json.loads(self._answer())
        self.drags.append(tuple(figures))
        self.sizes[size] += 1

    def close(self) -> None:
        self._process.kill()
        self._process.wait()

    def _answer(self) -> str:
        assert self._process.stdout is not None
        return self._process.stdout.readline().strip()


def compare(root: Path, rounds: int, arguments: Sequence[str]) -> None:
    """Print the figures of both checkouts, and the ratios of this one to the other."""
    windows = [Window(root, arguments), Window(ROOT, arguments)]
    for number in range(rounds):
        for window in windows if number % 2 else reversed(windows):
            window.drag()
    for window in windows:
        window.close()
        sizes = ", ".join(f"{count} x {size}" for size, count in window.sizes.items())
        middle = (statistics.median(each) for each in zip(*window.drags, strict=True))
        figures = "; ".join(f"{name} {value:.2f}" for name, value in zip(FIGURES, middle, strict=True))
        print(f"{window.root.name}: {figures}; quick frames {sizes}")
    for place, name in enumerate(FIGURES):
        ratios = [mine[place] / other[place] for other, mine in zip(windows[0].drags, windows[1].drags, strict=True)]
        low, half, high = statistics.quantiles(ratios, n=4)
        print(f"{name}: {half:.3f} of {root.name}'s, the middle half {low:.3f} to {high:.3f}")


def serve(view: str, width: int, coarse: float) -> NoReturn:
    """Open a window of the checkout that PYTHONPATH names, and drag once for each line of standard input."""
    answers = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    benchmark: Any = importlib.import_module("tests.benchmarks.window")  # as it is in that checkout
    turns: Any = benchmark.make_turns()
    type(turns)._stolen = lambda _self: 0.0  # reading it takes as long as a part of what is measured
    if coarse:
        from engine.viewing.pace import Pace

        Pace.coarse = property(lambda _self: coarse)  # type: ignore[assignment,method-assign]
    with tempfile.TemporaryDirectory() as folder:
        window = benchmark.make_window(*benchmark.make_files(Path(folder)), "cpu")
        turns.wait(lambda: window.canvas.has_frame)
        if view == "aces":
            benchmark.show_aces(window)
        from PySide6.QtCore import QSize

        window.resize(window.size() + QSize(width, width * 9 // 16) - window.canvas.size())
        drag = benchmark.Drag(turns, window)
        turns.wait(lambda: drag.exact)
        turns.spin(5.0)
        drag.run()
        print(READY, flush=True, file=answers)
        for _ in sys.stdin:
            print(json.dumps(_dragged(turns, drag)), flush=True, file=answers)
    os._exit(0)


def _dragged(turns: Any, drag: Any) -> list[Any]:
    """Return FIGURES of one drag, each for an edit but for the last, and the size of its quick frames."""
    turns.spin(0.3)
    drag.latencies.clear()
    mine, all_threads = time.thread_time(), time.process_time()
    drag.run()
    mine, all_threads = time.thread_time() - mine, time.process_time() - all_threads
    count = len(drag.latencies)
    seconds = statistics.median(drag.latencies), mine / count, all_threads / count, drag.settled[-1]
    return [*(1000 * each for each in seconds), drag.quick_size]


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("root", type=Path, help="the folder of the other checkout")
    options.add_argument("--rounds", type=int, default=12, help="how many drags of 3 s in each, 2 or more")
    options.add_argument("--view", choices=["srgb", "aces"], default="srgb")
    options.add_argument("--size", type=int, choices=[1280, 1920], default=1280, help="the width of the canvas")
    options.add_argument("--coarse", type=float, default=0.0, help="the reduction of quick frames; 0 adapts it")
    options.add_argument("--serve", action="store_true", help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.serve:
        serve(chosen.view, chosen.size, chosen.coarse)
    given = ["--view", chosen.view, "--size", str(chosen.size), "--coarse", str(chosen.coarse)]
    compare(chosen.root.resolve(), max(chosen.rounds, 2), given)


if __name__ == "__main__":
    main()

"""A folder of LUTs on the wall: how soon all thumbnails are there, and the longest turn of the loop meanwhile.

    python -m tests.benchmarks.wall [--looks 200] [--points 33]

The sample under plain .cube files, on the CPU unless TESSERA_BACKEND names another.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

from engine import Grade, ops, save_grade
from tests.benchmarks.start import make_window
from tests.benchmarks.window import ROOT, make_turns


def make(folder: Path, count: int, points: int) -> Path:
    """`count` cubes, each with another curve."""
    folder.mkdir()
    axis = np.linspace(0.0, 1.0, points)
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    rgb = np.stack([red, green, blue], axis=-1).reshape(-1, 3)
    for n in range(count):
        path = folder / f"look_{n:03}.cube"
        with path.open("w") as file:
            file.write(f"LUT_3D_SIZE {points}\n")
            np.savetxt(file, rgb ** (0.5 + n / count), "%.6f")
    return folder


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--looks", type=int, default=200)
    parser.add_argument("--points", type=int, default=33)
    asked = parser.parse_args()
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    with tempfile.TemporaryDirectory() as name:
        folder, grade = make(Path(name) / "looks", asked.looks, asked.points), Path(name) / "grade.json"
        save_grade(Grade([ops.Exposure(0.2)]), grade)
        turns = make_turns()
        window = make_window(ROOT / "resources" / "sample.exr", grade)
        turns.wait(lambda: window.canvas.has_frame)
        panel = window.docks.show("looks")
        turns.spin(3.0)
        made: list[int] = []
        panel.maker.made.connect(lambda *_: made.append(1))
        turns.clear()
        start = time.perf_counter()
        turns.call(panel.open_folder, folder)
        turns.wait(lambda: len(made) >= asked.looks)
        print(
            f"{asked.looks} looks of {asked.points} points: {time.perf_counter() - start:.2f} s to the last thumbnail"
        )
        turns.tell()
        window.document.mark_saved(window.document.grade, grade)
        window.close()
    sys.stdout.flush()
    os._exit(0)


if __name__ == "__main__":
    sys.exit(main())

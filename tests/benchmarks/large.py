"""How soon an image of 16384 x 16384 is seen: the first look, all of it, and the memory it takes. Run as a script.

RGBA half, zip, as scanlines and as tiles of 64, fitted in 1920x1080 through sRGB, with a budget of 900 MB of pixels.
The bare decode reads the same file in bands with as many threads. Each is a process of its own; the files are in the
system's cache. Peak memory is that of the whole process, and counts nothing of Qt.

    python -m tests.benchmarks.large [--side 16384] [--folder FOLDER]    the files stay in FOLDER
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

BUDGET = 900 << 20
TILE, BAND = 64, 256


def make(path: Path, side: int, tiled: bool) -> None:
    """The sample, enlarged, with grain."""
    import numpy as np
    import OpenImageIO as oiio

    from engine.io import read_image

    sample = read_image(ROOT / "resources" / "sample.exr").pixels.astype(np.float32)
    height, width = sample.shape[:2]
    across = np.arange(side) * width // side
    grain = 1.0 + np.random.default_rng(0).normal(0.0, 0.01, (BAND, side, 1)).astype(np.float32)
    spec = oiio.ImageSpec(side, side, 4, "half")
    spec["compression"] = "zip"
    if tiled:
        spec.tile_width = spec.tile_height = TILE
    out = oiio.ImageOutput.create(str(path))
    assert out is not None
    out.open(str(path), spec)
    for top in range(0, side, BAND):
        band = np.ones((min(BAND, side - top), side, 4), np.float32)
        lines = np.arange(top, top + len(band)) * height // side
        band[..., :3] = sample[lines][:, across, :3] * grain[: len(band)]
        if tiled:
            out.write_tiles(0, side, top, top + len(band), 0, 1, band.astype(np.float16))
        else:
            out.write_scanlines(top, top + len(band), 0, band.astype(np.float16))
    out.close()


def decode(path: Path) -> dict[str, float]:
    """Seconds to read all of a file in bands."""
    from engine.core.geometry import Rect
    from engine.io import open_source

    source = open_source(path)
    start = time.perf_counter()
    for top in range(0, source.height, BAND):
        source.read_region(Rect(0, top, source.width, min(BAND, source.height - top)))
    return {"seconds": time.perf_counter() - start}


def show(path: Path) -> dict[str, float]:
    """Seconds to the first frame and to the exact one, from before the file is opened."""
    import resource

    from app.model.view_ops import UNMANAGED, view_ops
    from engine import create_executor
    from engine.grade.colour_settings import Viewing
    from engine.kernel.op import ColorOp
    from engine.viewing import FrameMaker, levels_of
    from engine.viewing.opening import open_image

    view = [op for op in view_ops(UNMANAGED, Viewing()) if isinstance(op, ColorOp)]
    executor = create_executor("cpu")
    executor.prepare(view)
    changed = threading.Event()
    start = time.perf_counter()
    levels = levels_of(open_image(path, budget=BUDGET))
    levels.watch(changed.set, print)
    maker = FrameMaker(executor, levels)
    side = min(1080, levels.height)
    what = ((0.0, 0.0, float(levels.width), float(levels.height)), side, side, (), view)
    maker.quick(*what)
    first = 0.0
    while changed.wait():
        changed.clear()
        frame = maker.exact(*what, lambda: False) if levels.complete else maker.quick(*what)
        first = first or time.perf_counter() - start
        if frame is not None and frame.exact:
            break
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return {"first": first, "full": time.perf_counter() - start, "peak": peak / 1024}


def measured(what: str, path: Path) -> dict[str, float]:
    command = [sys.executable, "-m", "tests.benchmarks.large", "--run", what, str(path)]
    answer = subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout
    found: dict[str, float] = json.loads(answer.splitlines()[-1])
    return found


def measure(folder: Path, side: int) -> None:
    for name, tiled in (("scanlines", False), ("tiles", True)):
        path = folder / f"{name}_{side}.exr"
        if not path.exists():
            make(path, side, tiled)
        bare, shown = measured("decode", path)["seconds"], measured("show", path)
        print(f"{side} x {side}, {name}: first look {shown['first']:.2f} s, all of it {shown['full']:.2f} s ", end="")
        print(f"({shown['full'] / bare:.2f} times the bare decode of {bare:.2f} s), peak {shown['peak']:.0f} MB")


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--side", type=int, default=16384, help="width and height")
    options.add_argument("--folder", type=Path, help="where the files are made, and stay")
    options.add_argument("--run", nargs=2, help=argparse.SUPPRESS)
    chosen = options.parse_args()
    if chosen.run:
        print(json.dumps({"decode": decode, "show": show}[chosen.run[0]](Path(chosen.run[1]))))
    elif chosen.folder:
        measure(chosen.folder, chosen.side)
    else:
        with tempfile.TemporaryDirectory() as folder:
            measure(Path(folder), chosen.side)


if __name__ == "__main__":
    main()

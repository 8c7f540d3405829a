"""How far baked views are from exact ones, and what they cost: every display and view of a config. Run as a script.

Errors in 1/255 of the display value, largest and 99.9th percentile, from ACEScg: on the sample image, on the images
of the corpus (their RGB taken for ACEScg), and on wild noise: any light, a tenth of the channels negative. In brackets
the share of pixels that the view's own ops answer; `cube` is the cube alone. Nanoseconds of processor time for a pixel
of the sample, to bytes: exact, and as frames are made while something moves; and seconds for the bake.

    python -m tests.benchmarks.baked [--config ocio://...] [--display NAME]
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import OpenEXR
from numpy.typing import NDArray

from engine import create_executor
from engine.compute.executor import TiledExecutor
from engine.kernel.op import ColorOp
from engine.ocio import load_config
from engine.viewing.baked import BakedView, baking, is_costly, split
from tests.benchmarks.timing import table

ROOT = Path(__file__).resolve().parents[2]
CORPUS = ROOT.parent / "shared" / "corpus" / "exr"
MOST = 200_000
"""Pixels of an image of the corpus."""
ROUNDS = 9
Floats = NDArray[np.float32]


def image(path: Path) -> Floats | None:
    """(1, pixels, 4) of a file's first part, alpha 1; None where it has no RGB that can be read whole."""
    try:
        with OpenEXR.File(str(path)) as file:
            channels = file.channels()
            found = next((channels[name].pixels for name in ("RGBA", "RGB") if name in channels), None)
    except (RuntimeError, ValueError, OSError):
        return None
    return None if found is None or found.dtype == object else reduced(found[..., :3])  # deep pixels are objects


def reduced(rgb: NDArray[np.generic]) -> Floats:
    flat = rgb.reshape(-1, 3).astype(np.float32)
    flat = flat[np.isfinite(flat).all(axis=-1)]
    flat = flat[:: max(1, len(flat) // MOST)]
    return np.concatenate([flat, np.ones((len(flat), 1), np.float32)], axis=-1)[None]


def wild() -> Floats:
    rng = np.random.default_rng(5)
    light = 2.0 ** rng.uniform(-12, 9, (400, 500, 1)) * 2.0 ** rng.normal(0.0, 2.0, (400, 500, 3))
    light[rng.random(light.shape) < 0.1] *= -1.0
    return reduced(light)


def images() -> dict[str, list[Floats]]:
    sample = image(ROOT / "resources" / "sample.exr")
    assert sample is not None
    corpus = (image(path) for path in sorted(CORPUS.rglob("*.exr")) if path.parent.name != "Damaged")
    return {"sample": [sample], "corpus": [found for found in corpus if found is not None], "wild": [wild()]}


def errors(executor: TiledExecutor, view: Sequence[ColorOp], baked: BakedView, light: Sequence[Floats]) -> str:
    """Largest and 99.9th percentile, repaired and of the cube alone, and the share repaired."""
    missed, used = [], []
    for pixels in light:
        exact = np.clip(np.nan_to_num(executor.execute_color(pixels, view)), 0.0, 1.0)
        found = executor.execute_color(pixels, [*split(view)[0], baked.op])
        missed.append(255.0 * np.abs(found.astype(np.float64) - exact)[..., :3].max(axis=-1).ravel())
        used.append(found[..., 3].ravel() > 0.0)
    alone, trusted = np.concatenate(missed), np.concatenate(used)
    kept = np.where(trusted, alone, 0.0)
    return (
        f"{kept.max():.2f} {np.percentile(kept, 99.9):.2f} ({100.0 - 100.0 * trusted.mean():.1f} %)"
        f" cube {alone.max():.1f} {np.percentile(alone, 99.9):.1f}"
    )


def nanoseconds(executor: TiledExecutor, pixels: Floats, run: Sequence[ColorOp]) -> float:
    """Of this thread's processor time; the executor has one."""
    source, best = executor.upload(pixels), float("inf")
    for _ in range(ROUNDS):
        start = time.thread_time()
        executor.display(source, run)
        best = min(best, time.thread_time() - start)
    return best / pixels[..., 0].size * 1e9


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--config", default="ocio://studio-config-latest")
    options.add_argument("--display", help="this one alone")
    chosen = options.parse_args()
    config, light = load_config(chosen.config), images()
    executor, alone = create_executor("cpu"), create_executor("cpu", threads=1)
    sample = light["sample"][0]
    rows = [["display", "view", "exact ns", "quick ns", "bake s", *light]]
    for display in config.displays():
        for view in config.views(display):
            if chosen.display not in (None, display):
                continue
            ops = [op for op in config.view_ops("ACEScg", display, view.name) if isinstance(op, ColorOp)]
            head, tail = split(ops)
            row = [display, view.name, f"{nanoseconds(alone, sample, ops):.0f}"]
            if is_costly(tail):
                start = time.perf_counter()
                *_, baked = baking(tail, executor.execute_color, executor.primitives.repairs)
                took = time.perf_counter() - start
                assert baked is not None
                quick = f"{nanoseconds(alone, sample, [*head, baked.op]):.0f}{'' if baked.good else ' (not used)'}"
                row += [quick, f"{took:.1f}", *(errors(executor, ops, baked, some) for some in light.values())]
            rows.append([*row, *["exact"] * (len(rows[0]) - len(row))])
            print(" | ".join(rows[-1]), file=sys.stderr, flush=True)
    print(table(rows))
    return 0


if __name__ == "__main__":
    sys.exit(main())

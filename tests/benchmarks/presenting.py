"""From the device's source to the image of the window: by way of main memory and Qt, and drawn by the device.

    python -m tests.benchmarks.presenting [--backend wgpu] [--rounds 15]

No display is needed: the device draws into a texture of its own, Qt into an image. What a window system adds to either
(its copy of the finished image) is not in the figures.
"""

from __future__ import annotations

import argparse
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from engine import create_executor, ops
from engine.compute.backends.base import INSIDE
from engine.compute.backends.wgpu.composer import FORMATS, Composer
from engine.viewing.presenting import SURFACE, composer_for
from tests.benchmarks.images import natural
from tests.benchmarks.timing import in_turn, table
from tests.benchmarks.views import VIEWS, ops_of

SIZES = ((1920, 1080), (3840, 2160))


def painter(width: int, height: int) -> Callable[[np.ndarray], object]:
    """Paints a frame on an image as large as the window; does nothing where Qt's libraries are missing."""
    try:
        from PySide6.QtGui import QImage, QPainter

        from app.render.device_frame import image_of
    except ImportError as error:
        print(f"Qt is not here ({error}); the figures of Qt are without its painting.")
        return lambda pixels: None
    screen = QImage(width, height, QImage.Format.Format_RGB32)

    def paint(pixels: np.ndarray) -> None:
        painter = QPainter(screen)
        painter.drawImage(0, 0, image_of(pixels))
        painter.end()

    return paint


def plain(size: int) -> np.ndarray:
    """Each pixel of the frame on one of the window."""
    one = np.arange(size, dtype=np.uint32)
    return np.stack([one | one << 16, np.full(size, INSIDE, np.uint32)], axis=1)


def measure(executor: Any, composer: Composer, width: int, height: int, rounds: int) -> list[str]:
    """Milliseconds of each way, and of the two calls that the interface's thread makes."""
    run = [ops.Exposure(0.5), *ops_of(*VIEWS[0][1:])]
    source = executor.upload(natural(width, height).astype(np.float16))
    shared = composer.primitives is executor.primitives
    composer.place(plain(width), plain(height), (48, 48, 48))
    texture, paint = composer.texture(FORMATS[0]), painter(width, height)

    def kernel() -> Any:
        frame = executor.displayed(source, run)
        executor.primitives.synchronize()
        return frame

    def draw() -> None:
        composer.draw(lambda: texture, FORMATS[0])

    def drawn() -> None:
        composer.show(kernel() if shared else composer.upload(executor.display(source, run)))
        draw()
        composer.primitives.synchronize()

    jobs = {"kernel": kernel, "Qt": lambda: paint(executor.display(source, run)), "drawn": drawn}
    found = in_turn(jobs, rounds)
    pixels = executor.display(source, run)
    equal = bool((composer.image() == pixels).all())
    calls = []
    for call in (lambda: paint(pixels), draw):
        seconds = []
        for _ in range(rounds):
            composer.primitives.synchronize()
            start = time.perf_counter()
            call()
            seconds.append(time.perf_counter() - start)
        calls.append(sorted(seconds)[rounds // 2])
    figures = [*(found[name] for name in jobs), *calls]
    return [f"{width}x{height}", *(f"{1000 * value:.3f}" for value in figures), "yes" if equal else "NO"]


def main() -> int:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--backend", default="auto", help="what computes")
    options.add_argument("--rounds", type=int, default=15)
    asked = options.parse_args()
    executor = create_executor(asked.backend)
    composer = composer_for(executor, SURFACE)
    assert composer is not None
    print(f"{executor.primitives.device}; drawn by {composer.primitives.device}. Exposure, then {VIEWS[0][0]}.")
    rows = [["ms", "kernel", "to Qt's image", "to a texture", "call of Qt", "call of the device", "equal"]]
    rows += [measure(executor, composer, *size, asked.rounds) for size in SIZES]
    print(table(rows))
    return 0 if all(row[-1] != "NO" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

"""From the device's source to the picture of the window: by way of main memory and Qt, and drawn by the device.

    python -m tests.benchmarks.presenting [--backend wgpu] [--rounds 15]

No display is needed: the device draws into a texture of its own, Qt into an image. What a window system adds to either
(its copy of the finished picture) is not in the figures.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from typing import Any

import numpy as np
from PySide6.QtGui import QGuiApplication, QImage, QPainter

from app.presenting.frames import image_of
from app.presenting.sampling import whole
from engine import create_executor, ops
from engine.backends.wgpu.composer import FORMATS, Composer
from engine.viewing.presenting import SURFACE, composer_for
from tests.benchmarks.pictures import natural
from tests.benchmarks.timing import in_turn, table
from tests.benchmarks.views import VIEWS, ops_of

SIZES = ((1920, 1080), (3840, 2160))


def measure(executor: Any, composer: Composer, width: int, height: int, rounds: int) -> list[str]:
    """Milliseconds of each way, and of the two calls that the interface's thread makes."""
    run = [ops.Exposure(0.5), *ops_of(*VIEWS[0][1:])]
    source = executor.upload(natural(width, height).astype(np.float16))
    shared = composer.primitives is executor.primitives
    columns, rows = whole(0, width, width), whole(0, height, height)
    composer.place(columns, rows, (48, 48, 48))
    texture = composer.texture(FORMATS[0])
    screen = QImage(width, height, QImage.Format.Format_RGB32)

    def paint(image: QImage) -> None:
        painter = QPainter(screen)
        painter.drawImage(0, 0, image)
        painter.end()

    def through_qt() -> None:
        paint(image_of(executor.display(source, run)))

    def kernel() -> Any:
        frame = executor.displayed(source, run)
        executor.primitives.synchronize()
        return frame

    def drawn() -> None:
        composer.show(kernel() if shared else composer.upload(executor.display(source, run)))
        composer.draw(lambda: texture, FORMATS[0])
        composer.primitives.synchronize()

    jobs = {"kernel": kernel, "Qt": through_qt, "drawn": drawn}
    found = in_turn(jobs, rounds)
    pixels = executor.display(source, run)
    equal = bool((composer.picture() == pixels).all())
    image = image_of(pixels)
    calls = []
    for call in (lambda: paint(image), lambda: composer.draw(lambda: texture, FORMATS[0])):
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
    os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
    app = QGuiApplication([])
    executor = create_executor(asked.backend)
    composer = composer_for(executor, SURFACE)
    assert composer is not None
    print(f"{executor.primitives.device}; drawn by {composer.primitives.device}. Exposure, then {VIEWS[0][0]}.")
    rows = [["ms", "kernel", "to Qt's image", "to a texture", "call of Qt", "call of the device", "equal"]]
    rows += [measure(executor, composer, *size, asked.rounds) for size in SIZES]
    print(table(rows))
    del app
    return 0 if all(row[-1] != "NO" for row in rows) else 1


if __name__ == "__main__":
    sys.exit(main())

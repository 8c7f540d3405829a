"""How near a tracked window is to generated motion, and how long a frame takes: `python -m tests.benchmarks.tracking`.

A textured plane moves, turns and zooms by a known path over FRAMES frames, with grain, blur that grows to two pixels
and an exposure that rises by two stops. Windows of several sizes are tracked in 1920x1080, forward and backward. The
errors are the largest of all frames: of the position, of the edge of the window by its scale, and of the rotation. The
time is the processor time of one thread, without the making of the frames.
"""

from __future__ import annotations

import argparse
import time
from typing import Any

from engine.mattes import Ellipse
from engine.tracking import Tracked, region_of, track
from tests.benchmarks.timing import table
from tests.engine.moving_scenes import Scene, swinging, worst_errors

WIDTH, HEIGHT, FRAMES = 1920, 1080, 101
SIZES = ((40.0, 30.0), (160.0, 100.0), (480.0, 270.0))
"""Half of the width and of the height of the windows, in pixels."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--grain", type=float, default=0.1, help="of the luminance")
    options = parser.parse_args()
    scene = Scene(swinging(120.0), WIDTH, HEIGHT, options.frames, options.grain, blur=2.0, stops=2.0)
    rows = [["window", "way", "frames", "position px", "edge px", "rotation °", "ms a frame"]]
    for size in SIZES:
        for way, numbers in (("forward", range(options.frames)), ("backward", range(options.frames - 1, -1, -1))):
            rows.append([f"{2 * size[0]:g} x {2 * size[1]:g}", way, *measured(scene, size, numbers)])
    print(table(rows))


def measured(scene: Scene, size: tuple[float, float], numbers: range) -> list[str]:
    """The number of frames tracked, the largest errors, and the milliseconds of a frame."""
    region = region_of(Ellipse(center=(WIDTH / 2.0, HEIGHT / 2.0), size=size), WIDTH, HEIGHT)
    making = 0.0

    def frames(number: int) -> Any:
        nonlocal making
        start = time.thread_time()
        frame = scene.frame(number)
        making += time.thread_time() - start
        return frame

    start = time.thread_time()
    found: list[Tracked] = [each for each in track(frames, numbers, region) if each.motion is not None]
    each_ms = (time.thread_time() - start - making) / len(numbers) * 1000.0
    return [f"{len(found)}", *(f"{error:.3f}" for error in worst_errors(found, scene, region)), f"{each_ms:.1f}"]


if __name__ == "__main__":
    main()

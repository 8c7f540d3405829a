"""How near a tracked window is to generated motion, and how long a frame takes: `python -m tests.benchmarks.tracking`.

A textured plane moves, turns and zooms by a known path over FRAMES frames, with grain, blur that grows to two pixels
and an exposure that rises by two stops. Windows of several sizes are tracked in 1920x1080, forward and backward. The
errors are the largest of all frames: of the position, of the edge of the window by its scale, and of the rotation. The
time is the processor time of one thread, the median of all frames but the first.
"""

from __future__ import annotations

import argparse
import statistics
import time
from typing import Any

from engine.mattes import Ellipse
from engine.tracking import Freedom, Motion, Reason, Region, Tracked, Tracker, region_of
from tests.benchmarks.timing import table
from tests.engine.moving_scenes import Scene, swinging, worst_errors

WIDTH, HEIGHT, FRAMES = 1920, 1080, 101
SIZES = ((40.0, 30.0), (160.0, 100.0), (480.0, 270.0))
"""Half of the width and of the height of the windows, in pixels."""


class Run:
    """A window that is tracked, and the time that it takes."""

    def __init__(self, size: tuple[float, float], numbers: range) -> None:
        self.size, self.numbers = size, numbers
        window = Ellipse(center=(WIDTH / 2.0, HEIGHT / 2.0), size=size)
        self.region: Region = region_of(window, WIDTH, HEIGHT)
        self.found: list[Tracked] = []
        self.seconds: list[float] = []
        self._tracker: Tracker | None = None

    def follow(self, number: int, frame: Any) -> None:
        """Track the window in one more frame, unless it is lost."""
        if self.found and self.found[-1].motion is None:
            return
        start = time.thread_time()
        motion: Motion | Reason
        if self._tracker is None:
            self._tracker, motion = Tracker(frame, self.region, Freedom()), Motion()
        else:
            motion = self._tracker.follow(frame)
        self.seconds.append(time.thread_time() - start)
        lost = isinstance(motion, Reason)
        self.found.append(Tracked(number, None, motion) if isinstance(motion, Reason) else Tracked(number, motion))
        if lost:
            print(f"{self.size} is lost at {number}: {motion}")

    def row(self, scene: Scene) -> list[str]:
        """The size of the window, the frames tracked, the largest errors, and the milliseconds of a frame."""
        found = [each for each in self.found if each.motion is not None]
        errors = worst_errors(found, scene, self.region)
        way = "forward" if self.numbers.step > 0 else "backward"
        ms = statistics.median(self.seconds[1:]) * 1000.0
        window = f"{2 * self.size[0]:g} x {2 * self.size[1]:g}"
        return [window, way, f"{len(found)}", *(f"{error:.3f}" for error in errors), f"{ms:.1f}"]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--frames", type=int, default=FRAMES)
    parser.add_argument("--grain", type=float, default=0.1, help="of the luminance")
    options = parser.parse_args()
    scene = Scene(swinging(120.0), WIDTH, HEIGHT, options.frames, options.grain, blur=2.0, stops=2.0)
    rows = [["window", "way", "frames", "position px", "edge px", "rotation °", "ms a frame"]]
    for numbers in (range(options.frames), range(options.frames - 1, -1, -1)):
        runs = [Run(size, numbers) for size in SIZES]
        for number in numbers:
            frame = scene.frame(number)
            for run in runs:
                run.follow(number, frame)
        rows += [run.row(scene) for run in runs]
    print(table(rows))


if __name__ == "__main__":
    main()

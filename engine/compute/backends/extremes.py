"""The largest or smallest value in a window around each pixel, in steps that are common to all backends."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import zip_longest

import numpy as np

from engine.compute.handles import ImageHandle
from engine.errors import HandleError

Steps = list[tuple[int, int]]


def reaches(radius: int) -> list[int]:
    """Return the steps that grow a window of one pixel to `radius`.

    Each takes three pixels of the last result, a step apart: windows of radius R a step s <= 2 R + 1 apart make one of
    radius R + s. So the number of steps is the logarithm of the radius to base 3. A pixel beyond the edge counts as
    the one at the edge, whose window lies in the larger one.
    """
    steps, reached = [], 0
    while reached < radius:
        steps.append(min(2 * reached + 1, radius - reached))
        reached += steps[-1]
    return steps


def window_steps(radius_x: int, radius_y: int) -> Steps:
    """Return the steps along x and y, at least one pair; a step of 0 does nothing."""
    return list(zip_longest(reaches(radius_x), reaches(radius_y), fillvalue=0)) or [(0, 0)]


def check_extreme(source: ImageHandle, target: ImageHandle, radius_x: int, radius_y: int) -> None:
    """Raise HandleError if images or radii are not what `exec_extreme` takes."""
    for image in (source, target):
        if image.channels != 4 or image.dtype != np.float32:
            raise HandleError(f"extremes are taken of RGBA float32 images, not of {image.shape}, {image.dtype}")
    if source.shape != target.shape:
        raise HandleError(f"an image of {source.shape} can't go into one of {target.shape}")
    if source.buffer is target.buffer:
        raise HandleError("extremes can't be written over their source")
    if min(radius_x, radius_y) < 0:
        raise HandleError(f"the radii of a window can't be {radius_x} and {radius_y}")


def in_turns(
    source: ImageHandle, between: ImageHandle, target: ImageHandle, steps: Steps
) -> Iterator[tuple[ImageHandle, ImageHandle, tuple[int, int]]]:
    """Yield the image that each step reads, the one that it writes, and the step; the last one writes the target."""
    read = source
    for number, step in enumerate(steps):
        written = between if (len(steps) - number) % 2 == 0 else target
        yield read, written, step
        read = written

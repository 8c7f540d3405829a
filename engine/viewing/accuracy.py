"""The measured error of a grade on a device: against float64, on a sample of the pixels that are shown."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.mattes import WHOLE
from engine.core.records import dataclass
from engine.grade.blending import Mix
from engine.grade.masking import Masked, fitted, with_inner
from engine.kernel.op import ColorOp, Op
from engine.viewing.frames import FrameMaker
from engine.viewing.requests import Region, colour_ops
from engine.viewing.viewport_plan import ViewportPlan

SIDE = 56
"""The most sampled pixels along each axis of a frame."""
LARGEST = (2.0 - 2.0**-24) * 2.0**127
"""From here on, rounding to float32 gives Inf."""


@dataclass(frozen=True)
class Accuracy:
    """The error of a grade on a device, on `pixels` pixels.

    `error` is the largest error of a channel, divided by max(1, the largest channel of its pixel). `undefined` is the
    number of pixels where only one of the device and float64 gives NaN or Inf; they do not count for `error`.
    """

    error: float
    pixels: int
    undefined: int = 0


def measured(
    maker: FrameMaker, region: Region, width: int, height: int, grade: Sequence[Op], stop: Callable[[], bool]
) -> Accuracy | None:
    """Measure the colour ops of a grade on pixels of a frame of a region, `width` x `height` screen pixels.

    Mattes count as if they covered all: what they leave out has no error. Returns None if `stop()`, called after each
    op, returned True before that was finished.
    """
    grade = tuple(_everywhere(op) for op in grade)
    ops = colour_ops(grade)
    pixels = _sampled(maker, maker.plan(region, width, height, grade))
    ops = tuple(op for op in fitted(ops, pixels.shape[1::-1]) if isinstance(op, ColorOp))
    expected = reference(pixels, ops, stop)
    return None if expected is None else compared(maker.executor.execute_color(pixels, ops), expected)


def reference(pixels: NDArray[Any], ops: Sequence[ColorOp], stop: Callable[[], bool]) -> NDArray[np.float64] | None:
    """Return (height, width, 3|4) pixels after ops, in float64; None if `stop()` returned True between two ops."""
    channels = pixels.shape[2]
    rgba = np.ones((*pixels.shape[:2], 4))
    rgba[..., :channels] = pixels
    for op in ops:
        if stop():
            return None
        rgba = op.reference(rgba, WHOLE)
    return rgba[..., :channels]


def compared(found: NDArray[Any], expected: NDArray[np.float64]) -> Accuracy:
    """Compare (height, width, channels) results of a device with those in float64."""
    found = np.asarray(found, np.float64)
    with np.errstate(invalid="ignore"):
        finite = np.isfinite(expected)
        inside = finite & (np.abs(expected) < LARGEST)
        largest = np.where(inside, np.abs(expected), 0.0).max(axis=-1, keepdims=True, initial=1.0)
        error = np.abs(np.clip(found, -LARGEST, LARGEST) - np.clip(expected, -LARGEST, LARGEST)) / largest
        same = (np.isnan(expected) & np.isnan(found)) | (found == expected)
    comparable = finite & ~np.isnan(found)
    undefined = (~comparable & ~same).any(axis=-1)
    return Accuracy(float(error[comparable].max(initial=0.0)), undefined.size, int(undefined.sum()))


def _everywhere(op: Op) -> Op:
    """Return an op without the mattes in it."""
    op = with_inner(op, _everywhere)
    return Mix(op.ops, op.amount) if isinstance(op, Masked) else op


def _sampled(maker: FrameMaker, plan: ViewportPlan) -> NDArray[np.float32]:
    """Return (height, width, 3|4) pixels of the source of a plan on a regular grid, picked, not averaged."""
    request = plan.request.grown(plan.halo)
    strips = maker.sources.strips(request, [request]).strips
    rows, parts = sum(strip.height for strip in strips), []
    for strip in strips:
        height = min(strip.height, max(1, round(SIDE * strip.height / rows)))
        region = (0.0, 0.0, float(strip.width), float(strip.height))
        picked = maker.executor.resample(strip, region, min(strip.width, SIDE), height, "nearest")
        parts.append(maker.executor.download(picked))
    return np.ascontiguousarray(np.concatenate(parts), np.float32)

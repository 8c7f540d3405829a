"""Scopes of the viewport, counted on the device in strips, so that a newer request can interrupt them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.statistics import Axis
from engine.core.colorimetry import MID_GREY
from engine.kernel.op import ColorOp, Op
from engine.viewing.frames import FrameMaker
from engine.viewing.requests import Region, shown_ops

Counts = NDArray[np.uint32]
WAVEFORMS = ("luma", "rgb", "parade")
"""Scopes that are drawn from one waveform."""
KINDS = (*WAVEFORMS, "vectorscope", "histogram")
VALUES = ("source", "graded", "display")
STOPS = 8
"""Stops on each side of mid grey on an axis in stops."""
BINS, COLUMNS = 256, 384
VECTOR_SIZE, VECTOR_EXTENT = 256, 0.56
"""Bins of the vectorscope along each axis, and its largest Cb and Cr, which include 100 % colours."""
DISPLAY_AXIS = Axis(BINS, -0.5 / 255.0, 255.5 / 255.0)
"""A bin for each 8-bit code value."""
SCENE_AXES = {
    "stops": Axis(BINS, MID_GREY * 2.0**-STOPS, MID_GREY * 2.0**STOPS, True),
    "0-1": Axis(BINS, 0.0, 1.0),
    "0-4": Axis(BINS, 0.0, 4.0),
    "0-16": Axis(BINS, 0.0, 16.0),
}
MOST_PIXELS, QUICK_PIXELS = 1 << 18, 1 << 15
"""The most pixels counted on the CPU: for still views, and during interaction."""
WHOLE_PIXELS = 1 << 21
"""The most pixels of a whole image counted on other devices."""


@dataclass(frozen=True)
class ScopeOptions:
    """The scopes to compute, of which values, of the viewport or the whole image; `scale` is a key of SCENE_AXES."""

    kinds: tuple[str, ...] = KINDS
    values: str = "display"
    whole: bool = False
    scale: str = "stops"

    @property
    def axis(self) -> Axis:
        """The axis of the scopes; display values have their own."""
        return DISPLAY_AXIS if self.values == "display" else SCENE_AXES[self.scale]


@dataclass(frozen=True)
class ScopeReading:
    """The counts of `GpuPrimitives.waveform`, `vectorscope` and `histogram`; None for those not requested.

    `width` x `height` pixels were counted, each the average of `shrink` x `shrink` pixels of the image. `exact` is
    False during interaction, with fewer pixels and possibly a baked view. `view` names the display and the view that
    display values are for. With `in_matte`, only the pixels inside a matte were counted, of width x height.
    """

    options: ScopeOptions
    width: int
    height: int
    shrink: float
    exact: bool
    waveform: Counts | None = None
    vectorscope: Counts | None = None
    histogram: Counts | None = None
    view: tuple[str, str] = ("", "")
    in_matte: bool = False

    def beyond(self) -> tuple[float, float] | None:
        """Return the shares, 0..1, of pixels in the first and in the last bin, of the channel that has most there.

        These values lie at or beyond the ends of the axis: on a display they are clipped. None without a histogram.
        """
        if self.histogram is None:
            return None
        counts = self.histogram[:3].astype(np.float64)
        totals = np.maximum(counts.sum(axis=1), 1.0)
        return float((counts[:, 0] / totals).max()), float((counts[:, -1] / totals).max())


def read_scopes(
    maker: FrameMaker,
    options: ScopeOptions,
    view: tuple[Region, int, int],
    ops: tuple[Sequence[Op], Sequence[ColorOp]],
    quick: bool,
    stop: Callable[[], bool],
    inside: Sequence[Op] = (),
) -> ScopeReading | None:
    """Compute the scopes of a `view` (region, width and height in screen pixels) after `ops`, a grade and view ops.

    `inside` are the ops that give the coverage of a matte: only pixels inside it are counted. Returns None if `stop()`
    returned True before everything was counted.
    """
    grade, shown = read_ops(options, ops)
    if quick:
        shown = maker.baker.quick_view(shown)
    where = counted(maker, options, view, quick)
    plan = maker.plan(*where, grade, shown)
    request = plan.request
    totals: dict[str, Any] = {}
    for strip in maker.pixels.strips(plan, maker.plan(*where, inside) if inside else None):
        if stop():
            return None
        for name, counts in _count(strip, options, min(COLUMNS, request.width)).items():
            totals[name] = totals[name] + counts if name in totals else counts
    shrink, in_matte = max(1.0, request.shrink), bool(inside)
    return ScopeReading(options, request.width, request.height, shrink, not quick, **totals, in_matte=in_matte)


def scopes_prepared(maker: FrameMaker, options: ScopeOptions, ops: tuple[Sequence[Op], Sequence[ColorOp]]) -> bool:
    """Return whether scopes after `ops`, a grade and view ops, need no compiling."""
    grade, shown = read_ops(options, ops)
    return bool(maker.executor.prepared((*shown_ops(grade, 1.0), *shown), maker.sources.format))


def read_ops(
    options: ScopeOptions, ops: tuple[Sequence[Op], Sequence[ColorOp]]
) -> tuple[Sequence[Op], Sequence[ColorOp]]:
    """Return the ops, of a grade and of a view, whose result the scopes show."""
    if options.values == "display":
        return ops
    return (ops[0] if options.values == "graded" else ()), ()


def counted(
    maker: FrameMaker, options: ScopeOptions, view: tuple[Region, int, int], quick: bool
) -> tuple[Region, int, int]:
    """Return the region to count, and its pixels across and down, limited by the image and the speed of the device."""
    region, width, height = view
    runs_on_cpu = maker.executor.runs_on_cpu
    limit = float("inf")
    if options.whole:
        width, height = maker.levels.width, maker.levels.height
        region = (0.0, 0.0, float(width), float(height))
        limit = WHOLE_PIXELS
    else:
        width, height = min(width, math.ceil(region[2])), min(height, math.ceil(region[3]))
    if runs_on_cpu:
        limit = QUICK_PIXELS if quick else MOST_PIXELS
    share = min(1.0, math.sqrt(limit / (width * height)))
    return region, max(1, int(width * share)), max(1, int(height * share))


def _count(strip: Any, options: ScopeOptions, columns: int) -> dict[str, Counts]:
    """Return the counts of one image on a device."""
    device, found = strip.primitives, dict[str, Counts]()
    if set(options.kinds) & set(WAVEFORMS):
        found["waveform"] = device.waveform(strip, columns, options.axis)
    if "vectorscope" in options.kinds:
        found["vectorscope"] = device.vectorscope(strip, VECTOR_SIZE, VECTOR_EXTENT)
    if "histogram" in options.kinds and "waveform" in found:
        found["histogram"] = found["waveform"].sum(axis=2, dtype=np.uint32)
    elif "histogram" in options.kinds:
        found["histogram"] = device.histogram(strip, options.axis)
    return found

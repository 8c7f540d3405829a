"""Scopes of the viewport, counted on the device in strips, so that a newer request can interrupt them."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.statistics import Axis
from engine.core.colorimetry import MID_GREY
from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Op
from engine.viewing.diagram import DIAGRAM_SIZE, Diagram
from engine.viewing.frames import FrameMaker
from engine.viewing.gamut_ops import outside_gamut
from engine.viewing.requests import Region, shown_ops
from engine.viewing.scatter import MOST_POINTS, Scatter, scatter_of

Counts = NDArray[np.uint32]
WAVEFORMS = ("luma", "rgb", "parade")
"""Scopes that are drawn from one waveform."""
KINDS = (*WAVEFORMS, "vectorscope", "histogram", "chromaticity", "scatter")
XYZ_KINDS = frozenset({"chromaticity", "scatter"})
"""Scopes of values that are converted to XYZ."""
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
SIDES = Axis(2, 0.0, 1.0)
"""Inside and outside of a gamut, which OutsideGamut tells."""
Gamuts = tuple[tuple[str, tuple[float, ...]], ...]
"""Names of gamuts, and the x and y of their red, green, blue and white."""


@dataclass(frozen=True)
class ScopeOptions:
    """The scopes to compute, of which values, of the viewport or the whole image; `scale` is a key of SCENE_AXES.

    `diagrams` are those of chromaticities, `gamut` is the one, '' or a key of GAMUTS, whose outside is counted, and
    `spaces` are those of SPACES for scatters.
    """

    kinds: tuple[str, ...] = KINDS
    values: str = "display"
    whole: bool = False
    scale: str = "stops"
    diagrams: tuple[Diagram, ...] = (Diagram(),)
    gamut: str = ""
    spaces: tuple[str, ...] = ("rgb",)

    @property
    def needs_xyz(self) -> bool:
        """Whether the values are converted to XYZ."""
        return bool(self.gamut or XYZ_KINDS & set(self.kinds))

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
    `chromaticity` has the counts of each diagram, `outside` the numbers of pixels inside and outside of the gamut of
    the options, and `scatters` a sample of the pixels in each space. `gamuts` are those of the working space and of the
    display. With `assumed`, the colour space is unknown and was taken as Rec.709.
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
    chromaticity: Counts | None = None
    outside: Counts | None = None
    scatters: tuple[Scatter, ...] = ()
    gamuts: Gamuts = ()
    assumed: bool = False

    def chromaticity_in(self, diagram: Diagram) -> Counts | None:
        """Return the counts of a diagram; None if they were not requested."""
        if self.chromaticity is None or diagram not in self.options.diagrams:
            return None
        return np.asarray(self.chromaticity[self.options.diagrams.index(diagram)])

    def scatter_in(self, space: str) -> Scatter | None:
        """Return the sample of the pixels in a space; None if it was not requested."""
        return next((each for each in self.scatters if each.space == space), None)

    @property
    def share_outside(self) -> float | None:
        """The share, 0..1, of pixels outside of the gamut of the options; None without one."""
        return None if self.outside is None else float(self.outside[1]) / max(1.0, float(self.outside.sum()))

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
    to_xyz: tuple[ColorOp, ...] = (),
) -> ScopeReading | None:
    """Compute the scopes of a `view` (region, width and height in screen pixels) after `ops`, a grade and view ops.

    `inside` are the ops that give the coverage of a matte: only pixels inside it are counted. `to_xyz` converts the
    values to XYZ. Returns None if `stop()` returned True before everything was counted.
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
        found = _count(strip, options, min(COLUMNS, request.width))
        if options.needs_xyz:
            found |= _count_xyz(maker.pixels.run(strip, to_xyz) if to_xyz else strip, options, maker.pixels.run)
        for name, counts in found.items():
            totals[name] = totals[name] + counts if name in totals else counts
    if "scatter" in options.kinds:
        totals["scatters"] = _scatters(maker, options, where, (grade, shown, inside), to_xyz)
    shrink, in_matte = max(1.0, request.shrink), bool(inside)
    return ScopeReading(options, request.width, request.height, shrink, not quick, **totals, in_matte=in_matte)


def scopes_prepared(
    maker: FrameMaker,
    options: ScopeOptions,
    ops: tuple[Sequence[Op], Sequence[ColorOp]],
    to_xyz: tuple[ColorOp, ...] = (),
) -> bool:
    """Return whether scopes after `ops`, a grade and view ops, and those to XYZ need no compiling."""
    grade, shown = read_ops(options, ops)
    runs = [(*shown_ops(grade, 1.0), *shown), *([to_xyz] if to_xyz else [])]
    if options.gamut:
        runs.append((outside_gamut(options.gamut),))
    if "chromaticity" in options.kinds:
        runs += [(diagram.op,) for diagram in options.diagrams]
    return all(maker.executor.prepared(run, maker.sources.format) for run in runs)


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


def _count_xyz(strip: Any, options: ScopeOptions, run: Callable[..., Any]) -> dict[str, Counts]:
    """Return the counts of XYZ on a device; `run` gives the result of ops."""
    found = dict[str, Counts]()
    if options.gamut:
        found["outside"] = strip.primitives.histogram(run(strip, (outside_gamut(options.gamut),)), SIDES)[0]
    if "chromaticity" in options.kinds:
        placed = ((run(strip, (diagram.op,)), diagram.frame[1]) for diagram in options.diagrams)
        counts = [strip.primitives.vectorscope(image, DIAGRAM_SIZE, extent) for image, extent in placed]
        found["chromaticity"] = np.stack(counts)
    return found


def _scatters(
    maker: FrameMaker,
    options: ScopeOptions,
    where: tuple[Region, int, int],
    ops: tuple[Sequence[Op], Sequence[ColorOp], Sequence[Op]],
    to_xyz: tuple[ColorOp, ...],
) -> tuple[Scatter, ...]:
    """Return points of at most MOST_POINTS pixels, which are picked, not averaged, in each space."""
    region, width, height = where
    share = min(1.0, math.sqrt(MOST_POINTS / (width * height)))
    size = max(1, int(width * share)), max(1, int(height * share))
    plans = [maker.plan(region, *size, *run) for run in (ops[:2], ops[2:]) if run != ((),)]
    picked = [replace(plan, request=replace(plan.request, filter="nearest")) for plan in plans]
    strips = [np.asarray(maker.executor.download(strip), np.float32) for strip in maker.pixels.strips(*picked)]
    values = np.concatenate([strip[..., :3].reshape(-1, 3) for strip in strips])
    xyz = maker.executor.execute_color(np.ascontiguousarray(values[None]), to_xyz)[0] if to_xyz else values
    return tuple(scatter_of(space, values, xyz, options.axis) for space in options.spaces)

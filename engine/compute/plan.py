"""Plans: each run of consecutive colour ops becomes a point step, each image op a filter step.

A step computes which region of its source a region of its result needs; the plan chains these. A stage is a step with
the pixel formats of its source and target: the unit that a device compiles and runs.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from engine.core.geometry import Rect
from engine.kernel.op import ColorOp, ImageOp, Op
from engine.kernel.taps import Size, Taps


@dataclass(frozen=True)
class PixelFormat:
    """The storage of an image: float16 or float32 (uint8 for display), with 3 or 4 channels."""

    dtype: np.dtype[Any]
    channels: int


RGBA = PixelFormat(np.dtype(np.float32), 4)
DISPLAY = PixelFormat(np.dtype(np.uint8), 4)
"""8-bit RGBA for screens: clamped, rounded, with opaque alpha. Only for targets."""


@dataclass(frozen=True)
class PointStep:
    """Colour ops that run as one fused kernel."""

    ops: tuple[ColorOp, ...]

    def result_size(self, source: Size) -> Size:
        return source

    def needs(self, result: Rect, source: Size) -> Rect:
        return result


@dataclass(frozen=True)
class FilterStep:
    """An image op."""

    op: ImageOp

    def result_size(self, source: Size) -> Size:
        return self.op.result_size(source)

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        """Return the taps of all columns and of all rows of the result."""
        return self.op.taps(source)

    def needs(self, result: Rect, source: Size) -> Rect:
        """Return the region of the source that `result` depends on."""
        columns, rows = self.taps(source)
        left, right = columns.span(result.x, result.right)
        top, bottom = rows.span(result.y, result.bottom)
        return Rect(left, top, right - left, bottom - top)


@dataclass(frozen=True)
class CropStep:
    """A crop to a part of the image; it costs nothing, since only the needed regions are read."""

    part: Rect

    def result_size(self, source: Size) -> Size:
        return self.part.width, self.part.height

    def needs(self, result: Rect, source: Size) -> Rect:
        return Rect(result.x + self.part.x, result.y + self.part.y, result.width, result.height)


Step = PointStep | FilterStep | CropStep


@dataclass(frozen=True)
class Plan:
    """The steps to run, in order."""

    steps: tuple[Step, ...]

    @property
    def halo(self) -> int:
        """The number of pixels around a region that its result depends on, if no step changes the size."""
        return sum(step.op.halo() for step in self.steps if isinstance(step, FilterStep))

    @property
    def computes(self) -> bool:
        """Whether any step runs on a device."""
        return any(not isinstance(step, CropStep) for step in self.steps)

    def sizes(self, width: int, height: int) -> list[Size]:
        """Return the size of the image before the first step and after each step."""
        sizes = [(width, height)]
        for step in self.steps:
            sizes.append(step.result_size(sizes[-1]))
        return sizes

    def resamples(self, width: int, height: int) -> bool:
        """Return whether a filter changes the size of the image; a crop does not count."""
        sizes = self.sizes(width, height)
        changes = zip(self.steps, sizes, sizes[1:], strict=False)
        return any(isinstance(step, FilterStep) and before != after for step, before, after in changes)

    def device_bytes(self, width: int, height: int, channels: int, itemsize: int) -> int:
        """Return the peak bytes of images on a device in a single pass.

        A step needs its source and its result; a filter also the float32 image between its two directions.
        """
        sizes = self.sizes(width, height)
        most = width * height * itemsize
        for step, before, after in zip(self.steps, sizes, sizes[1:], strict=False):
            ends = (before[0] * before[1] + after[0] * after[1]) * itemsize
            between = before[0] * after[1] * 4 if isinstance(step, FilterStep) else 0
            most = max(most, ends + between)
        return most * channels

    def regions(self, result: Rect, sizes: list[Size]) -> list[Rect]:
        """Return the region before the first step and after each step; the last one is `result`."""
        regions = [result]
        for step, size in zip(reversed(self.steps), reversed(sizes[:-1]), strict=True):
            regions.append(step.needs(regions[-1], size))
        return regions[::-1]


def estimate_memory(width: int, height: int, channels: int, grade: Iterable[Op], itemsize: int = 4) -> int:
    """Return the peak bytes of images on a device in a single pass; `itemsize` is 4 for float32, 2 for float16."""
    return plan(grade).device_bytes(width, height, channels, itemsize)


@dataclass(frozen=True)
class Stage:
    """A step with the pixel formats of its source and target."""

    step: PointStep | FilterStep
    source: PixelFormat
    target: PixelFormat


def stages(ops: Iterable[Op | CropStep], source: PixelFormat) -> list[Stage]:
    """Return the stages of these ops for an image; the result has the format of the source."""
    return [Stage(step, source, source) for step in plan(ops).steps if not isinstance(step, CropStep)]


def display_stages(ops: Iterable[Op], source: PixelFormat) -> list[Stage]:
    """Return the stages of these ops for display: filters in float32, and a final point step with the format DISPLAY.

    Colour ops that change nothing are included, so that a slider passing its neutral value needs no other kernel.
    """
    steps = [step for step in _steps(ops, neutral=True) if not isinstance(step, CropStep)]
    if not steps or isinstance(steps[-1], FilterStep):
        steps.append(PointStep(()))
    between = [PixelFormat(RGBA.dtype, source.channels)] * (len(steps) - 1)
    formats = [source, *between, DISPLAY]
    return [Stage(*each) for each in zip(steps, formats, formats[1:], strict=False)]


def plan(ops: Iterable[Op | CropStep]) -> Plan:
    """Return the plan of these ops (a Grade iterates over its ops); ops that change nothing are left out."""
    return Plan(tuple(_steps(ops)))


def _steps(ops: Iterable[Op | CropStep], neutral: bool = False) -> list[Step]:
    """Return the steps of these ops; `neutral` includes colour ops that change nothing."""
    steps: list[Step] = []
    run: list[ColorOp] = []

    def end_run() -> None:
        if run:
            steps.append(PointStep(tuple(run)))
            run.clear()

    for op in ops:
        if isinstance(op, ColorOp):
            run += [op] if neutral or not op.is_identity() else []
        elif isinstance(op, CropStep):
            end_run()
            steps.append(op)
        elif isinstance(op, ImageOp) and not op.is_identity():
            end_run()
            steps.append(FilterStep(op))
    end_run()
    return steps

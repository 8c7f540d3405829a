"""Plans: each run of consecutive colour ops becomes a point step, each image op a filter step.

A step computes which region of its source a region of its result needs; the plan chains these. Mattes add side images:
planes of the file, and coverages that are evaluated before the step that reads them (`engine.compute.lowering`). A
stage is a step with the pixel formats of its source and target: the unit that a device compiles and runs.
"""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

from engine.compute.lowering import Lowering, variants
from engine.compute.step_graph import Link as Link
from engine.compute.step_graph import Plan as Plan
from engine.compute.steps import DISPLAY as DISPLAY
from engine.compute.steps import RGBA as RGBA
from engine.compute.steps import CropStep as CropStep
from engine.compute.steps import ExtremeStep as ExtremeStep
from engine.compute.steps import FilterStep as FilterStep
from engine.compute.steps import PixelFormat as PixelFormat
from engine.compute.steps import PlaneStep as PlaneStep
from engine.compute.steps import PointStep as PointStep
from engine.compute.steps import SoftStep as SoftStep
from engine.compute.steps import Stage as Stage
from engine.compute.steps import Step as Step
from engine.core.bounded_cache import BoundedCache
from engine.grade.masking import fitted, has_matte, inner_ops, keeps_size
from engine.kernel.op import ColorOp, Op
from engine.kernel.taps import Size

KEPT_STAGES = 16
"""For how many runs of ops the stages are kept."""


def plan(ops: Iterable[Op | CropStep], size: Size | None = None) -> Plan:
    """Return the plan of these ops (a Grade iterates over its ops); ops that change nothing are left out.

    `size` is that of the image: after a resize the radii of mattes follow from it. Raises GradeError if an op that
    resizes lies in an entry with a mix or a matte.
    """
    return Lowering(size).plan(ops)


def display_plan(ops: Iterable[Op | CropStep], size: Size | None = None, ends: bool = True) -> Plan:
    """Return the plan of these ops for display: it ends with a point step if it `ends`, and has no crops.

    Colour ops that change nothing are included, so that a slider passing its neutral value needs no other kernel.
    """
    return Lowering(size, neutral=True).plan((op for op in ops if isinstance(op, Op)), ends)


def stages(ops: Iterable[Op | CropStep], source: PixelFormat) -> list[Stage]:
    """Return the stages of these ops for an image; the result has the format of the source."""
    return plan(ops).stages(source)


class DisplayPlans:
    """Plans of ops for display; that of the last ops is kept, since frames are made in strips.

    Stages of colour ops, and of ops with mattes, are kept by what determines them: a view asks for them before each
    frame.
    """

    def __init__(self) -> None:
        self._last: tuple[tuple[Op, ...], Size, Plan] | None = None
        self._stages: BoundedCache[tuple[Any, ...], list[Stage]] = BoundedCache(KEPT_STAGES)

    def clear(self) -> None:
        """Drop what is kept: its ops may have large tables."""
        self._last = None
        self._stages.clear()

    def of(self, ops: tuple[Op, ...], frame: Size, size: Size) -> Plan:
        """Return the plan of ops for an image of a size, with their mattes for a display window of the size `frame`."""
        last = self._last
        if last and len(last[0]) == len(ops) and all(map(operator.is_, last[0], ops)) and last[1] == frame:
            return last[2]
        found = display_plan(fitted(ops, frame, size), size)
        if all(keeps_size(op) for op in ops):
            self._last = ops, frame, found
        return found

    def stages(self, ops: Iterable[Op | CropStep], source: PixelFormat) -> list[Stage]:
        """Return the stages of these ops for display: filters in float32, a final point step with the format DISPLAY.

        They include the stages that the ops have when sliders of mattes pass a value at which other kernels run. Ops
        may be others with the same kernels.
        """
        run = [op for op in ops if isinstance(op, Op)]
        if any(not isinstance(op, ColorOp) for op in run) and not any(map(has_matte, run)):
            return display_plan(run).stages(source, display=True)
        return self._stages.of((source, *map(_kernels_of, run)), lambda: _stages_of_variants(run, source))


def _stages_of_variants(run: Sequence[Op], source: PixelFormat) -> list[Stage]:
    found = (stage for each in variants(run) for stage in display_plan(each).stages(source, display=True))
    return list(dict.fromkeys(found))


def _kernels_of(op: Op) -> tuple[Any, ...]:
    """Return a key that is equal for ops with the same steps and kernels."""
    runs = isinstance(op, ColorOp) or not op.is_identity()
    return op.structure, runs, *map(_kernels_of, inner_ops(op))


def estimate_memory(width: int, height: int, channels: int, grade: Iterable[Op], itemsize: int = 4) -> int:
    """Return the peak bytes of images on a device in a single pass; `itemsize` is 4 for float32, 2 for float16."""
    return plan(grade, (width, height)).device_bytes(width, height, channels, itemsize)

"""Plans of frames: the ops that run for a viewport request, and the source that they need."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import Any

from engine.compute.plan import display_plan
from engine.core.records import dataclass
from engine.grade.masking import has_matte, has_side_images, reads_place
from engine.kernel.op import ColorOp, Op
from engine.viewing.changes import Change
from engine.viewing.requests import ViewportRequest, shown_ops

HALO_STEP = 16
"""Halos of filters with side images are multiples of this, so that few drags of a radius resample the source."""


@dataclass(frozen=True)
class ViewportPlan:
    """What runs for a viewport request: the ops of the grade at the scale of the request, then those of the view.

    The executor divides `ops` into stages, the same for preparing and for running them. `halo` is the number of pixels
    around the request that they read. `changes` is what changes from frame to frame, if there are side images: those
    that it leaves as they are need not be made again.
    """

    request: ViewportRequest
    ops: tuple[Op, ...]
    halo: int
    changes: tuple[Change, ...] = ()

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the kernels, and the changes: plans with the same structure cost about the same
        for a pixel."""
        return (*(op.structure for op in self.ops), *self.changes)

    @cached_property
    def has_mattes(self) -> bool:
        """Whether ops read the place of pixels, or planes."""
        return any(reads_place(op) for op in self.ops)

    @cached_property
    def ends_at_edges(self) -> bool:
        """Whether the source with the halo ends at the edges of the image, as in an export: its side images do."""
        return self.has_mattes or self.has_side_images

    @cached_property
    def has_side_images(self) -> bool:
        """Whether an op has side images."""
        return any(map(has_side_images, self.ops))


def viewport_plan(request: ViewportRequest, grade: Iterable[Op], view: Sequence[ColorOp] = ()) -> ViewportPlan:
    """Return the plan of a grade and a view for a viewport request."""
    graded = shown_ops(grade, 1.0 / request.shrink)
    halo = sum(op.halo() for op in graded)
    if halo and any(has_matte(op) for op in graded):
        halo = max(halo, display_plan(graded).halo)
    if any(map(has_side_images, graded)):
        halo = -(-halo // HALO_STEP) * HALO_STEP
    return ViewportPlan(request, (*graded, *view), halo)

"""The expected times of frames, and what follows: the resolution of quick frames, and the strips of exact ones."""

from __future__ import annotations

from typing import Any

from engine.compute.executor import TiledExecutor
from engine.core.bounded_cache import BoundedCache
from engine.viewing.pace import QUICK_SECONDS, Pace
from engine.viewing.requests import ViewportRequest
from engine.viewing.viewport_plan import ViewportPlan

STRIP_SECONDS, STRIP_PIXELS = 0.020, (32768, 262144)
"""The time limit of a strip on a device that computes on the CPU, which is how long a newer request waits, and the
limits of its pixels. The first strip is the shortest, since a newer request is most likely then."""
GUESSED_SECONDS = 40e-9
"""The assumed time per pixel of a plan that has not been timed yet, on such a device."""
SLOW = 1.5
"""Exact frames that take longer than this many quick ones are slow."""
KEPT = 64
"""The number of plans whose times are kept, the most recently used last."""


class CostModel:
    """Predicts how long frames take on an executor's device from those that it made before."""

    def __init__(self, executor: TiledExecutor) -> None:
        self._executor = executor
        self._seconds: BoundedCache[Any, float] = BoundedCache(KEPT)
        self._paces: BoundedCache[Any, Pace] = BoundedCache(KEPT)

    def clear(self) -> None:
        """Forget all times, as for another device."""
        self._seconds.clear()
        self._paces.clear()

    def record(self, plan: ViewportPlan, seconds: float, pixels: int) -> None:
        """Record the time that a plan took for this many pixels."""
        self._seconds.put(plan.structure, seconds / pixels)

    def is_slow(self, plan: ViewportPlan) -> bool:
        """Return whether a frame is predicted to take so long that a quick one should come first."""
        return self._predicted(plan) * plan.request.width * plan.request.height > SLOW * QUICK_SECONDS

    def pace(self, plan: ViewportPlan) -> Pace:
        """Return the pace of the quick frames of a plan at full resolution; it starts with the predicted time."""
        pixels = plan.request.width * plan.request.height
        return self._paces.of((plan.structure, pixels), lambda: Pace(self._predicted(plan) * pixels))

    def strips(self, plan: ViewportPlan) -> list[ViewportRequest]:
        """Return the request of a plan in strips, after each of which a newer request may stop it.

        On a device other than the CPU it is one strip, since nothing is gained by stopping there.
        """
        if not self._executor.runs_on_cpu:
            return [plan.request]
        most = int(STRIP_SECONDS / self._predicted(plan))
        return _cut(plan.request, min(max(most, STRIP_PIXELS[0]), STRIP_PIXELS[1]))

    def _predicted(self, plan: ViewportPlan) -> float:
        """Return the predicted seconds per pixel."""
        seconds = self._seconds.get(plan.structure)
        if seconds is not None:
            return seconds
        return GUESSED_SECONDS if self._executor.runs_on_cpu else 0.0


def _cut(request: ViewportRequest, most: int) -> list[ViewportRequest]:
    """Return the strips of a request, each twice as high as the one before until they have `most` pixels."""
    parts, top = list[ViewportRequest](), 0
    while top < request.height:
        rows = max(1, min(STRIP_PIXELS[0] << len(parts), most) // request.width)
        parts.append(request.rows(top, min(top + rows, request.height)))
        top += rows
    return parts

"""Linear and radial gradients of mattes on the canvas, with their handles and outlines."""

from __future__ import annotations

import math
from collections.abc import Sequence

from app.model.matte_geometry import (
    Handle,
    Held,
    Outlines,
    between_180,
    constrained_direction,
    constrained_move,
)
from app.model.matte_paths import Point
from app.model.matte_shapes import (
    ROTATION_GAP,
    SOFTNESS_GAP,
    CenteredShape,
    bounds_of,
    ellipse_line,
    moving_box,
    pixels,
    place,
    turned_to,
)
from engine.core.records import dataclass
from engine.mattes.source import MatteSource
from engine.mattes.window_fields import LEAST_RADIUS
from engine.mattes.windows import LEAST_ASPECT, LinearGradient, RadialGradient


@dataclass(frozen=True)
class LinearShape:
    """A linear gradient: 1 at its start, 0 at its end."""

    source: LinearGradient

    @property
    def whole(self) -> Handle:
        """The handle that moves both ends."""
        (x0, y0), (x1, y1) = self.source.start, self.source.end
        return Handle("whole", ((x0 + x1) / 2.0, (y0 + y1) / 2.0))

    def handles(self, metric: Point) -> tuple[Handle, ...]:
        return self.whole, Handle("start", self.source.start), Handle("end", self.source.end)

    def outlines(self) -> Outlines:
        ends = self.source.start, self.source.end
        across = (ends[0][1] - ends[1][1]) / 2.0, (ends[1][0] - ends[0][0]) / 2.0
        crossing = tuple(
            [(x - across[0], y - across[1]), (x + across[0], y + across[1])] for x, y in ends
        )  # where the coverage is 1, and where it is 0
        return Outlines((list(ends),), crossing, closed=False)

    def contains(self, at: Point) -> bool:
        return False

    def bounds(self) -> tuple[float, float, float, float]:
        return bounds_of(([self.source.start, self.source.end],))

    def moving(self, handle: Handle) -> tuple[Sequence[float], Sequence[float]]:
        return moving_box(self.bounds()) if handle.name == "whole" else ((handle.at[0],), (handle.at[1],))

    def dragged(self, handle: Handle, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        dx, dy = now[0] - start[0], now[1] - start[1]
        if handle.name == "whole":
            dx, dy = constrained_move(dx, dy, metric) if held.shift else (dx, dy)
            ends = ((x + dx, y + dy) for x, y in (self.source.start, self.source.end))
            return self.source.replace(**dict(zip(("start", "end"), ends, strict=True)))
        x, y = handle.at
        other = self.source.end if handle.name == "start" else self.source.start
        to = (x + dx, y + dy)
        to = constrained_direction(other, to, metric) if held.shift else to
        return self.source if to == other else self.source.replace(**{handle.name: to})

    def nudged(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        return self.dragged(handle, handle.at, (handle.at[0] + dx, handle.at[1] + dy), Held(), (1.0, 1.0))

    def readout(self, handle: Handle, began: MatteSource) -> str:
        start, end = self.source.start, self.source.end
        angle = math.degrees(math.atan2(end[1] - start[1], end[0] - start[0]))
        at = handle.at if handle.name == "whole" else getattr(self.source, handle.name)
        return f"{place(at)}   length {pixels(math.dist(start, end))}   angle {angle:.1f}°"


@dataclass(frozen=True)
class RadialShape(CenteredShape):
    """A radial gradient: 1 up to its inner radius, 0 from its outer one on."""

    source: RadialGradient

    def handles(self, metric: Point) -> tuple[Handle, ...]:
        frame, (across, down) = self.frame, self._radii(self.source.outer)
        inner = self._radii(self.source.inner)[0]
        return (
            self.whole,
            Handle("outer", frame.placed(across, 0.0)),
            Handle("inner", frame.placed(-inner - SOFTNESS_GAP / metric[0], 0.0)),
            Handle("aspect", frame.placed(0.0, down)),
            Handle("rotation", frame.placed(0.0, -down - ROTATION_GAP / metric[1])),
        )

    def outlines(self) -> Outlines:
        core = (ellipse_line(self.frame, *self._radii(self.source.outer)),)
        inner = (ellipse_line(self.frame, *self._radii(self.source.inner)),) if self.source.inner else ()
        return Outlines(core, inner)

    def contains(self, at: Point) -> bool:
        x, y = self.frame.local(at)
        across, down = self._radii(self.source.outer)
        return (x / across) ** 2 + (y / down) ** 2 <= 1.0

    def bounds(self) -> tuple[float, float, float, float]:
        return bounds_of(self.outlines().core)

    def moving(self, handle: Handle) -> tuple[Sequence[float], Sequence[float]]:
        return moving_box(self.bounds()) if handle.name == "center" else ((), ())

    def dragged(self, handle: Handle, start: Point, now: Point, held: Held, metric: Point) -> MatteSource:
        if handle.name == "center":
            return self.moved(start, now, held, metric)
        if handle.name == "rotation":
            return self.source.replace(rotation=turned_to(self.frame, start, now, held))
        (x0, y0), (x1, y1) = self.frame.local(start), self.frame.local(now)
        return self._resized(handle, x1 - x0, y1 - y0, held.shift)

    def nudged(self, handle: Handle, dx: float, dy: float) -> MatteSource:
        if handle.name == "rotation":
            return self.source.replace(rotation=between_180(self.source.rotation + dx + dy))
        if handle.name == "center":
            return self.moved((0.0, 0.0), (dx, dy), Held(), (1.0, 1.0))
        if handle.name == "inner":
            return self._resized(handle, dy - dx, 0.0, False)
        return self._resized(handle, dx - dy, dx + dy, False)

    def readout(self, handle: Handle, began: MatteSource) -> str:
        source = self.source
        if handle.name == "center":
            return place(source.center)
        if handle.name == "rotation":
            return f"rotation {source.rotation:.1f}°"
        if handle.name == "aspect":
            return f"aspect {source.aspect:.3f}"
        return f"{handle.name} radius {pixels(getattr(source, handle.name))}"

    def _radii(self, radius: float) -> Point:
        """Return the radii along both axes."""
        return radius, radius * self.source.aspect

    def _resized(self, handle: Handle, dx: float, dy: float, uniform: bool) -> MatteSource:
        """Return the gradient with the end of a radius moved along the axes; `uniform` scales all radii together."""
        source = self.source
        if handle.name == "aspect":
            down = max(source.outer * source.aspect + dy, LEAST_RADIUS)
            return source.replace(aspect=min(max(down / source.outer, LEAST_ASPECT), 1.0 / LEAST_ASPECT))
        if handle.name == "inner":
            return source.replace(inner=min(max(source.inner - dx, 0.0), source.outer))
        outer = max(source.outer + dx, LEAST_RADIUS)
        inner = source.inner * outer / source.outer if uniform else min(source.inner, outer)
        return source.replace(outer=outer, inner=inner)

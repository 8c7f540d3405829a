"""Sources that read channels of the file: ranges of their values, depth, position, normals and object IDs.

A pixel with NaN is not covered. Inf counts as the end of all numbers. Ends of ranges are rounded to float32.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from engine.core.colorimetry import LUMA
from engine.kernel import pairs
from engine.kernel.op import Numbers, choice, derived, slider
from engine.kernel.pixel import Pixel, Scalar, atan2, clamp, dot, maximum, minimum, select, sqrt
from engine.mattes import checks, falloffs
from engine.mattes.planes import ChannelPlane, IdPlane, Plane
from engine.mattes.source import MatteSource

DEGREES = 180.0 / math.pi
LEAST_ANGLE = 2.0
"""The least softness of an angle, in degrees."""
NO_WRAP = 0.25
"""How far, in radians, the middle of a soft edge counts as from 0 and 180 degrees, so that no angle wraps around."""
SHARPEST = 2.0**-14
"""The least softness of a box or a sphere, as a share of its size."""
MOST_POSITION = 1e9
LONGEST_NORMAL = 1e15
SHORTEST_NORMAL = 1e-12


def _side() -> Any:
    return choice("above", "between", "below", help="above: from the low end up; below: up to the high end")


def _falloff() -> Any:
    return choice("linear", "smooth", help="smooth: eases in and out")


def _end(default: float, text: str) -> Any:
    return slider(default, -1000.0, 1000.0, "", None, text, (0.0, 1.0))


def _softness(default: float, text: str) -> Any:
    return slider(default, 0.0, 1000.0, "", 0.0, text, (0.0, 1.0))


def _distance(default: Any, text: str, shown: tuple[float, float] = (0.0, 100.0), least: float | None = 0.0) -> Any:
    low = -1e6 if least is None else least
    return slider(default, low, 1e6, "units", least, f"{text}, in scene units", shown)


class ChannelRange(MatteSource):
    """A range of the values of a channel. By default it is alpha as it is, clamped to 0..1."""

    family = "Channels"
    label = "Channel"

    channel: str = "A"
    part: str = ""
    side: str = _side()
    low: float = _end(1.0, "Value from which on the coverage is 1")
    high: float = _end(1.0, "Value up to which the coverage is 1")
    soft_low: float = _softness(1.0, "Distance below the low end in which the coverage falls to 0")
    soft_high: float = _softness(0.0, "Distance above the high end in which the coverage falls to 0")
    falloff: str = _falloff()

    def check(self) -> None:
        checks.text(self, "channel")
        checks.text(self, "part", empty=True)
        checks.within(self, checks.LARGEST, "low", "high", "soft_low", "soft_high")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return (ChannelPlane(self.channel, self.part),)

    @derived(4)
    def ends(self) -> tuple[float, ...]:
        """The range."""
        return falloffs.span(self.low, self.high, self.soft_low, self.soft_high)

    def coverage(self, px: Pixel) -> Scalar:
        return falloffs.in_span(px.planes[0], self.ends, self.side, self.falloff)


class LumaRange(MatteSource):
    """A range of the luma of a layer, with Rec.709 weights.

    `layer` is the name of the layer, without `.R`, `.G`, `.B`; "" is the main one.
    """

    family = "Channels"
    label = "Luma of a layer"

    layer: str = ""
    part: str = ""
    side: str = _side()
    low: float = _end(1.0, "Luma from which on the coverage is 1")
    high: float = _end(1.0, "Luma up to which the coverage is 1")
    soft_low: float = _softness(1.0, "Distance below the low end in which the coverage falls to 0")
    soft_high: float = _softness(0.0, "Distance above the high end in which the coverage falls to 0")
    falloff: str = _falloff()

    def check(self) -> None:
        checks.text(self, "layer", empty=True)
        checks.text(self, "part", empty=True)
        checks.within(self, checks.LARGEST, "low", "high", "soft_low", "soft_high")

    @property
    def planes(self) -> tuple[Plane, ...]:
        prefix = f"{self.layer}." if self.layer else ""
        return tuple(ChannelPlane(f"{prefix}{channel}", self.part) for channel in "RGB")

    @derived(4)
    def ends(self) -> tuple[float, ...]:
        """The range."""
        return falloffs.span(self.low, self.high, self.soft_low, self.soft_high)

    def coverage(self, px: Pixel) -> Scalar:
        return falloffs.in_span(dot(LUMA, px.planes[:3]), self.ends, self.side, self.falloff)


class DepthRange(MatteSource):
    """A range of depth with soft ends: `between` near and far, `beyond` near, or what is `before` far."""

    family = "Channels"
    label = "Depth"

    channel: str = "Z"
    part: str = ""
    side: str = choice("between", "beyond", "before", help="beyond: from near on, however far; before: up to far")
    near: float = _distance(0.0, "Depth from which on the coverage is 1", least=None)
    far: float = _distance(10.0, "Depth up to which the coverage is 1", least=None)
    falloff_near: float = _distance(1.0, "Distance in front of near in which the coverage falls to 0", (0.0, 10.0))
    falloff_far: float = _distance(1.0, "Distance behind far in which the coverage falls to 0", (0.0, 10.0))

    def check(self) -> None:
        checks.text(self, "channel")
        checks.text(self, "part", empty=True)
        checks.within(self, checks.LARGEST, "near", "far", "falloff_near", "falloff_far")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return (ChannelPlane(self.channel, self.part),)

    @derived(4)
    def ends(self) -> tuple[float, ...]:
        """The range."""
        return falloffs.span(self.near, self.far, self.falloff_near, self.falloff_far)

    def coverage(self, px: Pixel) -> Scalar:
        side = {"between": "between", "beyond": "above", "before": "below"}[self.side]
        return falloffs.in_span(px.planes[0], self.ends, side, "smooth")


class PositionBox(MatteSource):
    """A box in the space of three position channels: 1 inside, falling to 0 over `softness` outside.

    It is turned around the x axis first, then around y, then around z.
    """

    family = "Channels"
    label = "Position in a box"

    channels: tuple[str, ...] = ("P.X", "P.Y", "P.Z")
    part: str = ""
    center: Numbers = _distance((0.0, 0.0, 0.0), "Centre: x, y, z", (-100.0, 100.0), None)
    size: Numbers = _distance((1.0, 1.0, 1.0), "Half of the width, height and depth")
    rotation: Numbers = slider((0.0, 0.0, 0.0), -180.0, 180.0, "°", None, "Rotation around x, y and z")
    softness: float = _distance(0.1, "Width of the soft edge outside the box", (0.0, 10.0))

    def check(self) -> None:
        checks.texts(self, "channels", 3)
        checks.text(self, "part", empty=True)
        checks.within(self, MOST_POSITION, "center", "size", "rotation", "softness")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(ChannelPlane(channel, self.part) for channel in self.channels)

    @derived(pairs.axes_size(3, 3))
    def axes(self) -> tuple[float, ...]:
        """The axes of the box."""
        return pairs.axes(self.center, _rotation(self.rotation).T.tolist(), self._reach)

    @derived(6)
    def sides(self) -> tuple[float, ...]:
        """Half of the width, the height and the depth, as pairs."""
        return tuple(part for side in self.size for part in pairs.split(side))

    @derived()
    def slope(self) -> float:
        """The slope of the soft edge."""
        return 1.0 / max(self.softness, SHARPEST * self._reach)

    def coverage(self, px: Pixel) -> Scalar:
        outside = []
        for first, (high, low) in zip((0, 2, 4), pairs.along(self.axes, px.planes[:3]), strict=True):
            opposite = high + low < 0.0
            high, low = select(opposite, -high, high), select(opposite, -low, low)
            outside.append(pairs.total(pairs.less((high, low), self.sides[first : first + 2])))
        x, y, z = (maximum(0.0, part) for part in outside)
        return falloffs.smooth(1.0 - sqrt(x * x + y * y + z * z) * self.slope)

    @property
    def _reach(self) -> float:
        return max(math.hypot(*self.size) + float(self.softness), 1e-9)


class PositionSphere(MatteSource):
    """A sphere in the space of three position channels: 1 inside, falling to 0 over `softness` outside."""

    family = "Channels"
    label = "Position in a sphere"

    channels: tuple[str, ...] = ("P.X", "P.Y", "P.Z")
    part: str = ""
    center: Numbers = _distance((0.0, 0.0, 0.0), "Centre: x, y, z", (-100.0, 100.0), None)
    radius: float = _distance(1.0, "Radius")
    softness: float = _distance(0.1, "Width of the soft edge outside the sphere", (0.0, 10.0))

    def check(self) -> None:
        checks.texts(self, "channels", 3)
        checks.text(self, "part", empty=True)
        checks.within(self, MOST_POSITION, "center", "radius", "softness")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(ChannelPlane(channel, self.part) for channel in self.channels)

    @derived(pairs.axes_size(3, 0))
    def axes(self) -> tuple[float, ...]:
        """The centre."""
        return pairs.axes(self.center, (), self._reach)

    @derived(4)
    def surface(self) -> tuple[float, ...]:
        """The radius and its square, as pairs."""
        return (*pairs.split(self.radius), *pairs.square_of(self.radius, pairs.grain_for(self._reach)))

    @derived()
    def slope(self) -> float:
        """The slope of the soft edge."""
        return 1.0 / max(self.softness, SHARPEST * self._reach)

    def coverage(self, px: Pixel) -> Scalar:
        parts = pairs.offsets(self.axes, px.planes[:3])
        outside = pairs.beyond(parts, self.surface[:2], self.surface[2:], self.axes[0], self.axes[1])
        return falloffs.smooth(1.0 - outside * self.slope)

    @property
    def _reach(self) -> float:
        return max(float(self.radius + self.softness), 1e-9)


class NormalFacing(MatteSource):
    """Normals within an angle of a direction: 1 up to `angle`, falling to 0 over `softness`.

    Normals need not be of length 1; where there is none (its length is 0), nothing is covered.
    """

    family = "Channels"
    label = "Normal"

    channels: tuple[str, ...] = ("N.X", "N.Y", "N.Z")
    part: str = ""
    direction: Numbers = slider(
        (0.0, 1.0, 0.0), -1.0, 1.0, "", None, "Direction of the normals: x, y, z; of any length"
    )
    angle: float = slider(30.0, 0.0, 180.0, "°", 0.0, "Angle up to which the coverage is 1")
    softness: float = slider(
        15.0, 0.0, 180.0, "°", 0.0, "Angle beyond that in which the coverage falls to 0; 2° at least"
    )

    def check(self) -> None:
        checks.texts(self, "channels", 3)
        checks.text(self, "part", empty=True)
        checks.within(self, checks.FARTHEST, "direction", "angle", "softness")
        checks.nonzero(self, "direction")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return tuple(ChannelPlane(channel, self.part) for channel in self.channels)

    @derived(3)
    def unit(self) -> tuple[float, ...]:
        """The direction, of length 1."""
        direction = np.array(self.direction) / max(abs(part) for part in self.direction)
        return tuple((direction / np.linalg.norm(direction)).tolist())

    @derived(4)
    def edge(self) -> tuple[float, ...]:
        """Cosine and sine of an angle near the edge, the angle from there to where the coverage is 0, and the slope."""
        soft = max(self.softness, LEAST_ANGLE)
        near = min(max((self.angle + soft / 2.0) / DEGREES, NO_WRAP), math.pi - NO_WRAP)
        return math.cos(near), math.sin(near), (self.angle + soft) / DEGREES - near, DEGREES / soft

    def coverage(self, px: Pixel) -> Scalar:
        x, y, z = (minimum(LONGEST_NORMAL, maximum(-LONGEST_NORMAL, part)) for part in px.planes[:3])
        a, b, c = self.unit
        cos, sin, end, slope = self.edge
        across, along = sqrt(_square(y * c - z * b, z * a - x * c, x * b - y * a)), x * a + y * b + z * c
        beyond = atan2(across * cos - along * sin, along * cos + across * sin)  # precise near the edge
        covered = falloffs.smooth((end - beyond) * slope)
        return select(_square(x, y, z) > SHORTEST_NORMAL * SHORTEST_NORMAL, covered, 0.0)


class ObjectIds(MatteSource):
    """Pixels whose ID in a channel of whole numbers, such as an object or material ID, is one of `ids`."""

    family = "Channels"
    label = "Object IDs"

    channel: str = "id"
    ids: tuple[int, ...] = ()
    part: str = ""

    def check(self) -> None:
        checks.text(self, "channel")
        checks.text(self, "part", empty=True)
        checks.ids(self, "ids")

    @property
    def planes(self) -> tuple[Plane, ...]:
        return (IdPlane(self.channel, self.ids, self.part),)

    def coverage(self, px: Pixel) -> Scalar:
        return clamp(px.planes[0], 0.0, 1.0)


def _rotation(degrees: Any) -> Any:
    """Return the matrix that turns around x, then y, then z."""
    (cx, sx), (cy, sy), (cz, sz) = ((math.cos(each / DEGREES), math.sin(each / DEGREES)) for each in degrees)
    around_x = np.array([[1.0, 0.0, 0.0], [0.0, cx, -sx], [0.0, sx, cx]])
    around_y = np.array([[cy, 0.0, sy], [0.0, 1.0, 0.0], [-sy, 0.0, cy]])
    around_z = np.array([[cz, -sz, 0.0], [sz, cz, 0.0], [0.0, 0.0, 1.0]])
    return around_z @ around_y @ around_x


def _square(x: Scalar, y: Scalar, z: Scalar) -> Scalar:
    return x * x + y * y + z * z

"""Filters whose maths is written once: an op that makes side images of its source, and reads them in `pixel()`.

Side images are RGBA float32. They are described by expressions, which the plan turns into steps: equal expressions are
one image. A pixel function is a method of the op in the language of `engine.kernel.pixel`, as `pixel()` is itself.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any, Self

from engine.core.geometry import Place
from engine.core.records import dataclass
from engine.errors import GradeError
from engine.kernel.op import ColorOp, ImageOp, Kind, Slider
from engine.kernel.pixel import Pixel, Value, Vec
from engine.kernel.soft_taps import soft_reach
from engine.kernel.taps import Size, Taps, magnified_taps, weighted_taps

MOST_PIXELS = 1 << 15
"""The largest length."""
MOST_SHOWN = 2048.0
"""The largest length in a view, in pixels of the view; longer ones are clamped to it."""


@dataclass(frozen=True)
class SideImage:
    """An expression for an image of the size of the source."""

    @property
    def sources(self) -> tuple[SideImage, ...]:
        """The images that it is made from."""
        return ()

    @property
    def halo(self) -> int:
        """The number of pixels around a region that it reads of its sources."""
        return 0

    @cached_property
    def reach(self) -> int:
        """The number of pixels around a region that it reads of the source of the op."""
        return self.halo + max((image.reach for image in self.sources), default=0)


@dataclass(frozen=True)
class Source(SideImage):
    """The source of the op."""


SOURCE = Source()


@dataclass(frozen=True)
class Computed(SideImage):
    """The result of the pixel function `method`: `px.rgba` are those of `image`, `px.planes` those of up to two others.

    With a `number` it is called with that as its second argument, so that one method serves several scales; each has a
    kernel. With `values` it is called with these, which are passed as sliders are: all have one kernel.
    """

    method: str
    image: SideImage = SOURCE
    planes: tuple[SideImage, ...] = ()
    number: int | None = None
    values: tuple[float, ...] = ()

    @property
    def sources(self) -> tuple[SideImage, ...]:
        return self.image, *self.planes


@dataclass(frozen=True)
class Gaussian(SideImage):
    """A Gaussian that reaches `radius` pixels, with a standard deviation of a third of that.

    A wide one costs little more than a narrow one: see `engine.kernel.soft_taps`.
    """

    image: SideImage
    radius: float

    @property
    def sources(self) -> tuple[SideImage, ...]:
        return (self.image,)

    @property
    def halo(self) -> int:
        return soft_reach(self.radius)


@dataclass(frozen=True)
class Weighted(SideImage):
    """Sums of pixels that lie `step` apart, along the columns and then along the rows, with the same weights anywhere.

    There is an odd number of weights, divided by their sum; the middle one is that of the pixel itself.
    """

    image: SideImage
    weights: tuple[float, ...]
    step: int = 1

    @property
    def sources(self) -> tuple[SideImage, ...]:
        return (self.image,)

    @property
    def halo(self) -> int:
        return len(self.weights) // 2 * self.step


@dataclass(frozen=True)
class Magnified(SideImage):
    """The image scaled by `factor` about a point of the display window, in pixels of level 0.

    No pixel is displaced by more than `most` - 2 pixels.
    """

    image: SideImage
    factor: float
    center: tuple[float, float]
    most: int

    @property
    def sources(self) -> tuple[SideImage, ...]:
        return (self.image,)

    @property
    def halo(self) -> int:
        return self.most


@dataclass(frozen=True)
class Largest(SideImage):
    """The largest value of each channel up to `radius` pixels away along each axis. NaN is ignored."""

    image: SideImage
    radius: int

    @property
    def sources(self) -> tuple[SideImage, ...]:
        return (self.image,)

    @property
    def halo(self) -> int:
        return self.radius


class FilterOp(ImageOp, abstract=True):
    """A filter of pixel functions and side images; its result has the size of its source.

    A subclass defines `side_images` and `pixel`. Sliders with the unit px are lengths, which a view scales. Which side
    images there are, and their methods, depends on choices alone, so that no slider needs another kernel.
    """

    home = "linear"
    reads_sides = True

    def side_images(self) -> tuple[SideImage, ...]:
        """Return the images that `pixel` reads: channels of the first as planes 0-3, of the second as planes 4-7."""
        raise TypeError(f"{type(self).__name__} has no side_images()")

    def pixel(self, px: Pixel) -> Value:
        """Return the result for a pixel of the source, 3 components (alpha is kept) or 4."""
        raise TypeError(f"{type(self).__name__} has no pixel()")

    def check(self) -> None:
        for name, length in self._lengths().items():
            if length > MOST_PIXELS:
                raise GradeError(f"{type(self).__name__}.{name} can't be {length:g} pixels; {MOST_PIXELS} is the most")

    def halo(self) -> int:
        return max((image.reach for image in self.side_images()), default=0)

    def at_scale(self, scale: float) -> Self:
        return self.replace(**{name: min(length * scale, MOST_SHOWN) for name, length in self._lengths().items()})

    def _lengths(self) -> dict[str, float]:
        kinds = self.kinds().items()
        return {name: getattr(self, name) for name, kind in kinds if isinstance(kind, Slider) and kind.unit == "px"}


_VALUES = Slider((0.0,), 0.0, 1.0, "", None, "")


@dataclass(frozen=True)
class FilterPixel(ColorOp, abstract=True):
    """A pixel function of a filter as a colour op. Made by the plan; not an entry of a grade."""

    op: FilterOp
    method: str = "pixel"
    number: int | None = None
    values: tuple[float, ...] = ()

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("FilterPixel", self.method, self.number, len(self.values), *self.op.structure)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__") or name == "op":
            raise AttributeError(name)
        return getattr(self.op, name)

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        twin = object.__new__(type(self))
        twin.__dict__.update(op=self.op.bound(leaf), method=self.method, number=self.number)
        values = (leaf("values", index, _VALUES, value) for index, value in enumerate(self.values))
        twin.__dict__["values"] = Vec(tuple(values)) if self.values else ()
        return twin

    def pixel(self, px: Pixel) -> Value:
        function = getattr(self.op, self.method)
        more = (value for value in (self.number, self.values or None) if value is not None)
        result: Value = function(px, *more)
        return result


@dataclass(frozen=True)
class WeightedSum(ImageOp, abstract=True):
    """The taps of a `Weighted`. Made by the plan; not an entry of a grade."""

    weights: tuple[float, ...]
    step: int

    def taps(self, source: Size) -> tuple[Taps, Taps]:
        return weighted_taps(self.weights, self.step, source[0]), weighted_taps(self.weights, self.step, source[1])

    def halo(self) -> int:
        return len(self.weights) // 2 * self.step


@dataclass(frozen=True)
class Magnification(ImageOp, abstract=True):
    """The taps of a `Magnified`. Made by the plan; not an entry of a grade."""

    placed = True

    factor: float
    center: tuple[float, float]
    most: int

    def placed_taps(self, source: Size, place: Place) -> tuple[Taps, Taps]:
        return (
            magnified_taps(self.factor, self._away(place.x, place.column, place.step_x, 0), self.most, source[0]),
            magnified_taps(self.factor, self._away(place.y, place.row, place.step_y, 1), self.most, source[1]),
        )

    def _away(self, start: float, first: int, step: float, axis: int) -> float:
        """Return the position of the centre along an axis, in pixels of the image."""
        return (self.center[axis] - start) / step - first

    def halo(self) -> int:
        return self.most

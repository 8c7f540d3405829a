"""Base class of the sources of mattes: windows, qualifiers, channels, Cryptomatte objects.

A source is a frozen dataclass of sliders and choices like an op, with its maths written once in the pixel language.
Subclassing MatteSource registers the class in SOURCES by its name, not among the ops of a grade.
"""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar, Self

from engine.core.records import dataclass
from engine.core.registry import Registry
from engine.errors import GradeError, shown
from engine.kernel.op import ColorOp
from engine.kernel.pixel import Pixel, Scalar, Vec
from engine.mattes.planes import Plane

SOURCES: Registry[MatteSource] = Registry()
"""Every source of mattes by its class name."""
SOURCES.announce(
    "engine.mattes",
    {
        "ChannelRange": "channels",
        "LumaRange": "channels",
        "DepthRange": "channels",
        "PositionBox": "channels",
        "PositionSphere": "channels",
        "NormalFacing": "channels",
        "ObjectIds": "channels",
        "Cryptomatte": "cryptomatte",
        "ImageMatte": "images",
        "HslQualifier": "qualifiers",
        "Key3d": "qualifiers",
        "Ellipse": "windows",
        "Rectangle": "windows",
        "Path": "windows",
        "LinearGradient": "windows",
        "RadialGradient": "windows",
    },
)


class MatteSource(ColorOp, abstract=True):
    """A source of a matte: a coverage from 0 to 1 for each pixel.

    Fields made by `slider` and `choice` are as in ops. Other fields (names, paths, points) are strings, numbers or
    tuples of these, checked in `check`; `coverage` reads them through `derived` values only. A field named `denoise`,
    of a source that has one, overrides the property.
    """

    family: ClassVar[str] = ""
    """The group in menus: Windows, Qualifiers, Channels, Cryptomatte or Images."""

    def __init_subclass__(cls, abstract: bool = False) -> None:
        super().__init_subclass__(abstract=True)
        if not abstract:
            dataclass(frozen=True)(cls)
            SOURCES[cls.__name__] = cls

    @property
    def planes(self) -> tuple[Plane, ...]:
        """The planes that `coverage` reads, as `px.planes` in this order; at most 4."""
        return ()

    @property
    def reads(self) -> str:
        """The image that `coverage` reads: `source` before the grade, `entry` after the ops above, or "" if none."""
        return ""

    @property
    def denoise(self) -> float:
        """The radius, in pixels, of the Gaussian that cleans the coverage; 0 is none."""
        return 0.0

    def coverage(self, px: Pixel) -> Scalar:
        """Return the coverage of a pixel, 0..1, for any finite or NaN input.

        `px.x` and `px.y` are in pixels of the display window at level 0, from its top left corner, with centres at .5.
        """
        raise TypeError(f"{type(self).__name__} has no coverage()")

    def pixel(self, px: Pixel) -> Vec:
        coverage = self.coverage(px)
        return Vec((coverage, coverage, coverage, coverage))

    def scaled(self, x: float, y: float) -> Self:
        """Return the source for a display window that is `x` times as wide and `y` times as high."""
        return self

    @classmethod
    def for_frame(cls, width: float, height: float) -> Self:
        """Return a new source for a display window of this size: a window is in its middle and a quarter of it."""
        return cls()

    def to_json(self) -> dict[str, Any]:
        fields = dataclasses.fields(self)  # type: ignore[arg-type]
        return {"source": type(self).__name__} | {f.name: getattr(self, f.name) for f in fields}

    @staticmethod
    def source_from_json(data: Any) -> MatteSource:
        """Return the source that `to_json` described. Raises GradeError if the data describe none."""
        named = data.get("source") if isinstance(data, dict) else data
        if not isinstance(named, str) or named not in SOURCES:
            raise GradeError(f"there is no matte source named {shown(named)}", f"sources are: {', '.join(SOURCES)}")
        cls = SOURCES[named]
        given = {cls.renamed.get(name, name): _frozen(value) for name, value in data.items() if name != "source"}
        known = {f.name for f in dataclasses.fields(cls)}  # type: ignore[arg-type]
        if unknown := set(given) - known:
            raise GradeError(f"{named} has no field named {shown(sorted(unknown)[0])}")
        try:
            return cls(**given)
        except TypeError:
            raise GradeError(f"a field of {named} is damaged") from None


def _frozen(value: Any) -> Any:
    return tuple(_frozen(each) for each in value) if isinstance(value, list) else value

"""What is known of a movie before its frames are decoded."""

from __future__ import annotations

from dataclasses import asdict
from fractions import Fraction
from typing import Any

from engine.compute.planar import PlanarFormat
from engine.core.records import dataclass
from engine.errors import HandleError
from engine.movies.colour_rules import ColourTags
from engine.movies.movie_files import MOST_PIXELS, MOST_SIDE

MOST_RATE = 100_000
ASPECTS = (Fraction(1, 100), Fraction(100))
"""The limits of rates, in frames per second, and of pixel aspects; others are taken for damage and ignored."""
_ROTATIONS = (0, 90, 180, 270)


@dataclass(frozen=True)
class MovieInfo:
    """A movie: how its frames are stored, and how they are shown.

    `format` is that of the planes that are decoded, with the matrix, range and siting that `tags` or the rules of
    `colour_rules` say; `tags` are as in the file. `width` and `height` are those of the displayed image, after
    `rotation`: degrees clockwise. `start_timecode` is that of the first frame, or ''. `container`, `codec` and
    `pixel_format` are FFmpeg's names; samples that do not lie in planes are converted to some.
    """

    format: PlanarFormat
    rate: Fraction
    start_timecode: str
    pixel_aspect: Fraction
    rotation: int
    tags: ColourTags
    has_audio: bool
    container: str
    codec: str
    pixel_format: str

    @property
    def width(self) -> int:
        return self.format.height if self.rotation in (90, 270) else self.format.width

    @property
    def height(self) -> int:
        return self.format.width if self.rotation in (90, 270) else self.format.height

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        return data | {"rate": str(self.rate), "pixel_aspect": str(self.pixel_aspect)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MovieInfo:
        """Return the info in this JSON form. Raises ValueError if it is beyond the limits, or not one."""
        try:
            given = dict(data)
            format, tags = PlanarFormat(**given.pop("format")), ColourTags(**given.pop("tags"))
            rate, aspect = Fraction(given.pop("rate")), Fraction(given.pop("pixel_aspect"))
            info = cls(format=format, tags=tags, rate=rate, pixel_aspect=aspect, **given)
        except (TypeError, KeyError, ZeroDivisionError, HandleError) as problem:
            raise ValueError(str(problem)) from None
        sides = (format.width, format.height)
        if not all(0 < side <= MOST_SIDE for side in sides) or sides[0] * sides[1] > MOST_PIXELS:
            raise ValueError("its frames have {} x {} pixels".format(*sides))
        if info.rotation not in _ROTATIONS:
            raise ValueError(f"it is turned by {info.rotation} degrees")
        return info


def sensible_rate(rate: Fraction | None) -> Fraction:
    """Return a rate in frames per second, or 24 if it is not one."""
    return rate if rate is not None and 0 < rate <= MOST_RATE else Fraction(24)


def sensible_aspect(aspect: Fraction | None) -> Fraction:
    """Return a pixel aspect ratio, or 1 if it is not one."""
    return aspect if aspect is not None and ASPECTS[0] <= aspect <= ASPECTS[1] else Fraction(1)

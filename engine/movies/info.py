"""What is known of a movie before its frames are decoded."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from engine.movies.colour_rules import MATRICES, SITINGS, ColourTags
from engine.movies.movie_files import MOST_PIXELS, MOST_SIDE
from engine.movies.plane_layout import PlaneLayout

MOST_RATE = 100_000
ASPECTS = (Fraction(1, 100), Fraction(100))
"""The limits of rates, in frames per second, and of pixel aspects; others are taken for damage and ignored."""
_ROTATIONS = (0, 90, 180, 270)


@dataclass(frozen=True)
class MovieInfo:
    """A movie: how its frames are stored, and how they are shown.

    `width` and `height` are those of the displayed image, after `rotation`: degrees clockwise, and a mirroring that is
    not supported is left out. `start_timecode` is that of the first frame, or ''. `tags` are as in the file; `matrix`,
    `full_range` and `siting` are what they or the rules of `colour_rules` say. `container`, `codec` and `pixel_format`
    are FFmpeg's names; planes of a format that has none are converted to `layout`.
    """

    layout: PlaneLayout
    rate: Fraction
    start_timecode: str
    pixel_aspect: Fraction
    rotation: int
    tags: ColourTags
    matrix: str
    full_range: bool
    siting: str
    has_audio: bool
    container: str
    codec: str
    pixel_format: str

    @property
    def width(self) -> int:
        return self.layout.height if self.rotation in (90, 270) else self.layout.width

    @property
    def height(self) -> int:
        return self.layout.width if self.rotation in (90, 270) else self.layout.height

    def to_json(self) -> dict[str, Any]:
        data = asdict(self)
        return data | {"rate": str(self.rate), "pixel_aspect": str(self.pixel_aspect)}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> MovieInfo:
        """Return the info in this JSON form. Raises ValueError if it is beyond the limits, or not one."""
        try:
            given = dict(data)
            layout, tags = PlaneLayout(**given.pop("layout")), ColourTags(**given.pop("tags"))
            rate, aspect = Fraction(given.pop("rate")), Fraction(given.pop("pixel_aspect"))
            info = cls(layout=layout, tags=tags, rate=rate, pixel_aspect=aspect, **given)
        except (TypeError, KeyError, ZeroDivisionError) as problem:
            raise ValueError(str(problem)) from None
        sides = (layout.width, layout.height)
        if not all(0 < side <= MOST_SIDE for side in sides) or sides[0] * sides[1] > MOST_PIXELS:
            raise ValueError("its frames have {} x {} pixels".format(*sides))
        if info.matrix not in MATRICES or info.siting not in SITINGS or info.rotation not in _ROTATIONS:
            raise ValueError("its colour can't be read")
        return info


def sensible_rate(rate: Fraction | None) -> Fraction:
    """Return a rate in frames per second, or 24 if it is not one."""
    return rate if rate is not None and 0 < rate <= MOST_RATE else Fraction(24)


def sensible_aspect(aspect: Fraction | None) -> Fraction:
    """Return a pixel aspect ratio, or 1 if it is not one."""
    return aspect if aspect is not None and ASPECTS[0] <= aspect <= ASPECTS[1] else Fraction(1)

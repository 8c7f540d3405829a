"""Burn-ins of movies: texts, a logo, masks, safe areas and a slate, as a value with a JSON form.

Lengths are fractions of the height of the frame, so that a preset serves every size.
"""

from __future__ import annotations

import math
import re
from dataclasses import asdict
from fractions import Fraction
from typing import Any

from engine.core.records import dataclass
from engine.core.timecode import timecode_at
from engine.errors import GradeError, shown

PLACES = ("top left", "top", "top right", "center", "bottom left", "bottom", "bottom right")
TOKENS = {
    "shot": "the name of the source without its frame number",
    "frame": "the number of the frame",
    "timecode": "the timecode of the frame",
    "date": "the date of the export",
    "file": "the name of the frame's file",
    "colour": "the colour space or view of the movie",
    "codec": "the codec of the movie",
    "size": "width and height in pixels",
    "rate": "frames per second",
}
"""What a text may contain in braces, and what that stands for."""
_TOKEN = re.compile(r"\{([^{}]*)\}")
MOST_TEXTS, MOST_LETTERS, MOST_SLATE = 32, 500, 1000
FORMAT, VERSION = "tessera burn-in", 1
_MEND = "correct it, or save the preset again"


@dataclass(frozen=True)
class Text:
    """A line at one of PLACES. Lines at the same place are below each other."""

    text: str
    place: str = "top left"


@dataclass(frozen=True)
class BurnIn:
    """What is drawn over the frames of a movie, after the view.

    `size` is the height of a line, `opacity` that of texts and logo, `backing` how far the image is darkened behind a
    text. `logo` is an image of `logo_size` at `logo_place`. `mask` is an aspect ratio, 0 for none, outside of which the
    image is darkened by `mask_opacity`. `safe` are the shares of width and height that frames are drawn around.
    `slate` is the number of frames before the first one that show `slate_lines`.
    """

    texts: tuple[Text, ...] = ()
    size: float = 0.03
    opacity: float = 0.9
    backing: float = 0.4
    logo: str = ""
    logo_place: str = "top right"
    logo_size: float = 0.08
    mask: float = 0.0
    mask_opacity: float = 1.0
    safe: tuple[float, ...] = ()
    slate: int = 0
    slate_lines: tuple[str, ...] = ("{shot}", "{date}", "{colour}", "{codec}, {size}, {rate} fps")

    def __post_init__(self) -> None:
        """Raise GradeError for values that can't be drawn."""
        limits = {"size": (0.005, 0.5), "logo_size": (0.005, 1.0), "slate": (0, MOST_SLATE)}
        limits |= dict.fromkeys(("opacity", "backing", "mask_opacity"), (0.0, 1.0))
        for name, (least, most) in limits.items():
            _check_number(name.replace("_", " "), getattr(self, name), least, most)
        if not isinstance(self.slate, int):
            raise GradeError(f"slate: {shown(self.slate)} is not a whole number", _MEND)
        _check_number("mask", self.mask, 0.0, 10.0)
        if self.mask and self.mask < 0.1:
            raise GradeError(f"mask: {self.mask:g} is not an aspect ratio", "use one such as 2.39, or 0 for none")
        for share in self.safe:
            _check_number("safe area", share, 0.01, 1.0)
        places = (*(line.place for line in self.texts), self.logo_place)
        for place in places:
            if place not in PLACES:
                raise GradeError(f"{shown(place)} is not a place", f"use one of {', '.join(PLACES)}")
        words = (*(line.text for line in self.texts), *self.slate_lines)
        if len(words) > MOST_TEXTS or len(self.safe) > MOST_TEXTS or max(map(len, words), default=0) > MOST_LETTERS:
            raise GradeError(f"a burn-in has at most {MOST_TEXTS} texts of {MOST_LETTERS} letters", "leave some out")
        unknown = next((name for text in words for name in _TOKEN.findall(text) if name not in TOKENS), None)
        if unknown is not None:
            raise GradeError(f"{{{unknown}}} is not known in a text", f"use {', '.join(TOKENS)}")

    @property
    def uses_date(self) -> bool:
        """Whether the date of the export is drawn."""
        texts = (*(line.text for line in self.texts), *(self.slate_lines if self.slate else ()))
        return any("{date}" in text for text in texts)

    def to_json(self) -> dict[str, Any]:
        return {"format": FORMAT, "version": VERSION} | asdict(self)

    @classmethod
    def from_json(cls, data: Any) -> BurnIn:
        """Return the burn-in of this JSON form. Raises GradeError if it is not one."""
        if not isinstance(data, dict) or data.get("format") != FORMAT:
            raise GradeError("it is not a burn-in", "choose a file that Tessera saved")
        if data.get("version") != VERSION:
            raise GradeError(f"it has the version {shown(data.get('version'))}", "update Tessera")
        values = {name: value for name, value in data.items() if name not in ("format", "version")}
        try:
            values["texts"] = tuple(Text(str(each["text"]), str(each["place"])) for each in values.get("texts", ()))
            values["safe"] = tuple(map(float, values.get("safe", ())))
            values["slate_lines"] = tuple(map(str, values.get("slate_lines", cls().slate_lines)))
            return cls(**values)
        except (TypeError, KeyError, ValueError, AttributeError) as problem:
            raise GradeError(f"its values are damaged ({problem})", _MEND) from None


def expanded(text: str, facts: dict[str, str]) -> str:
    """Return a text with its tokens replaced by facts."""
    return _TOKEN.sub(lambda match: facts.get(match[1], ""), text)


@dataclass(frozen=True)
class Overlay:
    """A burn-in and what it says of a movie. `timecode` is that of the first frame of the source, '' for none."""

    burn_in: BurnIn
    shot: str
    date: str
    colour: str
    codec: str
    rate: Fraction
    timecode: str
    white: float = 1.0

    def facts(self, frame: int, position: int, file: str, size: tuple[int, int]) -> dict[str, str]:
        """Return what the tokens stand for in a frame; `position` counts from the first frame of the movie."""
        known = (0, self.timecode) if self.timecode else None
        return {
            "shot": self.shot,
            "frame": str(frame),
            "timecode": timecode_at(position, float(self.rate), known) if known else "",
            "date": self.date,
            "file": file,
            "colour": self.colour,
            "codec": self.codec,
            "size": "{} x {}".format(*size),
            "rate": f"{float(self.rate):g}",
        }


def _check_number(name: str, value: Any, least: float, most: float) -> None:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise GradeError(f"{name}: {shown(value)} is not a number", _MEND)
    if not least <= value <= most:
        raise GradeError(f"{name}: {value:g} is not within {least:g} to {most:g}", _MEND)

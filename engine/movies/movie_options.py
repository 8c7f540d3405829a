"""Options of movies: what is asked for, and what each frame gets."""

from __future__ import annotations

import re
from fractions import Fraction
from typing import Any

from engine.core.records import dataclass
from engine.core.timecode import timecode_at
from engine.errors import TesseraError
from engine.movies.burn_in import BurnIn, Overlay
from engine.movies.codecs import Pixels
from engine.movies.encode_tags import BT2020, ColourTags

DEFAULT_RATE = Fraction(24)
SOURCE, NONE = "source", "none"
_RATE = re.compile(r"(\d{1,9})(?:/(\d{1,9})|\.(\d{1,6}))?")
_TIMECODE = re.compile(r"\d{2}:[0-5]\d:[0-5]\d[:;]\d{2,3}")
NTSC = {"23.976": Fraction(24000, 1001), "23.98": Fraction(24000, 1001), "29.97": Fraction(30000, 1001)}
NTSC |= {"47.952": Fraction(48000, 1001), "47.95": Fraction(48000, 1001), "59.94": Fraction(60000, 1001)}
NTSC |= {"119.88": Fraction(120000, 1001)}
"""Rates that are usually written as rounded decimals."""
FASTEST = 1000


@dataclass(frozen=True)
class MovieOptions:
    """Options of a movie. `codec` is one of `codecs.NAMES`, `quality` one of QUALITIES or a number, `pixels` such as
    yuv422p10; '' for the default. `rate` is in frames per second, by default that of the source. `timecode` is that of
    the first frame, `source` or `none`; `audio` is a file, `source` or `none`."""

    codec: str = ""
    quality: str = ""
    pixels: str = ""
    rate: Fraction | None = None
    timecode: str = SOURCE
    audio: str = SOURCE
    burn_in: BurnIn | None = None


@dataclass(frozen=True)
class FramePlanes:
    """How each frame of a movie becomes planes: all have the same width and height. With `measures`, its light is
    measured; `only_measured` frames have no planes."""

    width: int
    height: int
    pixels: Pixels
    tags: ColourTags
    measures: bool = False
    only_measured: bool = False
    overlay: Overlay | None = None

    @property
    def siting(self) -> str:
        """Where the chroma samples of 4:2:0 lie: at the top left for BT.2020 (BT.2100, table 5), else at the left."""
        return "topleft" if self.pixels.chroma == "420" and self.tags.primaries == BT2020 else "left"


def parse_rate(text: str) -> Fraction:
    """Parse a rate in frames per second: 24, 23.976 or 24000/1001. Raises ValueError."""
    match = _RATE.fullmatch(text.strip())
    rate = NTSC.get(text.strip()) or (Fraction(text.strip()) if match and match[2] != "0" else Fraction(0))
    if not 0 < rate <= FASTEST:
        raise ValueError(f"{text!r} is not a rate; use a rate such as 24, 23.976 or 24000/1001")
    return rate


def rate_text(rate: Fraction) -> str:
    """Return a rate for people: 24, or 24000/1001 (23.976)."""
    return str(rate) if rate.denominator == 1 else f"{rate} ({float(rate):.3f})"


def rate_in(metadata: dict[str, Any]) -> Fraction | None:
    """Return the rate that the header of an image states, or None."""
    try:
        return parse_rate(str(metadata.get("framesPerSecond", "")))
    except (ValueError, ZeroDivisionError):
        return None


def is_timecode(text: str) -> bool:
    """Return whether a text is a timecode such as 01:00:00:00, or 01:00:00;00 with drop frames."""
    return _TIMECODE.fullmatch(text) is not None


def first_timecode(asked: str, metadata: dict[str, Any], frame: int, rate: Fraction) -> str:
    """Return the timecode of the first frame of a movie, '' for none.

    That of the source is the one in its header, else it is counted from frame 0. Raises TesseraError if it is not
    valid, or drops frames at a rate that has no such timecode.
    """
    if asked == NONE:
        return ""
    if asked != SOURCE:
        _check_timecode(asked, rate)
        return asked
    stated = str(metadata.get("timeCode", ""))
    if is_timecode(stated) and (";" not in stated or _can_drop(rate)):
        return stated
    return timecode_at(max(frame, 0), float(rate))


def _check_timecode(text: str, rate: Fraction) -> None:
    if not is_timecode(text):
        raise TesseraError(f"'{text}' is not a timecode", "write it like 01:00:00:00, or use source or none")
    if ";" in text and not _can_drop(rate):
        raise TesseraError(f"{text} drops frames, which {float(rate):g} frames per second do not", "use a colon")
    if int(text[9:]) >= round(rate):
        raise TesseraError(f"{text} has no such frame at {float(rate):g} frames per second", "check the rate")


def _can_drop(rate: Fraction) -> bool:
    return rate in (Fraction(30000, 1001), Fraction(60000, 1001))

"""SMPTE timecode of frames: hours, minutes, seconds and frames, with or without drop-frame counting."""

from __future__ import annotations

import re
from typing import Any

_TEXT = re.compile(r"(\d{1,2}):(\d{2}):(\d{2})([:;])(\d{2,3})")
_RATE = re.compile(r"(\d{1,9})/(\d{1,9})")


def timecode_at(frame: int, rate: float, known: tuple[int, str] | None = None) -> str:
    """Return the timecode of a frame at a rate in frames per second.

    `known` is a frame and its timecode, from which frames are counted; without it, frame 0 is 00:00:00:00.
    """
    match = _TEXT.fullmatch(known[1]) if known is not None else None
    if known is None or match is None:
        return _text(frame, rate, False)
    if frame == known[0]:
        return known[1]
    drop = match[4] == ";"
    return _text(_count(match, rate, drop) + frame - known[0], rate, drop)


def rate_of(metadata: dict[str, Any]) -> float:
    """Return the rate in the attribute `framesPerSecond` of an image, in frames per second; 0 if it has none."""
    match = _RATE.fullmatch(str(metadata.get("framesPerSecond", "")))
    return int(match[1]) / int(match[2]) if match is not None and int(match[2]) else 0.0


def _dropped(nominal: int, drop: bool) -> int:
    """Return how many numbers drop-frame timecode leaves out each minute, except every tenth."""
    return nominal // 15 if drop else 0


def _count(match: re.Match[str], rate: float, drop: bool) -> int:
    """Return the number of frames since 00:00:00:00."""
    nominal = max(1, round(rate))
    hours, minutes, seconds, frames = (int(match[n]) for n in (1, 2, 3, 5))
    minutes += 60 * hours
    return (60 * minutes + seconds) * nominal + frames - _dropped(nominal, drop) * (minutes - minutes // 10)


def _text(count: int, rate: float, drop: bool) -> str:
    """Return the timecode that so many frames have passed since 00:00:00:00; it wraps around after a day."""
    nominal = max(1, round(rate))
    skipped = _dropped(nominal, drop)
    minute, ten_minutes = 60 * nominal - skipped, 600 * nominal - 9 * skipped
    tens, rest = divmod(count % (144 * ten_minutes), ten_minutes)
    number = count % (144 * ten_minutes) + 9 * skipped * tens + skipped * max(0, (rest - skipped) // minute)
    seconds, frames = divmod(number, nominal)
    digits = len(str(nominal - 1))
    clock = f"{seconds // 3600:02}:{seconds // 60 % 60:02}:{seconds % 60:02}"
    return f"{clock}{';' if drop else ':'}{frames:0{max(2, digits)}}"

"""Parsers of the values of options. Each raises ArgumentTypeError if a text is not valid."""

from __future__ import annotations

import math
import re
from argparse import ArgumentTypeError
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fractions import Fraction

_UNITS = {"": 1, "b": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
_UNITS |= {f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", 1)}
_UNITS |= {f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)}


def backend(text: str) -> str:
    """Check the name of a backend or device: auto, cpu, wgpu, cuda, opencl, cuda:1, wgpu:intel."""
    if not re.fullmatch(r"auto|cpu|(wgpu|opencl)(:.+)?|cuda(:\d+)?", text):
        raise ArgumentTypeError(f"{text!r} is not a valid backend; use auto, cpu, wgpu, cuda or opencl")
    return text


def size(text: str) -> int:
    """Parse a number of bytes with a unit: 512MB, 2GiB, 1.5G."""
    match = re.fullmatch(r"(\d{1,20}(?:\.\d{1,20})?)\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in _UNITS or (number := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise ArgumentTypeError(f"{text!r} is not a valid size; use a size such as 512MB or 2GiB")
    return number


def sides(text: str) -> tuple[int, int]:
    """Parse a width and a height in pixels: 1920x1080."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    if not match or min(int(match[1]), int(match[2])) < 1:
        raise ArgumentTypeError(f"{text!r} is not a valid size; use a size such as 1920x1080")
    return int(match[1]), int(match[2])


def existing(text: str) -> str | frozenset[int]:
    """Parse a value of `--existing`: fail, skip, replace, or the frames to replace."""
    if text in ("fail", "skip", "replace"):
        return text
    from engine.errors import TesseraError
    from engine.export.frame_patterns import parse_frames

    try:
        return frozenset(parse_frames(text))
    except TesseraError:
        what = f"{text!r} is neither fail, skip or replace nor frames such as 1001-1010"
        raise ArgumentTypeError(what) from None


def positive(text: str) -> int:
    """Parse a whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def whole(text: str) -> int:
    """Parse a whole number, such as that of a frame."""
    if not re.fullmatch(r"-?[0-9]{1,15}", text):
        raise ArgumentTypeError(f"{text!r} is not a whole number")
    return int(text)


def finite(text: str) -> float:
    """Parse a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise ArgumentTypeError(f"{text!r} is not a number")
    return number


def rate(text: str) -> Fraction:
    """Parse a rate in frames per second: 24, 23.976 or 30000/1001."""
    from engine.movies.movie_options import parse_rate

    try:
        return parse_rate(text)
    except ValueError as problem:
        raise ArgumentTypeError(str(problem)) from None


def seconds(text: str) -> float:
    """Parse a number of seconds above 0, or inf."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not number > 0.0:
        raise ArgumentTypeError(f"{text!r} is not a number of seconds above 0, nor inf")
    return number


def variable(text: str) -> tuple[str, str]:
    """Parse a context variable: SHOT=sc010."""
    name, equals, value = text.partition("=")
    if not equals or not name:
        raise ArgumentTypeError(f"{text!r} is not a valid variable; use a variable such as SHOT=sc010")
    return name, value


def matte_channel(text: str) -> tuple[str, str]:
    """Parse the name of a channel and the number of an entry: person=2, or person=2.1 for an entry in a group."""
    name, _, entry = text.strip().rpartition("=")
    if not name or not re.fullmatch(r"\d{1,9}(\.\d{1,9})*", entry):
        raise ArgumentTypeError(f"{text!r} is not a name and an entry; use a text such as person=2 or person=2.1")
    return name, entry


def credentials(text: str) -> tuple[str, str, str]:
    """Parse the names of three PEM files: ca.pem,cert.pem,key.pem."""
    names = text.split(",")
    if len(names) != 3 or not all(names):
        raise ArgumentTypeError(f"{text!r} does not name three files; give ca.pem,cert.pem,key.pem")
    return names[0], names[1], names[2]


def share(text: str) -> float:
    """Parse a number from 0 to 1."""
    number = finite(text)
    if not 0.0 <= number <= 1.0:
        raise ArgumentTypeError(f"{text!r} is not a number from 0 to 1")
    return number


def box(text: str) -> tuple[int, int, int, int]:
    """Parse a rectangle in pixels: x,y,w,h."""
    match = re.fullmatch(r"(-?\d{1,9}),(-?\d{1,9}),(\d{1,9}),(\d{1,9})", text.strip())
    if not match or min(int(match[3]), int(match[4])) < 1:
        raise ArgumentTypeError(f"{text!r} is not a rectangle; use x,y,w,h such as 100,80,640,360")
    x, y, width, height = map(int, match.groups())
    return x, y, width, height


def corners(text: str) -> tuple[float, ...]:
    """Parse the x and y of four points: x0,y0,x1,y1,x2,y2,x3,y3."""
    words = text.split(",")
    if len(words) != 8:
        raise ArgumentTypeError(f"{text!r} does not have x and y of four corners")
    return tuple(map(finite, words))

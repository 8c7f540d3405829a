"""Fast reading of the simplest kind of LUT file, so that a folder of hundreds opens in moments.

A plain .cube has one 3D LUT over 0..1, and all its lines have the same form. All other files are left to OpenColorIO,
so that a single reader decides what a file means and what is wrong with it.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from engine.core.small_files import read_small
from engine.kernel.fields import LARGEST_CUBE
from engine.kernel.op import Table
from engine.ops import Lut3d

MOST_DIGITS = 15
"""Digits of a number that a float64 represents exactly."""
HEADER = re.compile(
    rb"(?:(?:#[^\n]*|TITLE \"[^\n\"]*\"|DOMAIN_MIN 0(?:\.0*)? 0(?:\.0*)? 0(?:\.0*)?|"
    rb"DOMAIN_MAX 1(?:\.0*)? 1(?:\.0*)? 1(?:\.0*)?|LUT_3D_SIZE (?P<size>\d{1,3}))?[ \t]*\r?\n)+"
)
NUMBERS = re.compile(rb"(\d+)\.(\d+)[ \t]+(\d+)\.(\d+)[ \t]+(\d+)\.(\d+)[ \t]*\r?\n")
ZERO, NINE = ord("0"), ord("9")


def read_plain_cube(path: Path) -> Lut3d | None:
    """Return the LUT of a plain .cube file, trilinear like OpenColorIO's default; None for any other file.

    Raises UnreadableFile if it can't be read.
    """
    size, body = _parts(path)
    values = _numbers(body, size**3) if size else None
    if values is None:
        return None
    cube = values.reshape(size, size, size, 3).transpose(2, 1, 0, 3)
    return Lut3d(Table(np.ascontiguousarray(cube)), interpolation="trilinear")


def seems_plain(path: Path) -> bool:
    """Return whether a file seems plain by its header, its first numbers and its length: a cheap guess."""
    size, body = _parts(path)
    first = NUMBERS.match(body)
    return bool(size and first is not None and len(body) == size**3 * first.end())


def _parts(path: Path) -> tuple[int, bytes]:
    """Return the entries per axis and the lines of numbers; 0 and b"" if the header is not plain."""
    text = read_small(path)
    header = HEADER.match(text)
    if header is None or header["size"] is None or text.count(b"LUT_3D_SIZE", 0, header.end()) != 1:
        return 0, b""
    size = int(header["size"])
    return (size, text[header.end() :]) if 2 <= size <= LARGEST_CUBE else (0, b"")


def _numbers(body: bytes, count: int) -> NDArray[np.float32] | None:
    """Parse (count, 3) values from lines with digits and points in the same places; None for any other text."""
    first = NUMBERS.match(body)
    if first is None or len(body) != count * first.end():
        return None
    lines = np.frombuffer(body, np.uint8).reshape(count, first.end())
    digits = np.zeros(first.end(), bool)
    for group in range(1, 7):
        digits[first.start(group) : first.end(group)] = True
    if (lines[:, ~digits] != lines[0, ~digits]).any():
        return None
    if (lines[:, digits] < ZERO).any() or (lines[:, digits] > NINE).any():
        return None
    values = np.empty((count, 3), np.float32)
    for channel in range(3):
        whole, part = first.span(1 + 2 * channel), first.span(2 + 2 * channel)
        places = [*range(*whole), *range(*part)]
        if len(places) > MOST_DIGITS:
            return None
        weights = 10.0 ** np.arange(len(places) - 1, -1, -1)
        number = (lines[:, places].astype(np.float64) - ZERO) @ weights
        values[:, channel] = number / 10.0 ** (part[1] - part[0])
    return values

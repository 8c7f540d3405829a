"""Parsers of argument values, and options that several commands share."""

from __future__ import annotations

import argparse
import math
import re
import sys
from collections.abc import Sequence
from typing import Any

_UNITS = {"": 1, "b": 1, "k": 1000, "m": 1000**2, "g": 1000**3, "t": 1000**4}
_UNITS |= {f"{unit}ib": 1024**power for power, unit in enumerate("kmgt", 1)}
_UNITS |= {f"{unit}b": 1000**power for power, unit in enumerate("kmgt", 1)}


SIGNED = ("--looks", "--frames", "--existing")
"""Options whose value may start with a minus sign: an inverted look, a negative frame."""


class Parser(argparse.ArgumentParser):
    """An argument parser that reads `--looks -A` as `--looks=-A`; argparse would read `-A` as an option."""

    def parse_known_args(  # type: ignore[override]
        self, args: Sequence[str] | None = None, namespace: Any = None
    ) -> Any:
        joined: list[str] = []
        for word in sys.argv[1:] if args is None else args:
            if joined and joined[-1] in SIGNED and word.startswith("-") and not word.startswith("--"):
                word = f"{joined.pop()}={word}"
            if word.startswith("--") and word.endswith("=--"):  # argparse reads this as an empty list
                self.error(f"argument {word.removesuffix('=--')}: expected one argument")
            joined.append(word)
        return super().parse_known_args(joined, namespace)


def option_word(name: str, value: str) -> str:
    """Return an option and its value as one word, which is unambiguous even if the value starts with a dash.

    `name` is the name of the option without leading dashes.
    """
    return f"--{name.replace('_', '-')}={value}"


def add_device(parser: argparse.ArgumentParser | argparse._ArgumentGroup) -> None:
    """Add `--backend` and `--threads`."""
    parser.add_argument(
        "--backend", type=backend, default="auto", metavar="NAME", help="auto, cpu, wgpu, cuda; see `tessera devices`"
    )
    parser.add_argument("--threads", type=positive, default=0, metavar="N", help="CPU threads; default: one per core")


def add_json(parser: argparse.ArgumentParser) -> None:
    """Add `--json`."""
    parser.add_argument("--json", action="store_true", help="print JSON")


def backend(text: str) -> str:
    """Check the name of a backend or device: auto, cpu, wgpu, cuda, cuda:1, wgpu:intel."""
    if not re.fullmatch(r"auto|cpu|wgpu(:.+)?|cuda(:\d+)?", text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid backend; use auto, cpu, wgpu or cuda")
    return text


def size(text: str) -> int:
    """Parse a number of bytes with a unit: 512MB, 2GiB, 1.5G."""
    match = re.fullmatch(r"(\d{1,20}(?:\.\d{1,20})?)\s*([a-z]*)", text.strip().lower())
    if not match or match[2] not in _UNITS or (number := int(float(match[1]) * _UNITS[match[2]])) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid size; use a size such as 512MB or 2GiB")
    return number


def sides(text: str) -> tuple[int, int]:
    """Parse a width and a height in pixels: 1920x1080."""
    match = re.fullmatch(r"(\d{1,5})x(\d{1,5})", text.strip().lower())
    if not match or min(int(match[1]), int(match[2])) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a valid size; use a size such as 1920x1080")
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
        raise argparse.ArgumentTypeError(what) from None


def positive(text: str) -> int:
    """Parse a whole number above 0."""
    if not text.isdecimal() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is not a whole number above 0")
    return int(text)


def finite(text: str) -> float:
    """Parse a finite number."""
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number")
    return number

"""Checks of the fields of sources. Each raises GradeError, with the name of the field, or sets its cleaned value."""

from __future__ import annotations

import math
from typing import Any

from engine.errors import GradeError, shown
from engine.kernel.op import ColorOp

FARTHEST = 1e6
"""The farthest position, and the largest radius, of a window, in pixels."""
LARGEST = 1e30
"""The largest value of a plane that a range can have as its end."""
MOST_TEXT, MOST_ITEMS = 4096, 1 << 17
LARGEST_ID = 0xFFFFFFFF


def within(source: ColorOp, most: float, *names: str) -> None:
    """Check that the numbers of sliders lie within -most..most."""
    for name in names:
        value = getattr(source, name)
        numbers = value if isinstance(value, tuple) else (value,)
        if any(abs(number) > most for number in numbers):
            raise GradeError(f"{_named(source, name)} must lie within -{most:g} and {most:g}, not {shown(value)}")


def nonzero(source: ColorOp, name: str) -> None:
    """Check that the numbers of a slider are not all 0."""
    if not any(getattr(source, name)):
        raise GradeError(f"{_named(source, name)} must not be 0 in all components")


def text(source: ColorOp, name: str, empty: bool = False) -> None:
    """Check that a field is a string, empty only if that is allowed."""
    value = getattr(source, name)
    if not isinstance(value, str) or len(value) > MOST_TEXT or not (value or empty):
        raise GradeError(f"{_named(source, name)} must be a name, not {shown(value)}")


def texts(source: ColorOp, name: str, count: int = 0) -> None:
    """Make a field a tuple of strings that are not empty: `count` of them, or any number of different ones."""
    values = _items(source, name)
    if not all(isinstance(value, str) and 0 < len(value) <= MOST_TEXT for value in values):
        raise GradeError(f"{_named(source, name)} must be names, not {shown(values)}")
    if count and len(values) != count:
        raise GradeError(f"{_named(source, name)} must be {count} names, not {len(values)}")
    _set(source, name, values if count else tuple(dict.fromkeys(values)))


def ids(source: ColorOp, name: str) -> None:
    """Make a field a tuple of different IDs, 0 to 2**32 - 1."""
    values = _items(source, name)
    if not all(type(value) is int and 0 <= value <= LARGEST_ID for value in values):
        raise GradeError(f"{_named(source, name)} must be whole numbers from 0 to {LARGEST_ID}, not {shown(values)}")
    _set(source, name, tuple(dict.fromkeys(values)))


def rows(source: ColorOp, name: str, size: int, most: float, count: int) -> None:
    """Make a field a tuple of at most `count` tuples of `size` numbers within -most..most."""
    values = _items(source, name)
    if len(values) > count:
        raise GradeError(f"{_named(source, name)} has {len(values)} entries; {count} is the most")
    try:
        cleaned = tuple(tuple(float(number) for number in value) for value in values if not isinstance(value, str))
    except (TypeError, ValueError, OverflowError):
        cleaned = ()
    good = all(len(row) == size and all(math.isfinite(x) and abs(x) <= most for x in row) for row in cleaned)
    if len(cleaned) != len(values) or not good:
        raise GradeError(f"{_named(source, name)} must be rows of {size} numbers within -{most:g} and {most:g}")
    _set(source, name, cleaned)


def _items(source: ColorOp, name: str) -> tuple[Any, ...]:
    values = getattr(source, name)
    if not isinstance(values, tuple | list) or len(values) > MOST_ITEMS:
        raise GradeError(f"{_named(source, name)} must be a list, not {shown(values)}")
    return tuple(values)


def _set(source: ColorOp, name: str, value: Any) -> None:
    object.__setattr__(source, name, value)


def _named(source: ColorOp, name: str) -> str:
    return f"{type(source).__name__}.{name}"

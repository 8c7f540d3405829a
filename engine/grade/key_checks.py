"""Checks of the keys of an entry: of numbers that it has, with values that these can have."""

from __future__ import annotations

import operator

from engine.errors import GradeError, shown
from engine.grade.curves import Keys
from engine.grade.missing import MissingOp
from engine.grade.parameters import Parts, is_of_op
from engine.kernel.op import Op


def check_keys(keys: Keys, parts: Parts, name: str) -> None:
    """Raise GradeError if an entry has no number at the path of a curve, or can't have one of its values."""
    holders = parts.entry if isinstance(parts.entry, Op) else None, parts.matte
    if keys.checked is not None and all(map(operator.is_, keys.checked, holders)):
        return  # the entry has another switch now
    known, is_missing = parts.numbers(), isinstance(parts.entry, MissingOp)
    for path, curve in keys.items():
        if is_missing and is_of_op(path):
            continue  # kept with the op
        if path not in known:
            raise GradeError(f"{name} has no number at {shown(path)} that keys can change", "remove its keys")
        for key in curve.extremes:
            try:
                parts.check(path, key.value)
            except GradeError as error:
                _check_together(keys, parts, path, key.frame, error)
    keys.checked = holders


def _check_together(keys: Keys, parts: Parts, path: str, frame: int, error: GradeError) -> None:
    """Raise GradeError unless a value that an entry can't have by itself fits the other values at its frame."""
    try:
        parts.with_numbers({each: curve.at(frame) for each, curve in keys.items()})
    except GradeError:
        raise GradeError(f"the key of {path} at frame {frame}: {error.what}", error.do or "correct it") from None

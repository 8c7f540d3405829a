"""Edits of an entry with keys: by its controls at a frame, and of the keys themselves."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from engine import Grade
from engine.errors import GradeError
from engine.grade.curves import NO_KEYS, Curve, Key, Keys
from engine.grade.entries import NOTHING, Entry, Group, Layer, kept_form, layer_of, parts_of
from engine.grade.frames import at_frame
from engine.grade.key_moves import followed
from engine.grade.keys import numbers_of
from engine.grade.missing import MissingOp
from engine.grade.parameters import is_of_op

NONE = 3.4e38
"""Numbers from here on are the ends of float32: limits that limit nothing."""


def numbers_at(entry: Entry, frame: int) -> dict[str, float]:
    """Return the numbers of an entry at a frame that keys can change, by their paths."""
    return numbers_of(at_frame(entry, frame))


def grade_at(grade: Grade, frame: int) -> tuple[Grade, str]:
    """Return a grade at a frame, and '' or why an entry can't have the values there: it is then without its keys."""
    try:
        return grade.at(frame), ""
    except GradeError as error:
        return grade.with_entries(_possible(entry, frame) for entry in grade.entries), str(error)


def _possible(entry: Entry, frame: int) -> Entry:
    """Return an entry at a frame; without keys if it can't have the values there."""
    try:
        return at_frame(entry, frame)
    except GradeError:
        layer = layer_of(entry)
        inner = layer.entry
        if isinstance(inner, Group):
            inner = replace(inner, entries=tuple(_possible(each, frame) for each in inner.entries))
        return kept_form(replace(layer, entry=inner, keys=NO_KEYS, varying=frozenset(layer.keys)))


def keyed(before: Entry, edited: Entry, frame: int) -> Entry:
    """Return an entry after an edit at a frame: `edited` is what `before` is at the frame, with other values.

    An animated number that is another one now gets a key at the frame; one that stands for none, since a control was
    switched off, is animated no more. The entries of a group stay those of `before`.
    """
    old, new = layer_of(before), layer_of(edited)
    if isinstance(old.entry, Group) and isinstance(new.entry, Group):
        new = replace(new, entry=replace(new.entry, entries=old.entry.entries))
    new = replace(new, keys=NO_KEYS, varying=NOTHING)
    if not old.keys:
        return kept_form(new)
    shown = layer_of(_possible(before, frame))
    curves, numbers = followed(old.keys, shown.matte, new.matte), numbers_of(new)
    there = {path: curve for path, curve in curves.items() if abs(numbers.get(path, math.inf)) < NONE}
    found = {path: with_value(curve, frame, numbers[path]) for path, curve in there.items()}
    if isinstance(new.entry, MissingOp):  # its numbers are not known here
        found |= {path: curve for path, curve in curves.items() if is_of_op(path)}
    return kept_form(replace(_at_rest(new, old, found), keys=Keys(found)))


def _at_rest(new: Layer, old: Layer, curves: Mapping[str, Curve]) -> Layer:
    """Return an entry with the numbers below its curves as they were, so that an edit changes nothing else."""
    known, there = numbers_of(old), numbers_of(new)
    try:
        return with_numbers(new, {path: known[path] for path in curves if path in known and path in there})
    except GradeError:  # they contradict those that are not animated
        return new


def with_numbers(layer: Layer, numbers: Mapping[str, float]) -> Layer:
    """Return an entry with other numbers at some paths. Raises GradeError if it can't have them."""
    return replace(layer, **parts_of(layer).with_numbers(numbers)._asdict()) if numbers else layer


def with_curves(entry: Entry, curves: Mapping[str, Curve | None], frame: int) -> Entry:
    """Return an entry with other curves at some paths; None ends the animation with the value of this frame.

    Raises GradeError if the entry can't have such values.
    """
    layer = layer_of(entry)
    ended = {path: layer.keys[path].at(frame) for path, curve in curves.items() if curve is None and path in layer.keys}
    kept = {path: curve for path, curve in {**layer.keys, **curves}.items() if curve is not None}
    return kept_form(replace(with_numbers(replace(layer, keys=NO_KEYS), ended), keys=Keys(kept)))


def with_value(curve: Curve, frame: int, value: float) -> Curve:
    """Return a curve that has just this value at a frame: itself, or with another key there."""
    return curve if curve.at(frame) == value else with_key(curve, frame, value)


def with_key(curve: Curve | None, frame: int, value: float) -> Curve:
    """Return a curve with a key at a frame; its interpolation is that of the key there, else of the one before."""
    if curve is None:
        return Curve([Key(frame, value)])
    before = [key for key in curve.keys if key.frame <= frame] or list(curve.keys[:1])
    return curve.with_key(Key(frame, value, before[-1].interpolation))


def matching(paths: Iterable[str], known: Iterable[str]) -> list[str]:
    """Return the `known` paths that some paths mean: themselves, or all below one that ends with .*"""
    wanted = list(paths)
    heads = tuple(path[:-1] for path in wanted if path.endswith(".*"))
    return [path for path in known if path in wanted or (heads and path.startswith(heads))]

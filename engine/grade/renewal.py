"""Grades after ops of the user's were loaded, replaced or unloaded: which entries run now, and which are missing."""

from __future__ import annotations

import operator
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

from engine.errors import GradeError
from engine.grade.curves import Keys
from engine.grade.entries import Entry, FileLook, Group, Layer, entry_from_json, kept_form, layer_of, parts_of
from engine.grade.grade import Grade
from engine.grade.missing import MissingOp, op_from_json, with_values
from engine.grade.own_ops import file_of
from engine.grade.parameters import is_of_op
from engine.kernel.op import REGISTRY, Op

if TYPE_CHECKING:
    from engine.grade.own_ops import OwnFile


def renewed(grade: Grade) -> Grade:
    """Return the grade with the ops that are loaded now; the grade itself if nothing changes.

    An op whose class was replaced has the values of the fields of the same names. One that is loaded no more is kept as
    a missing one, and a missing one comes to life where it can.
    """
    entries = tuple(map(_renewed_entry, grade.entries))
    return grade if all(map(operator.is_, entries, grade.entries)) else grade.with_entries(entries)


def _renewed_entry(entry: Entry) -> Entry:
    layer = layer_of(entry)
    inner = layer.entry
    if isinstance(inner, Group):
        entries = tuple(map(_renewed_entry, inner.entries))
        if all(map(operator.is_, entries, inner.entries)):
            return entry
        return kept_form(replace(layer, entry=replace(inner, entries=entries)))
    if isinstance(inner, FileLook):
        return entry
    if isinstance(inner, MissingOp):
        return _revived(entry, layer, inner)
    if inner.own_source is None or REGISTRY.get(inner.registered_name()) is type(inner):
        return entry
    cls = REGISTRY.get(inner.registered_name())
    return with_op(entry, op_from_json(inner.to_json()) if cls is None else with_values(cls, inner.to_json()))


def _revived(entry: Entry, layer: Layer, inner: MissingOp) -> Entry:
    found = entry_from_json(inner.to_json())
    if isinstance(found, MissingOp):
        return entry if found.reason == inner.reason else kept_form(replace(layer, entry=found))
    try:
        return kept_form(replace(layer, entry=found))
    except GradeError:  # keys of numbers that it has not: it stays missing, with all of them
        return entry


def with_op(entry: Entry, op: Op) -> Entry:
    """Return an entry with another op, without the keys of numbers that this can't have."""
    layer = layer_of(entry)
    if isinstance(op, MissingOp):
        return kept_form(replace(layer, entry=op))
    parts = parts_of(replace(layer, entry=op, keys=Keys()))
    known = parts.numbers()
    curves = {path: curve for path, curve in layer.keys.items() if path in known}
    try:
        return kept_form(replace(layer, entry=op, keys=Keys(curves)))
    except GradeError:  # its ranges are others now
        rest = {path: curve for path, curve in curves.items() if not is_of_op(path)}
        return kept_form(replace(layer, entry=op, keys=Keys(rest)))


def ops_in(entries: tuple[Entry, ...]) -> Iterator[Op]:
    """Yield the ops of all entries, bypassed or not, as they were added."""
    for entry in entries:
        inner = entry.entry if isinstance(entry, Layer) else entry
        if isinstance(inner, Group):
            yield from ops_in(inner.entries)
        elif isinstance(inner, FileLook):
            yield from inner.ops
        else:
            yield inner


def own_files_of(grade: Grade) -> tuple[OwnFile, ...]:
    """Return the user's files that define ops of a grade, as they were executed."""
    return tuple({op.own_source: file_of(op.own_source) for op in ops_in(grade.entries) if op.own_source}.values())


def missing_of(grade: Grade) -> tuple[MissingOp, ...]:
    """Return the missing ops of the entries that would run."""
    return tuple(op for op in ops_in(grade.active) if isinstance(op, MissingOp))


def check_known(grade: Grade, instead: str) -> None:
    """Raise GradeError, which names what is missing, unless all entries that run are known here.

    `instead` is what can be done otherwise.
    """
    if found := missing_of(grade):
        what = "; ".join(dict.fromkeys(f"{op.title()}: {op.reason}" for op in found))
        raise GradeError(what, f"{found[0].do}, or {instead}")


def without_missing(grade: Grade) -> tuple[Grade, tuple[str, ...]]:
    """Return the grade with its missing entries bypassed, and notes about them."""
    found = missing_of(grade)
    notes = tuple(dict.fromkeys(f"Skipped {op.line}." for op in found))
    return (grade.with_entries(map(_bypassed, grade.entries)), notes) if found else (grade, ())


def _bypassed(entry: Entry) -> Entry:
    layer = layer_of(entry)
    if isinstance(layer.entry, Group):
        inner = replace(layer.entry, entries=tuple(map(_bypassed, layer.entry.entries)))
        return kept_form(replace(layer, entry=inner))
    return kept_form(replace(layer, enabled=False)) if isinstance(layer.entry, MissingOp) else entry

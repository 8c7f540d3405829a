"""Entries with keys at a frame."""

from __future__ import annotations

import operator
from dataclasses import replace

from engine.errors import GradeError
from engine.grade.curves import NO_KEYS
from engine.grade.entries import NOTHING, Entry, Group, Layer, kept_form, layer_of, name_of, parts_of


def at_frame(entry: Entry, frame: int) -> Entry:
    """Return an entry without keys, with the values that they have at a frame. Raises GradeError if it can't have them.

    The result is kept for the next call: in a drag, one entry of many changes.
    """
    if not isinstance(entry, Layer | Group) or not entry.is_animated:
        return entry
    last: tuple[int, Entry] | None = entry.__dict__.get("_last")
    if last is None or last[0] != frame:
        last = frame, kept_form(_at_frame(layer_of(entry), frame))
        entry.__dict__["_last"] = last
    return last[1]


def _at_frame(layer: Layer, frame: int) -> Layer:
    inner = layer.entry
    if isinstance(inner, Group):
        layer = replace(layer, entry=replace(inner, entries=tuple(at_frame(each, frame) for each in inner.entries)))
    try:
        parts = parts_of(layer).with_numbers({path: curve.at(frame) for path, curve in layer.keys.items()})
    except GradeError as error:
        raise GradeError(f"{name_of(layer)} at frame {frame}: {error.what}", error.do or "correct its keys") from None
    return replace(layer, **parts._asdict(), keys=NO_KEYS, varying=frozenset(layer.keys))


def settled(entry: Entry) -> Entry:
    """Return an entry at a frame as one that never had keys; the entry itself if it had none."""
    if not isinstance(entry, Layer | Group):
        return entry
    layer = layer_of(entry)
    inner = layer.entry
    if isinstance(inner, Group):
        entries = tuple(map(settled, inner.entries))
        inner = inner if all(map(operator.is_, entries, inner.entries)) else replace(inner, entries=entries)
    if inner is layer.entry and not layer.varying:
        return entry
    return kept_form(replace(layer, entry=inner, varying=NOTHING))

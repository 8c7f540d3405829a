"""How a grade treats colours that are premultiplied by alpha."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby

from engine.grade.entries import Entry, Group, Layer, layer_of, ops_of
from engine.grade.grade import Grade
from engine.kernel.op import ColorOp
from engine.ops import Premultiply

ALPHAS = ("stored", "unpremultiplied")
"""Whether colours are graded as they are stored, or divided by alpha before and multiplied by it after."""


def unpremultiplied(grade: Grade) -> Grade:
    """Return a grade whose colour ops work on colours divided by alpha; filters still work on premultiplied ones.

    A grade that begins with a division by alpha, such as one recorded by such an export, is returned unchanged.
    """
    first = next((layer_of(entry) for entry, runs in zip(grade.entries, grade.running, strict=True) if runs), None)
    if not grade.effective or (first is not None and _divides(first)):
        return grade
    grade = grade.without_solo()
    return grade.with_entries(_wrapped(grade.entries))


def _divides(layer: Layer) -> bool:
    """Return whether an entry divides all colours by alpha."""
    return layer.entry == Premultiply("reverse") and layer.mix == 1.0 and layer.matte is None and not layer.varying


def _wrapped(entries: tuple[Entry, ...]) -> Iterator[Entry]:
    for is_colour, run in groupby(entries, _is_colour):
        members = list(run)
        if not is_colour:
            yield from map(_wrapped_within, members)
        elif any(layer_of(entry).enabled for entry in members):
            yield from (Premultiply("reverse"), *members, Premultiply())
        else:
            yield from members


def _wrapped_within(entry: Entry) -> Entry:
    """Return an entry with a filter; in a group, the colour ops beside it are wrapped."""
    return replace(entry, entries=tuple(_wrapped(entry.entries))) if isinstance(entry, Group) else entry


def _is_colour(entry: Entry) -> bool:
    return all(isinstance(op, ColorOp) for op in ops_of(entry))

"""The planes that the mattes of a grade read, and a grade without the entries that read some of them."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from dataclasses import replace

from engine.grade.entries import Entry, Group, layer_of
from engine.grade.grade import Grade
from engine.mattes.planes import Plane


def planes_of(grade: Grade) -> tuple[Plane, ...]:
    """Return the planes that the mattes of the entries that run read, each once."""
    return tuple(dict.fromkeys(_planes(grade.active)))


def without_planes(grade: Grade, planes: Collection[Plane]) -> Grade:
    """Return the grade with those entries bypassed whose matte reads one of these planes; the same one without any."""
    return grade.with_entries(_bypassed(grade.entries, planes)) if planes and _reads(grade.entries, planes) else grade


def _planes(entries: Iterable[Entry]) -> list[Plane]:
    found: list[Plane] = []
    for layer in map(layer_of, entries):
        found += layer.matte.planes if layer.matte is not None else ()
        found += _planes(layer.entry.entries) if isinstance(layer.entry, Group) else []
    return found


def _reads(entries: Iterable[Entry], planes: Collection[Plane]) -> bool:
    return any(plane in planes for plane in _planes(entries))


def _bypassed(entries: Iterable[Entry], planes: Collection[Plane]) -> list[Entry]:
    found: list[Entry] = []
    for entry in entries:
        layer = layer_of(entry)
        if layer.matte is not None and any(plane in planes for plane in layer.matte.planes):
            found.append(replace(layer, enabled=False))
        elif isinstance(layer.entry, Group) and _reads(layer.entry.entries, planes):
            inner = replace(layer.entry, entries=tuple(_bypassed(layer.entry.entries, planes)))
            found.append(replace(layer, entry=inner))
        else:
            found.append(entry)
    return found

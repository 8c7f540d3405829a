"""A grade is a value: an ordered, frozen tuple of ops, with a versioned JSON form."""

from __future__ import annotations

import json
import operator
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path
from typing import Any

import engine.ops  # noqa: F401 (a grade names ops, so all of them must be registered)
from engine.core.atomic import write_text as write_text
from engine.core.json_files import load_json
from engine.core.records import dataclass
from engine.errors import GradeError, shown
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Entry as Entry
from engine.grade.entries import FileLook as FileLook
from engine.grade.entries import Group as Group
from engine.grade.entries import Layer as Layer
from engine.grade.entries import (
    active_entries,
    any_solo,
    entry_from_json,
    is_animated,
    kept_form,
    muted_entries,
)
from engine.grade.entries import bare as bare
from engine.grade.entries import is_temporal as entry_is_temporal
from engine.grade.entries import layer_of as layer_of
from engine.grade.entries import mixes as mixes
from engine.grade.entries import name_of as name_of
from engine.grade.entries import ops_of as ops_of
from engine.grade.frames import at_frame, settled
from engine.grade.masking import at_frame as at_frame_of
from engine.kernel.op import ColorOp, Op
from engine.kernel.table import table_bytes

VERSION = 4
"""Written for a grade with keys. One with a matte, a group or a filter with a mix is written as version 3, one with
another Layer or a colour setup as version 2, other grades as version 1."""
MOST_BYTES_OF_TABLES = 1 << 28


@dataclass(frozen=True)
class Grade:
    """The operations on an image, first to last. Entries are ops and FileLooks, Layers of them, and Groups of them all.

    A Layer that is equivalent to its bare entry becomes the entry. Iterating gives the ops that run: those of entries
    that are enabled and not muted by the solo of another. `colour` names the colour spaces that they work in. `frame`
    is that of ops which depend on it, such as grain; it is not saved.
    """

    entries: tuple[Entry, ...]
    colour: ColourSetup
    frame: int = 0

    def __init__(self, entries: Iterable[Entry] = (), colour: ColourSetup | None = None, frame: int = 0) -> None:
        object.__setattr__(self, "colour", colour or ColourSetup())
        object.__setattr__(self, "frame", frame)
        object.__setattr__(self, "entries", tuple(kept_form(entry) for entry in entries))

    def __iter__(self) -> Iterator[Op]:
        for entry in self.active:
            yield from self.at_its_frame(ops_of(entry))

    @cached_property
    def active(self) -> tuple[Entry, ...]:
        """The entries that run, without those that don't; within groups, too. None of them is solo."""
        return active_entries(self.entries, any_solo(self.entries))

    @cached_property
    def running(self) -> tuple[bool, ...]:
        """Whether each entry runs; a group does if one of its entries does."""
        solo = any_solo(self.entries)
        return tuple(bool(active_entries([entry], solo)) for entry in self.entries)

    @cached_property
    def effective(self) -> tuple[Op, ...]:
        """The ops that change something."""
        return tuple(op for op in self if not op.is_identity())

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the kernels; equal for grades that differ only in sliders and table values."""
        return tuple(op.structure for op in self.effective)

    @cached_property
    def is_animated(self) -> bool:
        """Whether an entry has keys, bypassed or not."""
        return any(is_animated(entry) for entry in self.entries)

    @cached_property
    def is_temporal(self) -> bool:
        """Whether an entry has an op that depends on the frame without having keys, bypassed or not."""
        return any(entry_is_temporal(entry) for entry in self.entries)

    @cached_property
    def varies(self) -> bool:
        """Whether the grade may be another one at another frame."""
        return self.is_animated or self.is_temporal

    def at_its_frame(self, ops: Iterable[Op]) -> tuple[Op, ...]:
        """Return ops for the frame of the grade."""
        return tuple(at_frame_of(op, self.frame) for op in ops) if self.is_temporal else tuple(ops)

    def at(self, frame: int) -> Grade:
        """Return the grade without keys, with the values at a frame; the grade itself if it is the same at all frames.

        Its ops have the same structure at every frame, so that their kernels are the same. Raises GradeError if the
        values at the frame contradict each other.
        """
        if not self.varies or (self.frame == frame and not self.is_animated):
            return self
        last: tuple[int, Grade] | None = self.__dict__.get("_last")
        if last is None or last[0] != frame:
            entries = (at_frame(entry, frame) for entry in self.entries)
            last = frame, replace(self, entries=tuple(entries), frame=frame if self.is_temporal else 0)
            self.__dict__["_last"] = last
        return last[1]

    @cached_property
    def settled(self) -> Grade:
        """The grade at a frame as one that never had keys: its ops that change nothing are left out as any others."""
        entries = tuple(map(settled, self.entries))
        return self if all(map(operator.is_, entries, self.entries)) else self.with_entries(entries)

    def with_entries(self, entries: Iterable[Entry]) -> Grade:
        """Return the grade with other entries in the same colour spaces."""
        return replace(self, entries=tuple(entries))

    def with_entry(self, index: int, entry: Entry) -> Grade:
        """Return the grade with another entry at `index`."""
        return self.with_entries((*self.entries[:index], entry, *self.entries[index + 1 :]))

    def without_solo(self) -> Grade:
        """Return an equivalent grade without solo entries, so that more entries can be added."""
        return self.with_entries(muted_entries(self.entries, any_solo(self.entries)))

    def to_json(self) -> dict[str, Any]:
        """Return the grade as plain data; one at a frame as if it never had keys."""
        data = {"tessera": "grade", "version": self.settled._version}
        data |= {} if self.colour.is_default else {"colour": self.colour.to_json()}
        return data | {"entries": [entry.to_json() for entry in self.settled.entries]}

    @property
    def _version(self) -> int:
        """The first version that can be read with all that the grade has."""
        layers = [layer_of(entry) for entry in self.entries]
        if self.is_animated:
            return VERSION
        if any(isinstance(layer.entry, Group) or layer.matte is not None or _mixes_filter(layer) for layer in layers):
            return 3
        return 1 if self.colour.is_default and all(layer.plain for layer in layers) else 2

    @classmethod
    def from_json(cls, data: Any) -> Grade:
        """Return the grade that `to_json` described. Raises GradeError if it is invalid or from a later version."""
        if not isinstance(data, dict) or data.get("tessera") != "grade" or not isinstance(data.get("entries"), list):
            raise GradeError("this is not a Tessera grade")
        if not isinstance(data.get("version"), int) or data["version"] > VERSION:
            raise GradeError(
                f"the grade has version {shown(data.get('version'))}, newer than {VERSION}", "update Tessera"
            )
        check_tables(data["entries"])
        colour = ColourSetup.from_json(data.get("colour", {}))
        return cls((entry_from_json(entry) for entry in data["entries"]), colour)


def _mixes_filter(layer: Layer) -> bool:
    return layer.mix != 1.0 and not all(isinstance(op, ColorOp) for op in ops_of(layer.entry))


def check_tables(data: Any, most: int = MOST_BYTES_OF_TABLES) -> None:
    """Raise GradeError if all tables in the JSON data would unpack to more than `most` bytes.

    A table that appears several times counts once, since it becomes one table.
    """
    sizes, waiting = dict[str, int](), [data]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict) and isinstance(each.get("float32"), str):
            sizes[each["float32"]] = table_bytes(each)
        elif isinstance(each, dict | list):
            waiting += each.values() if isinstance(each, dict) else each
    if sum(sizes.values()) > most:
        raise GradeError(f"its tables take more than {most >> 20} MB", "remove some")


def load_grade(path: str | Path) -> Grade:
    """Read a grade from a .json file. Raises UnreadableFile if it can't be read."""
    return load_json(path, Grade.from_json, "choose a grade that Tessera saved")


def save_grade(grade: Grade, path: str | Path) -> None:
    """Write a grade to a .json file, whole or not at all."""
    write_text(path, json.dumps(grade.to_json(), indent=1) + "\n")

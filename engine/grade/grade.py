"""A grade is a value: an ordered, frozen tuple of ops, with a versioned JSON form."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import engine.ops  # noqa: F401 (a grade names ops, so all of them must be registered)
from engine.core.atomic import write_text as write_text
from engine.core.file_watch import State
from engine.core.json_files import load_json
from engine.errors import GradeError
from engine.grade.blending import Mix
from engine.grade.colour_settings import ColourSetup
from engine.kernel.op import ColorOp, Op
from engine.kernel.table import table_bytes

VERSION = 2
"""Written for a grade with a Layer or a colour setup, which version 1 lacks; other grades are written as version 1."""

MOST_BYTES_OF_TABLES = 1 << 28


@dataclass(frozen=True)
class FileLook:
    """The ops of a LUT or CDL file, kept together under the file's name.

    The ops are saved with the grade, so that it does not change when the file is moved or edited. `stamp` is the state
    of the file before it was read; None if the ops come from a saved grade.
    """

    path: str
    ops: tuple[Op, ...]
    interpolation: str = "file"
    stamp: State = field(default=None, compare=False, repr=False)

    def to_json(self) -> dict[str, Any]:
        ops = [op.to_json() for op in self.ops]
        return {"file": self.path, "interpolation": self.interpolation, "ops": ops}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FileLook:
        ops = data.get("ops")
        if not isinstance(ops, list):
            raise GradeError(f"the look {data.get('file')!r} has no list of ops")
        return cls(str(data["file"]), tuple(Op.from_json(op) for op in ops), str(data.get("interpolation", "file")))


@dataclass(frozen=True)
class Layer:
    """An entry with its switches: bypassed (`enabled` False), blended with its input (`mix` 0..1), or `solo`.

    While any entry of a grade is solo, only the solo entries run. A filter has no mix.
    """

    entry: Op | FileLook
    enabled: bool = True
    mix: float = 1.0
    solo: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.enabled, bool) or not isinstance(self.solo, bool):
            raise GradeError("enabled and solo of an entry must be true or false")
        if isinstance(self.mix, bool) or not isinstance(self.mix, int | float) or not 0.0 <= self.mix <= 1.0:
            raise GradeError(f"the mix of an entry must be a number from 0 to 1, not {self.mix!r}")
        object.__setattr__(self, "mix", float(self.mix))
        if self.mix != 1.0 and not mixes(self.entry):
            raise GradeError("a filter can't be mixed with its input", "set its mix to 1")

    @property
    def plain(self) -> bool:
        """Whether the layer is equivalent to its bare entry."""
        return self.enabled and self.mix == 1.0 and not self.solo

    @property
    def ops(self) -> tuple[Op, ...]:
        """The ops that the entry runs if it is enabled."""
        inner = ops_of(self.entry)
        return inner if self.mix == 1.0 else (Mix(tuple(op for op in inner if isinstance(op, ColorOp)), self.mix),)

    def to_json(self) -> dict[str, Any]:
        return {"entry": self.entry.to_json(), "enabled": self.enabled, "mix": self.mix, "solo": self.solo}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> Layer:
        entry = _entry_from_json(data["entry"], layers=False)
        return cls(entry, data.get("enabled", True), data.get("mix", 1.0), data.get("solo", False))


Entry = Op | FileLook | Layer


def layer_of(entry: Entry) -> Layer:
    """Return an entry of a grade as a Layer, with its switches."""
    return entry if isinstance(entry, Layer) else Layer(entry)


def bare(entry: Entry) -> Op | FileLook:
    """Return an entry without its switches."""
    return entry.entry if isinstance(entry, Layer) else entry


def ops_of(entry: Entry) -> tuple[Op, ...]:
    """Return the ops of an entry, bypassed or not."""
    if isinstance(entry, Op):
        return (entry,)
    return entry.ops


def mixes(entry: Op | FileLook) -> bool:
    """Return whether an entry can have a mix: all its ops must be colour ops."""
    return all(isinstance(op, ColorOp) for op in ops_of(entry))


@dataclass(frozen=True)
class Grade:
    """The operations on an image, first to last. Entries are ops and FileLooks, or Layers of them.

    A Layer that is equivalent to its bare entry becomes the entry. Iterating gives the ops that run: those of entries
    that are enabled and not muted by the solo of another. `colour` names the colour spaces that they work in.
    """

    entries: tuple[Entry, ...]
    colour: ColourSetup

    def __init__(self, entries: Iterable[Entry] = (), colour: ColourSetup | None = None) -> None:
        object.__setattr__(self, "colour", colour or ColourSetup())
        object.__setattr__(self, "entries", tuple(bare(e) if layer_of(e).plain else e for e in entries))

    def __iter__(self) -> Iterator[Op]:
        for entry, runs in zip(self.entries, self.running, strict=True):
            if runs:
                yield from ops_of(entry)

    @cached_property
    def running(self) -> tuple[bool, ...]:
        """Whether each entry runs."""
        layers = [layer_of(entry) for entry in self.entries]
        solo = any(layer.solo for layer in layers)
        return tuple(layer.enabled and (layer.solo or not solo) for layer in layers)

    @cached_property
    def effective(self) -> tuple[Op, ...]:
        """The ops that change something."""
        return tuple(op for op in self if not op.is_identity())

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """Everything that determines the kernels; equal for grades that differ only in sliders and table values."""
        return tuple(op.structure for op in self.effective)

    def with_entries(self, entries: Iterable[Entry]) -> Grade:
        """Return the grade with other entries in the same colour spaces."""
        return replace(self, entries=tuple(entries))

    def with_entry(self, index: int, entry: Entry) -> Grade:
        """Return the grade with another entry at `index`."""
        return self.with_entries((*self.entries[:index], entry, *self.entries[index + 1 :]))

    def without_solo(self) -> Grade:
        """Return an equivalent grade without solo entries, so that more entries can be added."""
        layers = [layer_of(entry) for entry in self.entries]
        runs = zip(layers, self.running, strict=True)
        return self.with_entries(Layer(layer.entry, enabled, layer.mix) for layer, enabled in runs)

    def to_json(self) -> dict[str, Any]:
        plain = self.colour.is_default and not any(isinstance(entry, Layer) for entry in self.entries)
        data = {"tessera": "grade", "version": 1 if plain else VERSION}
        data |= {} if self.colour.is_default else {"colour": self.colour.to_json()}
        return data | {"entries": [entry.to_json() for entry in self.entries]}

    @classmethod
    def from_json(cls, data: Any) -> Grade:
        """Return the grade that `to_json` described. Raises GradeError if it is invalid or from a later version."""
        if not isinstance(data, dict) or data.get("tessera") != "grade" or not isinstance(data.get("entries"), list):
            raise GradeError("this is not a Tessera grade")
        if not isinstance(data.get("version"), int) or data["version"] > VERSION:
            raise GradeError(f"the grade has version {data.get('version')}, newer than {VERSION}", "update Tessera")
        check_tables(data["entries"])
        colour = ColourSetup.from_json(data.get("colour", {}))
        return cls((_entry_from_json(entry) for entry in data["entries"]), colour)


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


def _entry_from_json(data: Any, layers: bool = True) -> Any:
    if isinstance(data, dict) and "entry" in data and layers:
        return Layer.from_json(data)
    return FileLook.from_json(data) if isinstance(data, dict) and "file" in data else Op.from_json(data)


def load_grade(path: str | Path) -> Grade:
    """Read a grade from a .json file. Raises UnreadableFile if it can't be read."""
    return load_json(path, Grade.from_json, "choose a grade that Tessera saved")


def save_grade(grade: Grade, path: str | Path) -> None:
    """Write a grade to a .json file, whole or not at all."""
    write_text(path, json.dumps(grade.to_json(), indent=1) + "\n")

"""A grade is a value: an ordered, frozen tuple of ops, with a versioned JSON form."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from pathlib import Path
from typing import Any

import engine.ops  # noqa: F401 (a grade names ops, so all of them must be registered)
from engine.colour import ColourSetup
from engine.errors import GradeError, UnreadableFile, WriteFailed
from engine.op import Op

VERSION = 2
"""Written where a grade has a colour setup, which version 1 did not have; others say 1, which it reads."""


@dataclass(frozen=True)
class FileLook:
    """The ops that a LUT or CDL file came apart into, kept together under the file's name.

    The ops travel with the grade, so that it stays what it is when the file is moved or changed.
    """

    path: str
    ops: tuple[Op, ...]
    interpolation: str = "file"

    def to_json(self) -> dict[str, Any]:
        ops = [op.to_json() for op in self.ops]
        return {"file": self.path, "interpolation": self.interpolation, "ops": ops}

    @classmethod
    def from_json(cls, data: dict[str, Any]) -> FileLook:
        ops = data.get("ops")
        if not isinstance(ops, list):
            raise GradeError(f"the look {data.get('file')!r} has no list of ops")
        return cls(str(data["file"]), tuple(Op.from_json(op) for op in ops), str(data.get("interpolation", "file")))


Entry = Op | FileLook


@dataclass(frozen=True)
class Grade:
    """What is done to a picture, first to last. Entries are ops and FileLooks; iterating gives the bare ops.

    `colour` says in which spaces they work.
    """

    entries: tuple[Entry, ...]
    colour: ColourSetup

    def __init__(self, entries: Iterable[Entry] = (), colour: ColourSetup | None = None) -> None:
        object.__setattr__(self, "colour", colour or ColourSetup())
        object.__setattr__(self, "entries", tuple(entries))

    def __iter__(self) -> Iterator[Op]:
        for entry in self.entries:
            yield from entry.ops if isinstance(entry, FileLook) else (entry,)

    @cached_property
    def effective(self) -> tuple[Op, ...]:
        """The ops that change something."""
        return tuple(op for op in self if not op.is_identity())

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        """What decides the kernels; equal for two grades that differ in sliders and table values only."""
        return tuple(op.structure for op in self.effective)

    def with_entries(self, entries: Iterable[Entry]) -> Grade:
        """The grade with other entries in the same colour spaces."""
        return replace(self, entries=tuple(entries))

    def with_entry(self, index: int, entry: Entry) -> Grade:
        """The grade with another entry at `index`."""
        return self.with_entries((*self.entries[:index], entry, *self.entries[index + 1 :]))

    def to_json(self) -> dict[str, Any]:
        data = {"tessera": "grade", "version": 1 if self.colour.is_default else VERSION}
        data |= {} if self.colour.is_default else {"colour": self.colour.to_json()}
        return data | {"entries": [entry.to_json() for entry in self.entries]}

    @classmethod
    def from_json(cls, data: Any) -> Grade:
        """The grade that `to_json` described; GradeError where it is none, or of a later version."""
        if not isinstance(data, dict) or data.get("tessera") != "grade" or not isinstance(data.get("entries"), list):
            raise GradeError("this is not a Tessera grade")
        if not isinstance(data.get("version"), int) or data["version"] > VERSION:
            raise GradeError(f"the grade has version {data.get('version')}, newer than {VERSION}", "update Tessera")
        colour = ColourSetup.from_json(data.get("colour", {}))
        looks = [isinstance(entry, dict) and "file" in entry for entry in data["entries"]]
        found = zip(looks, data["entries"], strict=True)
        return cls((FileLook.from_json(e) if look else Op.from_json(e) for look, e in found), colour)


def load_grade(path: str | Path) -> Grade:
    """Read a grade from a .json file; UnreadableFile where it can't be."""
    try:
        return Grade.from_json(json.loads(Path(path).read_text(encoding="utf-8")))
    except GradeError as error:
        raise UnreadableFile(path, error.what, error.do) from error
    except OSError as error:
        raise UnreadableFile(path, error.strerror or "can't be read", "check the name") from error
    except (ValueError, RecursionError) as error:
        raise UnreadableFile(path, "is not JSON", "choose a grade that Tessera saved") from error


def save_grade(grade: Grade, path: str | Path) -> None:
    """Write a grade to a .json file, whole or not at all."""
    write_text(Path(path), json.dumps(grade.to_json(), indent=1) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write a small text file, whole or not at all; WriteFailed where it can't be."""
    temporary = path.with_name(f".{path.name}.{os.getpid()}.tmp")
    try:
        with temporary.open("w", encoding="utf-8", newline="\n") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise WriteFailed(path, error.strerror or "can't be written", "choose another folder") from error

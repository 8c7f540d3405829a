"""Presets: entries of a grade that are kept under a name, in the format of saved grades with a tag."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from app.model.entries import name_of
from engine import FileLook, Grade
from engine.core.file_watch import State
from engine.core.records import dataclass
from engine.errors import GradeError, UnreadableFile
from engine.grade.curves import Keys
from engine.grade.entries import Entry, Group, layer_of

SUFFIX = ".json"
ABOUT = "preset"
"""The key of what is said about a preset; other readers of grades ignore it."""
FAVOURITE = "preset/"
"""The beginning of the key of a preset among the favourites; those of ops are the names of their classes."""


@dataclass(frozen=True)
class Preset:
    """Entries in a file of the user's folder of presets, whose name is that of the file.

    `missing` are the LUT and CDL files of its entries that are no longer there; the entries hold what was in them.
    `stamp` is the state of the file before it was read.
    """

    path: Path
    grade: Grade
    tag: str = ""
    missing: tuple[str, ...] = ()
    stamp: State = None

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def key(self) -> str:
        """The key of the preset among the favourites."""
        return FAVOURITE + self.name

    @property
    def about(self) -> str:
        """The names of its entries, and what is missing."""
        names = ", ".join(name_of(entry) for entry in self.grade.entries) or "no entries"
        return names + (f"\nMissing: {', '.join(self.missing)}" if self.missing else "")

    @property
    def warning(self) -> str:
        """What is to be said when the preset is added; '' if nothing is missing."""
        if not self.missing:
            return ""
        names = ", ".join(Path(path).name for path in self.missing)
        verb = "is" if len(self.missing) == 1 else "are"
        return f"{names} of the preset {self.name} {verb} missing; the copy in the preset is used."


def preset_json(entry: Entry, tag: str, mattes: bool) -> dict[str, Any]:
    """Return the JSON of a preset of an entry, without solo; without `mattes`, they and their keys are left out."""
    grade = Grade([_kept(entry, mattes)])
    return {**grade.to_json(), ABOUT: {"tag": tag}}


def parsed(data: Any) -> tuple[Grade, str]:
    """Return the grade and the tag in the JSON of a preset. Raises GradeError if there is no grade."""
    grade = Grade.from_json(data)
    if not grade.entries:
        raise GradeError("it has no entries", "save the preset again")
    about = data.get(ABOUT)
    tag = about.get("tag") if isinstance(about, dict) else ""
    return grade, tag if isinstance(tag, str) else ""


def has_matte(entry: Entry) -> bool:
    """Return whether an entry has a matte, or one of the entries in it."""
    return any(layer_of(each).matte is not None for each in _all_of([entry]))


def files_of(grade: Grade) -> tuple[str, ...]:
    """Return the LUT and CDL files that entries of a grade come from, each once."""
    looks = (layer_of(each).entry for each in _all_of(grade.entries))
    return tuple(dict.fromkeys(look.path for look in looks if isinstance(look, FileLook)))


def name_problem(name: str) -> str:
    """Return why a name can't be that of a preset; '' if it can."""
    if not name.strip():
        return "A preset needs a name."
    if len(name) > 60 or name != name.strip(" .") or not all(char.isalnum() or char in "_ .()-+&,'" for char in name):
        return "Use letters, digits and spaces, at most 60, with no dot at an end."
    return ""


def damaged(error: UnreadableFile) -> str:
    """Return the line about a preset that can't be read."""
    return f"The preset {error.path.stem} can't be used and is kept: {error}"


def _kept(entry: Entry, mattes: bool) -> Entry:
    """Return an entry as a preset keeps it: without solo, and with or without mattes."""
    layer = layer_of(entry)
    inner = layer.entry
    if isinstance(inner, Group):
        inner = replace(inner, entries=tuple(_kept(each, mattes) for each in inner.entries))
    matte, keys = layer.matte, layer.keys
    if not mattes:
        matte, keys = None, Keys({path: curve for path, curve in keys.items() if not path.startswith("matte.")})
    return replace(layer, entry=inner, solo=False, matte=matte, keys=keys)


def _all_of(entries: Iterable[Entry]) -> Iterator[Entry]:
    """Yield entries, and those in groups among them."""
    for entry in entries:
        yield entry
        inner = layer_of(entry).entry
        if isinstance(inner, Group):
            yield from _all_of(inner.entries)

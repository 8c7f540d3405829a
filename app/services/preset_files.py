"""The files of presets. All functions wait for the disk."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from app.model.preset import SUFFIX, Preset, damaged, files_of, name_problem, parsed
from app.services.export_versions import names_in
from engine.core.atomic import move, write_text
from engine.core.file_errors import exists
from engine.core.file_watch import State, files_in, state_of
from engine.core.json_files import load_json
from engine.core.records import dataclass
from engine.errors import TargetExists, TesseraError, UnreadableFile, WriteFailed

DELETED = "deleted"
"""The subfolder that deleted and replaced presets are moved to."""


@dataclass(frozen=True)
class Found:
    """The presets of a folder by name, and lines about the files that can't be read, with the states of those."""

    presets: tuple[Preset, ...] = ()
    problems: tuple[tuple[Path, State, str], ...] = ()


def read_presets(folder: Path, known: Mapping[Path, Preset]) -> Found:
    """Return the presets of a folder; `known` are those that were read before."""
    try:
        paths = [path for path in files_in(folder, {SUFFIX}) if not path.name.startswith(".")]
    except OSError:
        return Found()
    presets, problems = list[Preset](), list[tuple[Path, State, str]]()
    for path in paths:
        stamp = state_of(path)
        try:
            kept = known.get(path)
            presets.append(kept if kept is not None and kept.stamp == stamp else read_preset(path, stamp))
        except UnreadableFile as error:
            problems.append((path, stamp, damaged(error)))
    return Found(tuple(presets), tuple(problems))


def read_preset(path: Path, stamp: State = None) -> Preset:
    """Return the preset in a file. Raises UnreadableFile."""
    grade, tag = load_json(path, parsed, "save the preset again")
    return Preset(path, grade, tag, tuple(each for each in files_of(grade) if not exists(each)), stamp)


def write_preset(folder: Path, name: str, data: dict[str, Any], replaces: bool) -> Path:
    """Write a preset and return its file; one that it replaces goes to the deleted ones.

    Raises TargetExists for a name that is taken, unless it `replaces` that preset.
    """
    path = _checked(folder, name)
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(folder, f"can't be made ({error.strerror or error})", "check the folder") from error
    taken = _with_name(folder, path.name)
    if taken is not None and not replaces:
        raise TargetExists(taken, do="choose another name")
    text = json.dumps(data, indent=1) + "\n"
    moved = delete_preset(taken) if taken is not None else None
    try:
        write_text(path, text, force=False)
    except TesseraError:
        if moved is not None and taken is not None:
            move(moved, taken)
        raise
    return path


def rename_preset(path: Path, name: str) -> Path:
    """Give the file of a preset another name and return it. Raises TesseraError if that is taken."""
    target = _checked(path.parent, name)
    if exists(target) and target.samefile(path):  # on disks that ignore case
        between = delete_preset(path)
        move(between, target)
        return target
    move(path, target)
    return target


def delete_preset(path: Path) -> Path:
    """Move a preset to the deleted ones; return where it is now."""
    folder = path.parent / DELETED
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WriteFailed(folder, f"can't be made ({error.strerror or error})", "delete the file yourself") from error
    target = _free(folder, path.stem)
    move(path, target)
    return target


def restore_preset(path: Path, before: Path) -> Path:
    """Move a deleted preset back to where it was, under another name if that is taken; return its file."""
    target = _free(before.parent, before.stem)
    move(path, target)
    return target


def _checked(folder: Path, name: str) -> Path:
    if problem := name_problem(name):
        raise TesseraError(f"'{name}' is not a valid name of a preset", problem[0].lower() + problem[1:].rstrip("."))
    return folder / f"{name}{SUFFIX}"


def _with_name(folder: Path, name: str) -> Path | None:
    """Return the file of a folder with a name; upper and lower case are equal."""
    found = (path for path in folder.iterdir() if path.name.casefold() == name.casefold())
    return next(found, None)


def _free(folder: Path, name: str) -> Path:
    """Return a path that nothing in a folder has."""
    taken = names_in(folder)
    names = (f"{name}{SUFFIX}", *(f"{name} {number}{SUFFIX}" for number in range(2, len(taken) + 3)))
    return folder / next(each for each in names if each.casefold() not in taken)

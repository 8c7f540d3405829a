"""The files of stills: their names, and what their headers say. All functions wait for the disk."""

from __future__ import annotations

import string
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from functools import partial
from pathlib import Path

from app.model.still import Still, still_name
from app.services.export_versions import names_in
from app.services.table_names import named
from engine.core.atomic import move
from engine.core.file_watch import state_of
from engine.core.records import dataclass
from engine.core.user_folders import data_folder
from engine.errors import TesseraError, WriteFailed

SUFFIX = ".exr"
DELETED = "deleted"
"""The subfolder that deleted stills are moved to."""
RESERVED = '<>:"/\\|?*'
"""Characters that a file name can't have on some system."""


def default_folder() -> Path:
    """Return the folder of stills if the preferences name no other."""
    return data_folder() / "stills"


def free_path(folder: Path, image: str, frame: str, taken: datetime) -> Path:
    """Return the path of a new still. Only the default folder is made if it is missing; WriteFailed if it can't be."""
    try:
        if folder == default_folder():
            folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise WriteFailed(folder, f"can't be made ({error.strerror or error})", "choose another folder") from error
    if not folder.is_dir():
        raise WriteFailed(folder, "the folder of stills does not exist", "make it, or choose another in the gallery")
    return _free(folder, still_name(image, frame, taken))


def read_stills(paths: Iterable[Path], known: Mapping[Path, Still]) -> list[Still]:
    """Return the stills among files; `known` are those that were read before. Files that can't be read are left out."""
    found = [
        known[path] if path in known and known[path].stamp == state_of(path) else read_still(path) for path in paths
    ]
    return [still for still in found if still is not None]


def read_still(path: Path) -> Still | None:
    """Return the still in a file; None if it is not one, or can't be read."""
    from engine.export.stills import still_grade, still_record  # loads the readers of images
    from engine.io.description import describe

    stamp = state_of(path)
    try:
        part = describe(path).parts[0]
        record = still_record(part)
        if record is None:
            return None
        size = part.width, part.height
        about = record.source, record.frame, record.taken, record.note
        grade = still_grade(part)
        still = Still(path, record.id, *about, grade and named(grade), *size, stamp)
        _ = still.known  # so that the interface thread need not
        return still
    except TesseraError:
        return None


def rename_still(still: Still, name: str) -> Path:
    """Give the file of a still another name, without a suffix; return its path. TesseraError if that fails."""
    if not name or name.startswith(".") or any(char in RESERVED or not char.isprintable() for char in name):
        raise TesseraError(
            f"'{name}' is not a valid name of a still", f"use no dot at its start and none of {RESERVED}"
        )
    target = still.path.with_name(f"{name}{SUFFIX}")
    move(still.path, target)
    return target


def write_still_note(still: Still, note: str) -> None:
    """Write another note into the header of a still; TesseraError if that fails."""
    from engine.export.stills import write_note

    write_note(still.path, note)


@dataclass(frozen=True)
class Moves:
    """Files that were moved: where each was and is; and what went wrong with the next one, '' if nothing did."""

    done: tuple[tuple[Path, Path], ...] = ()
    problem: str = ""


def delete_stills(paths: Iterable[Path]) -> Moves:
    """Move stills to the subfolder DELETED."""
    return _moved((path, _deleted) for path in paths)


def restore_stills(moves: Moves) -> Moves:
    """Move deleted stills back to where they were."""
    return _moved((now, partial(_restored, before)) for before, now in moves.done)


def _moved(wanted: Iterable[tuple[Path, Callable[[Path], Path]]]) -> Moves:
    """Move files to where a function says, up to the first that can't be moved."""
    done = list[tuple[Path, Path]]()
    for path, target_of in wanted:
        try:
            target = target_of(path)
            move(path, target)
        except TesseraError as error:
            return Moves(tuple(done), str(error))
        done.append((path, target))
    return Moves(tuple(done))


def _restored(before: Path, _now: Path) -> Path:
    return _free(before.parent, before.stem)


def _deleted(path: Path) -> Path:
    """Return where a deleted still goes; WriteFailed if the folder for it can't be made."""
    folder = path.parent / DELETED
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise WriteFailed(folder, f"can't be made ({error.strerror or error})", "delete the file yourself") from error
    return _free(folder, path.stem)


def _free(folder: Path, name: str) -> Path:
    """Return a path that nothing in a folder has; upper and lower case are equal."""
    taken = names_in(folder)
    names = (f"{name}{letter}{SUFFIX}" for letter in ("", *string.ascii_lowercase[1:]))
    found = next((each for each in names if each.casefold() not in taken), None)
    if found is None:
        raise WriteFailed(folder / f"{name}{SUFFIX}", "exists with every suffix", "choose another folder")
    return folder / found

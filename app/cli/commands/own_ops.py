"""Load the user's own ops, for commands that run grades."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from engine.errors import TesseraError, UnsupportedFile, escaped
from engine.grade.own_permissions import OwnPermissions, is_hash, load_permissions, own_files, own_folder

if TYPE_CHECKING:
    from engine.grade.own_ops import OwnFile


def load_own_ops(given: Sequence[str]) -> None:
    """Load the files that `--allow-op` names, then those in the user's folder that the Preferences allow.

    Raises TesseraError if a named one can't be used; a line says so of the others.
    """
    permissions = _permissions()
    if not given and not permissions.hashes:
        return
    from engine.grade.own_execution import load
    from engine.grade.own_ops import allow, loaded_files

    named = [_named(each) for each in given]
    allow(each.sha256 for each in named)
    for file in named:
        load(file)
    allow(permissions.hashes)
    loaded = {file.name for file in loaded_files()}
    found, lines = own_files()
    for file in found:
        if permissions.allows(file) and file.name not in loaded:
            try:
                load(file)
            except TesseraError as error:
                lines = (*lines, str(error))
    say(lines)


def say(lines: Iterable[str]) -> None:
    """Print lines about files that can't be used."""
    for line in lines:
        print(f"tessera: {escaped(line)}", file=sys.stderr)


def _permissions() -> OwnPermissions:
    try:
        return load_permissions()
    except TesseraError as error:
        say([str(error)])
        return OwnPermissions()


def _named(text: str) -> OwnFile:
    """Return the file that a value of `--allow-op` names. Raises TesseraError if there is none, or another content."""
    from engine.grade.own_ops import read_own_file

    sha256, _, path = text.partition(":")
    if not is_hash(sha256.lower()):
        return read_own_file(text)
    if not path:
        found = next((file for file in own_files()[0] if file.sha256 == sha256.lower()), None)
        if found is None:
            raise TesseraError(f"no file in {own_folder()} has the SHA-256 {sha256}", "give the file: HASH:FILE")
        return found
    file = read_own_file(path)
    if file.sha256 != sha256.lower():
        raise UnsupportedFile(
            path, f"has the SHA-256 {file.sha256}, not {sha256}", "allow what it is now, or restore it"
        )
    return file

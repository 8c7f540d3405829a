"""Which of their own ops a user allows: a file of hashes in the settings that only the user can read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

from engine.core.atomic import write_text
from engine.core.json_files import load_json
from engine.core.records import dataclass
from engine.core.user_folders import config_folder, data_folder
from engine.errors import GradeError, TesseraError
from engine.grade.own_ops import SUFFIX, OwnFile, read_own_file

FILE = "own-ops.json"
FOLDER = "ops"
_DIGITS = frozenset("0123456789abcdef")


@dataclass(frozen=True)
class OwnPermissions:
    """Whether ops of the user's are used at all, and the allowed hashes with the names that their files had."""

    on: bool = False
    allowed: tuple[tuple[str, str], ...] = ()

    @property
    def hashes(self) -> frozenset[str]:
        return frozenset(sha256 for sha256, _ in self.allowed) if self.on else frozenset()

    def allows(self, file: OwnFile) -> bool:
        return file.sha256 in self.hashes

    def keeps(self, file: OwnFile) -> bool:
        """Return whether this content is among the allowed ones, in use or not."""
        return any(sha256 == file.sha256 for sha256, _ in self.allowed)

    def knows(self, file: OwnFile) -> bool:
        """Return whether this content was allowed, under any name, or another content of the file."""
        return self.keeps(file) or any(name == file.name for _, name in self.allowed)

    def with_file(self, file: OwnFile) -> OwnPermissions:
        """Return the permissions with this content of a file; those of its earlier contents stay."""
        others = tuple(each for each in self.allowed if each[0] != file.sha256)
        return replace(self, allowed=(*others, (file.sha256, file.name)))

    def without(self, file: OwnFile) -> OwnPermissions:
        """Return the permissions without this content, under any name, and without any other content of the file."""
        return replace(
            self, allowed=tuple(each for each in self.allowed if file.sha256 != each[0] and file.name != each[1])
        )


def is_hash(text: str) -> bool:
    """Return whether a text is a SHA-256 in hexadecimal digits."""
    return len(text) == 64 and _DIGITS.issuperset(text)


def own_folder() -> Path:
    """Return the folder of the user's own ops."""
    return data_folder() / FOLDER


def load_permissions(folder: Path | None = None) -> OwnPermissions:
    """Return the permissions in a folder of settings, by default the user's. Raises UnreadableFile if it is damaged."""
    path = (folder or config_folder()) / FILE
    if not path.exists():
        return OwnPermissions()
    return load_json(path, _parsed, "allow your own ops again in the Preferences")


def save_permissions(permissions: OwnPermissions, folder: Path | None = None) -> None:
    """Write the permissions, readable by the user alone."""
    path = (folder or config_folder()) / FILE
    path.parent.mkdir(parents=True, exist_ok=True)
    allowed = [{"sha256": sha256, "file": name} for sha256, name in permissions.allowed]
    write_text(path, json.dumps({"on": permissions.on, "allowed": allowed}, indent=1) + "\n", private=True)


def own_files(folder: Path | None = None) -> tuple[tuple[OwnFile, ...], tuple[str, ...]]:
    """Return the Python files in the folder of the user's own ops, and a line for each that can't be read."""
    found, lines = list[OwnFile](), list[str]()
    try:
        names = sorted(each for each in (folder or own_folder()).iterdir() if each.suffix == SUFFIX)
    except OSError:  # there is no folder yet
        return (), ()
    for path in names:
        try:
            found.append(read_own_file(path))
        except TesseraError as error:
            lines.append(str(error))
    return tuple(found), tuple(lines)


def _parsed(data: Any) -> OwnPermissions:
    try:
        allowed = tuple((str(each["sha256"]), str(each["file"])) for each in data["allowed"])
        on = data["on"]
    except (KeyError, TypeError):
        raise GradeError("the permissions are damaged", "allow your own ops again in the Preferences") from None
    if not isinstance(on, bool) or not all(is_hash(sha256) for sha256, _ in allowed):
        raise GradeError("the permissions are damaged", "allow your own ops again in the Preferences")
    return OwnPermissions(on, allowed)

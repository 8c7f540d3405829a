"""Ops of the user's: the files that define them, which of these are allowed, and whose ops are registered.

A grade only names an op, its file and the hash of that; reading one executes nothing. `engine.grade.own_execution`
executes files.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.core.records import dataclass
from engine.core.small_files import check_small, read_small
from engine.errors import GradeError, UnsupportedFile
from engine.kernel.op import OWN, REGISTRY, Op, OwnSource

MOST_BYTES = 1 << 20
SUFFIX = ".py"


@dataclass(frozen=True)
class OwnFile:
    """A file of the user's, as it was read once."""

    path: str
    content: bytes

    @property
    def name(self) -> str:
        return Path(self.path).name

    @cached_property
    def sha256(self) -> str:
        return hashlib.sha256(self.content).hexdigest()

    @property
    def text(self) -> str:
        """The content as text, to be shown."""
        return self.content.decode("utf-8", "replace")


@dataclass(frozen=True)
class OwnClasses:
    """The ops that a file defines, checked and not yet registered."""

    file: OwnFile
    classes: tuple[type[Op], ...]


_allowed = set[str]()
_files = dict[str, OwnFile]()
"""Files whose ops are registered, by their names."""
_executed = dict[str, OwnFile]()
"""All files that this process has executed, by their hashes."""


def read_own_file(path: str | Path) -> OwnFile:
    """Read a file of the user's without executing it. Raises FileError if it can't be one."""
    path = Path(path)
    if path.suffix != SUFFIX:
        raise UnsupportedFile(path, "is not a Python file", f"give one that ends in {SUFFIX}")
    if check_small(path).size > MOST_BYTES:
        raise UnsupportedFile(path, f"is larger than {MOST_BYTES >> 20} MB", "choose a file that defines ops")
    return OwnFile(str(path), read_small(path))


def allow(hashes: Iterable[str]) -> None:
    """Let this process execute files with these hashes."""
    _allowed.update(hashes)


def forbid(hashes: Iterable[str]) -> None:
    """Let this process execute no more files with these hashes."""
    _allowed.difference_update(hashes)


def is_allowed(sha256: str) -> bool:
    return sha256 in _allowed


def loaded_files() -> tuple[OwnFile, ...]:
    """Return the files whose ops are registered."""
    return tuple(_files.values())


def note_executed(file: OwnFile) -> None:
    """Remember a file whose ops exist now, for other processes that need them."""
    _executed[file.sha256] = file


def file_of(source: OwnSource) -> OwnFile:
    """Return the file that defined an op, as it was executed."""
    return _executed[source.sha256]


def register(found: OwnClasses) -> None:
    """Let grades use the ops of a file, in place of those that it defined before.

    Raises UnsupportedFile if another file has an op of the same name.
    """
    for op in found.classes:
        other = REGISTRY.get(f"{OWN}{op.__name__}")
        if other is not None and other.own_source is not None and other.own_source.file != found.file.name:
            what = f"defines {op.__name__}, as {other.own_source.file} does"
            raise UnsupportedFile(found.file.path, what, "rename one of them")
    unload(found.file.name)
    _files[found.file.name] = found.file
    REGISTRY.update({op.registered_name(): op for op in found.classes})


def unload(name: str) -> None:
    """Let grades use the ops of a file no more."""
    _files.pop(name, None)
    for key in [key for key in REGISTRY if key.startswith(OWN)]:
        source = REGISTRY[key].own_source
        if source is not None and source.file == name:
            del REGISTRY[key]


def reduced(self: Op) -> tuple[Any, ...]:
    """Return how an op of the user's is pickled: by its name and the hash of its file."""
    return _made, (self.registered_name(), self.own_source, {name: getattr(self, name) for name in self.kinds()})


def _made(name: str, source: OwnSource, values: dict[str, Any]) -> Op:
    """Return an op that another process has sent. Raises GradeError unless its file is loaded here, too."""
    cls = REGISTRY.get(name)
    if cls is None or cls.own_source != source:
        raise GradeError(f"{name.removeprefix(OWN)} of {source.file} is not loaded here", "allow the file")
    return cls(**values)

"""The user's own ops: lists their files, loads the allowed ones on a thread, and has grades that use them renewed."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from PySide6.QtCore import QObject, Signal

from app.services.jobs import Jobs
from app.services.messages import Messages
from engine.errors import TesseraError, UnreadableFile
from engine.grade.own_ops import OwnClasses, allow, forbid, loaded_files, register, unload
from engine.grade.own_permissions import (
    FILE,
    OwnPermissions,
    load_permissions,
    own_files,
    own_folder,
    save_permissions,
)

if TYPE_CHECKING:
    from engine.grade.own_ops import OwnFile


LOOK, PERMISSIONS = "look", "permissions"
"""The names of the jobs that read the files, and that change the permissions."""


class ListedFile(NamedTuple):
    """A file in the user's folder. `state` says in words whether it is in use, or why not."""

    file: OwnFile
    allowed: bool
    state: str


class _Found(NamedTuple):
    """What a thread found: the files, those that were executed with their ops, and the lines about those that failed
    or can't be read."""

    permissions: OwnPermissions
    files: tuple[OwnFile, ...]
    executed: tuple[OwnClasses, ...]
    failed: dict[str, str]
    unreadable: tuple[str, ...]


class OwnOps(QObject):
    """Nothing of a file is executed before the user has allowed what it contains."""

    changed = Signal()  # the files, their states or the permissions

    def __init__(
        self, renew: Callable[[], None], folder: Path | None, jobs: Jobs, messages: Messages, parent: QObject
    ) -> None:
        """`renew` renews all grades. `folder` holds the permissions; without one they last only for this run."""
        super().__init__(parent)
        self._renew, self._folder, self._jobs, self._messages = renew, folder, jobs, messages
        self.permissions = OwnPermissions()
        self.listed: tuple[ListedFile, ...] = ()
        self.lines: tuple[str, ...] = ()
        self._said = set[str]()
        self._changes = 0  # that are not answered yet

    @property
    def folder(self) -> Path:
        """The folder of the files."""
        return own_folder()

    def begin(self) -> None:
        """Load the allowed files, if there may be any."""
        if self._folder is not None and (self._folder / FILE).exists():
            self.look()

    def look(self) -> None:
        """Read the permissions and the files again, and load the allowed ones that are not loaded."""
        if not self._changes:  # a change looks, too
            self._jobs.latest(self, LOOK, self._work(), self._take, self._messages.warn)

    def switch(self, on: bool) -> None:
        """Use the allowed files, or none."""
        self._change(lambda permissions: OwnPermissions(on, permissions.allowed))

    def allow(self, file: OwnFile) -> None:
        """Allow a file as it was read, and load it."""
        self._change(lambda permissions: permissions.with_file(file))

    def forbid(self, file: OwnFile) -> None:
        """Allow no content of a file any more."""
        self._change(lambda permissions: permissions.without(file))

    # -- inside

    def _change(self, change: Callable[[OwnPermissions], OwnPermissions]) -> None:
        """Change the permissions, and load what is allowed then.

        A look that began before may have read the earlier permissions: it is not answered.
        """
        self._changes += 1
        self._jobs.drop(self, LOOK)
        self._jobs.write(PERMISSIONS, self._work(change), self._changed, self._failed, self)

    def _work(self, change: Callable[[OwnPermissions], OwnPermissions] | None = None) -> Callable[[], _Found]:
        known = {each.sha256 for each in loaded_files()}
        return partial(_looked, self._folder, self.permissions, change, known)

    def _changed(self, found: _Found) -> None:
        self._changes -= 1
        if not self._changes:  # else the next change is answered soon, and what it allows is newer
            self._take(found)

    def _failed(self, line: str) -> None:
        """Say why the permissions are as before, and show that."""
        self._changes -= 1
        self._messages.warn(line)
        self.look()
        self.changed.emit()

    def _take(self, found: _Found) -> None:
        """Register the ops of the allowed files alone, and renew all grades."""
        failed = dict(found.failed)
        before, self.permissions = self.permissions, found.permissions
        forbid(before.hashes - found.permissions.hashes)
        allow(found.permissions.hashes)
        wanted = {each.name: each for each in found.files if found.permissions.allows(each)}
        for loaded in loaded_files():
            if not found.permissions.allows(loaded):
                unload(loaded.name)
        for executed in found.executed:
            try:
                register(executed)
            except TesseraError as error:
                failed[executed.file.name] = str(error)
        used = {each.sha256 for each in loaded_files()}
        self.listed = tuple(
            ListedFile(each, each.name in wanted, _state(each, found.permissions, failed, used)) for each in found.files
        )
        self.lines = found.unreadable
        self._renew()
        for line in failed.values():
            if line not in self._said:
                self._said.add(line)
                self._messages.warn(line)
        self.changed.emit()


def _looked(
    folder: Path | None,
    here: OwnPermissions,
    change: Callable[[OwnPermissions], OwnPermissions] | None,
    known: set[str],
) -> _Found:
    """Read and change the permissions, and execute the allowed files that are not `known`; runs on a thread."""
    from engine.grade.own_execution import execute

    permissions = _permissions(folder, here, change is not None)
    if change is not None:
        permissions = change(permissions)
        if folder is not None:
            save_permissions(permissions, folder)
    files, unreadable = own_files()
    executed, failed = list[OwnClasses](), dict[str, str]()
    for file in files:
        if permissions.allows(file) and file.sha256 not in known:
            try:
                executed.append(execute(file, permissions.hashes))
            except TesseraError as error:
                failed[file.name] = str(error)
    return _Found(permissions, files, tuple(executed), failed, unreadable)


def _permissions(folder: Path | None, here: OwnPermissions, is_changed: bool) -> OwnPermissions:
    """Return the permissions in a folder. If they are damaged, a change starts from those of this run."""
    if folder is None:
        return here
    try:
        return load_permissions(folder)
    except UnreadableFile:
        if not is_changed:
            raise
        return here


def _state(file: OwnFile, permissions: OwnPermissions, failed: dict[str, str], used: set[str]) -> str:
    if file.name in failed:
        return failed[file.name].removeprefix(f"{file.path}: ")
    if file.sha256 in used:
        return "In use"
    if permissions.allows(file):
        return "Allowed"
    if not permissions.on and permissions.keeps(file):
        return "Allowed, but your own ops are off"
    return "Changed since it was allowed" if permissions.knows(file) else "Not allowed yet"

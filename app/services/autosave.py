"""The session is written while it changes, so that a crash costs a second of work at most, and found again after it.

Each running window has a folder `recovery/PID-TIME-NUMBER-MACHINE` of its own: `session.json`, which also names the
folders whose documents it took over, and a file per text of the session's pool. It is removed when the window is closed
in order, and its session becomes `last.tessera`. A window that recovers a folder claims it first: the file `tried1`
there names the window's own folder.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from contextlib import suppress
from dataclasses import dataclass
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import psutil
from PySide6.QtCore import QObject, QSysInfo, QTimer

from app.model.session import Session, from_json, save_session, session_of, to_json
from engine.core.atomic import write_text
from engine.core.json_files import load_json
from engine.core.small_files import read_small
from engine.errors import TesseraError, WriteFailed

if TYPE_CHECKING:
    from app.shell.workspace import Workspace

SAVE_AFTER_MS = 1000
TRIES = 2
"""How often a session is opened again by itself; one that ends the program each time is left alone."""
_NUMBERS = itertools.count(1)
"""Of the windows of this process."""
SESSION, TRIED = "session.json", "tried"
RECOVERED = "recovered"
"""The key of a session that names the folders that it took over."""
LAST = "last.tessera"


class Autosave(QObject):
    """Writes the session of a workspace a second after it changed, on a thread."""

    def __init__(self, workspace: Workspace, folder: Path) -> None:
        super().__init__(workspace)
        self._workspace, self._home = workspace, folder
        self.folder = folder / "recovery" / f"{os.getpid()}-{_started(os.getpid())}-{next(_NUMBERS)}-{_machine()}"
        self._taken: list[Path] = []
        self._writing = False
        self._written = self._said = ""
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)
        for signal in (
            workspace.grade_changed,
            workspace.versions_changed,
            workspace.documents_changed,
            workspace.document_changed,
            workspace.image_changed,
            workspace.view_changed,
            workspace.canvas.view_changed,
        ):
            signal.connect(self._note)

    def take_over(self, folders: list[Path]) -> None:
        """The sessions in these folders are open here now: they go when this one has been written."""
        self._taken += folders
        self._note()

    def close(self) -> None:
        """Queue the end of an orderly run: the session becomes the last session, and nothing is to be recovered.

        If that write does not finish, the next window recovers the session.
        """
        self._timer.stop()
        work = partial(self._end, session_of(self._workspace))
        self._workspace.jobs.write(self.folder, work, lambda _: None, lambda _line: None)

    def _end(self, session: Session) -> None:
        """On a thread, after the last `_write`."""
        with suppress(OSError, TesseraError):  # the last session is a convenience
            if session.documents:
                self._home.mkdir(parents=True, exist_ok=True)
                save_session(session, self._home / LAST)
        for folder in (self.folder, *self._taken):
            _remove(folder)

    def _note(self) -> None:
        if not self._timer.isActive():
            self._timer.start()

    def _save(self) -> None:
        if self._writing:
            self._timer.start()
            return
        self._writing = True
        session, taken = session_of(self._workspace), tuple(self._taken)
        work = partial(self._write, session, taken)
        self._workspace.jobs.write(self.folder, work, self._saved, self._failed, self)

    def _write(self, session: Session, taken: tuple[Path, ...]) -> None:
        """On the thread: texts of the pool first, so that a session never names one that is not there.

        `taken` are the folders whose documents are in this very session: those alone go when it is on disk.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed(self.folder, error.strerror or "can't be made", "free the folder") from error

        def keep(name: str, text: str) -> None:
            path = self.folder / f"{name}.txt"
            if not path.exists():
                write_text(path, text)

        text = json.dumps(to_json(session, keep) | {RECOVERED: [folder.name for folder in taken]})
        digest = hashlib.sha256(text.encode()).hexdigest()
        if digest != self._written:
            write_text(self.folder / SESSION, text)
            self._written = digest
        for folder in taken:
            _remove(folder)

    def _saved(self, _: None) -> None:
        self._writing = False

    def _failed(self, line: str) -> None:
        self._writing = False
        if line != self._said:  # once, not every second
            self._said = line
            self._workspace.tell(f"The session can't be kept for recovery: {line}")


@dataclass(frozen=True)
class Crashed:
    """A session that its window did not close."""

    folder: Path
    session: Session
    tries: int


def crashed(home: Path) -> list[Crashed]:
    """The sessions that were open when their programs ended, oldest first, without those that a running window claims.

    A session that can't be read is left where it is; a folder without one is removed.
    """
    folders = [folder for folder in (home / "recovery").glob("*-*") if not _alive(folder.name)]
    for folder in folders:
        if not (folder / SESSION).exists():  # its process ended before the first session, or while it was removed
            _remove(folder)
    folders = [folder for folder in folders if (folder / SESSION).is_file()]
    taken = {name for folder in folders for name in _taken_over(folder)}
    found = []
    for folder in folders:
        if folder.name in taken or _is_claimed(folder):
            continue
        try:
            written = (folder / SESSION).stat().st_mtime
            session = _session_in(folder)
        except (OSError, TesseraError):
            continue
        tries = len(list(folder.glob(f"{TRIED}*")))
        found.append((written, Crashed(folder, session, tries)))
    return [each for _, each in sorted(found, key=lambda pair: pair[0])]


def _session_in(folder: Path) -> Session:
    def parse(data: Any) -> Session:
        return from_json(data, lambda name: read_small(folder / f"{name}.txt").decode())

    return load_json(folder / SESSION, parse, "delete it")


def claim(found: Crashed, folder: Path) -> bool:
    """Before the window of this `folder` opens a crashed session; False if another window has it.

    Should opening it end the program again, the next start knows.
    """
    try:
        with (found.folder / f"{TRIED}{found.tries + 1}").open("x", encoding="utf-8") as file:
            file.write(folder.name)
    except (FileExistsError, FileNotFoundError):  # it is claimed, or taken over and removed
        return False
    except OSError:  # a folder that can't be written is no reason to lose the session
        return True
    return True


def _is_claimed(folder: Path) -> bool:
    """Whether a running window recovers the session of this folder."""
    with suppress(OSError, ValueError, TesseraError):
        return any(_alive(read_small(path).decode()) for path in folder.glob(f"{TRIED}*"))
    return False


def _remove(folder: Path) -> None:
    """Remove a folder, its session first: a kill meanwhile leaves no half of it to be recovered."""
    with suppress(OSError):
        (folder / SESSION).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _taken_over(folder: Path) -> list[str]:
    """The names of the folders whose documents are in the session of this one."""
    try:
        return load_json(folder / SESSION, lambda data: [str(name) for name in data[RECOVERED]], "delete it")
    except (TesseraError, TypeError, KeyError):
        return []


def _started(pid: int) -> int:
    """When a process began, in milliseconds; with its number that names it for good."""
    return int(1000 * psutil.Process(pid).create_time())


@cache
def _machine() -> str:
    """What tells this machine from others that share the folder, as eight hexadecimal digits."""
    own = bytes(QSysInfo.machineUniqueId().data()) or QSysInfo.machineHostName().encode()
    return hashlib.sha256(own).hexdigest()[:8]


def _alive(name: str) -> bool:
    """Whether the process that a folder is named after is running, or may be: of another machine nobody knows here."""
    try:
        pid, started, *rest = name.split("-")
        if rest[1:] and rest[1] != _machine():
            return True
        return abs(_started(int(pid)) - int(started)) < 2000
    except (ValueError, psutil.Error):
        return False

"""Saves the session while it changes, so that a crash costs at most a second of work, and recovers it afterwards.

Each running window has its own folder `recovery/PID-TIME-NUMBER-MACHINE`. It holds `session.json`, which also names the
folders whose documents the window has taken over, and one file per text of the session's pool. When the window is
closed normally, the folder is removed and its session becomes `last.tessera`. A window that recovers a folder claims it
first: the file `tried1` there names the window's own folder.
"""

from __future__ import annotations

import hashlib
import itertools
import json
import os
import shutil
from contextlib import suppress
from functools import cache, cached_property, partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, QSysInfo, QTimer

from app.model.session import Session, from_json, save_session, to_json
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.open_documents import OpenDocuments
from engine.core.atomic import write_text
from engine.core.json_files import load_json
from engine.core.records import dataclass
from engine.core.small_files import read_small
from engine.errors import TesseraError, WriteFailed

SAVE_AFTER_MS = 1000
TRIES = 2
"""How often a session is recovered automatically; one that crashes the program each time is left alone."""
_NUMBERS = itertools.count(1)
"""The numbers of the windows of this process."""
SESSION, TRIED = "session.json", "tried"
RECOVERED = "recovered"
"""The key in a session's JSON that names the folders it has taken over."""
LAST = "last.tessera"


class Autosave(QObject):
    """Writes the session on a thread, a second after a change."""

    def __init__(self, documents: OpenDocuments, jobs: Jobs, messages: Messages, folder: Path, parent: QObject) -> None:
        super().__init__(parent)
        self._documents, self._jobs, self._messages, self._home = documents, jobs, messages, folder
        self._number = next(_NUMBERS)
        self._taken: list[Path] = []
        self._writing = False
        self._written = self._failure = ""
        self._timer = QTimer(self, singleShot=True, interval=SAVE_AFTER_MS)
        self._timer.timeout.connect(self._save)
        for signal in (
            documents.current.grade_changed,
            documents.current.versions_changed,
            documents.documents_changed,
            documents.stills.changed,
            documents.current.changed,
            documents.current.image_changed,
            documents.view.changed,
            documents.current.viewport_changed,
        ):
            signal.connect(self._note)

    @cached_property
    def folder(self) -> Path:
        """The folder of this window, not made yet."""
        pid = os.getpid()
        return self._home / "recovery" / f"{pid}-{_started(pid)}-{self._number}-{_machine()}"

    def recover(self, found: list[Crashed]) -> None:
        """Open the sessions of processes that ended without closing."""
        for each in found:
            if each.tries >= TRIES:
                line = f"The session in {each.folder} ended Tessera {each.tries} times; it is kept there."
                self._messages.warn(line)
            elif claim(each, self.folder):
                self._documents.open_session(each.session)
                self.take_over([each.folder])
                count = len(each.session.documents)
                line = f"Tessera ended unexpectedly; its session is restored ({count} image{'s' * (count != 1)})."
                self._messages.warn(line)

    def take_over(self, folders: list[Path]) -> None:
        """Note that the sessions in these folders are open here; remove the folders once this session is written."""
        self._taken += folders
        self._note()

    def close(self) -> None:
        """Queue the end of a normal run: the session becomes the last session, and nothing is left to recover.

        If that write does not finish, the next window recovers the session.
        """
        self._timer.stop()
        work = partial(self._end, self._documents.session())
        self._jobs.write(self.folder, work, lambda _: None, lambda _line: None)

    def _end(self, session: Session) -> None:
        """Save the last session and remove the folders, on a thread, after the last `_write`."""
        with suppress(OSError, TesseraError):  # losing the last session does no harm
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
        session, taken = self._documents.session(), tuple(self._taken)
        work = partial(self._write, session, taken)
        self._jobs.write(self.folder, work, self._saved, self._failed, self)

    def _write(self, session: Session, taken: tuple[Path, ...]) -> None:
        """Write the session, on a thread: first the texts of the pool, so that a session never names a missing text.

        `taken` are the folders whose documents are in this session: only those are removed once it is on disk.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            raise WriteFailed(self.folder, error.strerror or "can't be created", "free the folder") from error

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
        if line != self._failure:  # once, not every second
            self._failure = line
            self._messages.warn(f"The session can't be kept for recovery: {line}")


@dataclass(frozen=True)
class Crashed:
    """A session whose window was not closed normally."""

    folder: Path
    session: Session
    tries: int


def crashed(home: Path) -> list[Crashed]:
    """Return the sessions left by crashed programs, oldest first, except those that a running window has claimed.

    A session that can't be read is left in place; a folder without a session is removed.
    """
    folders = [folder for folder in (home / "recovery").glob("*-*") if not _alive(folder.name)]
    for folder in folders:
        if not (folder / SESSION).exists():  # the process ended before it wrote a session, or while removing the folder
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
    """Claim a crashed session for the window of `folder` before opening it; return False if another window has it.

    The claim also counts the attempts, so that the next start knows if opening the session crashes the program again.
    """
    try:
        with (found.folder / f"{TRIED}{found.tries + 1}").open("x", encoding="utf-8") as file:
            file.write(folder.name)
    except (FileExistsError, FileNotFoundError):  # claimed by another window, or taken over and removed
        return False
    except OSError:  # recover the session even if its folder can't be written
        return True
    return True


def _is_claimed(folder: Path) -> bool:
    """Return whether a running window has claimed the session of this folder."""
    with suppress(OSError, ValueError, TesseraError):
        return any(_alive(read_small(path).decode()) for path in folder.glob(f"{TRIED}*"))
    return False


def _remove(folder: Path) -> None:
    """Remove a folder, its session first: if the process is killed meanwhile, no partial session is recovered."""
    with suppress(OSError):
        (folder / SESSION).unlink()
    shutil.rmtree(folder, ignore_errors=True)


def _taken_over(folder: Path) -> list[str]:
    """Return the names of the folders whose documents are in the session of this folder."""
    try:
        return load_json(folder / SESSION, lambda data: [str(name) for name in data[RECOVERED]], "delete it")
    except (TesseraError, TypeError, KeyError):
        return []


def _started(pid: int) -> int:
    """Return when a process started, in milliseconds; together with its PID this identifies it uniquely."""
    import psutil  # not before the first image is shown

    return int(1000 * psutil.Process(pid).create_time())


@cache
def _machine() -> str:
    """Return eight hexadecimal digits that distinguish this machine from others that share the folder."""
    own = bytes(QSysInfo.machineUniqueId().data()) or QSysInfo.machineHostName().encode()
    return hashlib.sha256(own).hexdigest()[:8]


def _alive(name: str) -> bool:
    """Return whether the process that a folder is named after runs; assume so for processes of other machines."""
    import psutil

    try:
        pid, started, *rest = name.split("-")
        if rest[1:] and rest[1] != _machine():
            return True
        return abs(_started(int(pid)) - int(started)) < 2000
    except (ValueError, psutil.Error):
        return False

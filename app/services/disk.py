"""Watches open files for changes, twice a second, on a thread of its own: a slow disk does not block the window."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.internal_errors import internal_error
from engine.core.file_watch import QUIET_SECONDS, FileWatch, FolderWatch, State

LOOK_SECONDS = 0.5
SHARE = 0.1
"""The largest fraction of the time that is spent looking at files, on slow disks."""
STOP_SECONDS = 0.5


class Rest:
    """How long to rest between looks, so that a slow disk is looked at for no more than SHARE of the time."""

    def __init__(self) -> None:
        self._last = 0.0

    def after(self, seconds: float, settled: bool) -> float:
        """Return the rest after a look that took so long; `settled` is whether no file was being written.

        The shorter of the last two looks counts: a machine that is busy or asleep stops one, a slow disk both.
        """
        shorter, self._last = min(seconds, self._last), seconds
        return max(LOOK_SECONDS if settled else QUIET_SECONDS, shorter / SHARE)


class Disk(QObject):
    """Watches groups of files and folders, each under a name; `watch` returns immediately."""

    changed = Signal(str, object)  # the name of a group or folder, and its files that changed and are complete
    listed = Signal(str, object)  # the name of a folder, and its files: at first, and when the list changes
    failed = Signal(str)  # an internal error, as one line

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._wake = threading.Condition()
        self._files: dict[str, dict[Path, State]] = {}
        self._folders: dict[str, FolderWatch] = {}
        self._asked: set[str] = set()
        self._failures: dict[str, str] = {}  # reported internal errors, by the name of the group
        self._thread: threading.Thread | None = None
        self._stopping = self._looking = False

    @property
    def known(self) -> bool:
        """Whether everything that is watched has been looked at."""
        with self._wake:
            return not self._asked and not self._looking

    def watch(self, name: str, files: Mapping[Path, State]) -> None:
        """Watch these files under `name`, in place of the previous ones.

        Each file comes with its state from before it was read, so that a later change is reported; None if unread.
        """
        wanted = dict(files)
        if wanted != self._files.get(name, {}):
            with self._wake:
                self._files[name] = wanted
                self._ask(name)

    def watch_folder(self, name: str, folder: Path, suffixes: Collection[str]) -> None:
        """Watch the files of a folder that have one of these suffixes, under `name`."""
        with self._wake:
            self._folders[name] = FolderWatch(folder, suffixes)
            self._ask(name)

    def stop(self) -> None:
        """Stop watching, without waiting for a disk that does not respond."""
        with self._wake:
            self._stopping = True
            self._wake.notify()
        if self._thread is not None:
            self._thread.join(STOP_SECONDS)

    def _ask(self, name: str) -> None:
        """Request an early look at a group."""
        self._asked.add(name)
        self._wake.notify()
        if self._thread is None:
            self._thread = threading.Thread(target=self._run, name="tessera-disk", daemon=True)
            self._thread.start()

    # -- on the thread

    def _run(self) -> None:
        watches: dict[str, FileWatch] = {}
        shown: dict[str, tuple[FolderWatch, list[Path]]] = {}
        due, rest = 0.0, Rest()
        while (names := self._wait(due)) is not None:
            begun = time.monotonic()
            in_turn = begun >= due
            with self._wake:
                files = {name: wanted for name, wanted in self._files.items() if name in names}
                folders = {name: folder for name, folder in self._folders.items() if name in names}
            for name, wanted in files.items():
                self._guarded(name, partial(self._look_at, name, wanted, watches.setdefault(name, FileWatch())))
            for name, folder in folders.items():
                self._guarded(name, partial(self._look_into, name, folder, shown))
            if in_turn:
                settled = all(w.settled for w in watches.values()) and all(f.settled for f, _ in shown.values())
                now = time.monotonic()
                due = now + rest.after(now - begun, settled)

    def _wait(self, due: float) -> set[str] | None:
        """Wait until `due` or a request; return the names to look at, or None when the thread should end."""
        with self._wake:
            self._looking = False
            self._wake.wait_for(lambda: self._stopping or self._asked, max(due - time.monotonic(), 0.0))
            asked, self._asked, self._looking = self._asked, set(), True
            if self._stopping:
                return None
            return asked if time.monotonic() < due else {*self._files, *self._folders}

    def _guarded(self, name: str, look: Callable[[], None]) -> None:
        """Look once. Any error is reported once; the thread and the looks at other groups continue."""
        try:
            look()
        except Exception as error:  # noqa: BLE001 (the thread must continue after any error)
            if self._failures.get(name) != repr(error) and not self._stopping:
                self._failures[name] = repr(error)
                self.failed.emit(internal_error(f"looking for changes of {name}", error))

    def _look_at(self, name: str, files: Mapping[Path, State], watch: FileWatch) -> None:
        self._tell(self.changed, name, watch.look(files, seen=files))

    def _look_into(self, name: str, folder: FolderWatch, shown: dict[str, tuple[FolderWatch, list[Path]]]) -> None:
        found = folder.look()
        if found is None and name not in shown:
            found = [], []
        if found is not None and self._folders.get(name) is folder:  # not replaced meanwhile
            there, changed = found
            if shown.get(name) != (folder, there):
                shown[name] = folder, there
                self._tell(self.listed, name, there, always=True)
            self._tell(self.changed, name, changed)

    def _tell(self, signal: Any, name: str, paths: list[Path], always: bool = False) -> None:
        if (paths or always) and not self._stopping:
            signal.emit(name, paths)

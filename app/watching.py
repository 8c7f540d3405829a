"""Pictures that change on disk are read again, quietly, once they are complete."""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from PySide6.QtCore import QFileSystemWatcher, QObject, QTimer

if TYPE_CHECKING:
    from app.workspace import Workspace

QUIET_MS = 400
"""A file that has kept its size and time for so long is complete."""
Mark = tuple[int, int] | None
"""Time in ns and size of a file; None where there is none."""


class Watching(QObject):
    """Watches the files of the open pictures and their folders; a renderer may write in place or rename."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__(workspace)
        self._workspace = workspace
        self._watcher = QFileSystemWatcher(self)
        self._known: dict[Path, Mark] = {}  # as they were read
        self._seen: dict[Path, Mark] = {}  # as they were at the last look
        self._timer = QTimer(self, singleShot=True, interval=QUIET_MS)
        self._timer.timeout.connect(self._look)
        self._watcher.fileChanged.connect(self._timer.start)
        self._watcher.directoryChanged.connect(self._timer.start)
        workspace.files.opened.connect(self._note)
        workspace.documents_changed.connect(self._tidy)

    def _pictures(self) -> set[Path]:
        return {each.picture_path for each in self._workspace.documents if each.picture_path is not None}

    def _note(self, path: Path) -> None:
        """A picture was read: what is on disk now is what is shown."""
        if path in self._pictures():
            self._workspace.jobs.run(partial(mark_of, path), partial(self._keep, path), lambda _line: None)

    def _keep(self, path: Path, mark: Mark) -> None:
        self._known[path] = self._seen[path] = mark
        self._watcher.addPaths([str(path), str(path.parent)])

    def _tidy(self) -> None:
        """What is closed is watched no longer."""
        open_ones = self._pictures()
        for path in [each for each in self._known if each not in open_ones]:
            del self._known[path], self._seen[path]
        wanted = {str(path) for path in self._known} | {str(path.parent) for path in self._known}
        unwanted = [each for each in (*self._watcher.files(), *self._watcher.directories()) if each not in wanted]
        if unwanted:
            self._watcher.removePaths(unwanted)

    def _look(self) -> None:
        paths = list(self._known)
        work = lambda: [mark_of(path) for path in paths]  # noqa: E731 (a call for the thread)
        self._workspace.jobs.run(
            work, lambda marks: self._compare(dict(zip(paths, marks, strict=True))), lambda _line: None
        )

    def _compare(self, marks: dict[Path, Mark]) -> None:
        for path, mark in marks.items():
            if path not in self._known or mark == self._known[path] or mark is None:
                continue
            if mark != self._seen[path]:  # still being written, perhaps
                self._seen[path] = mark
                self._timer.start()
            else:
                self._known[path] = mark
                self._read(path)

    def _read(self, path: Path) -> None:
        for document in self._workspace.documents:
            if document.picture_path == path and document.picture is not None:
                self._workspace.files.read_into(document, path, document.part, document.layer)
        self._workspace.note(f"{path.name} changed on disk and was read again")


def mark_of(path: Path) -> Mark:
    """What tells one state of a file from another."""
    try:
        stat = path.stat()
    except OSError:
        return None
    return stat.st_mtime_ns, stat.st_size

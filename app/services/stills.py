"""The stills of the folder, and which of them belong to the session."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path
from typing import TypeVar

from PySide6.QtCore import QObject, Signal, SignalInstance

from app.model.still import Still
from app.services.disk import Disk
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.session_stills import SessionStills
from app.services.settings import Settings
from app.services.still_files import (
    SUFFIX,
    Moves,
    default_folder,
    delete_stills,
    read_still,
    read_stills,
    rename_still,
    restore_stills,
    write_still_note,
)

T = TypeVar("T")
FOLDER = "stills.folder"
"""The setting of the folder; '' is the default one."""
STILLS = "stills"
"""The name of the folder watch, and of the job that reads what it found."""


class Stills(QObject):
    """Lists the stills of the folder, newest first, and follows what other windows and programs do there.

    The folder is read from the first call of `watch` on. All work on files runs on threads.
    """

    changed = Signal()  # other stills, other data of them, or other ones belong to the session

    def __init__(
        self,
        of_session: SessionStills,
        settings: Settings,
        disk: Disk,
        jobs: Jobs,
        messages: Messages,
        parent: QObject,
    ) -> None:
        super().__init__(parent)
        self._of_session, self._settings, self._disk = of_session, settings, disk
        self._jobs, self._messages = jobs, messages
        self._found: dict[Path, Still] = {}
        self._sorted: tuple[dict[Path, Still], tuple[Still, ...]] = self._found, ()
        self._paths: list[Path] = []  # the files that the folder has
        self._new: set[Path] = set()  # files that were written here, and that the watch has not listed yet
        self._watched: Path | None = None
        self.known = False
        """Whether the folder has been read."""
        disk.listed.connect(self._list)
        disk.changed.connect(self._follow)
        settings.changed.connect(self._prefer)
        of_session.changed.connect(self.changed)
        self.changed.connect(of_session.selected_changed)

    @property
    def folder(self) -> Path:
        """The folder of stills."""
        chosen = self._settings.get(FOLDER, "")
        return Path(chosen) if chosen else default_folder()

    @property
    def items(self) -> tuple[Still, ...]:
        """All stills of the folder, the newest first."""
        if self._sorted[0] is not self._found:
            self._sorted = self._found, tuple(sorted(self._found.values(), key=_age, reverse=True))
        return self._sorted[1]

    @property
    def of_session(self) -> tuple[Still, ...]:
        """Those that belong to the session."""
        ids = set(self._of_session.ids)
        return tuple(still for still in self.items if still.id in ids)

    def find(self, id: str) -> Still | None:
        """Return the still with an ID; None if the folder has none."""
        return next((still for still in self._found.values() if still.id == id), None)

    @property
    def current(self) -> Still | None:
        """The still that commands apply to: the one that was selected last."""
        return self.find(self.selected[0]) if self.selected else None

    @property
    def selected(self) -> tuple[str, ...]:
        """The IDs of the selected stills, the current one first."""
        return self._of_session.selected

    @property
    def selection_changed(self) -> SignalInstance:
        """The signal that other stills are selected, or their data have changed."""
        return self._of_session.selected_changed

    def select(self, ids: Iterable[str]) -> None:
        """Select stills by their IDs, the current one first."""
        self._of_session.select(ids)

    def watch(self) -> None:
        """Read the folder, and follow it from now on."""
        if self._watched != self.folder:
            self._watched, self.known = self.folder, False
            self._disk.watch_folder(STILLS, self.folder, {SUFFIX})

    def choose_folder(self, folder: Path | None) -> None:
        """Keep stills in another folder; None is the default one."""
        self._settings.set(FOLDER, "" if folder is None or folder == default_folder() else str(folder))

    def add(self, path: Path) -> None:
        """Add a still that was just written, which then belongs to the session."""
        self.watch()
        self._jobs.run(partial(read_still, path), self._add, self._messages.warn, self)

    def join(self, stills: Iterable[Still]) -> None:
        """Let stills belong to the session."""
        self._of_session.add(still.id for still in stills)

    def leave(self, stills: Iterable[Still]) -> None:
        """Let stills belong to the session no more; their files stay."""
        self._of_session.remove(still.id for still in stills)

    def rename(self, still: Still, name: str) -> None:
        """Give the file of a still another name, without a suffix."""
        if name != still.name:
            work = partial(rename_still, still, name)
            self._write(still.path, work, partial(self._renamed, still))

    def set_note(self, still: Still, note: str) -> None:
        """Replace the note in the header of a still."""
        if note != still.note:
            work = partial(write_still_note, still, note)
            self._write(still.path, work, lambda _: self._read_again())

    def delete(self, stills: Sequence[Still]) -> None:
        """Move stills to the folder of deleted ones, and offer to undo that."""
        paths = [still.path for still in stills]
        self._write(self.folder, partial(delete_stills, paths), self._deleted)

    # -- inside

    def _write(self, target: Path, work: Callable[[], T], done: Callable[[T], None]) -> None:
        """Change files on a thread."""
        self._jobs.write(target, work, done, self._refuse, self, f"Writing {target.name}…")

    def _list(self, name: str, paths: list[Path]) -> None:
        if name == STILLS:
            self._paths = paths
            self._new -= set(paths)
            self._read_again()

    def _follow(self, name: str, paths: list[Path]) -> None:
        if name == STILLS and paths:
            self._read_again()

    def _read_again(self) -> None:
        """Read the files that are new or have changed."""
        paths = (*self._paths, *(path for path in self._new if path not in self._paths))
        work = partial(read_stills, paths, dict(self._found))
        self._jobs.latest(self, STILLS, work, self._take, self._messages.warn)

    def _take(self, stills: list[Still]) -> None:
        found = {still.path: still for still in stills}
        if found != self._found or not self.known:
            self._found, self.known = found, True
            self.changed.emit()

    def _add(self, still: Still | None) -> None:
        if still is None:
            return
        self._new.add(still.path)
        self._found = {**self._found, still.path: still}
        self.join([still])
        self.changed.emit()

    def _renamed(self, still: Still, path: Path) -> None:
        self._paths = [each for each in self._paths if each != still.path]
        self._new.add(path)
        self._read_again()

    def _deleted(self, moves: Moves) -> None:
        self._forget([before for before, _ in moves.done])
        count = len(moves.done)
        if moves.problem:
            self._messages.warn(moves.problem)
        if count:
            line = f"Deleted {moves.done[0][0].stem}." if count == 1 else f"Deleted {count} stills."
            self._messages.offer(line, "Undo", partial(self._restore, moves))

    def _restore(self, moves: Moves) -> None:
        self._write(self.folder, partial(restore_stills, moves), self._restored)

    def _restored(self, moves: Moves) -> None:
        self._new |= {now for _, now in moves.done}
        self._read_again()
        if moves.problem:
            self._messages.warn(moves.problem)

    def _forget(self, paths: Iterable[Path]) -> None:
        gone = set(paths)
        self._paths = [path for path in self._paths if path not in gone]
        self._new -= gone
        self._found = {path: still for path, still in self._found.items() if path not in gone}
        self.changed.emit()

    def _refuse(self, line: str) -> None:
        self._messages.warn(line)
        self.changed.emit()  # so that fields show what still holds

    def _prefer(self, setting: str) -> None:
        if setting == FOLDER and self._watched is not None:
            self._found, self._paths, self._new = {}, [], set()
            self.watch()
            self.changed.emit()


def _age(still: Still) -> tuple[str, str]:
    """Return what stills are sorted by, from the oldest to the newest."""
    return still.taken, still.path.name

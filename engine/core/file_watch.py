"""Files that change while we look, each taken when it is written to its end.

Files are looked at again and again: that works on network folders too, however the writer writes, in place or by a new
file under the old name.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

QUIET_SECONDS = 0.4
"""A file that was seen to keep its size and time for so long is complete."""
State = tuple[int, int] | None
"""Size and time of change of a file; None where there is none."""


class FileWatch:
    """Tells which files changed since they were read, or were last told of, each when it is complete.

    A file that goes away is not told; one that comes back as it was has not changed. A look takes as long as the disk;
    not for two threads at once.
    """

    def __init__(self) -> None:
        self._reported: dict[Path, State] = {}
        self._since: dict[Path, tuple[State, float]] = {}  # what is not told yet, and when it was first seen

    @property
    def settled(self) -> bool:
        """Whether nothing was in the making at the last look."""
        return not self._since

    def look(
        self,
        files: Iterable[Path],
        appeared: Collection[Path] = (),
        now: float | None = None,
        seen: Mapping[Path, State] | None = None,
    ) -> list[Path]:
        """Those of the files that changed, in order; those in `appeared` are new. `now` is a time in seconds.

        `seen` are the states that files had when they were read; one without counts as read at the first look at it.
        """
        now, seen = time.monotonic() if now is None else now, seen or {}
        looked = {path: state_of(path) for path in files}
        first = {path: None if path in appeared else seen.get(path) or state for path, state in looked.items()}
        self._reported = {path: self._reported.get(path, first[path]) for path in looked}
        making = {path: state for path, state in looked.items() if state is not None and state != self._reported[path]}
        since = {path: self._since.get(path, (None, now)) for path in making}
        self._since = {path: since[path] if since[path][0] == state else (state, now) for path, state in making.items()}
        changed = [path for path, (_, first) in self._since.items() if now - first >= QUIET_SECONDS]
        for path in changed:
            self._reported[path] = self._since.pop(path)[0]
        return changed


class FolderWatch:
    """The same for the files of a folder that end in some suffixes: those that are there, and those that changed."""

    def __init__(self, folder: Path, suffixes: Collection[str]) -> None:
        self.folder, self._suffixes = folder, suffixes
        self._files = FileWatch()
        self._there: set[Path] | None = None
        self._complete: set[Path] = set()

    @property
    def settled(self) -> bool:
        return self._files.settled

    def look(self, now: float | None = None) -> tuple[list[Path], list[Path]] | None:
        """The files that are there and complete, sorted by name, and those of them that changed; None where the folder
        can't be read now."""
        try:
            there = files_in(self.folder, self._suffixes)
        except (OSError, ValueError):  # the latter for a name that no folder can have
            return None
        new = [] if self._there is None else [path for path in there if path not in self._there]
        if self._there is None:
            self._complete = set(there)
        self._there = set(there)
        changed = self._files.look(there, set(new), now)
        self._complete = (self._complete & self._there) | set(changed)
        return [path for path in there if path in self._complete], changed


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """The files of a folder with one of these suffixes, in any case of letters, sorted so; OSError where it can't be
    read."""
    found = (path for path in folder.iterdir() if path.suffix.lower() in suffixes)
    return sorted(found, key=lambda path: str(path).lower())


def state_of(path: Path) -> State:
    """What tells one state of a file from another."""
    try:
        about = path.stat()
    except (OSError, ValueError):
        return None
    return about.st_size, about.st_mtime_ns

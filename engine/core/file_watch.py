"""Watching files for changes; a changed file is reported when it is completely written.

Files are polled. This works on network folders too, whether the writer writes in place or replaces the file.
"""

from __future__ import annotations

import time
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path

QUIET_SECONDS = 0.4
"""A file whose size and time stay the same for this long is complete."""
State = tuple[int, int] | None
"""Size in bytes and time of change in nanoseconds of a file; None if there is none."""


class FileWatch:
    """Reports which files changed since they were read or last reported, each when it is complete.

    A file that is removed is not reported; one that comes back unchanged has not changed. `look` waits for the disk.
    Not thread-safe.
    """

    def __init__(self) -> None:
        self._reported: dict[Path, State] = {}
        self._since: dict[Path, tuple[State, float]] = {}  # changes not reported yet, and when each was first seen

    @property
    def settled(self) -> bool:
        """Whether no file was being written at the last look."""
        return not self._since

    def look(
        self,
        files: Iterable[Path],
        appeared: Collection[Path] = (),
        now: float | None = None,
        seen: Mapping[Path, State] | None = None,
    ) -> list[Path]:
        """Return the files that changed, in order; those in `appeared` are new. `now` is a time in seconds.

        `seen` are the states of files when they were read; a file without one counts as read when first looked at.
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
    """Reports the files of a folder with certain suffixes: those that exist, and those that changed."""

    def __init__(self, folder: Path, suffixes: Collection[str]) -> None:
        self.folder, self._suffixes = folder, suffixes
        self._files = FileWatch()
        self._there: set[Path] | None = None
        self._complete: set[Path] = set()

    @property
    def settled(self) -> bool:
        return self._files.settled

    def look(self, now: float | None = None) -> tuple[list[Path], list[Path]] | None:
        """Return the complete files, sorted by name, and those of them that changed; None if the folder can't be read
        now."""
        try:
            there = files_in(self.folder, self._suffixes)
        except (OSError, ValueError):  # ValueError for an invalid name
            return None
        new = [] if self._there is None else [path for path in there if path not in self._there]
        if self._there is None:
            self._complete = set(there)
        self._there = set(there)
        changed = self._files.look(there, set(new), now)
        self._complete = (self._complete & self._there) | set(changed)
        return [path for path in there if path in self._complete], changed


def files_in(folder: Path, suffixes: Collection[str]) -> list[Path]:
    """Return the files of a folder with one of these suffixes, sorted; upper and lower case are equal.

    Raises OSError if the folder can't be read.
    """
    found = (path for path in folder.iterdir() if path.suffix.lower() in suffixes)
    return sorted(found, key=lambda path: str(path).lower())


def state_of(path: Path) -> State:
    """Return the size and time of change of a file; None if it can't be found."""
    try:
        about = path.stat()
    except (OSError, ValueError):
        return None
    return about.st_size, about.st_mtime_ns

"""Open movies: their descriptions, the number of their frames, and the planes of frames."""

from __future__ import annotations

import atexit
import shutil
import threading
from contextlib import suppress
from multiprocessing.shared_memory import SharedMemory
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.core.bounded_cache import BoundedCache
from engine.core.file_watch import State, state_of
from engine.core.records import dataclass
from engine.errors import MemoryLimitError, TesseraError, UnreadableFile
from engine.io.problems import check_readable
from engine.movies.decode_process import DecodeProcess
from engine.movies.info import MovieInfo
from engine.movies.movie_files import MOST_FRAMES

SLOTS, LEAST_SLOTS = 12, 3
"""How many decoded frames a movie keeps in shared memory, if they fit."""
MOST_SLOT_BYTES = 1 << 28
"""The bytes of shared memory that a movie may take; LEAST_SLOTS frames may take more."""
SHARED_FOLDER = Path("/dev/shm")
SHARED_SHARE = 2
"""1 / SHARED_SHARE of what is free there may be taken."""
IDLE_SECONDS = 60.0
"""The process of a movie ends after this time without requests; the next one starts another."""
MOST_OPEN = 4
"""The most movies whose processes are kept."""


@dataclass(frozen=True)
class MovieFrame:
    """The planes of a frame, in the format of its movie; `damaged` if the decoder filled in what is missing."""

    planes: tuple[NDArray[Any], ...]
    damaged: bool


class Movie:
    """An open movie. Thread-safe. Its process is replaced when it crashes or hangs; that costs one frame."""

    def __init__(self, path: Path) -> None:
        self.path, self.stamp = path, state_of(path)
        self._lock = threading.RLock()
        self._process: DecodeProcess | None = None
        self._memory: SharedMemory | None = None
        self._timer: threading.Timer | None = None
        self._frames: tuple[int, str] | None = None
        self.info = self._described(self._live().opened)

    @property
    def frames(self) -> int:
        """The number of frames. It is known when the table of frames is complete, which may take a while."""
        return self._counted()[0]

    @property
    def note(self) -> str:
        """Why frames at the end are left out, or ''."""
        return self._counted()[1]

    def planes(self, frame: int) -> MovieFrame:
        """Return the planes of a frame, counted from 0. Raises FileError if it can't be decoded."""
        with self._lock:
            process, memory = self._live(), self._shared()
            answer = process.ask(f"frame {frame}", do="frame", frame=frame)
            slot = answer.get("slot")
            size = self.info.format.nbytes
            if not isinstance(slot, int) or not 0 <= slot < memory.size // size:
                raise UnreadableFile(self.path, f"frame {frame} can't be decoded", "write or copy the file again")
            planes, at, form = list[NDArray[Any]](), slot * size, self.info.format
            for rows, columns, samples in form.shapes:
                planes.append(np.ndarray((rows, columns * samples), form.dtype, memory.buf, at).copy())
                at += planes[-1].nbytes
            self._rest_later()
            return MovieFrame(tuple(planes), bool(answer.get("damaged")))

    def abandon(self) -> None:
        """Kill the process, so that no thread waits for it any longer."""
        process = self._process
        if process is not None:
            process.kill()

    def close(self) -> None:
        """End the process and free the shared memory; the next request starts another."""
        with self._lock:
            if self._timer is not None:
                self._timer.cancel()
            process, self._process = self._process, None
            memory, self._memory = self._memory, None
            if process is not None:
                process.end()
            if memory is not None:
                memory.close()
                with suppress(FileNotFoundError):
                    memory.unlink()

    def _counted(self) -> tuple[int, str]:
        with self._lock:
            if self._frames is None:
                answer = self._live().ask(do="count")
                count = answer.get("count")
                if not isinstance(count, int) or not 0 <= count <= MOST_FRAMES:
                    raise UnreadableFile(self.path, "has no frames that can be counted", "write it again")
                self._frames = count, str(answer.get("note", ""))
                self._rest_later()
            return self._frames

    def _live(self) -> DecodeProcess:
        """Return the process; another one if it has ended."""
        if self._process is not None and self._process.ended:
            self.close()
        if self._process is None:
            if state_of(self.path) != self.stamp:
                raise UnreadableFile(self.path, "has changed since it was opened", "open it again")
            self._process = DecodeProcess(self.path)
        return self._process

    def _described(self, answer: dict[str, Any]) -> MovieInfo:
        try:
            return MovieInfo.from_json(answer["info"])
        except (ValueError, KeyError, TypeError) as problem:
            self.close()
            raise UnreadableFile(self.path, f"is not a movie that can be read ({problem})", "") from None

    def _shared(self) -> SharedMemory:
        """Return the shared memory of the process, made on first use."""
        if self._memory is None:
            size = self.info.format.nbytes
            slots = max(LEAST_SLOTS, min(SLOTS, MOST_SLOT_BYTES // size))
            free = shutil.disk_usage(SHARED_FOLDER).free if SHARED_FOLDER.is_dir() else slots * size * SHARED_SHARE
            slots = min(slots, free // SHARED_SHARE // size)
            if slots < LEAST_SLOTS:
                what = (
                    f"{self.path}: {LEAST_SLOTS} of its frames don't fit into shared memory ({free >> 20} MB are free)"
                )
                raise MemoryLimitError(what, f"allow {(LEAST_SLOTS * SHARED_SHARE * size >> 20) + 1} MB")
            self._memory = SharedMemory(create=True, size=slots * size)
            name = self._memory.name
            self._live().ask(do="memory", name=name, slots=slots, size=size)
        return self._memory

    def _rest_later(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
        self._timer = threading.Timer(IDLE_SECONDS, self.close)
        self._timer.daemon = True
        self._timer.start()


class _OpenMovies(BoundedCache[tuple[Path, State], Movie]):
    """The movies that were used last; others are closed."""

    def put(self, key: tuple[Path, State], value: Movie) -> None:
        before = set(self._values.values())
        super().put(key, value)
        for movie in before - set(self._values.values()):
            movie.close()

    def rest(self) -> None:
        for movie in list(self._values.values()):
            with suppress(TesseraError, OSError):
                movie.close()

    def close(self) -> None:
        for movie in list(self._values.values()):
            movie.abandon()
        self.rest()
        self.clear()


_OPEN = _OpenMovies(MOST_OPEN)
_OPENING = threading.Lock()
atexit.register(_OPEN.close)


def open_movie(path: str | Path) -> Movie:
    """Return an open movie: the same one as before if the file has not changed.

    Raises UnreadableFile if the file is missing, damaged or not a movie, UnsupportedFile if it holds what Tessera or
    FFmpeg does not support, or if PyAV is not installed.
    """
    check_readable(Path(path))
    path = Path(path).absolute()
    key = path, state_of(path)
    with _OPENING:
        return _OPEN.of(key, lambda: Movie(path))


def rest_movies() -> None:
    """End the processes of all movies once they have answered, and free their memory; requests start others."""
    _OPEN.rest()


def close_movies() -> None:
    """End the processes of all movies."""
    _OPEN.close()

"""Messages between the process that exports a sequence and its worker processes, pickled one after the other."""

from __future__ import annotations

import pickle
import threading
from typing import Any, BinaryIO

from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.export.frames import FrameJob, FrameResult, Recipe


@dataclass(frozen=True)
class Start:
    """The first message to a worker: what it needs for all frames.

    `workers` is the number of frames that it exports at once, with `threads` cores. `memory`, `share` and `held` are
    those of the budget of all workers, in bytes. The worker stays on `cores`, if there are any and they are enough.
    With `trims` it gives freed memory back to the system after each frame, else after those that take more than their
    share. `log_level` is that of the log.
    """

    recipe: Recipe
    device: str
    workers: int
    threads: int
    memory: int
    share: int
    held: int
    cores: frozenset[int]
    trims: bool
    log_level: int


@dataclass(frozen=True)
class Export:
    """To a worker: export a frame. `number` identifies it in the messages about it."""

    number: int
    job: FrameJob


@dataclass(frozen=True)
class Grant:
    """To a worker: the frame may use the memory that it asked for."""

    number: int


@dataclass(frozen=True)
class Cancel:
    """To a worker: abandon the frame."""

    number: int


@dataclass(frozen=True)
class Ready:
    """From a worker: it can take frames."""


@dataclass(frozen=True)
class Refused:
    """From a worker: it can't be used, for instance because its device can't."""

    error: TesseraError


@dataclass(frozen=True)
class Logged:
    """From a worker: a line for the log."""

    level: int
    text: str


@dataclass(frozen=True)
class Ask:
    """From a worker: the frame needs so many bytes."""

    number: int
    size: int


@dataclass(frozen=True)
class Free:
    """From a worker: the frame no longer uses its memory; what is left to do is to complete the file."""

    number: int


@dataclass(frozen=True)
class Done:
    """From a worker: the result of the frame, and the worker's peak memory so far in bytes."""

    number: int
    result: FrameResult
    peak_memory: int


class Channel:
    """Two streams of messages. Any thread may write, one reads."""

    def __init__(self, reading: BinaryIO, writing: BinaryIO) -> None:
        self._reading, self._writing = reading, writing
        self._lock = threading.Lock()

    def read(self) -> Any:
        """Return the next message, or None if the other process has ended."""
        try:
            return pickle.load(self._reading)
        except (EOFError, OSError, ValueError, pickle.UnpicklingError):  # also in the middle of a message
            return None

    def write(self, message: Any) -> bool:
        """Send a message. Return False if the other process has ended."""
        data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
        try:
            with self._lock:
                self._writing.write(data)
                self._writing.flush()
        except (OSError, ValueError):
            return False
        return True

    def end(self) -> None:
        """Send no more: the other process ends."""
        with self._lock:
            try:
                self._writing.close()
            except OSError:
                return  # the other process has ended, with messages unread

    def close(self) -> None:
        """Close both streams, after `read` returned None."""
        self.end()
        self._reading.close()

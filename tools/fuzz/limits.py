"""What a worker process may take, what it takes, and what it prints: the parts that differ between systems."""

from __future__ import annotations

import gc
import os
import sys
import tempfile
import threading
import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from app.cli import library_output as chatter

if sys.platform != "win32":
    import resource

MOST_ADDRESSES = 12 << 30
"""Bytes of address space: libraries reserve much more than they touch."""
MOST_FILE = 1 << 28
"""Bytes of any file that is written."""
MOST_OPEN = 256
SETTLE_SECONDS = 2.0
"""So long threads that were told to end may take."""
_UNIT = 1 if sys.platform == "darwin" else 1024
_RESET = Path("/proc/self/clear_refs")


def set_limits() -> None:
    """Limit this process where the system can; it leaves no core file."""
    if sys.platform == "win32":
        return
    wanted = {"RLIMIT_FSIZE": MOST_FILE, "RLIMIT_NOFILE": MOST_OPEN, "RLIMIT_CORE": 0}
    if sys.platform == "linux":
        wanted["RLIMIT_AS"] = MOST_ADDRESSES
    for name, most in wanted.items():
        _, hard = resource.getrlimit(getattr(resource, name))
        resource.setrlimit(getattr(resource, name), (most, hard))


class Peak:
    """The most memory that this process held since `begin`; where the system can't forget, a new maximum only."""

    def __init__(self) -> None:
        self._forgets = os.access(_RESET, os.W_OK)
        self._before = 0

    def begin(self) -> None:
        if self._forgets:
            with _RESET.open("w") as file:
                file.write("5")
        self._before = _peak()

    def grown(self) -> int:
        """Bytes more than at the beginning."""
        return _peak() - self._before


def _peak() -> int:
    if sys.platform == "win32":
        return int(psutil.Process().memory_info().peak_wset)
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * _UNIT


@dataclass(frozen=True)
class Held:
    """What a process holds: bytes of memory, open files and threads."""

    memory: int
    files: int
    threads: int

    @classmethod
    def now(cls) -> Held:
        """What this process holds when threads that are about to end have ended."""
        process = psutil.Process()
        gc.collect()
        until = time.monotonic() + SETTLE_SECONDS
        while threading.active_count() > 1 and time.monotonic() < until:
            time.sleep(0.01)
        files = process.num_handles() if sys.platform == "win32" else process.num_fds()
        return cls(process.memory_info().rss, files, threading.active_count())


class Outputs:
    """Catches what reaches the outputs of this process, which are set up as those of a command are: what libraries
    print is kept apart by Tessera, and is not caught."""

    def __init__(self) -> None:
        self._file = tempfile.TemporaryFile(buffering=0)  # noqa: SIM115 (open as long as the process lives)
        sys.stdout.flush()
        sys.stderr.flush()
        for number in (1, 2):
            os.dup2(self._file.fileno(), number)
        for name in ("stdout", "stderr"):
            setattr(sys, name, open(1, "w", encoding="utf-8", errors="backslashreplace", closefd=False))  # noqa: SIM115
        chatter.keep()

    def take(self) -> bytes:
        """What was written since the last time."""
        chatter.lines()
        sys.stdout.flush()
        sys.stderr.flush()
        if not os.fstat(self._file.fileno()).st_size:
            return b""
        self._file.seek(0)
        written = self._file.read()
        self._file.seek(0)
        self._file.truncate()
        return bytes(written)

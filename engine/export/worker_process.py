"""A worker process of a sequence, as its parent sees it."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import ExitStack
from pathlib import Path
from queue import Empty, SimpleQueue
from typing import Any

from engine.compute.backends.base import LOG
from engine.compute.memory_budget import ASK_SECONDS, MemoryBudget
from engine.core.atomic import remove_stale_files
from engine.errors import BackendError, Cancelled, TesseraError
from engine.export.frames import FrameJob, FrameResult
from engine.export.worker_messages import Ask, Cancel, Channel, Done, Export, Free, Grant, Logged, Ready, Refused, Start

ROOT = Path(__file__).resolve().parents[2]
END_SECONDS = 10.0
"""The time that a worker may take to end before it is killed."""
CANCEL_SECONDS = 30.0
"""The time that a worker may take to abandon a frame before it is killed."""
KEEPS_MEMORY = {"MALLOC_MMAP_THRESHOLD_": str(1 << 30), "MALLOC_TRIM_THRESHOLD_": str(1 << 40)}
"""Settings of the GNU C library: the memory of bands, which are allocated again and again, stays mapped."""
ONE_HEAP = {"MALLOC_ARENA_MAX": "1"}
"""A setting for processes whose threads take turns: each uses the memory that another has freed."""


class CanNotStart(BackendError):
    """A worker process ended before it was ready."""


class WorkerProcess:
    """Starts a worker, which exports up to `frames` at once after `begin`.

    Raises CanNotStart if the system refuses another process.
    """

    def __init__(self, frames: int) -> None:
        self.ready, self.peak_memory = False, 0
        self._lock, self._has_begun = threading.Lock(), threading.Event()
        self._last, self._replies = 0, dict[int, SimpleQueue[Any]]()
        self._ended = False
        self._listener: threading.Thread | None = None
        try:
            self._process = _popen(KEEPS_MEMORY | ONE_HEAP if frames == 1 else KEEPS_MEMORY)
        except OSError as error:
            raise CanNotStart(f"a worker process can't be started ({error.strerror})", "close other programs") from None
        assert self._process.stdin is not None and self._process.stdout is not None
        self._channel = Channel(self._process.stdout, self._process.stdin)  # type: ignore[arg-type]

    def begin(self, start: Start, started: Callable[[TesseraError | None], None]) -> None:
        """Say what to do. `started` is called with None when the process is ready, else with the error; by a thread."""
        self._listener = threading.Thread(
            target=self._listen, args=(start, started), name="tessera-worker", daemon=True
        )
        self._listener.start()

    @property
    def ended(self) -> bool:
        """Whether the process has ended."""
        return self._ended

    def export(
        self, job: FrameJob, budget: MemoryBudget, free: Callable[[], None], cancelled: Callable[[], bool]
    ) -> FrameResult:
        """Export a frame; a failure if the process dies. `free` is called when it can begin another one."""
        with self._lock:
            self._last += 1
            number, replies = self._last, SimpleQueue[Any]()
            self._replies[number] = replies
            if self._ended:
                replies.put(None)
        self._has_begun.wait()
        self._channel.write(Export(number, job))
        asked = 0.0
        with ExitStack() as taken:
            while True:
                if not asked and cancelled():
                    asked = time.monotonic()
                    self._channel.write(Cancel(number))
                try:
                    message = replies.get(timeout=ASK_SECONDS)
                except Empty:
                    if asked and time.monotonic() - asked > CANCEL_SECONDS:
                        self._process.kill()
                    continue
                match message:
                    case Ask():
                        try:
                            taken.enter_context(budget.taken(message.size, cancelled))
                        except Cancelled:
                            continue
                        self._channel.write(Grant(number))
                    case Free():
                        taken.close()
                        free()
                    case Done():
                        return message.result
                    case None:
                        return self._lost(job, bool(asked))

    def _lost(self, job: FrameJob, cancelled: bool) -> FrameResult:
        """Return the result of a frame whose worker has died, and remove its temporary files."""
        remove_stale_files(job.target)
        if cancelled:
            return FrameResult(job.frame, str(job.target), "cancelled")
        how = _ending(self._process.returncode)
        line = f"{job.source}: the process that exported it {how}; check the memory, and use --resume"
        return FrameResult(job.frame, str(job.target), "failed", line, f"process {self._process.pid} {how}")

    def _listen(self, start: Start, started: Callable[[TesseraError | None], None]) -> None:
        """Begin, and give messages to the frames that they are for, until the process ends."""
        error: TesseraError | None = None
        try:
            error = self._converse(start, started)
        except Exception as problem:  # noqa: BLE001 (frames must not wait for a process that nobody listens to)
            LOG.debug("a worker process sent what can't be read", exc_info=problem)
            self._process.kill()
        self._has_begun.set()
        self._channel.close()
        code = self._wait()
        with self._lock:
            self._ended = True
            for replies in self._replies.values():
                replies.put(None)
        if not self.ready:
            what = f"a worker process {_ending(code)} before it was ready"
            started(error or CanNotStart(what, "check the memory"))

    def _converse(self, start: Start, started: Callable[[TesseraError | None], None]) -> TesseraError | None:
        """Return the error of a worker that can't be used."""
        error: TesseraError | None = None
        self._channel.write(start)
        self._has_begun.set()
        while (message := self._channel.read()) is not None:
            match message:
                case Ready():
                    self.ready = True
                    started(None)
                case Refused():
                    error = message.error
                case Logged():
                    LOG.log(message.level, "%s", message.text)
                case Ask() | Free():
                    self._replies[message.number].put(message)
                case Done():
                    self.peak_memory = message.peak_memory
                    self._replies.pop(message.number).put(message)
        return error

    def end(self) -> None:
        """Ask the process to end; it abandons its frames. One that is not ready has none, and is killed."""
        if not self.ready:
            self._process.kill()
        self._channel.end()

    def join(self) -> None:
        """Wait for the process after `end`; kill it if it does not end."""
        self._wait()
        if self._listener is not None:
            self._listener.join(END_SECONDS)
        else:
            self._channel.close()

    def _wait(self) -> int | None:
        """Wait for the process, which has no more messages, and return its exit code.

        It is killed if it takes too long; None if that has no effect, as while it waits for a disk that is gone.
        """
        for _ in range(2):
            try:
                return self._process.wait(END_SECONDS)
            except subprocess.TimeoutExpired:
                self._process.kill()
        return self._process.poll()


def starts_python() -> bool:
    """Return whether `sys.executable` is Python; it is another program where Python is built into one."""
    name = Path(sys.executable or "").name.lower()
    return name.startswith(("python", "pypy")) and not getattr(sys, "frozen", False)


def _popen(settings: dict[str, str]) -> subprocess.Popen[bytes]:
    """Start a process that imports this package from the same place as this one, not from the current folder.

    Ctrl-C does not reach it, since it has a process group of its own: the parent says what to do.
    """
    paths = [str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])]
    how: dict[str, Any] = {"process_group": 0} if os.name == "posix" else {}
    if os.name == "nt":
        how["creationflags"] = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    return subprocess.Popen(
        [sys.executable, "-P", "-m", "engine.export.worker"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**settings, **os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        **how,
    )


def _ending(code: int | None) -> str:
    """Return how a process ended, in words."""
    if code is None or code >= 0:
        return "ended unexpectedly" if not code else f"ended with the exit code {code}"
    try:
        return f"was killed ({signal.Signals(-code).name})"
    except ValueError:
        return f"was killed (signal {-code})"

"""A worker process of a sequence: `python -m engine.export.worker`. It exports the frames that its parent sends.

It ends when its input does, so that no worker outlives its parent, and then removes its incomplete files.
"""

from __future__ import annotations

import ctypes
import logging
import os
import sys
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress

from engine.compute.backends.base import LOG
from engine.compute.devices import cores_near
from engine.compute.memory_budget import ASK_SECONDS, MemoryBudget
from engine.core.system import peak_memory
from engine.errors import Cancelled, TesseraError
from engine.export.frames import FrameExporter
from engine.export.worker_messages import Ask, Cancel, Channel, Done, Export, Free, Grant, Logged, Ready, Refused, Start


class RemoteMemoryBudget(MemoryBudget):
    """The memory budget of all workers, which the parent process keeps: frames ask it for their memory.

    Memory of a worker that dies is thus free again. `number` returns the number of the frame of the calling thread.
    """

    def __init__(self, start: Start, channel: Channel, number: Callable[[], int]) -> None:
        super().__init__(start.memory, start.workers, 1, start.held)
        self.share = start.share
        self._channel, self._number, self._trims = channel, number, start.trims
        self._granted: dict[int, threading.Event] = {}

    def grant(self, number: int) -> None:
        """Let a frame have the memory that it asked for."""
        if granted := self._granted.get(number):  # else the frame was cancelled meanwhile
            granted.set()

    @contextmanager
    def taken(self, size: int, cancelled: Callable[[], bool] | None = None) -> Iterator[None]:
        number, trims = self._number(), self._trims or size > self.share
        granted = self._granted[number] = threading.Event()
        self._channel.write(Ask(number, size))
        try:
            while not granted.wait(ASK_SECONDS):
                if cancelled is not None and cancelled():
                    raise Cancelled()
            yield
        finally:
            del self._granted[number]
            if trims:
                _give_memory_back()
            self._channel.write(Free(number))


class _Worker:
    """Exports the frames of messages, several at once."""

    def __init__(self, channel: Channel, start: Start) -> None:
        self._channel, self._start = channel, start
        self._here = threading.local()
        self._budget = RemoteMemoryBudget(start, channel, lambda: int(self._here.number))
        self._stops: dict[int, threading.Event] = {}
        # The recipe's threads are those of all workers.
        self._exporter = FrameExporter(start.recipe, start.workers, start.threads, [start.device], self._budget)

    def serve(self) -> None:
        """Export frames until the parent ends the channel; then abandon those that are not complete."""
        with ThreadPoolExecutor(thread_name_prefix="tessera-export", max_workers=2 * self._start.workers + 1) as pool:
            while (message := self._channel.read()) is not None:
                match message:
                    case Export():
                        self._stops[message.number] = threading.Event()
                        pool.submit(self._export, message)
                    case Grant():
                        self._budget.grant(message.number)
                    case Cancel():
                        if stop := self._stops.get(message.number):
                            stop.set()
            for stop in list(self._stops.values()):
                stop.set()

    def _export(self, asked: Export) -> None:
        self._here.number = asked.number
        result = self._exporter.run(asked.job, 0, self._stops[asked.number].is_set)
        del self._stops[asked.number]
        self._channel.write(Done(asked.number, result, peak_memory()))


class _Forward(logging.Handler):
    """Sends what is logged to the parent, which logs it."""

    def __init__(self, channel: Channel) -> None:
        super().__init__()
        self._channel = channel

    def emit(self, record: logging.LogRecord) -> None:
        self._channel.write(Logged(record.levelno, self.format(record)))


def _own_channel() -> Channel:
    """Return the channel to the parent, made of the standard streams; what libraries print goes to standard error."""
    reading, writing = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    nothing = os.open(os.devnull, os.O_RDWR)
    os.dup2(nothing, 0)
    try:
        os.dup2(2, 1)
    except OSError:  # a program without a console may have no standard error
        os.dup2(nothing, 1)
    return Channel(reading, writing)


def _give_memory_back() -> None:
    """Return freed memory to the system, where the C library would keep it."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):  # not glibc
            ctypes.CDLL(None).malloc_trim(0)


def _stay_near(start: Start) -> None:
    """Keep this process to the cores of its NUMA node, if they are enough for its threads."""
    cores = start.cores or cores_near(start.device)
    if hasattr(os, "sched_setaffinity") and len(cores) >= start.threads:
        with suppress(OSError):  # cores may have gone offline
            os.sched_setaffinity(0, cores)


def main() -> None:
    channel = _own_channel()
    try:
        start = channel.read()
    except (ImportError, AttributeError):  # an op of a module that only the parent can import
        return
    except TesseraError as error:  # an op of the user's can't be loaded
        channel.write(Refused(error))
        return
    if not isinstance(start, Start):
        return
    LOG.handlers, LOG.propagate = [_Forward(channel)], False
    LOG.setLevel(start.log_level)
    try:
        _stay_near(start)
        worker = _Worker(channel, start)
    except TesseraError as error:
        channel.write(Refused(error))
        return
    channel.write(Ready())
    worker.serve()


if __name__ == "__main__":
    main()
    os._exit(0)  # nothing is left to do, and Python takes long to unload what was imported

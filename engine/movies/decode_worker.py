"""A process that decodes one movie: `python -m engine.movies.decode_worker`.

Requests and answers are lines of JSON; the planes of frames lie in slots of shared memory, which the parent makes. The
process ends when its input does, also in the middle of a frame. It decodes a few frames ahead of those that are asked
for in order.
"""

from __future__ import annotations

import json
import os
import queue
import sys
import threading
import time
from contextlib import suppress
from multiprocessing import resource_tracker, shared_memory
from pathlib import Path
from typing import Any, TextIO

from engine.core.file_errors import AGAIN, short
from engine.core.system import total_memory, usable_cores
from engine.errors import TesseraError, UnsupportedFile
from engine.movies.movie_files import INSTALL, MISSING_LIBRARY

ALIVE_SECONDS = 1.0
"""The interval in which the parent learns that work goes on."""
AHEAD = 4
"""The most frames that are decoded ahead."""
MEMORY_SHARE = 2
LEAST_MEMORY, MOST_MEMORY = 2 << 30, 8 << 30
"""The address space of the process: 1 / MEMORY_SHARE of the memory of the machine, within these limits, in bytes."""


class _Answers:
    """Writes answers to the parent. What libraries print does not get between them."""

    def __init__(self) -> None:
        self._file: TextIO = os.fdopen(os.dup(1), "w", encoding="utf-8")
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, 1)
        self._last = time.monotonic()

    def give(self, **answer: Any) -> None:
        self._file.write(json.dumps(answer) + "\n")
        self._file.flush()
        self._last = time.monotonic()

    def alive(self) -> None:
        if time.monotonic() - self._last > ALIVE_SECONDS:
            self.give(alive=True)


class _Slots:
    """Places for frames in shared memory. The frame that was given last stays until the next request."""

    def __init__(self, name: str, count: int, size: int) -> None:
        self._memory = shared_memory.SharedMemory(name)
        with suppress(Exception):  # the parent removes it; before Python 3.13 the process that opens it would, too
            resource_tracker.unregister(self._memory._name, "shared_memory")  # type: ignore[attr-defined]
        self._size = size
        self._free, self._places = list(range(count)), dict[int, tuple[int, bool]]()
        self.lent = -1

    def find(self, number: int) -> tuple[int, bool] | None:
        """Return the slot of a frame, and whether it is damaged; None if it is in no slot."""
        found = self._places.pop(number, None)
        if found is not None:
            self._places[number] = found  # it is the last one used
        return found

    def put(self, number: int, planes: list[Any], damaged: bool) -> None:
        """Copy the planes of a frame to the slot that was not used for longest."""
        import numpy as np

        if number in self._places:
            return
        if self._free:
            slot = self._free.pop()
        else:
            oldest = next(each for each, (slot, _) in self._places.items() if slot != self.lent)
            slot = self._places.pop(oldest)[0]
        start = slot * self._size
        for plane in planes:
            rows, columns = plane.shape
            target = np.ndarray((rows, columns), plane.dtype, self._memory.buf, start)
            target[...] = plane
            start += plane.nbytes
        self._places[number] = slot, damaged


class _Worker:
    """Answers the requests about one movie."""

    def __init__(self, path: Path, answers: _Answers) -> None:
        from engine.movies import decoder
        from engine.movies.packet_index import PacketIndex

        self._answers, self._index = answers, PacketIndex()
        threading.Thread(target=decoder.scan, args=(path, self._index), name="tessera-index", daemon=True).start()
        self._decoder = decoder.MovieDecoder(path, self._index, usable_cores())
        self._slots: _Slots | None = None
        self._count, self._expected, self._ahead_to = 0, -1, -1
        answers.give(info=self._decoder.info.to_json())

    def answer(self, asked: dict[str, Any]) -> None:
        """Answer a request."""
        match asked:
            case {"do": "count"}:
                count = self._index.count(self._answers.alive)
                self._answers.give(count=count, note=self._index.note)
            case {"do": "memory", "name": str(name), "slots": int(slots), "size": int(size)}:
                self._slots, self._count = _Slots(name, slots, size), slots
                self._answers.give(done=True)
            case {"do": "frame", "frame": int(number)}:
                slot, damaged = self._frame(number)
                self._answers.give(slot=slot, damaged=damaged)

    def _frame(self, number: int) -> tuple[int, bool]:
        slots = self._slots
        assert slots is not None
        slots.lent = -1
        found = slots.find(number)
        if found is None:
            self._decode(slots, number)
            found = slots.find(number)
        assert found is not None
        slots.lent = found[0]
        in_order, self._expected = number == self._expected, number + 1
        self._ahead_to = number + min(AHEAD, self._count - 2) if in_order else -1
        return found

    def _decode(self, slots: _Slots, number: int) -> None:
        for each, frame, damaged in self._decoder.frames_to(number, self._answers.alive):
            if number - each < self._count - 1:
                slots.put(each, self._decoder.planes(frame), damaged)

    def decode_ahead(self) -> bool:
        """Decode one more frame after those asked for in order. Return whether there may be more."""
        slots = self._slots
        number = next((n for n in range(self._expected, self._ahead_to + 1) if slots and slots.find(n) is None), None)
        if number is None or slots is None or not self._index.is_known(number):
            return False
        with suppress(TesseraError):
            self._decode(slots, number)
            return True
        self._ahead_to = -1  # its request says what is wrong
        return False


def _limit_memory() -> None:
    """Limit what a damaged movie may take, where the system can."""
    if sys.platform != "linux":
        return
    import resource

    most = max(LEAST_MEMORY, min(MOST_MEMORY, total_memory() // MEMORY_SHARE))
    _, hard = resource.getrlimit(resource.RLIMIT_AS)
    if hard == resource.RLIM_INFINITY or most < hard:
        resource.setrlimit(resource.RLIMIT_AS, (most, hard))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _read(requests: queue.SimpleQueue[str]) -> None:
    for line in sys.stdin:
        requests.put(line)
    os._exit(0)  # the parent is gone: also while FFmpeg is at work


def main() -> None:
    """Open the movie that the first line names, and answer the other lines."""
    answers, requests = _Answers(), queue.SimpleQueue[str]()
    _limit_memory()
    path = Path(json.loads(sys.stdin.readline()))
    threading.Thread(target=_read, args=(requests,), name="tessera-requests", daemon=True).start()
    try:
        worker = _opened(path, answers)
    except TesseraError as error:
        _give_error(answers, error)
        return
    except Exception as error:  # noqa: BLE001 (whatever it is, the parent says so in one line)
        answers.give(error=f"is not a movie that can be read ({short(str(error))})", do=AGAIN, kind="unreadable")
        return
    while True:
        while requests.empty() and worker.decode_ahead():
            pass
        try:
            worker.answer(json.loads(requests.get()))
        except TesseraError as error:
            _give_error(answers, error)
        except MemoryError:
            answers.give(error="needs more memory than a movie may take", do="", kind="unreadable")
        except Exception as error:  # noqa: BLE001 (the parent says so, and the next frame may be fine)
            answers.give(error=f"can't be decoded ({short(str(error))})", do=AGAIN, kind="unreadable")


def _opened(path: Path, answers: _Answers) -> _Worker:
    try:
        import av  # noqa: F401 (whether it is there)
    except ImportError as problem:
        raise UnsupportedFile(path, MISSING_LIBRARY, INSTALL) from problem
    return _Worker(path, answers)


def _give_error(answers: _Answers, error: TesseraError) -> None:
    kind = "unsupported" if isinstance(error, UnsupportedFile) else "unreadable"
    answers.give(error=getattr(error, "problem", error.what), do=error.do, kind=kind)


if __name__ == "__main__":
    main()

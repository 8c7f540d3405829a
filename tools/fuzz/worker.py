"""Inside a worker process: inputs one after the other, each observed while Tessera works on it."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import tempfile
import threading
import time
import traceback
import warnings
from collections.abc import Sequence
from functools import cache
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any

from engine.errors import TesseraError
from tools.fuzz.judge import Finding, Seen, judge
from tools.fuzz.kind import Chance, Input, Task
from tools.fuzz.kinds import KINDS
from tools.fuzz.limits import Held, Outputs, Peak, set_limits
from tools.fuzz.stage import Stage, remove

DUMP, CACHE = "dump.txt", "cache"
DUMP_SIGNAL = getattr(signal, "SIGUSR1", None)
"""Asks a worker to write down where its threads stand; not on Windows."""
NUMBER, BEGUN, FIRST = 0, 1, 2
"""Places in the numbers that a worker shares: the input in hand, when it began, and counts of each operation."""
ACCEPTED, REFUSED, HARMFUL, SECONDS = COUNTED = range(4)
COUNTS = len(COUNTED)
"""Of an operation, one behind the other; seconds are those of the processor."""
WARM = 20
"""Inputs after which libraries and caches hold what they always hold."""


class Worker:
    """Runs inputs in this process. `folder` is its own."""

    def __init__(self, folder: Path, companions: dict[str, bytes]) -> None:
        self._in, self._out, self._temporary = (folder / name for name in ("in", "out", "tmp"))
        for each in (self._in, self._out, self._temporary):
            each.mkdir()
        self.stage = Stage(folder / "stage", companions)
        self._number = 0
        self._in_threads: list[BaseException] = []
        self._dump = (folder / DUMP).open("w")
        self._surround(folder)
        set_limits()
        self._outputs, self._peak = Outputs(), Peak()

    def _surround(self, folder: Path) -> None:
        """Everything around the process that an operation may reach."""
        faulthandler.enable(self._dump, all_threads=True)
        if DUMP_SIGNAL is not None:
            faulthandler.register(DUMP_SIGNAL, self._dump, all_threads=True)
        threading.excepthook = lambda raised: self._in_threads.append(raised.exc_value or SystemExit())
        sys.unraisablehook = lambda raised: self._in_threads.append(raised.exc_value or SystemExit())
        warnings.simplefilter("always")
        warnings.filterwarnings("ignore", module="zipfile")  # of mutators
        for name in ("DISPLAY", "WAYLAND_DISPLAY", "QT_QPA_PLATFORM", "OCIO", "TESSERA_BACKEND", "TESSERA_DEBUG"):
            os.environ.pop(name, None)
        os.environ["TESSERA_CONFIG"] = str(folder / "config")
        os.environ["TESSERA_CACHE"] = str(folder.parent / CACHE)
        tempfile.tempdir = os.environ["TMPDIR"] = str(self._temporary)
        os.chdir(self.stage.folder)

    def run(self, entry: Input) -> tuple[bool, list[Finding]]:
        """Whether Tessera accepted the input, and the harm that was done."""
        kind = KINDS[entry.kind]
        operation = kind.operation(entry.operation)
        self._number += 1
        path = self._in / f"case{self._number}{entry.suffix}"
        if kind.is_file:
            path.write_bytes(entry.data)
        task = Task(path, entry.data, self._out, self.stage.folder, Chance(entry.chance))
        error: BaseException | None = None
        self._peak.begin()
        try:
            operation.run(task)
        except (Exception, SystemExit) as raised:  # noqa: BLE001 (whatever it is, it is judged)
            error = raised
        grown, written = self._peak.grown(), self._outputs.take()
        changed = self.stage.restore(task.may_change) if kind.on_stage else []
        if kind.is_file and (not path.exists() or path.read_bytes() != entry.data):
            changed.append("the input")
        left = self._sweep(task, isinstance(error, TesseraError))
        in_threads, self._in_threads = tuple(self._in_threads), []
        seen = Seen(error, written, left, tuple(changed), in_threads, grown)
        return error is None, judge(seen, {path.name, *task.targets} if operation.named and kind.is_file else ())

    def note_mistake(self) -> None:
        """Write the exception at hand down where the campaign looks for what ended the process."""
        traceback.print_exc(file=self._dump)
        self._dump.flush()

    def _sweep(self, task: Task, failed: bool) -> tuple[str, ...]:
        """Empty the folders; the names of what should not have been there."""
        left = list[str]()
        for folder in (self._in, self._out, self._temporary):
            for name in os.listdir(folder):  # noqa: PTH208 (for every input)
                remove(folder / name)
                if folder is self._in:
                    left += [name] if name != task.path.name else []
                elif name not in task.scratch and (folder is self._temporary or failed or name not in task.targets):
                    left.append(name)
        return tuple(left)


def work(
    inputs: Sequence[Input], first: int, folder: Path, companions: dict[str, bytes], shared: Any, pipe: Connection
) -> None:
    """The process: run the inputs from `first` on. `pipe` gets (number, findings) of each that did harm, and at the end
    what the process held before and after, and for how many inputs."""
    worker = Worker(folder, companions)
    try:
        _run_all(worker, inputs, first, shared, pipe)
    except BaseException:  # a mistake of the fuzzer: the campaign reads it
        worker.note_mistake()
        raise


def _run_all(worker: Worker, inputs: Sequence[Input], first: int, shared: Any, pipe: Connection) -> None:
    before, since = Held.now(), first
    for number in range(first, len(inputs)):
        shared[NUMBER], shared[BEGUN] = number, time.monotonic()
        if number == first + WARM:
            before, since = Held.now(), number
        entry = inputs[number]
        start = time.process_time()
        accepted, found = worker.run(entry)
        count = place_of(entry)
        shared[count + (HARMFUL if found else ACCEPTED if accepted else REFUSED)] += 1
        shared[count + SECONDS] += time.process_time() - start
        if found:
            pipe.send((number, found))
        if any(each.what == "memory" for each in found):
            shared[NUMBER] = number + 1
            return  # the next one begins with a process that is small again
    shared[NUMBER], shared[BEGUN] = len(inputs), time.monotonic()
    if since > first:
        pipe.send((before, Held.now(), len(inputs) - since))


def all_operations() -> list[tuple[str, str]]:
    """Every (kind, operation) by name, in the order of the counts."""
    return [(kind.name, operation.name) for kind in KINDS.values() for operation in kind.operations]


@cache
def _places() -> dict[tuple[str, str], int]:
    return {both: FIRST + COUNTS * n for n, both in enumerate(all_operations())}


def place_of(entry: Input) -> int:
    """Where the counts of an input's operation begin."""
    return _places()[entry.kind, entry.operation]

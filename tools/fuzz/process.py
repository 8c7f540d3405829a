"""Worker processes as the campaign sees them: started, watched, and what became of their inputs."""

from __future__ import annotations

import os
import shutil
import signal
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from multiprocessing import get_context
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any

from tools.fuzz.judge import Finding, place_in_dump
from tools.fuzz.kind import Input
from tools.fuzz.limits import Held
from tools.fuzz.worker import BEGUN, COUNTS, DUMP, DUMP_SIGNAL, FIRST, HARMFUL, NUMBER, all_operations, place_of, work

CONTEXT: Any = get_context("fork" if sys.platform == "linux" else "spawn")
"""Forked processes have everything imported already; elsewhere than on Linux libraries don't stand it."""
START_SECONDS = 60.0
DUMP_SECONDS = 1.0
POLL_SECONDS = 0.2


@dataclass(frozen=True)
class Place:
    """Where batches work: a `folder` for theirs, the companions on their stages, and the seconds an input may take."""

    folder: Path
    companions: dict[str, bytes]
    timeout: float


@dataclass
class Outcome:
    """What became of a batch: findings by the number of the input; `held` is what its processes held more at the end
    than when they were warm: (before, after, inputs in between)."""

    findings: list[tuple[int, Finding]] = field(default_factory=list)
    held: list[tuple[Held, Held, int]] = field(default_factory=list)


class Running:
    """A batch of inputs at work in a process. When one ends the process, another goes on behind that input."""

    def __init__(self, inputs: Sequence[Input], place: Place, folder: Path, shared: Any = None) -> None:
        """`folder` is made and removed; `shared` counts, see `counters`."""
        self.outcome = Outcome()
        self.folder = folder
        self._inputs, self._place = inputs, place
        self._shared = shared if shared is not None else counters()
        self._start(0)

    def _start(self, first: int) -> None:
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        self._shared[NUMBER], self._shared[BEGUN] = first, time.monotonic() + START_SECONDS
        self._pipe, theirs = CONTEXT.Pipe(duplex=False)
        self._process = CONTEXT.Process(
            target=work,
            args=(self._inputs, first, self.folder, self._place.companions, self._shared, theirs),
            daemon=True,
        )
        self._process.start()
        theirs.close()

    @property
    def waited(self) -> list[Any]:
        """What to wait for: then there is something to do."""
        return [self._pipe, self._process.sentinel]

    def step(self) -> bool:
        """Receive a report of the process; False when all inputs are done."""
        self._listen()
        if self._process.is_alive():
            if time.monotonic() - self._shared[BEGUN] < self._place.timeout:
                return True
            stopped = self._stopped()
            if self._shared[NUMBER] < len(self._inputs):  # or it is done, and only slow to end
                self._end(f"hang {stopped}")
        else:
            self._process.join()
            self._listen()
            code = self._process.exitcode or 0
            if code:
                self._end(_death(code, self._dumped()))
        number = int(self._shared[NUMBER])
        if number < len(self._inputs):
            self._start(number)
            return True
        shutil.rmtree(self.folder, ignore_errors=True)
        return False

    def stop(self) -> None:
        """End the process, whatever it does."""
        self._process.kill()
        self._process.join()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _listen(self) -> None:
        try:
            while self._pipe.poll():
                report = self._pipe.recv()
                if isinstance(report[0], Held):
                    self.outcome.held.append(report)
                else:
                    self.outcome.findings += [(report[0], finding) for finding in report[1]]
        except EOFError:
            return

    def _end(self, what: str) -> None:
        """The input in hand ended the process."""
        number = int(self._shared[NUMBER])
        self.outcome.findings.append((number, Finding(what, self._dumped()[:4000])))
        self._shared[place_of(self._inputs[number]) + HARMFUL] += 1
        self._shared[NUMBER] = number + 1

    def _stopped(self) -> str:
        """Where a process stood that had to be killed."""
        if DUMP_SIGNAL is not None:
            os.kill(self._process.pid, DUMP_SIGNAL)
            self._process.join(DUMP_SECONDS)
        self._process.kill()
        self._process.join()
        self._listen()
        return place_in_dump(self._dumped())

    def _dumped(self) -> str:
        path = self.folder / DUMP
        return path.read_text(errors="replace") if path.exists() else ""


def _death(code: int, dump: str) -> str:
    if "Traceback" in dump:
        raise RuntimeError(f"the fuzzer itself failed:\n{dump}")
    if code > 0:
        return f"exit with status {code}"
    return f"{signal.Signals(-code).name} {place_in_dump(dump)}"


def counters() -> Any:
    """Numbers that a worker and the campaign share."""
    return CONTEXT.RawArray("d", FIRST + COUNTS * len(all_operations()))


def run_batch(inputs: Sequence[Input], place: Place, seconds: float = float("inf")) -> Outcome:
    """Run inputs and wait for the end, or for so many seconds."""
    until = time.monotonic() + seconds
    running = Running(inputs, place, place.folder / "alone")
    try:
        while running.step():
            if time.monotonic() > until:
                running.stop()
                break
            wait(running.waited, POLL_SECONDS)
    except BaseException:
        running.stop()
        raise
    return running.outcome

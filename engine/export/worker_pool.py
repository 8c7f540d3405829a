"""Worker processes of a sequence. They share one memory budget, and those that die are replaced."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from queue import Empty, SimpleQueue

from engine.compute.backends.base import LOG
from engine.compute.memory_budget import ASK_SECONDS, MemoryBudget
from engine.core.numa import nodes
from engine.core.records import dataclass
from engine.errors import Cancelled, MemoryLimitError, TesseraError
from engine.export.frames import Asked, FrameJob, FrameResult, Recipe, RunFrame, memory_for_frames
from engine.export.options import ExportOptions
from engine.export.worker_messages import Start
from engine.export.worker_process import CanNotStart, WorkerProcess

WORKER_MEMORY = 100 << 20
"""Bytes of memory that a worker takes without frames, apart from those that it shares with others; measured."""

START_LIMIT = 120.0
"""The most seconds that the first worker may take to be ready."""


@dataclass(frozen=True)
class WorkerPlan:
    """The number of worker processes, which share `threads` cores. Each exports `frames` at once on one of `devices`.

    The processes take the devices in turn.
    """

    processes: int
    frames: int
    threads: int
    devices: Sequence[str]


class WorkerPool:
    """Exports frames in worker processes. Up to `workers` threads may use a `slot` at once.

    `prepare` returns the recipe with these options; it is called after the processes have started.
    A process begins a frame when it no longer needs the memory of the one before, whose file it still completes.
    Raises CanNotStart if no process starts, the error of a device that can't be used, and MemoryLimitError.
    """

    def __init__(self, prepare: Callable[[], Recipe], options: ExportOptions, plan: WorkerPlan) -> None:
        self.workers = plan.processes * (plan.frames + 1)
        self._plan = plan
        memory, used = memory_for_frames(options)
        workers = plan.processes * WORKER_MEMORY
        if memory <= workers:
            what = "the memory limit is used up before the first frame"
            raise MemoryLimitError(what, f"allow {2 * (used + workers) >> 20} MB")
        at_once = plan.processes * plan.frames
        self._budget = MemoryBudget(memory - workers, at_once, at_once, used + workers)
        self._free, self._outcomes = SimpleQueue[int](), SimpleQueue[TesseraError | None]()
        self._lock, self._nodes = threading.Lock(), nodes()
        self._slots = at_once
        self._processes, self._peaks = list[WorkerProcess](), Counter[int]()
        try:
            self._processes += [WorkerProcess(plan.frames) for _ in range(plan.processes)]
            self._recipe = prepare()  # the processes load their modules meanwhile
            for number, process in enumerate(self._processes):
                process.begin(self._message(number), partial(self._note_start, number))
            self._wait_for_one()
        except BaseException:
            self.close()
            raise

    @property
    def workers_memory(self) -> int:
        """The sum of the peak memory of the processes, in bytes."""
        return self._peaks.total()

    @contextmanager
    def slot(self, number: int, cancelled: Asked) -> Iterator[RunFrame]:
        """Wait until a process can begin a frame, and yield what exports it there.

        Raises Cancelled, and TesseraError if no process is left and none can be started.
        """
        slot = _Slot(self._next(cancelled), self._free)
        try:
            yield partial(self._run, slot, cancelled)
        finally:
            slot.give_back()

    def close(self) -> None:
        """End the processes."""
        for process in self._processes:
            process.end()
        for process in self._processes:
            process.join()

    # -- frames

    def _next(self, cancelled: Asked) -> int:
        """Return the number of the next process that can begin a frame."""
        while True:
            if cancelled():
                raise Cancelled()
            if self._slots < 1:
                raise CanNotStart("the worker processes ended and can't be started again", "check the memory")
            try:
                return self._free.get(timeout=ASK_SECONDS)
            except Empty:
                continue

    def _run(self, slot: _Slot, cancelled: Asked, job: FrameJob) -> FrameResult:
        try:
            process = self._live(slot.process)
        except CanNotStart as error:
            self._drop(slot)
            return FrameResult(job.frame, str(job.target), "failed", f"{job.source}: {error}", str(error))
        result = process.export(job, self._budget, slot.give_back, cancelled)
        with self._lock:
            self._peaks[slot.process] = max(self._peaks[slot.process], process.peak_memory)
        if process.ended and not process.ready:
            self._drop(slot)
        return result

    # -- processes

    def _message(self, number: int) -> Start:
        """Return what the process of this number is to do."""
        plan, budget = self._plan, self._budget
        device = plan.devices[number % len(plan.devices)]
        return Start(
            self._recipe,
            device=device,
            workers=plan.frames,
            threads=plan.threads // plan.processes + (number < plan.threads % plan.processes),
            memory=budget.memory,
            share=budget.share,
            held=budget.held,
            cores=self._nodes[number % len(self._nodes)] if self._nodes and device == "cpu" else frozenset(),
            trims=self._recipe.options.max_memory is not None,
            log_level=LOG.getEffectiveLevel(),
        )

    def _live(self, number: int) -> WorkerProcess:
        """Return the process of this number, started again if it has died. Raises CanNotStart."""
        with self._lock:
            process = self._processes[number]
            if process.ended:
                process = self._processes[number] = WorkerProcess(self._plan.frames)
                process.begin(self._message(number), lambda _: None)
            return process

    def _note_start(self, number: int, error: TesseraError | None) -> None:
        """Let frames begin on a process that is ready; called by its thread."""
        if error is None:
            for _ in range(self._plan.frames):
                self._free.put(number)
        else:
            self._lose(self._plan.frames)
        self._outcomes.put(error)

    def _drop(self, slot: _Slot) -> None:
        """Do without a slot whose process does not start again."""
        slot.drop()
        self._lose(1)

    def _lose(self, slots: int) -> None:
        with self._lock:
            self._slots -= slots

    def _wait_for_one(self) -> None:
        """Wait until a process is ready. Raises the error of a device, or that of the last process if none starts."""
        for left in reversed(range(len(self._processes))):
            try:
                error = self._outcomes.get(timeout=START_LIMIT)
            except Empty:
                raise CanNotStart(f"no worker process was ready in {START_LIMIT:.0f} s") from None
            if error is None:
                return
            if not left or not isinstance(error, CanNotStart):
                raise error


class _Slot:
    """The right to begin a frame on a process, given back once."""

    def __init__(self, process: int, free: SimpleQueue[int]) -> None:
        self.process = process
        self._free: SimpleQueue[int] | None = free

    def give_back(self) -> None:
        free, self._free = self._free, None
        if free is not None:
            free.put(self.process)

    def drop(self) -> None:
        """Give the right back to nobody."""
        self._free = None

"""The workers of a sequence: threads of this process, or processes where they are worth their start.

Threads of one process hinder each other, the more of them there are; processes take time and memory to start.
"""

from __future__ import annotations

import pickle
import threading
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from contextlib import AbstractContextManager
from dataclasses import replace
from typing import Protocol

from engine.color.job_config import pin_for_others
from engine.compute.backends.base import LOG
from engine.compute.devices import create_executor, devices_in_turn
from engine.errors import Cancelled, TesseraError
from engine.export.frames import (
    Asked,
    FrameExporter,
    FrameJob,
    FrameResult,
    Recipe,
    RunFrame,
    memory_for_frames,
    thread_budget,
)
from engine.export.job import resolve
from engine.export.worker_pool import WORKER_MEMORY, WorkerPlan, WorkerPool
from engine.export.worker_process import CanNotStart, starts_python
from engine.movies.images import describe

START_SECONDS = 0.7
"""Processor seconds that the start of a worker process takes, most of them for imports; measured."""
WORTH = 3.0
"""A worker process starts if it has this many times as much to do."""
SAMPLE_SECONDS = 3e-8
"""Processor seconds that a sample (a channel of a pixel) takes from file to file, at least; measured."""
FRAME_SECONDS = 0.01
"""Processor seconds that a frame takes beside its samples."""
TRIES = 3
"""Frames that are looked at for the number of their samples, should the first ones be damaged."""
LEAST_THREADS = 4
"""Fewer threads do not hinder each other."""


class Exporter(Protocol):
    """Exports frames: a FrameExporter or a WorkerPool."""

    workers: int

    @property
    def workers_memory(self) -> int:
        """The peak memory of other processes, in bytes."""

    def slot(self, number: int, cancelled: Asked) -> AbstractContextManager[RunFrame]:
        """Wait until the thread of this number may begin a frame, and yield what exports it. Raises Cancelled."""

    def close(self) -> None:
        """End other processes."""


def run_frames(
    exporter: Exporter,
    feed: Iterable[FrameJob],
    stop: threading.Event,
    stopped: Asked,
    begun: Callable[[int], None],
    ended: Callable[[FrameResult], None],
) -> None:
    """Export frames until `feed` ends or `stopped` returns True; then close the exporter.

    `begun` is called with the number of each frame, `ended` with its result, from several threads. If one of them
    raises an error, `stop` is set, which must make `stopped` return True, and the error is raised at the end.
    """
    jobs, lock = iter(feed), threading.Lock()

    def next_job() -> FrameJob | None:
        with lock:
            return next(jobs, None)

    def work(number: int) -> None:
        try:
            while not stopped():
                with exporter.slot(number, stopped) as run:
                    job = next_job()
                    if job is None:
                        return
                    begun(job.frame)
                    ended(run(job))
        except Cancelled:
            return

    try:
        with ThreadPoolExecutor(exporter.workers, "tessera-export") as pool:
            workers = [pool.submit(work, number) for number in range(exporter.workers)]
            try:
                for worker in wait(workers, return_when=FIRST_EXCEPTION).done:
                    worker.result()
            except BaseException:
                stop.set()  # the other workers stop soon and delete their temporary files
                raise
    finally:
        exporter.close()


def open_exporter(recipe: Recipe, jobs: Sequence[FrameJob], count: int | None = None) -> Exporter:
    """Return what exports the frames of a sequence: `jobs`, as far as they are known, `count` in all if that is known.

    Raises BackendError if a device can't be used, MemoryLimitError if the memory is used up before the first frame.
    """
    options = recipe.options
    threads, devices = thread_budget(options), devices_in_turn(options.backend)
    plan = plan_workers(recipe, jobs, threads, devices)
    if plan is not None:
        try:
            return WorkerPool(lambda: _for_others(recipe, jobs, devices), options, plan)
        except CanNotStart as error:
            LOG.warning("worker processes can't be used (%s); continuing with threads", error.what)
    # One worker more than threads: while one waits for the disk, the others compute.
    workers = max(1, min(threads + 1 if count is None else count, threads + 1))
    return FrameExporter(recipe, workers, threads, devices)


def plan_workers(recipe: Recipe, jobs: Sequence[FrameJob], threads: int, devices: Sequence[str]) -> WorkerPlan | None:
    """Return the worker processes for these frames; None if threads of this process do as well.

    There is one for each core, or for each of several GPUs, unless the frames are too few or too small, or the memory
    is too little.
    """
    if not starts_python():
        return None
    memory, _ = memory_for_frames(recipe.options)
    most = min(len(jobs), memory // (2 * WORKER_MEMORY), int(_seconds(recipe, jobs) / (WORTH * START_SECONDS)))
    if len(devices) > 1:
        frames = max(1, threads // len(devices))
        return WorkerPlan(len(devices), frames, threads, devices) if most >= len(devices) else None
    if list(devices) != ["cpu"] or threads < LEAST_THREADS or most < 2:
        return None
    return WorkerPlan(min(most, threads), 1, threads, devices)


def _seconds(recipe: Recipe, jobs: Sequence[FrameJob]) -> float:
    """Return an estimate of the processor seconds that the frames take which do not exist yet."""
    keeps = recipe.resume or recipe.existing == "skip"
    todo = [job for job in jobs if not (keeps and job.target.exists())]
    for job in todo[:TRIES]:
        try:
            parts = describe(job.source, recipe.options.salvage, job.frame).parts
        except TesseraError:
            continue
        samples = max(part.width * part.height * len(part.channels) for part in parts)
        return len(todo) * (FRAME_SECONDS + SAMPLE_SECONDS * samples)
    return len(todo) * FRAME_SECONDS


def _for_others(recipe: Recipe, jobs: Sequence[FrameJob], devices: Sequence[str]) -> Recipe:
    """Return the recipe as other processes can use it: with the state of the config that it has now.

    Compiles the kernels of the CPU, once for all of them. Raises CanNotStart if the recipe can't be sent to others.
    """
    try:
        pickle.dumps(recipe)
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise CanNotStart(f"the grade can't be sent to them: {error}") from error
    try:
        recipe = replace(recipe, config=pin_for_others(recipe.options.colour.over(recipe.grade.colour)))
        if list(devices) != ["cpu"]:
            return recipe
        options = replace(recipe.options, force=True)
        first = jobs[0]
        job = resolve(first.source, first.target, recipe.grade, options, config=recipe.job_config(), frame=first.frame)
        if not job.copies:
            create_executor("cpu", 1).prepare(job.steps())
    except TesseraError:
        return recipe  # every frame says what is wrong
    return recipe

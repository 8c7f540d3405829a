"""A graded sequence: frames at once within one limit of memory and one number of threads, and what became of each.

A lane is a thread that carries one frame after the other from its file to its file. Each works alone, so that reading,
computing and writing of neighbouring frames overlap without any of them waiting for the others.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import FIRST_EXCEPTION, ThreadPoolExecutor, wait
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

from engine.compute.devices import devices_in_turn
from engine.core.atomic import checked_target, remove_litter
from engine.core.file_errors import exists
from engine.core.system import peak_memory
from engine.errors import TargetExists, TesseraError, UnsupportedFile
from engine.export.frame_patterns import FramePattern, frames_text, nearest, pair, parse_frames, parse_pattern
from engine.export.frames import EXISTING, Existing, FrameExporter, FrameJob, FrameResult, Recipe, thread_budget
from engine.export.options import ExportOptions
from engine.export.watching import growing
from engine.grade.grade import Grade

MISSING = ("error", "skip", "hold", "black")
"""What becomes of a frame that has no file: a failure, nothing, the frame before it, or black."""
Asked = Callable[[], bool]


@dataclass(frozen=True)
class SequenceProgress:
    """How far a sequence is: frames that are `done` (made or kept), `failed`, and all there are.

    `frame` is the one begun last; `rate` frames per second, `left` seconds, both 0 until a frame is made.
    """

    frame: int
    done: int
    failed: int
    total: int
    seconds: float
    rate: float
    left: float


@dataclass(frozen=True)
class SequenceReport:
    """What became of every frame. Frames are numbers of the source, in order.

    `kept` were there already, `skipped` have no file; `failures` are (frame, one line, log for a developer). Seconds of
    reading, computing and writing are added up over all frames, which ran at once. `peak_memory` is the most that this
    process has held, in bytes. `notes` are sentences for the user, with the frames that they are about.
    """

    made: tuple[int, ...]
    kept: tuple[int, ...]
    skipped: tuple[int, ...]
    failures: tuple[tuple[int, str, str], ...]
    cancelled: bool
    devices: tuple[str, ...]
    seconds_read: float
    seconds_compute: float
    seconds_write: float
    seconds_total: float
    frames_per_second: float
    peak_memory: int
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


OnProgress = Callable[[SequenceProgress], None]


@dataclass
class SequencePlan:
    """What there is to do: a job for each frame, frames that are left out, and those that fail before they begin."""

    jobs: list[FrameJob]
    skipped: list[int]
    failed: list[FrameResult]


def export_sequence(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    frames: str | Sequence[int] | None = None,
    missing: str = "error",
    resume: bool = False,
    existing: Existing = "",
    watch: float | None = None,
    progress: OnProgress | None = None,
    cancelled: Asked | None = None,
) -> SequenceReport:
    """Grade every frame of a sequence; `source` and `target` are notations such as `shot.####.exr`.

    `frames` are those to do, `1001-1100,1150` or numbers; by default those of the source's notation, else all from the
    first to the last on disk. `missing` says what becomes of one without a file: MISSING. `resume` leaves the frames
    that are there, complete, no older than their source and made with this grade and these options. `existing` says
    what becomes of others that are there: EXISTING, or the frames that may be replaced; one that comes into being
    later is not. `watch` follows a sequence that grows, until so many seconds (perhaps inf) bring nothing new. Frames
    run at once within `options.threads` and `options.max_memory`; with several GPUs they take them in turn.

    One bad frame does not stop the others: it is in the report. `progress` is told of each frame, by several threads
    but never at once; when `cancelled` says so, frames in hand are given up, without a trace. Raises FileError,
    BackendError or MemoryLimitError where nothing could begin.
    """
    options = options or ExportOptions()
    numbers = checked_frames(frames, missing, existing)
    stop = threading.Event()

    def stopped() -> bool:
        return stop.is_set() or (cancelled is not None and cancelled())

    recipe = Recipe(grade, options, resume, existing)
    ends = parse_pattern(source), parse_pattern(target)
    if watch is None:
        feed: Iterable[FrameJob] = (plan := plan_sequence(*ends, options, numbers, missing, resume, existing)).jobs
    else:
        plan = _plan_before_watching(*ends, recipe, numbers)
        feed = _watched(*ends, recipe, numbers, missing, watch, stopped, plan)
    if watch is None and not plan.jobs:
        return Tally(plan, progress).report(stopped())
    run = _Run(recipe, plan, feed, progress, stop, stopped)
    try:
        return run.report()
    finally:
        remove_litter(*(job.target for job in plan.jobs))


def checked_frames(frames: str | Sequence[int] | None, missing: str, existing: Existing = "") -> Sequence[int] | None:
    """Frames as numbers; TesseraError where they, `missing` or `existing` are none."""
    if isinstance(existing, str) and existing not in ("", *EXISTING):
        raise TesseraError(f"existing frames can't be treated as '{existing}'", f"use one of {', '.join(EXISTING)}")
    if missing not in MISSING:
        raise TesseraError(f"a missing frame can't be made '{missing}'", f"use one of {', '.join(MISSING)}")
    return parse_frames(frames) if isinstance(frames, str) else frames


def _plan_before_watching(
    source: FramePattern, target: FramePattern, recipe: Recipe, frames: Sequence[int] | None
) -> SequencePlan:
    """A plan without jobs, which come as they come; what is there already is checked."""
    if target.frames is not None:
        raise UnsupportedFile(target.text, "can't be numbered anew while it is watched", "leave its range out")
    if source.on_disk():
        plan_sequence(source, target, recipe.options, frames, "skip", recipe.resume, recipe.existing)
    return SequencePlan([], [], [])


def _watched(
    source: FramePattern,
    target: FramePattern,
    recipe: Recipe,
    frames: Sequence[int] | None,
    missing: str,
    idle: float,
    stopped: Asked,
    plan: SequencePlan,
) -> Iterator[FrameJob]:
    """Jobs as their frames come; at the end those that are left, and into `plan` what else became of them."""
    wanted = frames if frames is not None else source.frames
    taken = set[int]()
    for job in growing(source, target, wanted, idle, stopped):
        taken.add(job.frame)
        plan.jobs.append(job)
        yield job
    if stopped():
        return
    rest = plan_sequence(source, target, replace(recipe.options, force=True), frames, missing)
    plan.skipped.extend(rest.skipped)
    plan.failed.extend(rest.failed)
    for job in rest.jobs:
        if job.frame not in taken:
            plan.jobs.append(job)
            yield job


def plan_sequence(
    source: FramePattern,
    target: FramePattern,
    options: ExportOptions,
    frames: Sequence[int] | None = None,
    missing: str = "error",
    resume: bool = False,
    existing: Existing = "",
) -> SequencePlan:
    """The jobs of a sequence. TargetExists where frames are there already that may be neither replaced nor left."""
    files = pair(source, target, frames)
    checked_target(files[0].target, force=True)
    recipe = Recipe(Grade(), options, resume, existing)
    if not (resume or existing == "skip"):
        there = [each.target for each in files if not recipe.replaces(each.frame) and exists(each.target)]
        if there:
            more = f" (and {len(there) - 1} more)" if len(there) > 1 else ""
            raise TargetExists(there[0], f"already exists{more}", "use --resume to do the rest, --force to replace")
    present = source.on_disk()
    jobs, skipped, failed = list[FrameJob](), list[int](), list[FrameResult]()
    for each in files:
        if each.is_there:
            jobs.append(FrameJob(each.frame, each.source, each.target))
        elif missing == "skip":
            skipped.append(each.frame)
        elif missing == "error":
            line = f"{each.source}: does not exist; render it, or use --missing skip, hold or black"
            failed.append(FrameResult(each.frame, str(each.target), "failed", line))
        else:
            jobs.append(FrameJob(each.frame, source.path(nearest(present, each.frame)), each.target, missing))
    return SequencePlan(jobs, skipped, failed)


class Tally:
    """Counts what became of frames, and tells of it."""

    def __init__(self, plan: SequencePlan, progress: OnProgress | None) -> None:
        self._ended, self._states = list[FrameResult](), Counter[str]()
        self._plan, self._progress = plan, progress
        self._frame, self._start, self._first = 0, time.monotonic(), 0.0
        self._lock = threading.Lock()

    def begun(self, frame: int) -> None:
        with self._lock:
            self._frame, self._first = frame, self._first or time.monotonic()
            self._tell()

    def ended(self, result: FrameResult) -> None:
        with self._lock:
            self._ended.append(result)
            self._states[result.state] += 1
            self._tell()

    def _tell(self) -> None:
        if self._progress is None:
            return
        total, failed = len(self._plan.jobs) + len(self._plan.failed), len(self._plan.failed) + self._states["failed"]
        now = time.monotonic()
        working = now - self._first if self._first else 0.0
        rate = self._states["done"] / working if working > 0.0 else 0.0
        left = (total - len(self._ended) - len(self._plan.failed)) / rate if rate else 0.0
        done = self._states["done"] + self._states["kept"]
        self._progress(SequenceProgress(self._frame, done, failed, total, now - self._start, rate, left))

    def report(self, cancelled: bool) -> SequenceReport:
        """What became of all frames."""
        results = sorted([*self._plan.failed, *self._ended], key=lambda result: result.frame)
        seconds = time.monotonic() - self._start
        made = [result for result in results if result.state == "done"]
        reading, computing, writing = (sum(result.seconds[n] for result in made) for n in range(3))
        return SequenceReport(
            made=tuple(result.frame for result in made),
            kept=tuple(result.frame for result in results if result.state == "kept"),
            skipped=tuple(self._plan.skipped),
            failures=tuple((each.frame, each.error, each.log) for each in results if each.state == "failed"),
            cancelled=cancelled,
            devices=tuple(sorted({result.device for result in made})),
            seconds_read=reading,
            seconds_compute=computing,
            seconds_write=writing,
            seconds_total=seconds,
            frames_per_second=len(made) / seconds if seconds else 0.0,
            peak_memory=peak_memory(),
            notes=_notes(made),
        )


def _notes(results: list[FrameResult]) -> tuple[str, ...]:
    """Each sentence once, with the frames that it is about."""
    frames = dict[str, list[int]]()
    for result in results:
        for note in result.notes:
            frames.setdefault(note, []).append(result.frame)
    return tuple(
        note if len(about) == len(results) > 1 else f"{frames_text(about)}: {note}" for note, about in frames.items()
    )


class _Run:
    """Frames on their way, in lanes."""

    def __init__(
        self,
        recipe: Recipe,
        plan: SequencePlan,
        feed: Iterable[FrameJob],
        progress: OnProgress | None,
        stop: threading.Event,
        stopped: Asked,
    ) -> None:
        threads = thread_budget(recipe.options)
        count = len(plan.jobs) if isinstance(feed, list) else threads + 1
        # One more than threads: while it waits for the disk, the others compute.
        self._workers = max(1, min(count, threads + 1))
        self._exporter = FrameExporter(recipe, self._workers, threads, devices_in_turn(recipe.options.backend))
        self._feed, self._feed_lock = iter(feed), threading.Lock()
        self._stop, self._stopped = stop, stopped
        self._tally = Tally(plan, progress)

    def report(self) -> SequenceReport:
        """Do it."""
        with ThreadPoolExecutor(self._workers, "tessera-lane") as pool:
            workers = [pool.submit(self._work, number) for number in range(self._workers)]
            try:
                for worker in wait(workers, return_when=FIRST_EXCEPTION).done:
                    worker.result()
            except BaseException:
                self._stop.set()  # the others end soon, and leave no trace of what they have in hand
                raise
        return self._tally.report(self._stopped())

    def _work(self, number: int) -> None:
        while not self._stopped() and (job := self._next()) is not None:
            self._tally.begun(job.frame)
            self._tally.ended(self._exporter.run(job, number, self._stopped))

    def _next(self) -> FrameJob | None:
        with self._feed_lock:
            return next(self._feed, None)

"""Export of a graded sequence: concurrent frames within one memory limit and one number of threads.

A worker exports one frame after the other, in a thread or in a process. Workers are independent, so that reading,
computing and writing of different frames overlap without waiting for each other.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import asdict, replace
from pathlib import Path
from typing import Any

from engine.core.atomic import checked_target, remove_stale_files
from engine.core.file_errors import exists
from engine.core.records import dataclass
from engine.core.system import peak_memory
from engine.errors import TargetExists, TesseraError, UnsupportedFile
from engine.export.frame_patterns import (
    FrameFiles,
    FramePattern,
    FrameSource,
    frames_text,
    nearest,
    pair,
    parse_frames,
    parse_pattern,
)
from engine.export.frame_sources import frame_source, watched_source
from engine.export.frame_workers import Exporter, open_exporter, run_frames
from engine.export.frames import EXISTING, Asked, Existing, FrameJob, FrameResult, Recipe, may_replace
from engine.export.options import ExportOptions
from engine.export.watching import growing
from engine.grade.grade import Grade
from engine.movies.movie_files import is_movie

MISSING = ("error", "skip", "hold", "black")
"""What to do with a frame that has no file: report a failure, skip it, use the frame before it, or black."""


@dataclass(frozen=True)
class SequenceProgress:
    """The progress of a sequence: the numbers of frames `done` (exported or kept), `failed`, and in `total`.

    `frame` is the last one started; `rate` is in frames per second, `left` in seconds, both 0 until the first frame is
    exported.
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
    """The report of a sequence. Frames are numbers of the source, in order.

    `kept` existed already, `skipped` have no file; `failures` are (frame, one line, log for a developer). Seconds of
    reading, computing and writing are sums over all frames, which ran concurrently. `encoders` are gpu, cpu or both;
    `bytes_written` is the size of all frames made. `peak_memory` is the peak memory of this process and of its worker
    processes, at most, in bytes. `notes` are sentences for the user, with the frames that they apply to.
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
    encoders: tuple[str, ...] = ()
    bytes_written: int = 0
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


OnProgress = Callable[[SequenceProgress], None]


@dataclass
class SequencePlan:
    """The plan of a sequence: a job for each frame, skipped frames, and frames that failed before they started."""

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
    """Grade every frame of a sequence; `source` and `target` are patterns such as `shot.####.exr`.

    The source may also be a movie, whose frames count from 0.

    `frames` are the frames to export, `1001-1100,1150` or numbers; by default those of the source's pattern, else all
    from the first to the last on disk. `missing` says what to do with a frame without a file: see MISSING. `resume`
    keeps targets that are complete, no older than their source and made with the same grade and options. `existing`
    says what to do with other targets that exist: see EXISTING, or the frames that may be replaced; targets that appear
    later are not replaced. `watch` follows a growing sequence until nothing changes for so many seconds (may be inf).
    Frames run concurrently within `options.threads` and `options.max_memory`, and take turns on several GPUs.

    A failed frame does not stop the others: it is in the report. `progress` is called for each frame, from several
    threads but never concurrently. When `cancelled` returns True, current frames are abandoned and their temporary
    files deleted. Raises FileError, BackendError or MemoryLimitError if nothing could start.
    """
    options = options or ExportOptions()
    numbers = checked_frames(frames, missing, existing)
    stop = threading.Event()

    def stopped() -> bool:
        return stop.is_set() or (cancelled is not None and cancelled())

    recipe = Recipe(grade, options, resume, existing)
    output = parse_pattern(target)
    if watch is None:
        plan = plan_sequence(frame_source(source), output, options, numbers, missing, resume, existing)
        feed: Iterable[FrameJob] = plan.jobs
        present = plan.jobs
    else:
        growing_source = watched_source(source)
        plan = _plan_before_watching(growing_source, output, recipe, numbers)
        feed = _watched(growing_source, output, recipe, numbers, missing, watch, stopped, plan)
        present = _present(growing_source, output, numbers)
    if watch is None and not plan.jobs:
        return Tally(plan, progress).report(stopped())
    exporter = open_exporter(recipe, present, len(plan.jobs) if watch is None else None)
    return _exported(exporter, feed, Tally(plan, progress), plan, stop, stopped)


def _exported(
    exporter: Exporter,
    feed: Iterable[FrameJob],
    tally: Tally,
    plan: SequencePlan,
    stop: threading.Event,
    stopped: Asked,
) -> SequenceReport:
    """Export the frames and return the report; leave no temporary files of processes that died."""
    try:
        run_frames(exporter, feed, stop, stopped, tally.begun, tally.ended)
        return tally.report(stopped(), exporter.workers_memory)
    finally:
        remove_stale_files(*(job.target for job in plan.jobs))


def checked_frames(frames: str | Sequence[int] | None, missing: str, existing: Existing = "") -> Sequence[int] | None:
    """Return the frames as numbers. Raises TesseraError if they, `missing` or `existing` are not valid."""
    if isinstance(existing, str) and existing not in ("", *EXISTING):
        what = f"'{existing}' is not a valid choice for existing frames"
        raise TesseraError(what, f"use one of {', '.join(EXISTING)}")
    if missing not in MISSING:
        what = f"'{missing}' is not a valid choice for missing frames"
        raise TesseraError(what, f"use one of {', '.join(MISSING)}")
    return parse_frames(frames) if isinstance(frames, str) else frames


def _plan_before_watching(
    source: FramePattern, target: FramePattern, recipe: Recipe, frames: Sequence[int] | None
) -> SequencePlan:
    """Return a plan without jobs, which are added as frames appear. Existing frames are checked."""
    if target.frames is not None:
        raise UnsupportedFile(target.text, "can't be renumbered while it is watched", "leave its range out")
    if source.on_disk():
        plan_sequence(source, target, recipe.options, frames, "skip", recipe.resume, recipe.existing)
    return SequencePlan([], [], [])


def _present(source: FramePattern, target: FramePattern, frames: Sequence[int] | None) -> list[FrameJob]:
    """Return jobs for the frames on disk."""
    wanted = frames if frames is not None else source.frames
    present = source.on_disk()
    found = present if wanted is None else set(wanted).intersection(present)
    return [FrameJob(frame, source.path(frame), target.path(frame)) for frame in sorted(found)]


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
    """Yield jobs as their frames appear, then the remaining ones; add skipped and failed frames to `plan`."""
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
    source: FrameSource,
    target: FramePattern,
    options: ExportOptions,
    frames: Sequence[int] | None = None,
    missing: str = "error",
    resume: bool = False,
    existing: Existing = "",
) -> SequencePlan:
    """Return the plan of a sequence. Raises TargetExists if targets exist that may be neither replaced nor kept."""
    files = pair(source, target, frames)
    checked_target(files[0].target, force=True)
    if not (resume or existing == "skip"):
        found = [f.target for f in files if not may_replace(f.frame, options.force, existing) and exists(f.target)]
        if found:
            more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
            raise TargetExists(found[0], f"already exists{more}", "use --resume to do the rest, --force to replace")
    present = source.on_disk()
    jobs, skipped, failed = list[FrameJob](), list[int](), list[FrameResult]()
    for each in files:
        if each.is_there:
            jobs.append(FrameJob(each.frame, each.source, each.target))
        elif missing == "skip":
            skipped.append(each.frame)
        elif missing == "error" or is_movie(each.source):
            line = _lacking(each)
            failed.append(FrameResult(each.frame, str(each.target), "failed", line))
        else:
            jobs.append(FrameJob(each.frame, source.path(nearest(present, each.frame)), each.target, missing))
    return SequencePlan(jobs, skipped, failed)


def _lacking(files: FrameFiles) -> str:
    """Return the line about a frame without a source."""
    if is_movie(files.source):
        return f"{files.source}: has no frame {files.frame}; leave it out, or use --missing skip"
    return f"{files.source}: does not exist; render it, or use --missing skip, hold or black"


class Tally:
    """Counts the results of frames and reports progress."""

    def __init__(self, plan: SequencePlan, progress: OnProgress | None) -> None:
        self._ended, self._states = list[FrameResult](), Counter[str]()
        self._plan, self._progress = plan, progress
        self._frame, self._start, self._first = 0, time.monotonic(), 0.0
        self._lock = threading.Lock()

    def begun(self, frame: int) -> None:
        with self._lock:
            self._frame, self._first = frame, self._first or time.monotonic()
            self._report_progress()

    def ended(self, result: FrameResult) -> None:
        with self._lock:
            self._ended.append(result)
            self._states[result.state] += 1
            self._report_progress()

    def _report_progress(self) -> None:
        if self._progress is None:
            return
        total, failed = len(self._plan.jobs) + len(self._plan.failed), len(self._plan.failed) + self._states["failed"]
        now = time.monotonic()
        working = now - self._first if self._first else 0.0
        rate = self._states["done"] / working if working > 0.0 else 0.0
        left = (total - len(self._ended) - len(self._plan.failed)) / rate if rate else 0.0
        done = self._states["done"] + self._states["kept"]
        self._progress(SequenceProgress(self._frame, done, failed, total, now - self._start, rate, left))

    def report(self, cancelled: bool, workers_memory: int = 0) -> SequenceReport:
        """Return the report of all frames. `workers_memory` is the peak memory of worker processes, in bytes."""
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
            encoders=tuple(sorted({result.encoder for result in made})),
            bytes_written=sum(result.file_size for result in made),
            peak_memory=peak_memory() + workers_memory,
            notes=_notes(made),
        )


def _notes(results: list[FrameResult]) -> tuple[str, ...]:
    """Return each note once, with the frames that it applies to."""
    frames = dict[str, list[int]]()
    for result in results:
        for note in result.notes:
            frames.setdefault(note, []).append(result.frame)
    return tuple(
        note if len(about) == len(results) > 1 else f"{frames_text(about)}: {note}" for note, about in frames.items()
    )

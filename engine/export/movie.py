"""Export of a movie: frames graded and converted as those of a sequence, encoded in order, and written as one file."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.atomic import checked_target
from engine.core.file_errors import exists
from engine.core.system import available_memory
from engine.errors import UnreadableFile
from engine.export.frame_patterns import frames_text, is_pattern, parse_pattern, pattern_of
from engine.export.frame_workers import open_exporter, run_frames
from engine.export.frames import Asked, FrameJob, FrameResult, Recipe, is_complete, may_replace, thread_budget
from engine.export.movie_muxing import OrderedFrames
from engine.export.movie_plan import MoviePlan, check_options, frame_options, plan_movie, with_light
from engine.export.movie_record import KEY, record_for, recorded, unchanged
from engine.export.options import ExportOptions, ExportPreview
from engine.export.sequence import OnProgress, SequencePlan, SequenceReport, Tally, checked_frames, plan_sequence
from engine.grade.grade import Grade
from engine.movies.content_light import content_light
from engine.movies.encode_settings import EncodeSettings
from engine.movies.encode_tags import ContentLight
from engine.movies.encoding import MovieWriter, check_installed
from engine.movies.plane_files import SUFFIX, frame_bytes
from engine.movies.plane_folder import plane_folder

SPARE_FRAMES = 3
"""Frames that are made ahead of the encoder, beside one for each thread."""
MEMORY_SHARE = 8
"""The part of the memory that frames may take that are not encoded yet: one of so many."""


def export_movie(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    frames: str | Sequence[int] | None = None,
    missing: str = "error",
    resume: bool = False,
    existing: str = "",
    progress: OnProgress | None = None,
    cancelled: Asked | None = None,
) -> SequenceReport:
    """Grade every frame of a sequence, or one image, and write them as a movie.

    The suffix of `target` is the container, `options.movie` says how it is encoded; otherwise the arguments are those
    of `export_sequence`. The movie appears when it is complete, or not at all: if a frame fails, no movie is written,
    and the report names all frames that can't be read. `resume` keeps a movie that is complete and made with the same
    grade, options and frames; if only frames differ, and the codec encodes each on its own, the others are taken over
    as they are. Raises FileError, BackendError or MemoryLimitError if nothing
    could start or the encoder fails.
    """
    options, target = options or ExportOptions(), Path(target)
    options = replace(options, force=may_replace(0, options.force or resume, existing))
    check_options(target, options)
    checked_target(target, options.force or existing == "skip")
    check_installed(target)
    numbers, asked = checked_frames(frames, missing, existing), cancelled or (lambda: False)
    with plane_folder() as folder:
        plan = with_slate(planned(source, folder, frame_options(options), numbers, missing), options)
        tally = Tally(plan, progress)
        if plan.failed or not plan.jobs:
            return tally.report(False)
        if existing == "skip" and exists(target):
            return _kept(plan, tally, target)
        movie = plan_movie(target, first_of(plan), Recipe(grade, options))
        return _Export(target, movie, plan, tally, asked, options.force, resume).run()


def preview_movie(
    source: str | Path,
    target: str | Path,
    grade: Grade,
    options: ExportOptions | None = None,
    *,
    frames: str | Sequence[int] | None = None,
    missing: str = "error",
) -> ExportPreview:
    """Return what `export_movie` would write, without writing anything. Raises the same errors as its checks."""
    options, target = options or ExportOptions(), Path(target)
    check_options(target, options)
    checked_target(target, options.force)
    plan = planned(source, target.parent, frame_options(options), checked_frames(frames, missing), missing)
    if not plan.jobs:
        raise UnreadableFile(source, "has none of these frames", "check --frames")
    movie = plan_movie(target, plan.jobs[0], Recipe(grade, options))
    lacking = [*plan.skipped, *(result.frame for result in plan.failed)]
    lines = [f"{len(plan.jobs)} frames: {frames_text(job.frame for job in plan.jobs)}", *movie.lines()]
    lines += [f"missing: {frames_text(lacking)}"] if lacking else []
    return ExportPreview([], lines, movie.notes, movie.colour)


def planned(
    source: str | Path, folder: Path, options: ExportOptions, frames: Sequence[int] | None, missing: str
) -> SequencePlan:
    """Return the jobs of the frames, whose planes are written to a folder."""
    names = folder / f"frame.######{SUFFIX}"
    if is_pattern(source):
        plan = plan_sequence(parse_pattern(source), parse_pattern(names), options, frames, missing)
        plan.jobs[:] = [replace(job, position=number) for number, job in enumerate(plan.jobs)]
        return plan
    found = pattern_of(source)
    frame = found[1] if found else 1
    return SequencePlan([FrameJob(frame, Path(source), parse_pattern(names).path(frame))], [], [])


def with_slate(plan: SequencePlan, options: ExportOptions) -> SequencePlan:
    """Return a plan with the slate of the burn-in before its frames."""
    burn_in = options.movie.burn_in
    if burn_in is None or not burn_in.slate or not plan.jobs:
        return plan
    first, least = plan.jobs[0], min(job.frame for job in plan.jobs)
    slate = [
        FrameJob(least - n, first.source, first.target.with_name(f"slate.{n}{SUFFIX}"), "slate", -n)
        for n in range(burn_in.slate, 0, -1)
    ]
    return SequencePlan([*slate, *plan.jobs], plan.skipped, plan.failed)


def first_of(plan: SequencePlan) -> FrameJob:
    """Return the first frame that is not the slate."""
    return next(job for job in plan.jobs if job.stand_in != "slate")


def _kept(plan: SequencePlan, tally: Tally, target: Path) -> SequenceReport:
    """Return the report of a movie that is there already."""
    for job in plan.jobs:
        tally.ended(FrameResult(job.frame, str(target), "kept"))
    return tally.report(False)


@dataclass
class _Export:
    """The export of a planned movie."""

    target: Path
    movie: MoviePlan
    plan: SequencePlan
    tally: Tally
    cancelled: Asked
    force: bool
    resume: bool

    def run(self) -> SequenceReport:
        """Make and encode the frames; return the report."""
        record = record_for(self.movie, self.plan.jobs)
        old = recorded(self.target) if self.resume else None
        if old == record:
            return _kept(self.plan, self.tally, self.target)
        settings = replace(self.movie.settings, metadata=((KEY, record.text),))
        taken_over = unchanged(old, record) if old and self.movie.codec.intra and not self.movie.planes.measures else {}
        if taken_over:
            # With one thread no packet of the encoder comes late: those that are taken over must not overtake it.
            settings = replace(settings, before=self.target, threads=1)
        if self.movie.measures_before:
            light, failures = _measured(self.movie, self.plan, self.cancelled)
            if light is None:
                self.plan.failed.extend(failures)
                return self.tally.report(self.cancelled())
            settings = with_light(self.movie, settings, light)
        return self._written(settings, taken_over, old is not None)

    def _written(self, settings: EncodeSettings, taken_over: dict[int, int], again: bool) -> SequenceReport:
        plan, tally = self.plan, self.tally
        for number in taken_over:
            tally.ended(FrameResult(plan.jobs[number].frame, str(self.target), "kept"))
        writer = MovieWriter(self.target, settings, self.force)
        try:
            run = _run(self.movie.recipe, plan, writer, self.cancelled, tally, taken_over)
            encoded = run.ordered.end()
        finally:
            writer.abort()
        report = tally.report(self.cancelled(), run.memory)
        if encoded is None:
            others = () if self.cancelled() else tuple((each.frame, each.error, "") for each in _damaged(run.left))
            return replace(report, made=(), kept=(), failures=(*report.failures, *others))
        notes = [*self.movie.notes, *report.notes, *encoded.notes]
        if taken_over:
            notes.append(f"{len(taken_over)} of {len(plan.jobs)} frames were taken over from the movie before.")
        elif again:
            notes.append("The movie has changed, and all its frames were encoded again.")
        size = self.target.stat().st_size if exists(self.target) else 0
        return replace(report, bytes_written=size, notes=tuple(notes))


@dataclass(frozen=True)
class _Run:
    """Frames that were made: in their order, with the jobs that were not begun, and the peak memory of processes."""

    ordered: OrderedFrames
    left: Sequence[FrameJob]
    memory: int


def _run(
    recipe: Recipe,
    plan: SequencePlan,
    writer: MovieWriter | None,
    cancelled: Asked,
    tally: Tally,
    taken_over: Mapping[int, int] | None = None,
) -> _Run:
    """Make the frames, and encode them if there is a writer."""
    stop = threading.Event()

    def stopped() -> bool:
        return stop.is_set() or cancelled()

    ordered = OrderedFrames(plan.jobs, writer, _ahead(recipe.options), stopped, taken_over=taken_over)

    def ended(result: FrameResult) -> None:
        ordered.take(result)
        tally.ended(result)

    try:
        exporter = open_exporter(recipe, plan.jobs, len(plan.jobs))
        run_frames(exporter, ordered.feed(), stop, stopped, tally.begun, ended)
    except BaseException:
        stop.set()  # the frames that are waited for never come
        raise
    return _Run(ordered, plan.jobs[ordered.started :], exporter.workers_memory)


def _measured(
    movie: MoviePlan, plan: SequencePlan, cancelled: Asked
) -> tuple[ContentLight | None, Sequence[FrameResult]]:
    """Make all frames to measure their light. Return it, or None with the frames that failed."""
    planes = replace(movie.planes, only_measured=True)
    recipe = replace(movie.recipe, options=replace(movie.recipe.options, planes=planes))
    failures = list[FrameResult]()

    class _Failures(Tally):
        def ended(self, result: FrameResult) -> None:
            if result.state == "failed":
                failures.append(result)

    run = _run(recipe, plan, None, cancelled, _Failures(plan, None))
    if run.ordered.end() is None:
        return None, [*failures, *([] if cancelled() else _damaged(run.left))]
    return content_light(run.ordered.light), ()


def _damaged(jobs: Sequence[FrameJob]) -> list[FrameResult]:
    """Return failures for the frames whose files are incomplete, of those that were not begun."""
    line = "is incomplete or damaged; write it again"
    bad = (job for job in jobs if not is_complete(job.source))
    return [FrameResult(job.frame, str(job.target), "failed", f"{job.source}: {line}") for job in bad]


def _ahead(options: ExportOptions) -> int:
    """Return how many frames may be made that are not encoded yet."""
    planes = options.planes
    assert planes is not None
    memory = available_memory() if options.max_memory is None else options.max_memory
    fit = memory // MEMORY_SHARE // frame_bytes(planes.pixels, planes.width, planes.height)
    return max(1, min(thread_budget(options) + SPARE_FRAMES, fit))

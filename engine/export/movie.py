"""Export of a movie: frames graded and converted as those of a sequence, encoded in order, and written as one file."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from engine.core.atomic import checked_target
from engine.core.file_errors import exists, writing
from engine.core.records import dataclass
from engine.errors import UnreadableFile, UnsupportedFile
from engine.export.frame_patterns import frames_text
from engine.export.frames import Asked, FrameJob, FrameResult, Recipe, may_replace
from engine.export.movie_making import Farm, Made, damaged, make_frames, planned, shown_in, with_slate
from engine.export.movie_plan import MoviePlan, check_options, frame_options, plan_movie, with_light
from engine.export.movie_record import KEY, record_for, recorded, unchanged
from engine.export.options import ExportOptions, ExportPreview
from engine.export.sequence import OnProgress, SequencePlan, SequenceReport, Tally, checked_frames
from engine.grade.grade import Grade
from engine.movies.content_light import content_light
from engine.movies.encode_settings import Encoded, EncodeSettings
from engine.movies.encoding import MovieWriter, check_installed
from engine.movies.plane_folder import plane_folder


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
    frames_in: str | Path | None = None,
    make_only: str | None = None,
    farm: Farm | None = None,
    progress: OnProgress | None = None,
    cancelled: Asked | None = None,
) -> SequenceReport:
    """Grade every frame of a sequence, or one image, and write them as a movie.

    The suffix of `target` is the container, `options.movie` says how it is encoded; otherwise the arguments are those
    of `export_sequence`. The movie appears when it is complete, or not at all: if a frame fails, no movie is written,
    and the report names all frames that can't be read. `resume` keeps a movie that is complete and made with the same
    grade, options and frames; if only frames differ, and the codec encodes each on its own, the others are taken over
    as they are.

    `frames_in` is a folder in which frames are kept until the movie is complete, and from which those are used that are
    up to date. With `make_only`, only these of the frames are made there, for another run to encode. A `farm` makes the
    frames. Raises FileError, BackendError or MemoryLimitError if nothing could start or the encoder fails.
    """
    options, target = options or ExportOptions(), Path(target)
    options = replace(options, force=may_replace(0, options.force or resume, existing))
    check_options(target, options)
    if exists(source) and exists(target) and Path(source).samefile(target):
        raise UnsupportedFile(target, "is also the source", "give it another name")
    if make_only is None:
        checked_target(target, options.force or existing == "skip")
        check_installed(target)
    numbers, asked = checked_frames(frames, missing, existing), cancelled or (lambda: False)
    with _folder(target, frames_in, farm) as folder:
        plan = with_slate(planned(source, folder, frame_options(options), numbers, missing), options)
        if make_only is not None:
            wanted = set(checked_frames(make_only, missing) or ())
            plan.failed[:] = [result for result in plan.failed if result.frame in wanted]
        tally = Tally(plan, progress)
        if plan.failed or not plan.jobs:
            return tally.report(False)
        if existing == "skip" and exists(target):
            return _kept(plan, tally, target)
        movie = plan_movie(target, shown_in(plan), Recipe(grade, options, resume=frames_in is not None))
        export = _Export(target, movie, plan, tally, asked, options.force, resume, farm)
        if make_only is not None:
            return export.make(wanted)
        return export.run() if frames_in is None else export.run_from(folder)


@contextmanager
def _folder(target: Path, frames_in: str | Path | None, farm: Farm | None) -> Iterator[Path]:
    """Provide the folder of the frames: one that is given, or one that is removed at the end."""
    if frames_in is None:
        with plane_folder(target if farm else None) as folder:
            yield folder
        return
    folder = Path(frames_in).absolute()
    with writing(folder):
        folder.mkdir(exist_ok=True)
    yield folder


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
    movie = plan_movie(target, plan.jobs, Recipe(grade, options))
    lacking = [*plan.skipped, *(result.frame for result in plan.failed)]
    lines = [f"{len(plan.jobs)} frames: {frames_text(job.frame for job in plan.jobs)}", *movie.lines()]
    lines += [f"missing: {frames_text(lacking)}"] if lacking else []
    return ExportPreview([], lines, movie.notes, movie.colour)


def _kept(plan: SequencePlan, tally: Tally, target: Path) -> SequenceReport:
    """Return the report of a movie that is there already."""
    for job in plan.jobs:
        tally.ended(FrameResult(job.frame, str(target), "kept"))
    return tally.report(False)


class _Failures(Tally):
    """Counts the failures of a pass before the one that writes the movie."""

    def __init__(self, plan: SequencePlan) -> None:
        super().__init__(plan, None)
        self._failed = plan.failed

    def ended(self, result: FrameResult) -> None:
        if result.state == "failed":
            self._failed.append(result)


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
    farm: Farm | None

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
            planes = replace(self.movie.planes, only_measured=True)
            recipe = replace(self.movie.recipe, options=replace(self.movie.recipe.options, planes=planes))
            made = make_frames(recipe, self.plan.jobs, None, _Failures(self.plan), self.cancelled, farm=self.farm)
            if made.ordered.end() is None:
                return self._not_written(made)
            settings = with_light(self.movie, settings, content_light(made.ordered.light))
        return self._written(settings, taken_over, old is not None)

    def make(self, wanted: set[int]) -> SequenceReport:
        """Make these frames; the slate is made with the first one."""
        first = shown_in(self.plan)[0].frame
        jobs = [job for job in self.plan.jobs if job.frame in wanted or (job.position < 0 and first in wanted)]
        made = make_frames(self.movie.recipe, jobs, None, self.tally, self.cancelled, keeps=True, farm=self.farm)
        made.ordered.end()
        return self.tally.report(self.cancelled(), made.memory)

    def run_from(self, folder: Path) -> SequenceReport:
        """Make the frames that are not in the folder, then encode all; the folder is removed if that succeeds."""
        jobs = self.plan.jobs
        made = make_frames(self.movie.recipe, jobs, None, self.tally, self.cancelled, keeps=True, farm=self.farm)
        if made.ordered.end() is None:
            return self._not_written(made)
        settings = replace(self.movie.settings, metadata=((KEY, record_for(self.movie, jobs).text),))
        light = content_light(made.ordered.light) if self.movie.planes.measures else None
        if light is not None and self.movie.measures_before:
            settings = with_light(self.movie, settings, light)
        writer = MovieWriter(self.target, settings, self.force)
        try:
            for job in jobs:
                if self.cancelled():
                    return replace(self.tally.report(True), made=(), kept=())
                writer.write(job.target)
            encoded = writer.finish(light)
        finally:
            writer.abort()
        _remove_frames(folder, jobs)
        return self._report(made, encoded, [])

    def _written(self, settings: EncodeSettings, taken_over: dict[int, int], again: bool) -> SequenceReport:
        plan, tally = self.plan, self.tally
        for number in taken_over:
            tally.ended(FrameResult(plan.jobs[number].frame, str(self.target), "kept"))
        writer = MovieWriter(self.target, settings, self.force)
        try:
            made = make_frames(
                self.movie.recipe, plan.jobs, writer, tally, self.cancelled, taken_over=taken_over, farm=self.farm
            )
            encoded = made.ordered.end()
        finally:
            writer.abort()
        if encoded is None:
            return self._not_written(made)
        notes = list[str]()
        if taken_over:
            notes.append(f"{len(taken_over)} of {len(plan.jobs)} frames were taken over from the movie before.")
        elif again:
            notes.append("The movie has changed, and all its frames were encoded again.")
        return self._report(made, encoded, notes)

    def _not_written(self, made: Made) -> SequenceReport:
        """Return the report of a movie that is not whole: the frames that failed, and those that would have."""
        report = self.tally.report(self.cancelled(), made.memory)
        others = () if self.cancelled() else tuple((each.frame, each.error, "") for each in damaged(made.left))
        return replace(report, made=(), kept=(), failures=(*report.failures, *others))

    def _report(self, made: Made, encoded: Encoded, notes: list[str]) -> SequenceReport:
        report = self.tally.report(False, made.memory)
        size = self.target.stat().st_size if exists(self.target) else 0
        shown = {job.frame for job in shown_in(self.plan)}
        made_frames = tuple(frame for frame in report.made if frame in shown)
        notes = [*self.movie.notes, *report.notes, *encoded.notes, *notes]
        return replace(report, made=made_frames, bytes_written=size, notes=tuple(notes))


def _remove_frames(folder: Path, jobs: Sequence[FrameJob]) -> None:
    """Remove the frames of a movie, and their folder if nothing else is in it."""
    with writing(folder):
        for job in jobs:
            job.target.unlink(missing_ok=True)
        if not any(folder.iterdir()):
            folder.rmdir()

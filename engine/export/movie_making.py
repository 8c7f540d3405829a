"""Making of the frames of a movie: by threads, processes or a farm, encoded in order, or kept in a folder."""

from __future__ import annotations

import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from engine.core.records import dataclass
from engine.core.system import available_memory
from engine.export.farm_cluster import Credentials
from engine.export.frame_patterns import is_pattern, parse_pattern, pattern_of
from engine.export.frame_sources import frame_source, is_one_movie
from engine.export.frame_workers import open_exporter, run_frames
from engine.export.frames import Asked, FrameJob, FrameResult, Recipe, is_complete, thread_budget
from engine.export.movie_muxing import OrderedFrames
from engine.export.options import ExportOptions
from engine.export.sequence import SequencePlan, Tally, plan_sequence
from engine.movies.encoding import MovieWriter
from engine.movies.movie_files import is_movie
from engine.movies.plane_files import SUFFIX
from engine.movies.plane_header import frame_bytes

SPARE_FRAMES = 3
"""Frames that are made ahead of the encoder, beside one for each thread."""
FARM_FRAMES = 256
"""Frames that a farm makes ahead of the encoder."""
MEMORY_SHARE = 8
"""The part of the memory that frames may take that are not encoded yet: one of so many."""


@dataclass(frozen=True)
class Farm:
    """The scheduler of a farm; see `export_on_farm`."""

    address: str
    tls: Credentials | None = None


def planned(
    source: str | Path, folder: Path, options: ExportOptions, frames: Sequence[int] | None, missing: str
) -> SequencePlan:
    """Return the jobs of the frames, whose planes are written to a folder."""
    names = folder / f"frame.######{SUFFIX}"
    if is_pattern(source) or is_one_movie(source):
        plan = plan_sequence(frame_source(source), parse_pattern(names), options, frames, missing)
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


def shown_in(plan: SequencePlan) -> list[FrameJob]:
    """Return the frames that are not the slate."""
    return [job for job in plan.jobs if job.stand_in != "slate"]


@dataclass(frozen=True)
class Made:
    """Frames that were made: in their order, with the jobs that were not begun, and the peak memory of processes."""

    ordered: OrderedFrames
    left: Sequence[FrameJob]
    memory: int


def make_frames(
    recipe: Recipe,
    jobs: Sequence[FrameJob],
    writer: MovieWriter | None,
    tally: Tally,
    cancelled: Asked,
    *,
    taken_over: Mapping[int, int] | None = None,
    keeps: bool = False,
    farm: Farm | None = None,
) -> Made:
    """Make the frames, and encode them if there is a writer, except those that are `taken_over`; see OrderedFrames.

    With `keeps`, all may be made ahead of the encoder, and their files stay.
    """
    stop = threading.Event()

    def stopped() -> bool:
        return stop.is_set() or cancelled()

    ahead = len(jobs) if keeps else FARM_FRAMES if farm else _ahead(recipe.options)
    ordered = OrderedFrames(jobs, writer, ahead, stopped, taken_over=taken_over, keeps=keeps)

    def ended(result: FrameResult) -> None:
        ordered.take(result)
        tally.ended(result)

    memory = 0
    try:
        if farm is None:
            exporter = open_exporter(recipe, jobs, len(jobs))
            run_frames(exporter, ordered.feed(), stop, stopped, tally.begun, ended)
            memory = exporter.workers_memory
        else:
            from engine.export.farm import make_on_farm

            asked = [job for number, job in enumerate(jobs) if number not in (taken_over or {})]
            make_on_farm(recipe, asked, farm.address, farm.tls, tally.begun, ended, ordered)
    except BaseException:
        stop.set()  # the frames that are waited for never come
        raise
    return Made(ordered, jobs[ordered.started :] if farm is None else (), memory)


def damaged(jobs: Sequence[FrameJob]) -> list[FrameResult]:
    """Return failures for the frames whose files are incomplete, of those that were not begun."""
    line = "is incomplete or damaged; write it again"
    bad = (job for job in jobs if not is_movie(job.source) and not is_complete(job.source))
    return [FrameResult(job.frame, str(job.target), "failed", f"{job.source}: {line}") for job in bad]


def _ahead(options: ExportOptions) -> int:
    """Return how many frames may be made that are not encoded yet."""
    planes = options.planes
    assert planes is not None
    memory = available_memory() if options.max_memory is None else options.max_memory
    fit = memory // MEMORY_SHARE // frame_bytes(planes.pixels, planes.width, planes.height)
    return max(1, min(thread_budget(options) + SPARE_FRAMES, fit))

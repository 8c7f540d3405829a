"""`tessera export` of a sequence."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from app.cli.commands.own_ops import say
from app.cli.commands.report import write_report
from app.cli.commands.stop import Stop
from engine.errors import Cancelled, TesseraError, escaped

if TYPE_CHECKING:
    from engine.export.options import ExportOptions
    from engine.export.sequence import SequenceReport
    from engine.grade.grade import Grade

MOST_LINES = 20


def run_sequence(asked: argparse.Namespace, grade: Grade, options: ExportOptions, stop: Stop) -> None:
    """Export every frame. Raises TesseraError at the end if some failed."""
    from app.cli.progress import SequenceWording, reporter

    if asked.dask_tls and not asked.dask:
        raise TesseraError("--dask-tls is for the scheduler of a farm", "give --dask, too")
    if asked.dask and asked.watch:
        raise TesseraError("--watch works only on this machine", "leave out --dask or --watch")

    show = reporter(asked.progress, SequenceWording())
    stop.at_once = False
    how: dict[str, Any] = {
        "frames": asked.frames,
        "missing": asked.missing or "error",
        "resume": asked.resume,
        "existing": asked.existing or "",
        "progress": show.progress,
        "cancelled": stop.asked,
    }
    try:
        if asked.dask:
            from engine.export.farm import export_on_farm

            warn_if_open(asked)
            say_carried(grade)
            how |= {"address": asked.dask, "tls": asked.dask_tls}
            report = export_on_farm(asked.source, asked.target, grade, options, **how)
        else:
            from engine.export.sequence import export_sequence

            report = export_sequence(asked.source, asked.target, grade, options, watch=asked.watch, **how)
    finally:
        show.close()
    write_report(asked, report)
    show.done(asked.target, report)
    _end(report)


def warn_if_open(asked: argparse.Namespace) -> None:
    """Warn if the scheduler of the farm has no TLS."""
    from engine.export.farm_cluster import is_open

    if is_open(asked.dask) and not asked.dask_tls:
        warning = f"{asked.dask}: has no TLS: anyone who can reach it can run code on its workers"
        print(f"tessera: {escaped(warning)}", file=sys.stderr)


def say_carried(grade: Grade) -> None:
    """Say which of the user's own ops the workers of the farm will execute."""
    from engine.grade.renewal import own_files_of

    say(
        f"the farm executes {each.path} (SHA-256 {each.sha256}), which is your own code" for each in own_files_of(grade)
    )


def print_failures(report: SequenceReport) -> None:
    """Print a line for each failed frame."""
    for _, line, _ in report.failures[:MOST_LINES]:
        print(f"tessera: {line}", file=sys.stderr)
    if len(report.failures) > MOST_LINES:
        print(f"tessera: and {len(report.failures) - MOST_LINES} more; --report lists them all", file=sys.stderr)


def _end(report: SequenceReport) -> None:
    """Print a line for each failed frame; raise an error if the export was cancelled or frames failed."""
    from engine.export.frame_patterns import frames_text

    print_failures(report)
    if report.cancelled:
        raise Cancelled(f"cancelled after {len(report.made)} frames; --resume does the rest")
    if report.failures:
        bad = frames_text(frame for frame, _, _ in report.failures)
        total = len(report.made) + len(report.kept) + len(report.failures)
        raise TesseraError(f"{len(report.failures)} of {total} frames failed: {bad}", "fix them and use --resume")


def show_first(asked: argparse.Namespace, options: ExportOptions) -> tuple[str, str, int]:
    """Print which frames would be exported; return source, target and number of the first."""
    from engine.export.frame_patterns import frames_text, parse_frames, parse_pattern
    from engine.export.frame_sources import frame_source
    from engine.export.sequence import plan_sequence

    frames = parse_frames(asked.frames) if asked.frames else None
    ends = frame_source(asked.source), parse_pattern(asked.target)
    plan = plan_sequence(*ends, options, frames, asked.missing or "skip", asked.resume, asked.existing or "")
    if not plan.jobs:
        raise TesseraError(f"{asked.source}: has none of these frames", "check --frames")
    print(f"{len(plan.jobs)} frames: {frames_text(job.frame for job in plan.jobs)}")
    lacking = [*plan.skipped, *(result.frame for result in plan.failed)]
    if lacking:
        print(f"missing: {frames_text(lacking)}")
    first = plan.jobs[0]
    return str(first.source), str(first.target), first.frame

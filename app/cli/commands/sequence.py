"""`tessera export` of a sequence: its options, and how it runs."""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from app.cli.commands.report import write_report
from app.cli.commands.stop import Stop
from engine.errors import Cancelled, TesseraError, UnsupportedFile, escaped

if TYPE_CHECKING:
    from engine.export.options import ExportOptions
    from engine.export.sequence import SequenceReport
    from engine.grade.grade import Grade

_OPTIONS = ("frames", "missing", "resume", "watch", "dask", "dask_tls")
PLACES = "#@%$"
"""Characters of which every frame pattern contains at least one."""
MOST_LINES = 20


def add_frames(options: argparse.ArgumentParser) -> None:
    """Add the options of sequences."""
    group = add_which(options)
    group.add_argument(
        "--resume",
        action="store_true",
        help="export only frames that are missing, incomplete, outdated or made with other options",
    )
    group.add_argument(
        "--watch",
        type=_seconds,
        metavar="SECONDS",
        help="wait for new frames until none arrives for so many seconds; or inf",
    )
    group.add_argument(
        "--dask",
        metavar="ADDRESS",
        help="export on a farm: the address of its scheduler, or local or local:N for N processes on this machine",
    )
    group.add_argument(
        "--dask-tls",
        metavar="CA,CERT,KEY",
        type=_credentials,
        help="PEM files for the connection to the scheduler; default: those of Dask's configuration",
    )


def add_which(options: argparse.ArgumentParser) -> argparse._ArgumentGroup:
    """Add `--frames` and `--missing`; return the group of sequence options."""
    group = options.add_argument_group("sequences: IN and OUT like shot.####.exr, shot.%04d.exr, shot.1001-1100x2#.exr")
    group.add_argument("--frames", metavar="LIST", help="such as 1001-1100,1150; default: all that exist")
    group.add_argument(
        "--missing",
        choices=("error", "skip", "hold", "black"),
        help="what to do if a frame has no file: fail (default), leave it out, repeat the previous frame, or write "
        "black",
    )
    return group


def is_sequence(asked: argparse.Namespace) -> bool:
    """Return whether IN is a sequence.

    Raises UnsupportedFile if IN is a single image but OUT is a pattern or an option requires a sequence.
    """
    if any(place in Path(name).name for name in (asked.source, asked.target) for place in PLACES):
        from engine.export.frame_patterns import is_pattern

        if is_pattern(asked.source):
            return True
        if is_pattern(asked.target):
            what = "has a place for a frame number, but IN has none"
            raise UnsupportedFile(asked.target, what, "give a sequence such as shot.####.exr")
    given = [name for name in _OPTIONS if getattr(asked, name)]
    given += [] if asked.existing in (None, "fail", "replace") else ["existing"]
    if given:
        raise UnsupportedFile(
            asked.source, f"is one image; --{given[0].replace('_', '-')} is for sequences", "give shot.####.exr"
        )
    return False


def run_sequence(asked: argparse.Namespace, grade: Grade, options: ExportOptions, stop: Stop) -> None:
    """Export every frame. Raises TesseraError at the end if some failed."""
    from app.cli.sequence_progress import reporter

    if asked.dask_tls and not asked.dask:
        raise TesseraError("--dask-tls is for the scheduler of a farm", "give --dask, too")
    if asked.dask and asked.watch:
        raise TesseraError("--watch works only on this machine", "leave out --dask or --watch")

    show = reporter(asked.progress or ("bar" if sys.stderr.isatty() else "none"))
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
            from engine.export.farm_cluster import is_open

            if is_open(asked.dask) and not asked.dask_tls:
                warning = f"{asked.dask}: has no TLS: anyone who can reach it can run code on its workers"
                print(f"tessera: {escaped(warning)}", file=sys.stderr)
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


def _end(report: SequenceReport) -> None:
    """Print a line for each failed frame; raise an error if the export was cancelled or frames failed."""
    from engine.export.frame_patterns import frames_text

    for _, line, _ in report.failures[:MOST_LINES]:
        print(f"tessera: {line}", file=sys.stderr)
    if len(report.failures) > MOST_LINES:
        print(f"tessera: and {len(report.failures) - MOST_LINES} more; --report lists them all", file=sys.stderr)
    if report.cancelled:
        raise Cancelled(f"cancelled after {len(report.made)} frames; --resume does the rest")
    if report.failures:
        bad = frames_text(frame for frame, _, _ in report.failures)
        total = len(report.made) + len(report.kept) + len(report.failures)
        raise TesseraError(f"{len(report.failures)} of {total} frames failed: {bad}", "fix them and use --resume")


def show_first(asked: argparse.Namespace, options: ExportOptions) -> tuple[str, str]:
    """Print which frames would be exported; return source and target of the first."""
    from engine.export.frame_patterns import frames_text, parse_frames, parse_pattern
    from engine.export.sequence import plan_sequence

    frames = parse_frames(asked.frames) if asked.frames else None
    ends = parse_pattern(asked.source), parse_pattern(asked.target)
    plan = plan_sequence(*ends, options, frames, asked.missing or "skip", asked.resume, asked.existing or "")
    if not plan.jobs:
        raise TesseraError(f"{asked.source}: has none of these frames", "check --frames")
    print(f"{len(plan.jobs)} frames: {frames_text(job.frame for job in plan.jobs)}")
    lacking = [*plan.skipped, *(result.frame for result in plan.failed)]
    if lacking:
        print(f"missing: {frames_text(lacking)}")
    return str(plan.jobs[0].source), str(plan.jobs[0].target)


def _credentials(text: str) -> tuple[str, str, str]:
    names = text.split(",")
    if len(names) != 3 or not all(names):
        raise argparse.ArgumentTypeError(f"{text!r} does not name three files; give ca.pem,cert.pem,key.pem")
    return names[0], names[1], names[2]


def _seconds(text: str) -> float:
    try:
        seconds = float(text)
    except ValueError:
        seconds = math.nan
    if not seconds > 0.0:
        raise argparse.ArgumentTypeError(f"{text!r} is not a number of seconds above 0, nor inf")
    return seconds

"""`tessera export` of a movie."""

from __future__ import annotations

import argparse
import sys
from typing import TYPE_CHECKING, Any

from app.cli.commands.report import write_report
from app.cli.commands.sequence import print_failures, say_carried, warn_if_open
from app.cli.commands.stop import Stop
from app.model.movie_options import AUTO, MOVIES
from engine.errors import Cancelled, TesseraError, UnsupportedFile, escaped

if TYPE_CHECKING:
    from engine.export.movie_making import Farm
    from engine.export.options import ExportOptions
    from engine.export.sequence import SequenceReport
    from engine.grade.grade import Grade
    from engine.movies.movie_options import MovieOptions


def read_movie(asked: argparse.Namespace) -> MovieOptions:
    """Return the options of a movie."""
    from engine.movies.burn_presets import load_burn_in
    from engine.movies.movie_options import MovieOptions

    return MovieOptions(
        codec="" if asked.codec == AUTO else asked.codec,
        quality=asked.quality,
        pixels=asked.pixel_format,
        rate=asked.rate,
        timecode=asked.timecode,
        audio=asked.audio,
        burn_in=load_burn_in(asked.burn_in) if asked.burn_in else None,
    )


def check_no_movie(asked: argparse.Namespace) -> None:
    """Raise UnsupportedFile if options of movies are given for another file."""
    given = (option for option in MOVIES.options if getattr(asked, option.attribute, option.default) != option.default)
    option = next(given, None)
    if option is not None:
        raise UnsupportedFile(asked.target, f"is not a movie; {option.flag} is for movies", "write .mov, .mp4 or .mkv")


def run_movie(asked: argparse.Namespace, grade: Grade, options: ExportOptions, stop: Stop) -> None:
    """Export a movie. Raises TesseraError at the end if frames failed."""
    from app.cli.progress import SequenceWording, reporter
    from engine.export.movie import export_movie

    _check(asked)
    show = reporter(asked.progress, SequenceWording())
    stop.at_once = False
    how: dict[str, Any] = {"frames": asked.frames, "missing": asked.missing or "error"}
    how |= {"resume": asked.resume, "existing": asked.existing or ""}
    how |= {"frames_in": asked.frames_in, "make_only": asked.make_only}
    if asked.dask:
        say_carried(grade)
        how["farm"] = farm_of(asked)
    try:
        report = export_movie(
            asked.source, asked.target, grade, options, progress=show.progress, cancelled=stop.asked, **how
        )
    finally:
        show.close()
    write_report(asked, report)
    show.done(asked.frames_in if asked.make_only else asked.target, report)
    _end(asked, report)


def farm_of(asked: argparse.Namespace) -> Farm:
    """Return the farm that makes the frames; warn if anyone can reach it."""
    from engine.export.movie_making import Farm

    warn_if_open(asked)
    return Farm(asked.dask, asked.dask_tls)


def show_movie(asked: argparse.Namespace, grade: Grade, options: ExportOptions) -> None:
    """Print what the movie would be, and what its header would not say; write nothing."""
    from engine.export.movie import preview_movie

    _check(asked)
    frames = {"frames": asked.frames, "missing": asked.missing or "error"}
    preview = preview_movie(asked.source, asked.target, grade, options, **frames)
    print("\n".join(preview.after))
    for note in [*filter(None, [preview.colour]), *preview.notes]:
        print(f"tessera: {asked.target}: {escaped(note)}", file=sys.stderr)


def _check(asked: argparse.Namespace) -> None:
    """Raise TesseraError for options of sequences that movies do not have."""
    if asked.make_only and not asked.frames_in:
        raise TesseraError("--make-only needs a folder for the frames", "give --frames-in")
    if asked.dask_tls and not asked.dask:
        raise TesseraError("--dask-tls is for the scheduler of a farm", "give --dask, too")
    if asked.watch:
        raise UnsupportedFile(asked.target, "is a movie, which can't grow; --watch is for images", "leave it out")
    if not isinstance(asked.existing or "", str):
        raise UnsupportedFile(asked.target, "is a movie, which is replaced as a whole", "use --existing replace")


def _end(asked: argparse.Namespace, report: SequenceReport) -> None:
    print_failures(report)
    if report.cancelled:
        raise Cancelled("cancelled; no movie was written")
    if report.failures:
        count = len(report.failures)
        what = f"{asked.target}: was not written: {count} frame{'s' * (count != 1)} failed"
        raise TesseraError(what, "fix them, or use --missing skip, hold or black")

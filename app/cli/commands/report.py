"""`--report`: write settings, duration and memory of an export as JSON."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from app.cli import library_output
from engine.errors import WriteFailed

if TYPE_CHECKING:
    from engine.export.options import ExportReport
    from engine.export.sequence import SequenceReport


def check_report(asked: argparse.Namespace) -> None:
    """Raise WriteFailed if the report can't be written, or would replace a file that another option names."""
    if not asked.report:
        return
    from engine.core.atomic import checked_target

    report = checked_target(Path(asked.report), force=True)
    for option, path in _named(asked):
        if _same(report, path) or _is_frame(report, path):
            raise WriteFailed(asked.report, f"is also the file that {option} names", "give the report another name")


def write_report(asked: argparse.Namespace, report: ExportReport | SequenceReport) -> None:
    """Write the report if requested, including the messages that libraries printed."""
    if asked.report:
        from engine.core.atomic import write_text

        printed = library_output.lines()
        about = report.to_json() | ({"library_messages": printed} if printed else {})
        write_text(asked.report, json.dumps(about, indent=1) + "\n")


def _named(asked: argparse.Namespace) -> Iterator[tuple[str, Path]]:
    """Yield the other files of the command, each with the option that names it."""
    from engine.ocio import split_cdl_id

    yield "IN", Path(asked.source)
    yield "OUT", Path(asked.target)
    if asked.grade:
        yield "--grade", Path(asked.grade)
    if asked.cdl:
        yield "--cdl", split_cdl_id(asked.cdl)[0]
    yield from (("--lut", Path(lut)) for lut in asked.lut)
    for option, config in (("--config", asked.config), ("$OCIO", os.environ.get("OCIO", ""))):
        if config:
            yield from ((option, Path(config)), (option, Path(config) / "config.ocio"))


def _same(one: Path, other: Path) -> bool:
    """Return whether two paths name the same file, which need not exist."""
    try:
        return one.samefile(other)
    except OSError:
        return os.path.normcase(os.path.realpath(one)) == os.path.normcase(os.path.realpath(other))


def _is_frame(path: Path, pattern: Path) -> bool:
    """Return whether a file is, or would be, a frame of a sequence."""
    from engine.export.frame_patterns import is_pattern, parse_pattern

    if not is_pattern(pattern):
        return False
    frames = parse_pattern(pattern)
    return frames.frame_of(path.name) is not None and _same(path.parent, frames.folder)

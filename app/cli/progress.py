"""Progress of an export: a bar, JSON lines, or nothing."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING, Any

from app.cli.report_text import bytes_text

if TYPE_CHECKING:
    from engine.export.options import ExportReport

WIDTH = 32
"""Width of the bar, in characters."""
PAUSE = 0.1
"""Least time between two updates, in seconds."""


class Quiet:
    """Prints only the notes of the report, on standard error."""

    def __init__(self) -> None:
        self._start = time.perf_counter()
        self._next = 0.0

    def progress(self, done: float) -> None:
        """Receive the completed fraction, 0..1, from the export."""
        seconds = time.perf_counter() - self._start
        if seconds >= self._next or done >= 1.0:
            self._next = seconds + PAUSE
            self.show(done, seconds)

    def show(self, done: float, seconds: float) -> None:
        """Show the progress; called at most once per PAUSE."""

    def close(self) -> None:
        """Finish the output after success or failure."""

    def done(self, target: str, report: ExportReport) -> None:
        for note in report.notes:
            print(f"tessera: {target}: {note}", file=sys.stderr)


class Bar(Quiet):
    """A progress bar in one line on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self._open = False

    def show(self, done: float, seconds: float) -> None:
        filled = round(done * WIDTH)
        line = f"\r[{'#' * filled}{' ' * (WIDTH - filled)}] {done:4.0%} {seconds:6.1f} s"
        print(line, end="", file=sys.stderr, flush=True)
        self._open = True

    def close(self) -> None:
        if self._open:
            print(file=sys.stderr)
        self._open = False

    def done(self, target: str, report: ExportReport) -> None:
        how = f"{report.backend}, {report.strategy}" if report.backend != "none" else report.strategy
        print(
            f"{target}: {report.pixels / 1e6:.1f} megapixels in {report.seconds_total:.1f} s "
            f"({how}, at most {bytes_text(report.peak_memory)} of memory)",
            file=sys.stderr,
        )
        if report.strategy != "copy":
            print(f"{target}: {report.colour}", file=sys.stderr)
        super().done(target, report)


class JsonLines(Quiet):
    """Events on standard output, one JSON object per line; the report holds the notes."""

    def show(self, done: float, seconds: float) -> None:
        _event({"event": "progress", "done": round(done, 4), "seconds": round(seconds, 3)})

    def done(self, target: str, report: ExportReport) -> None:
        _event({"event": "done", "report": report.to_json()})


def _event(event: dict[str, Any]) -> None:
    print(json.dumps(event), flush=True)


def reporter(kind: str) -> Quiet:
    """Return the reporter for a value of `--progress`."""
    return {"bar": Bar, "json": JsonLines, "none": Quiet}[kind]()

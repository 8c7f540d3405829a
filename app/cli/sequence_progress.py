"""Progress of a sequence export: a bar, JSON lines, or nothing."""

from __future__ import annotations

import json
import sys
import time
from typing import TYPE_CHECKING

from app.cli.progress import PAUSE
from app.cli.report_text import bytes_text

if TYPE_CHECKING:
    from engine.export.sequence import SequenceProgress, SequenceReport

WIDTH = 24
"""Width of the bar, in characters."""


class Quiet:
    """Prints only the notes of the report, on standard error."""

    def __init__(self) -> None:
        self._next = 0.0

    def progress(self, state: SequenceProgress) -> None:
        """Receive the state from the export whenever a frame starts or ends."""
        now = time.monotonic()
        if now >= self._next or state.done + state.failed == state.total:
            self._next = now + PAUSE
            self.show(state)

    def show(self, state: SequenceProgress) -> None:
        """Show the progress; called at most once per PAUSE."""

    def close(self) -> None:
        """Finish the output after success or failure."""

    def done(self, target: str, report: SequenceReport) -> None:
        for note in report.notes:
            print(f"tessera: {target}: {note}", file=sys.stderr)


class Bar(Quiet):
    """A progress bar in one line on standard error."""

    def __init__(self) -> None:
        super().__init__()
        self._length = 0

    def show(self, state: SequenceProgress) -> None:
        ended = state.done + state.failed
        filled = WIDTH * ended // max(state.total, 1)
        words = [f"[{'#' * filled}{' ' * (WIDTH - filled)}] {ended}/{state.total} frames"]
        if state.rate:
            words += [f"{state.rate:.2f} a second", f"{clock(state.left)} left"]
        if state.failed:
            words.append(f"{state.failed} failed")
        line = ", ".join([*words, f"frame {state.frame}"])
        print(f"\r{line.ljust(self._length)}", end="", file=sys.stderr, flush=True)
        self._length = len(line)

    def close(self) -> None:
        if self._length:
            print(file=sys.stderr)
        self._length = 0

    def done(self, target: str, report: SequenceReport) -> None:
        words = [f"{len(report.made)} frames in {clock(report.seconds_total)}"]
        words += [f"{report.frames_per_second:.2f} a second"] if report.made else []
        words += [f"{len(report.kept)} were there already"] if report.kept else []
        words += [f"{len(report.skipped)} are missing"] if report.skipped else []
        words.append(f"at most {bytes_text(report.peak_memory)} of memory")
        print(f"{target}: {', '.join(words)}", file=sys.stderr)
        super().done(target, report)


class JsonLines(Quiet):
    """Events on standard output, one JSON object per line; the report holds the notes."""

    def show(self, state: SequenceProgress) -> None:
        about = {"frame": state.frame, "done": state.done, "failed": state.failed, "total": state.total}
        about |= {name: round(getattr(state, name), 3) for name in ("seconds", "rate", "left")}
        print(json.dumps({"event": "progress"} | about), flush=True)

    def done(self, target: str, report: SequenceReport) -> None:
        print(json.dumps({"event": "done", "report": report.to_json()}), flush=True)


def clock(seconds: float) -> str:
    """Format a duration as m:ss, or as h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def reporter(kind: str) -> Quiet:
    """Return the reporter for a value of `--progress`."""
    return {"bar": Bar, "json": JsonLines, "none": Quiet}[kind]()

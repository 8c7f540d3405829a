"""Progress of an export, of one image or of a sequence: a bar, JSON lines, or nothing."""

from __future__ import annotations

import json
import sys
import time
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from app.cli.report_text import bytes_text

if TYPE_CHECKING:
    from engine.export.options import ExportReport
    from engine.export.sequence import SequenceProgress, SequenceReport

PAUSE = 0.1
"""Least time between two updates, in seconds."""
State = TypeVar("State")
Report = TypeVar("Report", bound="ExportReport | SequenceReport")


class Wording(ABC, Generic[State, Report]):
    """What reporters print about an export: its state while it runs, and its report."""

    @abstractmethod
    def is_last(self, state: State) -> bool:
        """Return whether no other state follows."""

    @abstractmethod
    def bar(self, state: State, seconds: float) -> str:
        """Return a progress bar; `seconds` is the time since the start."""

    @abstractmethod
    def event(self, state: State, seconds: float) -> dict[str, Any]:
        """Return the state for JSON."""

    @abstractmethod
    def summary(self, report: Report) -> list[str]:
        """Return lines about what was written."""


class ImageWording(Wording[float, "ExportReport"]):
    """What reporters print about the export of one image; its state is the completed fraction, 0..1."""

    def is_last(self, state: float) -> bool:
        return state >= 1.0

    def bar(self, state: float, seconds: float) -> str:
        return f"{_bar(round(state * 32), 32)} {state:4.0%} {seconds:6.1f} s"

    def event(self, state: float, seconds: float) -> dict[str, Any]:
        return {"done": round(state, 4), "seconds": round(seconds, 3)}

    def summary(self, report: ExportReport) -> list[str]:
        how = f"{report.backend}, {report.strategy}" if report.backend != "none" else report.strategy
        memory = f"at most {bytes_text(report.peak_memory)} of memory"
        how += ", encoded on the device" if report.encoder == "gpu" else ""
        line = f"{report.pixels / 1e6:.1f} megapixels in {report.seconds_total:.1f} s ({how}, {memory})"
        return [line] if report.strategy == "copy" else [line, report.colour]


class SequenceWording(Wording["SequenceProgress", "SequenceReport"]):
    """What reporters print about the export of a sequence."""

    def is_last(self, state: SequenceProgress) -> bool:
        return state.done + state.failed == state.total

    def bar(self, state: SequenceProgress, seconds: float) -> str:
        ended = state.done + state.failed
        words = [f"{_bar(24 * ended // max(state.total, 1), 24)} {ended}/{state.total} frames"]
        if state.rate:
            words += [f"{state.rate:.2f} a second", f"{clock(state.left)} left"]
        if state.failed:
            words.append(f"{state.failed} failed")
        return ", ".join([*words, f"frame {state.frame}"])

    def event(self, state: SequenceProgress, seconds: float) -> dict[str, Any]:
        about = {"frame": state.frame, "done": state.done, "failed": state.failed, "total": state.total}
        return about | {name: round(getattr(state, name), 3) for name in ("seconds", "rate", "left")}

    def summary(self, report: SequenceReport) -> list[str]:
        words = [f"{len(report.made)} frames in {clock(report.seconds_total)}"]
        words += [f"{report.frames_per_second:.2f} a second"] if report.made else []
        words += [f"{len(report.kept)} were there already"] if report.kept else []
        words += [f"{len(report.skipped)} are missing"] if report.skipped else []
        return [", ".join([*words, f"at most {bytes_text(report.peak_memory)} of memory"])]


class Quiet(Generic[State, Report]):
    """Prints only the notes of the report, on standard error."""

    def __init__(self, wording: Wording[State, Report]) -> None:
        self._wording = wording
        self._start = time.perf_counter()
        self._next = 0.0

    def progress(self, state: State) -> None:
        """Receive the state from the export whenever it changes."""
        seconds = time.perf_counter() - self._start
        if seconds >= self._next or self._wording.is_last(state):
            self._next = seconds + PAUSE
            self.show(state, seconds)

    def show(self, state: State, seconds: float) -> None:
        """Show the state; called at most once per PAUSE, and for the last state."""

    def close(self) -> None:
        """Finish the output after success or failure."""

    def done(self, target: str, report: Report) -> None:
        """Show the report."""
        for note in report.notes:
            print(f"tessera: {target}: {note}", file=sys.stderr)


class Bar(Quiet[State, Report]):
    """A progress bar in one line on standard error."""

    _length = 0
    """Length of the line that is shown; 0 for none."""

    def show(self, state: State, seconds: float) -> None:
        line = self._wording.bar(state, seconds)
        print(f"\r{line.ljust(self._length)}", end="", file=sys.stderr, flush=True)
        self._length = len(line)

    def close(self) -> None:
        if self._length:
            print(file=sys.stderr)
        self._length = 0

    def done(self, target: str, report: Report) -> None:
        for line in self._wording.summary(report):
            print(f"{target}: {line}", file=sys.stderr)
        super().done(target, report)


class JsonLines(Quiet[State, Report]):
    """Events on standard output, one JSON object per line; the report holds the notes."""

    def show(self, state: State, seconds: float) -> None:
        _print_event("progress", self._wording.event(state, seconds))

    def done(self, target: str, report: Report) -> None:
        _print_event("done", {"report": report.to_json()})


def reporter(kind: str | None, wording: Wording[State, Report]) -> Quiet[State, Report]:
    """Return the reporter for a value of `--progress`; by default, a bar on a terminal."""
    if kind == "json":
        return JsonLines(wording)
    if kind == "bar" or (kind is None and sys.stderr.isatty()):
        return Bar(wording)
    return Quiet(wording)


def clock(seconds: float) -> str:
    """Format a duration as m:ss, or as h:mm:ss."""
    minutes, rest = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"


def _bar(filled: int, width: int) -> str:
    return f"[{'#' * filled}{' ' * (width - filled)}]"


def _print_event(name: str, about: dict[str, Any]) -> None:
    print(json.dumps({"event": name} | about), flush=True)

"""Exports that run, wait or have ended: one at a time, each in a process of its own."""

from __future__ import annotations

from enum import Enum
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.services.export_job import ExportJob, Progress
from app.services.export_options import ExportOrder
from app.services.jobs import Jobs


class State(Enum):
    """Where an export stands; the value is the word for it."""

    WAITING = "Waiting"
    RUNNING = "Running"
    DONE = "Done"
    FAILED = "Failed"
    CANCELLED = "Stopped"


class Export(QObject):
    """One export of the queue: its order, how far it is, and what its program said."""

    changed = Signal()
    stepped = Signal(object)  # itself, when it waits, begins or has ended

    def __init__(self, order: ExportOrder, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self.order, self._jobs = order, jobs
        self.state, self.done, self.seconds = State.WAITING, 0.0, 0.0
        self.line = "Waits for its turn"
        self.report: dict[str, Any] = {}
        self.log: list[str] = []
        self._job: ExportJob | None = None

    @property
    def over(self) -> bool:
        return self.state not in (State.WAITING, State.RUNNING)

    def start(self) -> None:
        """Begin."""
        self.state, self.line = State.RUNNING, "Starting…"
        job = self._job = ExportJob(self._jobs, self)
        job.progress.connect(self._progress)
        job.said.connect(self._note)
        job.finished.connect(self._finished)
        job.failed.connect(self._failed)
        job.cancelled.connect(self._cancelled)
        job.start(self.order)
        self.changed.emit()

    def cancel(self) -> None:
        """Stop it, leaving no trace; one that waits never begins."""
        if self.state == State.WAITING:
            self._end(State.CANCELLED, "Stopped before it began.")
        elif self.state == State.RUNNING and self._job is not None:
            self.line = "Stopping…"
            self.changed.emit()
            self._job.cancel()

    def again(self) -> None:
        """Wait once more, after it failed or was stopped."""
        self.order = self.order.again
        self.state, self.done, self.line, self.report = State.WAITING, 0.0, "Waits for its turn", {}
        self.changed.emit()
        self.stepped.emit(self)

    def _note(self, line: str) -> None:
        self.log.append(line)

    def _progress(self, done: float, seconds: float) -> None:
        self.done, self.seconds = done, seconds
        left = f", about {seconds / done * (1 - done):.0f} s to go" if done > 0.05 and seconds > 1 else ""
        if self.line != "Stopping…":
            self.line = f"{done * 100:.0f} % after {seconds:.1f} s{left}"
        self.changed.emit()

    def _finished(self, report: dict[str, Any]) -> None:
        self.report, self.done = report, 1.0
        seconds = report.get("seconds_total")
        took = f" in {seconds:.1f} s" if isinstance(seconds, int | float) else ""
        notes = [str(note) for note in report.get("notes", ())]
        self.log += [f"{name}: {value}" for name, value in report.items() if name != "notes"] + notes
        self._end(State.DONE, " ".join([f"Wrote {self.order.target.name}{took}.", *notes]))

    def _failed(self, line: str) -> None:
        self._end(State.FAILED, line)

    def _cancelled(self, done: Progress) -> None:
        self._end(State.CANCELLED, f"Stopped. {done.text}")

    def _end(self, state: State, line: str) -> None:
        self.state, self.line = state, line
        self.log.append(line)
        self.changed.emit()
        self.stepped.emit(self)


class ExportQueue(QObject):
    """What was ordered, in order. The next begins when one ends."""

    changed = Signal()  # exports came or went
    ended = Signal(object)  # Export

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.exports: list[Export] = []

    @property
    def running(self) -> bool:
        """Whether any export runs or waits."""
        return any(not each.over for each in self.exports)

    def add(self, order: ExportOrder) -> Export:
        """Order an export."""
        export = Export(order, self._jobs, self)
        export.stepped.connect(self._step)
        self.exports.append(export)
        self.changed.emit()
        self._next()
        return export

    def remove(self, export: Export) -> None:
        """Forget an export that has ended."""
        if export.over:
            self.exports.remove(export)
            export.deleteLater()
            self.changed.emit()

    def clear(self) -> None:
        """Forget all that have ended."""
        for export in [each for each in self.exports if each.over]:
            self.remove(export)

    def cancel(self) -> None:
        """Stop everything, the last first, so that none begins."""
        for export in reversed(self.exports):
            export.cancel()

    def _step(self, export: Export) -> None:
        if export.over:
            self.ended.emit(export)
        self._next()

    def _next(self) -> None:
        if not any(each.state == State.RUNNING for each in self.exports):
            waiting = next((each for each in self.exports if each.state == State.WAITING), None)
            if waiting is not None:
                waiting.start()

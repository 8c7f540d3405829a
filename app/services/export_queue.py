"""The queue of exports, which runs them one at a time, each in a process of its own."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum
from typing import TYPE_CHECKING, Any

from PySide6.QtCore import QObject, Signal

from app.model.movie_options import is_movie_name
from app.services.jobs import Jobs

if TYPE_CHECKING:
    from app.services.export_job import ExportJob, Progress
    from app.services.export_options import ExportOrder

Edit = Callable[[str], None]


class State(Enum):
    """The state of an export; the value is its label."""

    WAITING = "Waiting"
    RUNNING = "Running"
    DONE = "Done"
    FAILED = "Failed"
    CANCELLED = "Stopped"


class Export(QObject):
    """An export in the queue: its order, its progress, and the output of its process."""

    changed = Signal()
    stepped = Signal(object)  # this export, when it is queued, starts or ends

    def __init__(self, order: ExportOrder, jobs: Jobs, parent: QObject, edit: Edit | None = None) -> None:
        """`edit` opens the filled form of the order again, with a line about the export; None if there is none."""
        super().__init__(parent)
        self.order, self.edit, self._jobs = order, edit, jobs
        self.state, self.done, self.seconds = State.WAITING, 0.0, 0.0
        self.line = "Queued"
        self.report: dict[str, Any] = {}
        self.log: list[str] = []
        self._job: ExportJob | None = None

    @property
    def over(self) -> bool:
        return self.state not in (State.WAITING, State.RUNNING)

    def start(self) -> None:
        """Start the export."""
        from app.services.export_job import ExportJob  # few sessions need it

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
        """Stop the export, leaving no partial files; a queued one never starts."""
        if self.state == State.WAITING:
            self._end(State.CANCELLED, "Stopped before it started.")
        elif self.state == State.RUNNING and self._job is not None:
            self.line = "Stopping…"
            self.changed.emit()
            self._job.cancel()

    def again(self) -> None:
        """Queue the export again after it failed or was stopped."""
        self.order = self.order.again
        self.state, self.done, self.line, self.report = State.WAITING, 0.0, "Queued", {}
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
        notes = [str(note) for note in report.get("notes", ())]
        self.log += [f"{name}: {value}" for name, value in report.items() if name != "notes"] + notes
        self._end(State.DONE, " ".join([written(self.order, report), *notes]))

    def _failed(self, line: str) -> None:
        self._end(State.FAILED, line)

    def _cancelled(self, done: Progress) -> None:
        text = "No movie was written." if is_movie_name(self.order.target) else done.text
        self._end(State.CANCELLED, f"Stopped. {text}")

    def _end(self, state: State, line: str) -> None:
        self.state, self.line = state, line
        self.log.append(line)
        self.changed.emit()
        self.stepped.emit(self)


class ExportQueue(QObject):
    """The exports, in the order in which they were added. When one ends, the next starts."""

    changed = Signal()  # an export was added or removed
    ended = Signal(object)  # Export

    def __init__(self, jobs: Jobs, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._jobs = jobs
        self.exports: list[Export] = []

    @property
    def running(self) -> bool:
        """Whether any export is running or queued."""
        return any(not each.over for each in self.exports)

    def add(self, order: ExportOrder, edit: Edit | None = None) -> Export:
        """Add an export to the queue and return it; see `Export` for `edit`."""
        export = Export(order, self._jobs, self, edit)
        export.stepped.connect(self._step)
        self.exports.append(export)
        self.changed.emit()
        self._next()
        return export

    def remove(self, export: Export) -> None:
        """Remove an export that has ended."""
        if export.over:
            self.exports.remove(export)
            export.deleteLater()
            self.changed.emit()

    def clear(self) -> None:
        """Remove all exports that have ended."""
        for export in [each for each in self.exports if each.over]:
            self.remove(export)

    def cancel(self) -> None:
        """Stop all exports, the last one first, so that no queued one starts."""
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


def written(order: ExportOrder, report: dict[str, Any]) -> str:
    """Return a sentence that says what an export wrote, and what was there before."""
    seconds = report.get("seconds_total")
    took = f" in {seconds:.1f} s" if isinstance(seconds, int | float) else ""
    made, kept = (len(report.get(name, ())) for name in ("made", "kept"))
    if not kept:
        return f"Wrote {order.target.name}{took}."
    finished = f"{'was' if kept == 1 else 'were'} finished already"
    there = "existed already" if order.existing == "skip" else finished
    if not made:
        return f"{kept} of {kept + len(report.get('skipped', ()))} frames {there}."
    return f"Wrote {made} of {made + kept} frames of {order.target.name}{took}; {kept} {there}."

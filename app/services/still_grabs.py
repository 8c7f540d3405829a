"""Grabbing stills: each is an export in a process of its own, one at a time, beside those of the export queue."""

from __future__ import annotations

import time
from dataclasses import replace
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any
from uuid import uuid4

from PySide6.QtCore import QObject, Signal

from app.services.export_job import ExportJob
from app.services.export_names import parts_of, plain
from app.services.export_options import YES, ExportOrder
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.still_files import free_path
from app.services.stills import Stills
from engine import Grade
from engine.core.records import dataclass

FORM = {"type": "half", "compression": "zip", "storage": "scanline"}
"""How a still is written."""
TRIES = 3
"""How often another name is tried if a program takes that of a still."""
WORK = "Grabbing a still"


@dataclass(frozen=True)
class Grab:
    """A still to be written: its order, whose target is not known yet, and what its name is made of."""

    order: ExportOrder
    image: str
    frame: str
    taken: datetime
    tries: int = 1


class StillGrabs(QObject):
    """Writes stills to the folder of `stills`, which adds each that is complete."""

    begun = Signal()  # there is work
    ended = Signal()  # no still is being written any more
    done = Signal(object)  # the path of a still that was written

    def __init__(self, stills: Stills, jobs: Jobs, messages: Messages, parent: QObject) -> None:
        super().__init__(parent)
        self._stills, self._jobs, self._messages = stills, jobs, messages
        self._waiting: list[Grab] = []
        self._current: Grab | None = None
        self._since = 0.0

    @property
    def running(self) -> bool:
        """Whether a still is being written or waits."""
        return self._current is not None or bool(self._waiting)

    @property
    def current_work(self) -> tuple[str, float] | None:
        """What is worked on, in words, and since when (`time.monotonic`)."""
        return (WORK, self._since) if self.running else None

    def grab(self, path: Path, image: Any, grade: Grade, note: str = "") -> None:
        """Write an image, as it was opened, with a grade, whose setup is that of an export: half in ZIP, without other
        channels."""
        frames = "" if image.info.frame is None else str(image.info.frame)
        taken, parts = datetime.now().astimezone(), parts_of(path, "", "", frames)
        own = grade.without_solo()
        record = _record(path, parts.frame, taken, note, len(own.entries))
        options = {"only-graded": YES, "skip-missing": YES, "part": str(image.part.index)}
        options |= {"layer": image.layer.name} if image.layer.name else {}
        options |= {"frames": frames} if frames else {}
        options |= {} if image.part.is_deep else FORM
        order = ExportOrder(path, Path(), own, options, attributes=record)
        self._waiting.append(Grab(order, plain(parts.name) or "still", parts.frame, taken))
        self.begun.emit()
        self._next()

    def _next(self) -> None:
        if self._current is None and self._waiting:
            self._since = time.monotonic()
            grab = self._current = self._waiting.pop(0)
            work = partial(free_path, self._stills.folder, grab.image, grab.frame, grab.taken)
            self._jobs.write(self, work, partial(self._start, grab), self._fail, self)
        elif self._current is None:
            self.ended.emit()

    def _start(self, grab: Grab, target: Path) -> None:
        order = replace(grab.order, target=target)
        job = ExportJob(self._jobs, self)
        job.finished.connect(partial(self._finish, job, target))
        job.failed.connect(partial(self._failed, job, grab, target))
        job.cancelled.connect(lambda _: self._end(job))
        job.start(order)

    def _finish(self, job: ExportJob, target: Path, report: dict[str, object]) -> None:
        self._messages.note(f"Grabbed {target.stem}")
        for note in report.get("notes") or ():  # type: ignore[attr-defined]
            self._messages.note(str(note))
        self._stills.add(target)
        self.done.emit(target)
        self._end(job)

    def _failed(self, job: ExportJob, grab: Grab, target: Path, line: str) -> None:
        """Report why there is no still; if another program has taken its name meanwhile, try another one."""
        if target.exists() and grab.tries < TRIES:
            self._waiting.insert(0, replace(grab, tries=grab.tries + 1))
            self._end(job)
        else:
            job.deleteLater()
            self._fail(line)

    def _fail(self, line: str) -> None:
        self._messages.warn(f"No still was grabbed. {line}")
        self._current = None
        self._next()

    def _end(self, job: ExportJob) -> None:
        job.deleteLater()
        self._current = None
        self._next()


def _record(path: Path, frame: str, taken: datetime, note: str, entries: int) -> tuple[tuple[str, str], ...]:
    """Return the attributes of a new still."""
    from engine.export.stills import StillRecord  # loads the readers of images

    time_taken = taken.isoformat(timespec="milliseconds")
    return StillRecord(uuid4().hex, str(path), frame, time_taken, note, entries).attributes

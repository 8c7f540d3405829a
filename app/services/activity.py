"""Work that has lasted longer than a moment, from any source."""

from __future__ import annotations

import time
from collections.abc import Callable

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.jobs import Jobs

AFTER_SECONDS = 0.3
"""How long work must last before it is shown."""
LOOK_MS = 100
"""Time between two looks at the sources, in milliseconds."""
Work = tuple[str, float]
"""What is worked on, in words, and since when (`time.monotonic`)."""
Source = Callable[[], Work | None]
"""Returns the current work; None if there is none."""
Stop = Callable[[], None]


class Activity(QObject):
    """Announces work that has lasted for AFTER_SECONDS. It looks at its sources only from `begin` until all rest."""

    changed = Signal(object)  # what is worked on, or None

    def __init__(self, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self.current: str | None = None
        self._stop: Stop | None = None
        self._sources: list[tuple[Source, Stop | None]] = [(self._job, None)]
        self._jobs = jobs
        self._since = 0.0  # when the status of the jobs changed
        jobs.status_changed.connect(self._follow)
        self._looking = QTimer(self, interval=LOOK_MS)
        self._looking.timeout.connect(self._look)

    def add(self, source: Source, stop: Stop | None = None) -> None:
        """Look at one more source; `stop` ends its work."""
        self._sources.append((source, stop))

    @property
    def can_stop(self) -> bool:
        """Whether the work that is shown can be stopped."""
        return self._stop is not None

    def stop(self) -> None:
        """Stop the work that is shown, if it can be."""
        if self._stop is not None:
            self._stop()

    def begin(self, *_: object) -> None:
        """Look at the sources until they rest: work may have started."""
        if not self._looking.isActive():
            self._looking.start()

    def _follow(self, _status: str) -> None:
        self._since = time.monotonic()
        self.begin()

    def _job(self) -> Work | None:
        return (self._jobs.status, self._since) if self._jobs.status else None

    def _look(self) -> None:
        found = [(*work, stop) for source, stop in self._sources if (work := source()) is not None]
        if not found:
            self._looking.stop()
        now = time.monotonic()
        lasting = ((text, stop) for text, since, stop in found if now - since >= AFTER_SECONDS)
        current, self._stop = next(lasting, (None, None))
        if current != self.current:
            self.current = current
            self.changed.emit(current)

"""Answers of jobs in any order."""

from __future__ import annotations

import random
from typing import ClassVar

from app.services.jobs import Call, perform
from app.services.watching import Watching
from app.shell.main_window import MainWindow
from tests.app.late import PausedJobs


class ShuffledJobs(PausedJobs):
    """Performs each call either at once or when its answer is delivered, and delivers answers in any order.

    Files that changed are read again in the order of the requests: each is an undo step, so their order shows.
    """

    chance: ClassVar[random.Random]

    def _start(self, call: Call) -> None:
        self.works_at_once = self.chance.random() < 0.5
        super()._start(call)

    def deliver(self) -> None:
        """Deliver one answer, if any waits."""
        waiting = self.waiting
        if waiting:
            chosen = self.chance.choice(waiting)
            if isinstance(chosen.owner, Watching):
                chosen = next(call for call in waiting if call.owner is chosen.owner)
            self.release(waiting.index(chosen))

    def finish(self, seconds: float) -> list[str]:
        for call in [each for each in self.held if each.target is not None and not each.over]:
            perform(call)
        return super().finish(seconds)


def deliver(windows: list[MainWindow]) -> None:
    """Deliver an answer in each window whose jobs the soak holds."""
    for window in windows:
        if window.isVisible() and isinstance(window.workspace.jobs, ShuffledJobs):
            window.workspace.jobs.deliver()

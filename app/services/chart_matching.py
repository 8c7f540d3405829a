"""Fits the current image to the ColorChecker in it, while the Match panel shows it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from functools import partial
from typing import NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.jobs import Jobs
from app.services.match_work import MatchImage, MatchWork
from engine.errors import GradeError
from engine.grade.entries import Entry
from engine.matching import KEEPS, ChartFit, ChartPlace, matched_group

REST_MS = 150
"""How long grade and image must stay the same before the chart is measured again."""
NAME = "ColorChecker"
KEY = "chart"
NO_CHART = "The corners do not form a chart: place them in turn around it."


Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


class Asked(NamedTuple):
    """All that a fit depends on."""

    image: MatchImage
    place: ChartPlace
    keep: str


class ChartMatching(QObject):
    """The corners of the chart, relative to the data window, what the fit keeps, and the fit once it is there."""

    changed = Signal()

    def __init__(
        self,
        image: Callable[[], MatchImage | None],
        work: MatchWork,
        jobs: Jobs,
        show: Callable[[Entry | None], None],
        apply: Callable[[Entry, str], None],
        parent: QObject,
    ) -> None:
        """The callables are those of `Matching`."""
        super().__init__(parent)
        self._image, self._work, self._jobs, self._show, self._apply = image, work, jobs, show, apply
        self.active = False
        self.corners: Corners | None = None
        self.keep, self.strength = list(KEEPS)[1], 1.0
        self.fit: ChartFit | None = None
        self.problem = ""
        self._asked: Asked | None = None
        self._before: list[Corners] = []
        self._merged = ""
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether the chart is being measured."""
        return self._jobs.waits(self, KEY) or self._rest.isActive()

    @property
    def place(self) -> ChartPlace | None:
        """The chart; None without corners, and if they do not form one."""
        try:
            return None if self.corners is None else ChartPlace(self.corners)
        except GradeError:
            return None

    @property
    def can_apply(self) -> bool:
        """Whether there is a fit, and the corners seem to be on a chart."""
        return self.fit is not None and not self.fit.is_doubtful

    @property
    def can_undo(self) -> bool:
        """Whether a corner was moved."""
        return bool(self._before)

    def start(self) -> None:
        """Follow the current image from now on."""
        self.active = True
        self._look()

    def stop(self) -> None:
        """Show the image without the fit, and release what was read. The corners stay."""
        self.active = False
        self._rest.stop()
        self._jobs.drop(self, KEY)
        self._work.forget()
        self._asked, self.fit, self.problem = None, None, ""
        self._show(None)

    def set_corners(self, corners: Corners, merged: str = "") -> None:
        """Move the corners. Moves with the same key in a row are undone together; '' is a move of its own."""
        if corners == self.corners:
            return
        if self.corners is not None and (not merged or merged != self._merged):
            self._before.append(self.corners)
        self.corners, self._merged = corners, merged
        self._look()

    def settle(self) -> None:
        """Let the next move be undone by itself."""
        self._merged = ""

    def undo(self) -> None:
        """Take the last move of corners back."""
        if self._before:
            self.corners, self._merged = self._before.pop(), ""
            self._look()

    def turn(self) -> None:
        """Let the next corner, clockwise, be that of the dark skin patch."""
        if self.corners is not None:
            self.set_corners((*self.corners[1:], self.corners[0]))

    def set_keep(self, keep: str) -> None:
        self.keep = keep
        self._look()

    def set_strength(self, strength: float) -> None:
        """Set the mix of the result, 0..1."""
        self.strength = strength
        self._present()

    def apply(self) -> None:
        """Add the matrix to the grade, as one step."""
        if self.fit is not None and self.can_apply and not self.busy:
            group = matched_group((self.fit.op,), NAME, self.strength)
            self.clear()
            self._apply(group, f"match to {NAME}")

    def clear(self) -> None:
        """Forget the corners."""
        self.corners, self._before, self._merged = None, [], ""
        self._look()

    def end(self) -> None:
        """Remove the chart that is on the image."""
        if self.active:
            self.clear()

    def follow(self, *_: object) -> None:
        """Measure again soon, since image or grade may have changed."""
        image = self._image() if self.active else None
        if self._asked is not None and (image is None or image.owner != self._asked.image.owner):
            self.fit = None
            self._show(None)
        if self.active:
            self._rest.start()

    # -- inside

    def _look(self) -> None:
        if not self.active:
            return
        image, place = self._image(), self.place
        if image is None:
            self._work.release()
        asked = Asked(image, place, self.keep) if image is not None and place is not None else None
        if asked != self._asked:
            self._asked, self.problem = asked, ""
            if asked is None:
                self._jobs.drop(self, KEY)
                self.fit = None
                self.problem = NO_CHART if image is not None and self.corners is not None else ""
            else:
                work, done = partial(self._work.fit, *asked), partial(self._take, asked)
                self._jobs.latest(self, KEY, work, done, partial(self._fail, asked))
        self._present()

    def _take(self, asked: Asked, fit: ChartFit) -> None:
        if asked == self._asked:
            self.fit = fit
            self._present()

    def _fail(self, asked: Asked, line: str) -> None:
        if asked == self._asked:
            self.fit, self.problem = None, line
            self._present()

    def _present(self) -> None:
        fit = self.fit if self.active and self.can_apply else None
        self._show(None if fit is None else matched_group((fit.op,), NAME, self.strength))
        self.changed.emit()


def moved(corners: Corners, which: Collection[int], dx: float, dy: float) -> Corners:
    """Return corners of which some are moved."""
    steps = [(dx, dy) if number in which else (0.0, 0.0) for number in range(4)]
    at = [(x + right, y + down) for (x, y), (right, down) in zip(corners, steps, strict=True)]
    return at[0], at[1], at[2], at[3]

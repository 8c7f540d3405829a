"""Fits the current image to the ColorChecker in it, while the Match panel shows it."""

from __future__ import annotations

from collections.abc import Collection, Iterable
from typing import NamedTuple

from PySide6.QtCore import QObject

from app.services.disk import Disk
from app.services.jobs import Jobs
from app.services.match_trial import MatchTrial, TrialPlace
from app.services.match_work import MatchImage, MatchWork, Ops
from engine.errors import GradeError
from engine.matching import KEEPS, ChartFit, ChartPlace

NAME = "ColorChecker"

Point = tuple[float, float]
Corners = tuple[Point, Point, Point, Point]


class Asked(NamedTuple):
    """All that a fit depends on."""

    image: MatchImage
    place: ChartPlace
    keep: str


class ChartMatching(MatchTrial):
    """The corners of the chart, relative to the data window, what the fit keeps, and the fit once it is there."""

    key = "chart"
    name = NAME

    def __init__(self, place: TrialPlace, work: MatchWork, jobs: Jobs, disk: Disk, parent: QObject) -> None:
        super().__init__(place, work, jobs, disk, parent)
        self.corners: Corners | None = None
        self._chart: tuple[Corners | None, ChartPlace | None] = (None, None)  # the chart, and of which corners
        self.keep = list(KEEPS)[1]
        self._before: list[Corners] = []
        self._merged = ""

    @property
    def fit(self) -> ChartFit | None:
        """The fit; None while there is none."""
        found: ChartFit | None = self._found
        return found

    @property
    def ops(self) -> Ops:
        return (self.fit.op,) if self.fit is not None and self.can_apply else ()

    @property
    def place(self) -> ChartPlace | None:
        """The chart; None without corners, and if they do not form one."""
        if self._chart[0] != self.corners:  # each repaint asks
            self._chart = (self.corners, _place_of(self.corners))
        return self._chart[1]

    @property
    def can_apply(self) -> bool:
        """Whether there is a fit, and the corners seem to be on a chart."""
        return self.fit is not None and not self.fit.is_doubtful

    @property
    def can_undo(self) -> bool:
        """Whether a corner was moved."""
        return bool(self._before)

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

    def clear(self) -> None:
        """Forget the corners."""
        self.corners, self._before, self._merged = None, [], ""
        self._look()

    # -- inside

    def _wanted(self, image: MatchImage) -> Asked | None:
        return None if self.place is None else Asked(image, self.place, self.keep)

    def _compute(self, asked: Asked) -> ChartFit:
        return self._work.fit(*asked)

    def _images(self) -> Iterable[MatchImage | None]:
        return (self.image,)


def _place_of(corners: Corners | None) -> ChartPlace | None:
    try:
        return None if corners is None else ChartPlace(corners)
    except GradeError:
        return None


def moved(corners: Corners, which: Collection[int], dx: float, dy: float) -> Corners:
    """Return corners of which some are moved."""
    steps = [(dx, dy) if number in which else (0.0, 0.0) for number in range(4)]
    at = [(x + right, y + down) for (x, y), (right, down) in zip(corners, steps, strict=True)]
    return at[0], at[1], at[2], at[3]

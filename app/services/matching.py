"""Matches the colours of the current image to a reference, while the Match panel shows it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import NamedTuple

from PySide6.QtCore import QObject

from app.services.disk import Disk
from app.services.jobs import Jobs
from app.services.match_trial import MatchTrial, TrialPlace
from app.services.match_work import Area, MatchImage, MatchWork, Ops, SmallImage
from engine.grade.colour_settings import Viewing
from engine.matching import METHODS

SIZE = (640, 360)
"""The most columns and rows of a small image."""
IMAGE, REFERENCE = "image", "reference"
SIDES = (IMAGE, REFERENCE)


class Asked(NamedTuple):
    """All that a match depends on."""

    image: MatchImage
    area: Area | None
    reference: MatchImage
    reference_area: Area | None
    method: str


class Matching(MatchTrial):
    """The reference, the areas, the method and the strength of a match, and its ops once they are there."""

    key = "match"
    status = "Matching colours…"

    def __init__(
        self,
        place: TrialPlace,
        viewing: Callable[[], Viewing],
        work: MatchWork,
        jobs: Jobs,
        disk: Disk,
        parent: QObject,
    ) -> None:
        """`viewing` returns the view of the small images."""
        super().__init__(place, work, jobs, disk, parent)
        self._viewing = viewing
        self.reference: MatchImage | None = None
        self.areas: dict[str, Area | None] = dict.fromkeys(SIDES)
        self.method = list(METHODS)[1]
        self.small: dict[str, SmallImage | None] = dict.fromkeys(SIDES)
        self._drawn: dict[str, object] = {}

    @property
    def name(self) -> str:
        return self.reference.name if self.reference is not None else ""

    @property
    def ops(self) -> Ops:
        return self._found or ()

    def stop(self) -> None:
        super().stop()
        for side in SIDES:
            self._jobs.drop(self, side)
        self._drawn = {}
        self.small = dict.fromkeys(SIDES)

    def choose(self, reference: MatchImage | None) -> None:
        """Match another reference, or none."""
        self.reference, self.areas[REFERENCE] = reference, None
        self.small[REFERENCE] = None
        self._look()

    def set_area(self, side: str, area: Area | None) -> None:
        """Let an area of a side count, None for all of it."""
        self.areas[side] = area
        self._look()

    def set_method(self, method: str) -> None:
        self.method = method
        self._look()

    def clear(self) -> None:
        """Forget the reference and the areas."""
        self.areas = dict.fromkeys(SIDES)
        self.choose(None)

    # -- inside

    def _wanted(self, image: MatchImage) -> Asked | None:
        areas, reference = self.areas, self.reference
        if reference is None:
            return None
        return Asked(image, areas[IMAGE], reference, areas[REFERENCE], self.method)

    def _compute(self, asked: Asked) -> Ops:
        return self._work.match(*asked)

    def _images(self) -> Iterable[MatchImage | None]:
        return self.image, self.reference

    def _follow_files(self, name: str, paths: list[Path]) -> None:
        if name == self.key:
            self._drawn = {}
        super()._follow_files(name, paths)

    def _look(self) -> None:
        """Ask for what there is not yet: the small images, and the match."""
        if self.active:
            for side, image in zip(SIDES, self._images(), strict=True):
                self._draw(side, image)
        super()._look()

    def _draw(self, side: str, image: MatchImage | None) -> None:
        viewing = self._viewing()
        wanted = image and (image, viewing)
        if wanted == self._drawn.get(side):
            return
        self._drawn[side] = wanted
        self._jobs.drop(self, side)
        if image is None:
            self.small[side] = None
            return
        work = partial(self._work.small_image, image, SIZE, viewing)
        self._jobs.latest(self, side, work, partial(self._take_small, side), self._say)

    def _take_small(self, side: str, small: SmallImage) -> None:
        self.small[side] = small
        if self.image is None:
            self._work.release()
        self._watch()
        self.changed.emit()

    def _say(self, line: str) -> None:
        self.problem = line
        self._watch()
        self._present()

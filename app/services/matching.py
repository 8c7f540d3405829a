"""Matches the colours of the current image to a reference, while the Match panel shows it."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.jobs import Jobs
from app.services.match_work import Area, MatchImage, MatchWork, Ops, SmallImage
from engine.grade.colour_settings import Viewing
from engine.grade.entries import Entry
from engine.matching import METHODS, matched_group

REST_MS = 150
"""How long grade and image must stay the same before they are matched again."""
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


class Matching(QObject):
    """The reference, the areas, the method and the strength of a match, and its ops once they are there."""

    changed = Signal()

    def __init__(
        self,
        image: Callable[[], MatchImage | None],
        viewing: Callable[[], Viewing],
        work: MatchWork,
        jobs: Jobs,
        show: Callable[[Entry | None], None],
        apply: Callable[[Entry, str], None],
        parent: QObject,
    ) -> None:
        """`image` returns the current image as it is shown, None without one. `show` shows an entry at the end of the
        grade without changing it, None ends that; `apply` adds one, as a step with a name."""
        super().__init__(parent)
        self._image, self._viewing, self._work, self._jobs = image, viewing, work, jobs
        self._show, self._apply = show, apply
        self.active = False
        """Whether a match is being looked for."""
        self.reference: MatchImage | None = None
        self.areas: dict[str, Area | None] = dict.fromkeys(SIDES)
        self.method, self.strength = list(METHODS)[1], 1.0
        self.ops: Ops = ()
        self.problem = ""
        self.small: dict[str, SmallImage | None] = dict.fromkeys(SIDES)
        self._asked: Asked | None = None  # what `ops` or `problem` are of, or what is being done
        self._drawn: dict[str, object] = {}
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._look)

    @property
    def busy(self) -> bool:
        """Whether a match is being computed."""
        return self._jobs.waits(self, "match") or self._rest.isActive()

    @property
    def image(self) -> MatchImage | None:
        """The image that is matched."""
        return self._image()

    def start(self) -> None:
        """Follow the current image from now on."""
        self.active = True
        self._look()

    def stop(self) -> None:
        """Show the image without the match, and release what was read. The choices stay."""
        self.active = False
        self._rest.stop()
        for key in ("match", *SIDES):
            self._jobs.drop(self, key)
        self._work.forget()
        self._asked, self.ops, self.problem, self._drawn = None, (), "", {}
        self.small = dict.fromkeys(SIDES)
        self._show(None)

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

    def set_strength(self, strength: float) -> None:
        """Set the mix of the match, 0..1."""
        self.strength = strength
        self._present()

    def apply(self) -> None:
        """Add the match to the grade, as one step, and begin anew."""
        if self.reference is None or not self.ops or self.busy:
            return
        group, name = matched_group(self.ops, self.reference.name, self.strength), self.reference.name
        self.cancel()
        self._apply(group, f"match to {name}")

    def cancel(self) -> None:
        """Forget the reference and the areas."""
        self.areas = dict.fromkeys(SIDES)
        self.choose(None)

    def end(self) -> None:
        """Cancel the match that is on the image."""
        if self.active:
            self.cancel()

    def follow(self, *_: object) -> None:
        """Match again soon, since image or grade may have changed."""
        image = self._image() if self.active else None
        if self._asked is not None and (image is None or image.owner != self._asked.image.owner):
            self.ops = ()
            self._show(None)
        if self.active:
            self._rest.start()

    # -- inside

    def _look(self) -> None:
        """Ask for what there is not yet: the small images, and the match."""
        if not self.active:
            return
        image, reference = self._image(), self.reference
        if image is None:
            self._work.release()
        for side, each in ((IMAGE, image), (REFERENCE, reference)):
            self._draw(side, each)
        areas = self.areas
        asked = image and reference and Asked(image, areas[IMAGE], reference, areas[REFERENCE], self.method)
        if asked != self._asked:
            self._asked, self.problem = asked or None, ""
            self._jobs.drop(self, "match")
            if asked:
                work, done = partial(self._work.match, *asked), partial(self._take, asked)
                self._jobs.latest(self, "match", work, done, partial(self._fail, asked), "Matching colours…")
            else:
                self.ops = ()
        self._present()

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
        self.changed.emit()

    def _take(self, asked: Asked, ops: Ops) -> None:
        if asked == self._asked:
            self.ops = ops
            self._present()

    def _fail(self, asked: Asked, line: str) -> None:
        if asked == self._asked:
            self.ops = ()
            self._say(line)

    def _say(self, line: str) -> None:
        self.problem = line
        self._present()

    def _present(self) -> None:
        """Show the image with the match, if there is one; while another is computed, with the last one."""
        found: Any = self.ops if self.active and self.reference is not None else ()
        self._show(matched_group(found, self.reference.name, self.strength) if found and self.reference else None)
        self.changed.emit()

"""What the ways of matching colours share: a result that is shown on the image before it is in the grade."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

from PySide6.QtCore import QObject, QTimer, Signal

from app.services.disk import Disk
from app.services.jobs import Jobs
from app.services.match_work import MatchImage, MatchWork, Ops
from engine.grade.entries import Entry
from engine.matching import matched_group

REST_MS = 150
"""How long grade and image must stay the same before they are matched again."""


class TrialPlace(NamedTuple):
    """Where a result is shown: the current image, None without one, and what is done with an entry.

    `show` shows an entry at the end of the grade without changing it, None ends that; `apply` adds one, as a step with
    a name.
    """

    image: Callable[[], MatchImage | None]
    show: Callable[[Entry | None], None]
    apply: Callable[[Entry, str], None]


class MatchTrial(QObject):
    """Base: while it is active, it computes a result for the current image on a thread and shows it.

    A result is computed again when the image, the grade, a choice, or a file that was read changes.
    """

    changed = Signal()
    key = ""
    """The name of the work and of the watched files."""
    status = ""
    """What the status bar says while the result is computed."""

    def __init__(self, place: TrialPlace, work: MatchWork, jobs: Jobs, disk: Disk, parent: QObject) -> None:
        super().__init__(parent)
        self._place, self._work, self._jobs, self._disk = place, work, jobs, disk
        self.active = False
        """Whether a result is wanted."""
        self.strength = 1.0
        self.problem = ""
        self._found: Any = None
        self._asked: Any = None  # what `_found` or `problem` are of, or what is being done
        self._outdated = False  # whether a file has changed since it was asked
        self._rest = QTimer(self, singleShot=True, interval=REST_MS)
        self._rest.timeout.connect(self._look)
        disk.changed.connect(self._follow_files)

    @property
    def busy(self) -> bool:
        """Whether a result is being computed."""
        return self._jobs.waits(self, self.key) or self._rest.isActive()

    @property
    def image(self) -> MatchImage | None:
        """The image that is matched."""
        return self._place.image()

    @property
    @abstractmethod
    def name(self) -> str:
        """What the image is matched to."""

    @property
    @abstractmethod
    def ops(self) -> Ops:
        """The ops to show and to apply; () while there are none."""

    @abstractmethod
    def clear(self) -> None:
        """Forget what the image is matched to."""

    def start(self) -> None:
        """Follow the current image from now on."""
        self.active = True
        self._look()

    def stop(self) -> None:
        """Show the image without the result, and release what was read. The choices stay."""
        self.active = False
        self._rest.stop()
        self._drop()
        self._work.forget()
        self._disk.watch(self.key, {})
        self.problem = ""  # also of an image that could not be shown
        self._place.show(None)

    def set_strength(self, strength: float) -> None:
        """Set the mix of the result, 0..1."""
        self.strength = strength
        self._present()

    def apply(self) -> None:
        """Add the result to the grade, as one step, and begin anew."""
        entry, name = self._entry(), self.name
        if entry is not None and not self.busy:
            self.clear()
            self._place.apply(entry, f"match to {name}")

    def end(self) -> None:
        """Remove the result that is on the image."""
        if self.active:
            self.clear()

    def follow(self, *_: object) -> None:
        """Look again soon, since image or grade may have changed. No result of another document stays on the image."""
        image = self.image if self.active else None
        if self._asked is not None and (image is None or image.owner != self._asked.image.owner):
            self._drop()
            self._place.show(None)
        if self.active:
            self._rest.start()

    # -- for subclasses

    @abstractmethod
    def _wanted(self, image: MatchImage) -> Any:
        """Return all that a result for an image depends on, a tuple with `image`; None if something is missing."""

    @abstractmethod
    def _compute(self, asked: Any) -> Any:
        """Return the result of what was asked, on a thread."""

    @abstractmethod
    def _images(self) -> Iterable[MatchImage | None]:
        """Return the images that are read."""

    def _follow_files(self, name: str, paths: list[Path]) -> None:
        """Compute the result again if a file that was read has changed."""
        if name == self.key and self.active:
            self._outdated = True
            self._rest.start()

    # -- inside

    def _look(self) -> None:
        """Ask for the result if there is none yet."""
        if not self.active:
            return
        image = self.image
        if image is None:
            self._work.release()
            self._watch()
        asked = None if image is None else self._wanted(image)
        if asked is None:
            self._drop()
        elif asked != self._asked or self._outdated:
            self._asked, self._outdated, self.problem = asked, False, ""
            take, fail = partial(self._take, asked), partial(self._fail, asked)
            self._jobs.latest(self, self.key, partial(self._compute, asked), take, fail, self.status)
        self._present()

    def _drop(self) -> None:
        """Forget the result; one that comes later is not answered."""
        self._jobs.drop(self, self.key)
        if self._asked is not None:
            self.problem = ""
        self._asked = self._found = None
        self._outdated = False

    def _take(self, asked: Any, found: Any) -> None:
        if asked == self._asked:
            self._found = found
            self._watch()
            self._present()

    def _fail(self, asked: Any, line: str) -> None:
        if asked == self._asked:
            self._found, self.problem = None, line
            self._watch()
            self._present()

    def _watch(self) -> None:
        """Watch the files that were read, from the states in which they were."""
        paths = {each.wanted.path for each in self._images() if each is not None}
        self._disk.watch(self.key, {path: state for path, state in self._work.states.items() if path in paths})

    def _entry(self) -> Entry | None:
        ops = self.ops if self.active else ()
        return matched_group(ops, self.name, self.strength) if ops else None

    def _present(self) -> None:
        """Show the image with the result, if there is one; while another is computed, with the last one."""
        self._place.show(self._entry())
        self.changed.emit()

"""Images that are shown beside the displayed one: stills and layers, read when they are needed."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path

from PySide6.QtCore import QObject, Signal

from app.model.still import Still
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.read_image import ReadImage
from engine.color.management import NOTHING_ASSUMED, Managed
from engine.core.file_watch import State
from engine.core.records import dataclass
from engine.grade.colour_settings import ColourSetup, InputSpace


@dataclass(frozen=True)
class Wanted:
    """An image to be read: a layer of a file, and how its colour spaces are resolved. `stamp` tells its states apart.

    `assumed` is the space of an image that states none, `frame` that of a movie.
    """

    path: Path
    setup: ColourSetup
    assumed: InputSpace = NOTHING_ASSUMED
    part: int | None = None
    layer: str | None = None
    stamp: State = None
    frame: int | None = None


class SideImages(QObject):
    """Reads images, and keeps those that are wanted."""

    read = Signal()  # an image is there, or can't be read

    def __init__(self, read: Callable[..., ReadImage], jobs: Jobs, messages: Messages, parent: QObject) -> None:
        """`read` reads an image, on a thread: a path, part, layer, setup and assumed space."""
        super().__init__(parent)
        self._read, self._jobs, self._messages = read, jobs, messages
        self._wanted: dict[str, tuple[Wanted, ...]] = {}
        self._found: dict[Wanted, ReadImage | None] = {}  # None for one that can't be read
        self._reading: set[Wanted] = set()

    def want(self, user: str, images: Iterable[Wanted]) -> None:
        """Read the images that a user of this service, named freely, needs now, and free others that nobody needs."""
        self._wanted[user] = tuple(images)
        wanted = {each for images in self._wanted.values() for each in images}
        self._found = {each: found for each, found in self._found.items() if each in wanted}
        for each in self._wanted[user]:
            if each not in self._found and each not in self._reading:
                self._reading.add(each)
                work = partial(self._read, each.path, each.part, each.layer, each.setup, each.assumed, each.frame)
                self._jobs.run(work, partial(self._take, each), partial(self._refuse, each), self)

    def get(self, image: Wanted) -> ReadImage | None:
        """Return an image; None while it is read, and if it can't be."""
        return self._found.get(image)

    def is_refused(self, image: Wanted) -> bool:
        """Return whether an image can't be read."""
        return image in self._found and self._found[image] is None

    def _take(self, image: Wanted, found: ReadImage) -> None:
        self._answer(image, found)

    def _refuse(self, image: Wanted, line: str) -> None:
        self._messages.warn(line)
        self._answer(image, None)

    def _answer(self, image: Wanted, found: ReadImage | None) -> None:
        self._reading.discard(image)
        if any(image in images for images in self._wanted.values()):
            self._found[image] = found
            self.read.emit()


def wanted_still(still: Still, config: str, assumed: InputSpace, beside: Managed | None = None) -> Wanted:
    """Return how a still is read, in a config; `assumed` is the space that the user's rules assign to its image.

    `beside` are the spaces of an image that it is compared with, through the same view: the still is then converted to
    the space of that.
    """
    recorded = still.grade.colour if still.grade is not None else ColourSetup()
    space = recorded.output or recorded.input
    assumed = InputSpace(space, "as recorded in the still") if space else assumed
    if beside is None:
        return Wanted(still.path, ColourSetup(config), assumed, stamp=still.stamp)
    output = beside.output if beside.converts else ""
    setup = ColourSetup(beside.setup.config, output=output, context=beside.setup.context)
    return Wanted(still.path, setup, assumed, stamp=still.stamp)

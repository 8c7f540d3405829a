"""Decodes frames of sequences on threads, with the planes that mattes need of them."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from app.model.sequence_clip import Clip
from app.services.colour_manager import Colour
from app.services.jobs import Jobs
from app.services.planes_ahead import PlanesAhead
from engine import Grade
from engine.color.management import Managed
from engine.viewing import Levels

Key = tuple[Clip, int, int]
"""Clip, version and frame of a read."""


class FrameReads:
    """The reads of frames in progress."""

    def __init__(
        self, read_image: Callable[..., Any], colour: Colour, displayed: Callable[[], Levels | None], jobs: Jobs
    ) -> None:
        """`read_image` reads an image on a thread; `displayed` returns the levels of the displayed one."""
        self._read_image, self._colour, self._displayed, self._jobs = read_image, colour, displayed, jobs
        self._reading: set[Key] = set()
        self._planes = PlanesAhead()

    def ahead(self, clip: Clip, due: int, budget: int) -> list[int]:
        """Return the next frames to play, from number `due` on: as many as fit into the memory budget."""
        self._planes = self._planes.following(self._displayed())
        clip.plane_bytes = self._planes.nbytes
        return clip.ahead(due, budget)[: self._planes.most]

    def missing(self, clip: Clip, ahead: list[int]) -> list[int]:
        """Return those of these frames that are not decoded or whose planes are not read, unless they are bad."""
        return clip.missing(ahead, lambda read: self._planes.there(read[0]))

    def begin(
        self,
        grade: Grade,
        key: Key,
        is_ahead: bool,
        done: Callable[[Any], None],
        failed: Callable[[str], None],
    ) -> None:
        """Decode a frame for a grade, unless it is decoded, and read its planes if it is one of those `ahead`."""
        self._reading.add(key)
        clip, _, frame = key
        read, planes = self.reader(grade, clip), self._planes if is_ahead else PlanesAhead()
        known = clip.decoded.get(frame)

        def work() -> Any:
            found = known or read(frame)
            planes.read(found[0])
            return found

        self._jobs.run(work, done, failed)

    def reader(self, grade: Grade, clip: Clip) -> Callable[[int], tuple[Any, Managed]]:
        """Return a function that decodes a frame, on a thread, and finds its colour spaces for a grade."""
        read_image, colour, pattern = self._read_image, self._colour, clip.pattern
        setup, layer = colour.setup_for(grade), clip.layer

        def read(frame: int) -> tuple[Any, Managed]:
            path, number = pattern.place(frame)
            image = read_image(path, *layer, *(() if number is None else (number,)))
            return image, colour.find(path, image, setup)

        return read

    def may_begin(self, key: Key, most: int) -> bool:
        """Return whether this read is not in progress, and fewer than `most` reads are."""
        return key not in self._reading and len(self._reading) < most

    def end(self, key: Key) -> None:
        """Note that a read is over."""
        self._reading.discard(key)

"""What is picked for mattes on the canvas, read on threads: objects of Cryptomatte layers, and colours of the image."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from PySide6.QtCore import QObject

from app.model.matte_keys import ops_to_key
from app.render.preview import Preview
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.grade.masking import SavedBlend, reads_place
from engine.kernel.op import ColorOp, Op
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.qualifiers import HslQualifier, Key3d
from engine.viewing import Levels, levels_of

if TYPE_CHECKING:
    from app.model.matte_keys import Colours
    from engine.io.manifests import Ids, Manifest
    from engine.io.planes import PickedObject

LOOK, SHOW = "object under the pointer", "its outline"
T = TypeVar("T")
REACH = 1
"""Pixels on each side of a clicked one whose colours are averaged."""
MOST_PIXELS = 64
"""The most pixels of a stroke that are read; of a longer one, as many at equal distances."""
Pixel = tuple[int, int]


@dataclass(frozen=True)
class FoundObjects:
    """The objects at a pixel of a Cryptomatte layer, the one with the largest coverage first.

    `inside` has the IDs of those that the source selects for which they were looked up.
    """

    layer: str
    pixel: Pixel
    objects: tuple[PickedObject, ...]
    manifest: Manifest
    inside: frozenset[int] = frozenset()


@dataclass(frozen=True)
class Asked:
    """Pixels that the preview computes, whether their mean is wanted, and what takes it."""

    image: Any
    pixels: tuple[Pixel, ...]
    ops: tuple[Op, ...]
    averages: bool
    done: Callable[[Colours], None]


class MattePicks(QObject):
    """Reads what is under the pointer. Answers about an image that is not displayed any more are dropped."""

    def __init__(
        self, current: Callable[[], Any], services: Services, jobs: Jobs, preview: Preview, parent: QObject
    ) -> None:
        """`current` returns the current document."""
        super().__init__(parent)
        self._current, self._services, self._jobs, self._preview = current, services, jobs, preview
        self._asked: list[Asked] = []  # of the preview, which answers the newest call only: one after the other
        self._kept: tuple[Manifest, tuple[str, ...], tuple[int, ...], Ids] | None = None
        preview.coloured.connect(self._take_colours)

    def look(
        self,
        layer: str,
        pixel: Pixel,
        source: Cryptomatte | None,
        done: Callable[[FoundObjects], None],
        failed: Callable[[str], object],
    ) -> None:
        """Find the objects at a pixel, and which of them a source selects; only the newest call is answered."""
        work, take = self._objects(layer, pixel, done, source)
        if work is not None:
            self._jobs.latest(self, LOOK, work, take, failed)

    def take(
        self, layer: str, pixel: Pixel, done: Callable[[FoundObjects], None], failed: Callable[[str], object]
    ) -> None:
        """Find the objects at a pixel that was clicked; every call is answered, in order."""
        work, take = self._objects(layer, pixel, done)
        if work is not None:
            self._jobs.in_turn(self, work, take, failed, f"Reading {layer}")

    def compute(self, work: Callable[[], T], done: Callable[[T], None], failed: Callable[[str], object]) -> None:
        """Compute what shows the object under the pointer; only the newest call is answered."""
        self._jobs.latest(self, SHOW, work, done, failed)

    def rest(self) -> None:
        """Drop the pending search for what is under the pointer."""
        self._jobs.drop(self, LOOK)

    def colours(
        self,
        source: HslQualifier | Key3d,
        path: tuple[int, ...],
        pixels: tuple[Pixel, ...],
        done: Callable[[Colours], None],
        failed: Callable[[str], object],
    ) -> None:
        """Read the colours (n, 3) that a qualifier of the entry at a path has for some pixels.

        One pixel stands for the mean of those around it.
        """
        document = self._current()
        image = document.image
        if image is None or not pixels:
            return
        grade, managed = document.grade_at_frame, document.managed

        def work() -> Colours | tuple[Op, ...]:
            ops = ops_to_key(managed, grade, path, source)
            return colours_at(levels_of(image), pixels, ops) if all(is_plain(op) for op in ops) else ops

        def take(found: Colours | tuple[Op, ...]) -> None:
            if isinstance(found, tuple):  # filters and mattes are computed where frames are
                read = read_for(levels_of(image), pixels)
                self._asked.append(Asked(image, read, found, len(pixels) == 1, done))
                self._ask()
            else:
                done(found)

        self._jobs.in_turn(self, work, partial(self._give, image, take), failed, "Reading the colours of the stroke")

    def _take_colours(self, pixels: tuple[Pixel, ...], values: Any) -> None:
        """Take what the preview has computed, and ask for the next."""
        if self._asked and self._asked[0].pixels == pixels:
            asked = self._asked.pop(0)
            self._ask()
            if self._current().image is asked.image:
                found = np.asarray(values, np.float64)[:, :3]
                asked.done(found.mean(axis=0, keepdims=True) if asked.averages else found)

    def _ask(self) -> None:
        """Ask the preview for the first of the pixels that wait; again too, as not every call has an answer."""
        image = self._current().image
        self._asked = [asked for asked in self._asked if asked.image is image]
        if self._asked:
            self._preview.colours(self._asked[0].pixels, self._asked[0].ops)

    def _objects(
        self, layer: str, pixel: Pixel, done: Callable[[FoundObjects], None], source: Cryptomatte | None = None
    ) -> tuple[Any, Any]:
        """Return the work that finds objects, and what takes its answer; None without an image."""
        image = self._current().image
        if image is None:
            return None, None
        reader = self._services.plane_reader

        def work() -> FoundObjects:
            planes = reader(image)
            found, manifest = planes.pick(layer, *pixel), planes.manifest(layer)
            manifest.id_of("")  # makes its table of names here, which takes long for many
            chosen = frozenset(self._selected(manifest, source).tolist()) if source is not None else frozenset()
            return FoundObjects(layer, pixel, found, manifest, chosen & {each.id for each in found})

        return work, partial(self._give, image, done)

    def _selected(self, manifest: Manifest, source: Cryptomatte) -> Ids:
        """Return the IDs that a source selects. Wildcards take long for many names, so the last ones are kept."""
        kept = self._kept
        if kept is None or kept[0] is not manifest or kept[1:3] != (source.names, source.ids):
            kept = self._kept = manifest, source.names, source.ids, manifest.selected(source.names, source.ids)[0]
        return kept[3]

    def _give(self, image: Any, done: Callable[[Any], None], found: Any) -> None:
        if self._current().image is image:
            done(found)


def is_plain(op: Op) -> bool:
    """Return whether the result of an op at a pixel depends on its colour alone."""
    return isinstance(op, ColorOp) and not isinstance(op, SavedBlend) and not reads_place(op)


def read_for(levels: Levels, pixels: tuple[Pixel, ...]) -> tuple[Pixel, ...]:
    """Return the pixels to read: those around a single one, or some of a stroke."""
    if len(pixels) > 1:
        chosen = np.linspace(0, len(pixels) - 1, min(len(pixels), MOST_PIXELS)).round().astype(int)
        return tuple(pixels[n] for n in chosen)
    (x, y), size = pixels[0], 2 * REACH + 1
    rect = Rect(x - REACH, y - REACH, size, size).clipped(levels.width, levels.height)
    return tuple((column, row) for row in range(rect.y, rect.bottom) for column in range(rect.x, rect.right))


def colours_at(levels: Levels, pixels: tuple[Pixel, ...], ops: tuple[Op, ...]) -> Colours:
    """Return the colours (n, 3) of pixels after plain ops, for one pixel the mean of those around it."""
    read = read_for(levels, pixels)
    values = np.concatenate([levels.exact(Rect(x, y, 1, 1))[0] for x, y in read])
    rgba = np.concatenate([values.astype(np.float64), np.ones((len(values), 1))], axis=-1)[:, :4]
    for op in ops:
        assert isinstance(op, ColorOp)
        rgba = op.reference(rgba)
    found = rgba[:, :3]
    return found.mean(axis=0, keepdims=True) if len(pixels) == 1 else found

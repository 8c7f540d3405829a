"""What matching colours does on threads: reading images, their small images, matches, and fits to charts."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import field, replace
from pathlib import Path
from threading import Event, Lock
from typing import TYPE_CHECKING, Any

import numpy as np
from PySide6.QtGui import QImage

from app.render.plane_gate import lacked
from app.services.read_image import ReadImage
from app.services.sheet_images import SheetImages, SheetItem
from app.services.side_images import Wanted
from app.services.table_names import name_tables
from engine import Grade
from engine.core.file_watch import State, state_of
from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import Cancelled
from engine.grade.colour_settings import ColourSetup, InputSpace, Viewing
from engine.grade.matte_planes import planes_of, without_planes
from engine.kernel.op import ColorOp
from engine.viewing import levels_of

if TYPE_CHECKING:
    from engine.matching import ChartFit, ChartPlace
    from engine.viewing.matched_images import MatchSide

MOST_KEPT = 3
"""How many images stay read."""
Area = tuple[float, float, float, float]
"""x, y, width and height, as shares of the data window."""
Ops = tuple[ColorOp, ...]


@dataclass(frozen=True)
class MatchImage:
    """An image that is matched, or a reference: its name, how it is read, and the grade that is applied to it.

    `owner` is the ID of the document that shows it, '' if none does.
    """

    name: str
    wanted: Wanted
    grade: Grade
    owner: str = ""


@dataclass(eq=False)
class SmallImage:
    """An image in the view, and its width by its height."""

    image: QImage
    shape: float = field(default=1.0)


@dataclass(frozen=True)
class Reads:
    """The images that stay read for what was asked for at one time; `stop` ends that."""

    stop: Event = field(default_factory=Event)
    kept: dict[Wanted, ReadImage] = field(default_factory=dict)


class MatchWork:
    """Does one thing at a time. What was read stays until `forget` or `release`."""

    def __init__(self, read: Callable[..., ReadImage], create_executor: Callable[[], Any]) -> None:
        """`read` reads an image and `create_executor` creates what computes, on a thread."""
        self._read, self._create_executor = read, create_executor
        self._executor: Any = None
        self._reads = Reads()
        self._in_use = Reads()  # by what is being done, which may have been asked for before a `release`
        self.states: Mapping[Path, State] = {}
        """The files that were read, or could not be, each with its state before that."""
        self._lock = Lock()
        self._sheets = SheetImages(self._read_again, create_executor, Viewing)

    def forget(self) -> None:
        """Release the images, and end what is being done."""
        self._reads.stop.set()
        self._reads, self.states = Reads(), {}

    def release(self) -> None:
        """Release the images, also those that what is being done still reads, once that is over."""
        self._reads, self.states = Reads(self._reads.stop), {}

    def small_image(self, image: MatchImage, size: tuple[int, int], viewing: Viewing) -> SmallImage:
        """Return an image with its grade in a view, as large as fits into a size."""
        reads = self._reads
        item = SheetItem(image.name, "", "", image.wanted, image.grade)

        def fitting(shape: float) -> tuple[int, int]:
            width = max(1, min(size[0], round(size[1] * shape)))
            return width, max(1, min(size[1], round(width / shape)))

        with self._using(reads):
            shown = self._sheets.make(item, fitting, viewing, reads.stop.is_set)
        pixels = (np.clip(np.nan_to_num(shown.values[..., :3]), 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8)
        height, width = pixels.shape[:2]
        drawn = QImage(pixels.tobytes(), width, height, 3 * width, QImage.Format.Format_RGB888)
        return SmallImage(drawn.copy(), shown.shape)

    def match(
        self, image: MatchImage, area: Area | None, reference: MatchImage, other: Area | None, method: str
    ) -> Ops:
        """Return the ops that match an image to a reference; areas of both may count instead of the whole."""
        from engine.viewing.matched_images import matched

        reads = self._reads
        with self._using(reads):
            sides = self._side(image, area), self._side(reference, other)
            found = matched(self._executor, *sides, method, reads.stop.is_set)
        name_tables(found)
        return found

    def fit(self, image: MatchImage, place: ChartPlace, keep: str) -> ChartFit:
        """Return the fit for the chart in an image."""
        from engine.viewing.matched_images import fitted_chart

        reads = self._reads
        with self._using(reads):
            side = self._side(image, None)
            return fitted_chart(self._executor, side, place, keep, reads.stop.is_set)

    @contextmanager
    def _using(self, reads: Reads) -> Iterator[None]:
        """Wait for what is being done, then use and keep these images."""
        with self._lock:
            self._in_use = reads
            try:
                yield
            finally:
                self._in_use = Reads()

    # -- inside, with the lock

    def _found(self, wanted: Wanted) -> ReadImage:
        if self._in_use.stop.is_set():
            raise Cancelled()
        if self._executor is None:
            self._executor = self._create_executor()
        kept, wanted = self._in_use.kept, replace(wanted, stamp=state_of(wanted.path))
        self.states = {**self.states, wanted.path: wanted.stamp}
        if wanted not in kept:
            how = wanted.path, wanted.part, wanted.layer, wanted.setup, wanted.assumed, wanted.frame
            kept[wanted] = self._read(*how)
            for oldest in list(kept)[:-MOST_KEPT]:
                del kept[oldest]
        return kept[wanted]

    def _read_again(
        self,
        path: Path,
        part: int | None,
        layer: str | None,
        setup: ColourSetup,
        assumed: InputSpace,
        frame: int | None,
    ) -> ReadImage:
        """Return an image that was read, for a small image of it."""
        return self._found(Wanted(path, setup, assumed, part, layer, frame=frame))

    def _side(self, image: MatchImage, area: Area | None) -> MatchSide:
        from engine.viewing.matched_images import MatchSide

        found = self._found(image.wanted)
        levels = levels_of(found.image)
        grade = self._without_lacking(image.grade, levels)
        return MatchSide(levels, found.managed, grade, image.name, area and _pixels(area, levels.width, levels.height))

    @staticmethod
    def _without_lacking(grade: Grade, levels: Any) -> Grade:
        return without_planes(grade, lacked(levels.planes, planes_of(grade)))


def _pixels(area: Area, width: int, height: int) -> Rect:
    """Return the pixels of an area, at least one."""
    x, y = int(area[0] * width), int(area[1] * height)
    return Rect(x, y, max(1, round(area[2] * width)), max(1, round(area[3] * height)))

"""The images of contact sheets: each is read, graded and shown in the view once, on a thread."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from threading import Lock
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.viewport import Placement
from app.render.grid_requests import cell_request
from app.render.plane_gate import lacked
from app.services.read_image import ReadImage
from app.services.shown_data import shown_data
from app.services.side_images import Wanted
from engine import Grade
from engine.core.records import dataclass
from engine.grade.colour_settings import Viewing
from engine.grade.matte_planes import planes_of, without_planes
from engine.kernel.op import ColorOp
from engine.viewing import levels_of

SizeOf = Callable[[float], tuple[int, int]]
"""Returns columns and rows for an image of a shape, width by height."""


@dataclass(frozen=True)
class SheetItem:
    """An image of a sheet: its labels, how it is read, and the grade that is applied to it."""

    name: str
    about: str
    note: str
    wanted: Wanted
    grade: Grade

    def texts(self, labels: tuple[str, ...]) -> list[str]:
        """Return its labels, one line each."""
        return [getattr(self, label) for label in labels]


@dataclass(frozen=True)
class SheetImage:
    """Display values (rows, columns, 3|4), 0..1; the shape of the image, and the colorInteropID of the values."""

    values: NDArray[np.float32]
    shape: float
    space: str


class SheetImages:
    """Makes the images of sheets, one at a time."""

    def __init__(
        self, read: Callable[..., ReadImage], create_executor: Callable[[], Any], viewing: Callable[[], Viewing]
    ) -> None:
        """`read` reads an image and `create_executor` creates what computes, on a thread; `viewing` returns how images
        are shown."""
        self._read, self._create_executor, self._viewing = read, create_executor, viewing
        self._executor: Any = None
        self._lock = Lock()

    @property
    def viewing(self) -> Viewing:
        """How images are shown now."""
        return self._viewing()

    def make(self, item: SheetItem, size_of: SizeOf, viewing: Viewing, stop: Callable[[], bool]) -> SheetImage:
        """Return an image, on a thread. Raises Cancelled once `stop()` returns True, TesseraError if that fails."""
        from engine.viewing.whole_frames import whole_frame

        how = item.wanted
        found = self._read(how.path, how.part, how.layer, how.setup, how.assumed, how.frame)
        part, managed, levels = found.image.part, found.managed, levels_of(found.image)
        shape, data = part.width * part.pixel_aspect / part.height, shown_data(found.image)
        grade = without_planes(item.grade, lacked(levels.planes, planes_of(item.grade)))
        size, whole = size_of(shape), (0.0, 0.0, float(levels.width), float(levels.height))
        cell = cell_request(levels, grade, Placement(0, 0, *size, whole), managed, data, viewing, "", "")
        graded, view = cell.view.grade_ops(grade), [op for op in cell.view.ops if isinstance(op, ColorOp)]
        with self._lock:
            if self._executor is None:
                self._executor = self._create_executor()
            values = whole_frame(self._executor, levels, size, graded, view, stop, cell.view.picks)
        return SheetImage(values, shape, _space(managed, viewing))


def _space(managed: Any, viewing: Viewing) -> str:
    """Return the colorInteropID of what a view shows; sRGB without colour management."""
    return str(replace(managed, viewing=viewing).result_id) if managed.converts else "srgb_rec709_display"

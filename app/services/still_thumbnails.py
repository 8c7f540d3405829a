"""Thumbnails of stills, made on a thread from their files and kept in the user's cache."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QBuffer, QObject, Qt, Signal
from PySide6.QtGui import QImage

from app.model.still import Still
from app.model.view_ops import view_ops
from app.services.jobs import Jobs
from app.services.side_images import Wanted
from engine.color.management import Managed
from engine.core.atomic import write_bytes
from engine.core.bounded_cache import SizedCache
from engine.core.user_folders import cache_folder
from engine.errors import TesseraError
from engine.grade.colour_settings import Viewing
from engine.io.info import PartInfo
from engine.kernel.op import ColorOp

WIDTH, HEIGHT = 384, 216
"""The most columns and rows of a thumbnail: twice those of a tile, for screens of high density."""
OVERSAMPLING = 3
"""The most pixels along a side of the image that are averaged to one; others are skipped."""
KEPT_BYTES = 4 << 20
"""The most bytes of thumbnails that are kept, unless more are visible; others are read from the cache again."""


class StillThumbnails(QObject):
    """Makes thumbnails in the view of the window, one at a time: those that were wanted last come first."""

    made = Signal(str)  # the ID of a still whose thumbnail, or the reason that it has none, is there

    def __init__(
        self,
        sampled: Callable[..., tuple[Any, PartInfo]],
        manage: Callable[..., Managed],
        create_executor: Callable[[], Any],
        wanted: Callable[[Still], Wanted],
        viewing: Callable[[], Viewing],
        jobs: Jobs,
        parent: QObject,
    ) -> None:
        """`sampled`, `manage` and `create_executor`, called on a thread, read pixels, resolve colour spaces and create
        what computes. `wanted` says how a still is read, `viewing` how images are shown."""
        super().__init__(parent)
        self._sampled, self._manage, self._create_executor = sampled, manage, create_executor
        self._how, self._viewing, self._jobs = wanted, viewing, jobs
        self._images: SizedCache[str, QImage] = SizedCache(KEPT_BYTES, QImage.sizeInBytes)
        self.problems: dict[str, str] = {}
        """Why stills have none, by their IDs."""
        self._wanted: list[Still] = []
        self._busy = False
        self._executor: Any = None  # used by one thread at a time

    def get(self, still: Still) -> QImage | None:
        """Return the thumbnail of a still; None while there is none."""
        return self._images.get(still.id)

    def want(self, stills: Iterable[Still]) -> None:
        """Make the thumbnails of these stills, which are visible, in this order; others that wait are left out."""
        visible = [*stills]
        self._wanted = [each for each in visible if self.get(each) is None and each.id not in self.problems]
        self._images.limit(max(KEPT_BYTES, len(visible) * 4 * WIDTH * HEIGHT))
        self._next()

    def _next(self) -> None:
        if self._wanted and not self._busy:
            self._busy = True
            still = self._wanted.pop(0)
            wanted, viewing = self._how(still), self._viewing()
            work = partial(self._load, still, wanted, Viewing(viewing.display, viewing.view, viewing.looks))
            self._jobs.run(work, partial(self._take, still.id), partial(self._refuse, still.id), self)

    def _take(self, id: str, image: QImage) -> None:
        self._images.put(id, image)
        self._answer(id)

    def _refuse(self, id: str, line: str) -> None:
        self.problems[id] = line
        self._answer(id)

    def _answer(self, id: str) -> None:
        self._busy = False
        self.made.emit(id)
        self._next()

    # -- on a thread

    def _load(self, still: Still, wanted: Wanted, viewing: Viewing) -> QImage:
        """Return the thumbnail in the cache, or make it."""
        cached = cache_folder() / "stills" / f"{still.id}.png"
        image = QImage(str(cached))
        if image.isNull():
            image = self._make(wanted, viewing)
            _keep(image, cached)
        return image

    def _make(self, wanted: Wanted, viewing: Viewing) -> QImage:
        pixels, part = self._sampled(wanted.path, _size(OVERSAMPLING))
        managed = self._manage(wanted.setup, wanted.path, part.metadata, wanted.assumed)
        ops = [op for op in view_ops(managed, viewing) if isinstance(op, ColorOp)]
        if self._executor is None:
            self._executor = self._create_executor()
        shown = self._executor.display(self._executor.upload(shrunk(pixels, WIDTH, HEIGHT)), ops)
        height, width = shown.shape[:2]
        image = QImage(shown.data, width, height, 4 * width, QImage.Format.Format_RGBX8888)
        ignore, smooth = Qt.AspectRatioMode.IgnoreAspectRatio, Qt.TransformationMode.SmoothTransformation
        return image.scaled(*_size()(part), ignore, smooth)


def shrunk(pixels: NDArray[Any], width: int, height: int) -> NDArray[np.float32]:
    """Return pixels (rows, columns, 3|4) averaged to fit in width x height."""
    rows, columns = pixels.shape[:2]
    block = max(-(-columns // width), -(-rows // height), 1)
    block = min(block, rows, columns)
    rows, columns = rows // block, columns // block
    boxes = pixels[: rows * block, : columns * block].reshape(rows, block, columns, block, -1)
    with np.errstate(all="ignore"):
        return np.ascontiguousarray(boxes.mean(axis=(1, 3), dtype=np.float64), np.float32)


def _size(times: int = 1) -> Callable[[PartInfo], tuple[int, int]]:
    """Return a function that gives the columns and rows, `times` as many, of the thumbnail of a part."""

    def size(part: PartInfo) -> tuple[int, int]:
        shape = part.width * part.pixel_aspect / part.height
        across, down = min(WIDTH, round(HEIGHT * shape)), min(HEIGHT, round(WIDTH / shape))
        return times * max(1, across), times * max(1, down)

    return size


def _keep(image: QImage, path: Path) -> None:
    """Keep a thumbnail in the cache; one that can't be written is made again."""
    png = QBuffer()
    image.save(png, "PNG")  # type: ignore[call-overload]
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, bytes(png.data().data()))
    except (OSError, TesseraError):
        return

"""Thumbnails of the layers of an image, made on a thread: few at a time, and only those that are visible."""

from __future__ import annotations

import threading
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import QObject, QTimer, Signal
from PySide6.QtGui import QImage

from app.model.data_view import ShownData, range_text
from app.services.engine_calls import Services
from app.services.jobs import Jobs
from engine.core.records import dataclass
from engine.viewing.data_kinds import IMAGE, KINDS, kind_of, sampled_range, shown_kind

if TYPE_CHECKING:
    from engine.io.info import ImageInfo, LayerInfo, PartInfo

WIDTH, HEIGHT = 128, 72
"""The most columns and rows of a thumbnail: twice those of its field, for screens of high density."""
AT_ONCE = 12
"""The most layers that are read together."""
STALE_MS = 600
"""How long the image must stay before the thumbnails of another frame of its sequence are made."""
KEY = "thumbnails"
Key = tuple[int, str]
"""The index of a part and the name of a layer."""


@dataclass(frozen=True)
class Thumbnail:
    """A thumbnail, and the smallest and largest finite value of its samples as text; `problem` is why there is none."""

    image: QImage | None
    values: str = ""
    problem: str = ""


class LayerThumbnails(QObject):
    """Makes the thumbnails of one image. Another image cancels them; those of a sequence stay until a frame settles."""

    made = Signal(object)  # the Key of a new thumbnail

    def __init__(self, services: Services, jobs: Jobs, parent: QObject) -> None:
        super().__init__(parent)
        self._services, self._jobs = services, jobs
        self._info: ImageInfo | None = None
        self._found: dict[Key, Thumbnail] = {}
        self._fresh: set[Key] = set()  # those of this image
        self._wanted: list[Key] = []
        self._stopped = threading.Event()
        self._settle = QTimer(self, singleShot=True, interval=STALE_MS)
        self._settle.timeout.connect(self._next)

    def show(self, info: ImageInfo | None) -> None:
        """Make thumbnails of another image from now on."""
        before, self._info = self._info, info
        if before is not None and info is not None and (before.path, before.stamp) == (info.path, info.stamp):
            return
        self.stop()
        self._fresh.clear()
        if info is None or before is None or not same_layers(before, info):
            self._found.clear()
        else:
            self._settle.start()

    def want(self, keys: Iterable[Key]) -> None:
        """Make the thumbnails of these layers, which are visible, in this order; others that wait are left out."""
        self._wanted = list(keys)
        if not self._settle.isActive():
            self._next()

    def get(self, key: Key) -> Thumbnail | None:
        """Return a thumbnail if it is made."""
        return self._found.get(key)

    def stop(self) -> None:
        """Cancel those that are being made, and those that wait."""
        self._stopped.set()
        self._stopped = threading.Event()
        self._wanted = []
        self._jobs.drop(self, KEY)

    def _next(self) -> None:
        """Read the next visible layers of one part, unless some are being read."""
        info = self._info
        missing = [key for key in self._wanted if key not in self._fresh]
        if info is None or not missing or self._jobs.waits(self, KEY):
            return
        part = missing[0][0]
        names = tuple(name for index, name in missing if index == part)[:AT_ONCE]
        work = partial(make_thumbnails, self._services, info, part, names, self._stopped)
        done, failed = partial(self._take, part, names), partial(self._refuse, part, names)
        self._jobs.latest(self, KEY, work, done, failed)

    def _take(self, part: int, names: tuple[str, ...], made: list[Thumbnail]) -> None:
        for name, thumbnail in zip(names, made, strict=True):
            self._found[part, name] = thumbnail
            self._fresh.add((part, name))
            self.made.emit((part, name))
        self._next()

    def _refuse(self, part: int, names: tuple[str, ...], line: str) -> None:
        self._take(part, names, [Thumbnail(None, problem=line)] * len(names))


def same_layers(first: ImageInfo, second: ImageInfo) -> bool:
    """Return whether two images have the same parts, channels and sizes, as the frames of a sequence have."""
    return [_layout(part) for part in first.parts] == [_layout(part) for part in second.parts]


def make_thumbnails(
    services: Services, info: ImageInfo, part: int, names: tuple[str, ...], stopped: threading.Event
) -> list[Thumbnail]:
    """Return the thumbnails of layers of a part, on a thread."""
    found = info.parts[part]
    samples = services.sample_layers(info, part, names, *_size(found), stopped.is_set)
    if not samples:
        return [Thumbnail(None, problem="The part is too large to be sampled.")] * len(names)
    layers = {layer.name: layer for layer in (*found.layers, *found.vectors)}
    return [thumbnail(found, layers[name], pixels) for name, pixels in zip(names, samples, strict=True)]


def thumbnail(part: PartInfo, layer: LayerInfo, pixels: NDArray[Any]) -> Thumbnail:
    """Return the thumbnail of samples (rows, columns, 3|4): data in its range, images as if they were scene-linear."""
    values = np.asarray(pixels, np.float64)
    kind = shown_kind(kind_of(part, layer), layer.name or part.name, values)
    scaled = all(part.channel(name).type == "uint" for name in layer.channels)
    shown = ShownData(kind, plain=not scaled) if kind != IMAGE else None
    finite = values[..., :3][np.isfinite(values[..., :3])]
    text = range_text((float(finite.min()), float(finite.max()))) if finite.size else "no finite values"
    return Thumbnail(_image(_display_values(layer, shown, values)), "" if _holds_ids(shown) else text)


def _size(part: PartInfo) -> tuple[int, int]:
    """Return the columns and rows of a thumbnail in the shape of the image."""
    shape = part.width * part.pixel_aspect / part.height
    return max(1, min(WIDTH, round(HEIGHT * shape))), max(1, min(HEIGHT, round(WIDTH / shape)))


def _display_values(layer: LayerInfo, shown: ShownData | None, values: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return display values 0..1 of the pixels of a layer."""
    rgba = np.ones((*values.shape[:2], 4))
    rgba[..., : values.shape[2]] = values
    if shown is None:
        linear = np.clip(np.nan_to_num(rgba[..., :3]), 0.0, 1.0)
        return np.asarray(np.where(linear <= 0.0031308, 12.92 * linear, 1.055 * linear ** (1.0 / 2.4) - 0.055))
    if not _holds_ids(shown):
        shown = ShownData(shown.kind, sampled_range(shown.kind, values))
    for op in shown.ops:
        rgba = op.reference(rgba)
    return np.nan_to_num(rgba[..., :3])


def _holds_ids(shown: ShownData | None) -> bool:
    return shown is not None and KINDS[shown.kind].shown != "range"


def _image(values: NDArray[np.float64]) -> QImage:
    height, width = values.shape[:2]
    pixels = np.full((height, width, 4), 255, np.uint8)
    pixels[..., :3] = np.round(np.clip(values, 0.0, 1.0) * 255.0)
    return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


def _layout(part: PartInfo) -> tuple[Any, ...]:
    return part.name, part.channels, part.width, part.height, part.view

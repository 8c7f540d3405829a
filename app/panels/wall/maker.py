"""Load LUTs and make their thumbnails on worker threads: visible ones first, and only of the newest frame."""

from __future__ import annotations

import threading
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from typing import Any
from weakref import ref

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from app.model.internal_errors import internal_error
from app.model.view_ops import grade_ops, view_ops
from engine import FileLook, Grade
from engine.color.management import Managed
from engine.core.priorities import INTERFACE_TURN, lower_priority
from engine.core.records import dataclass
from engine.errors import TesseraError
from engine.grade.colour_settings import Viewing
from engine.viewing import Levels
from engine.viewing.thumbnails import Thumbnails

WIDTH, HEIGHT = 192, 108
"""Greatest size of a thumbnail, in device-independent pixels."""
WORKERS = 2


@dataclass(frozen=True)
class Scene:
    """What all thumbnails show: a graded image and its view. Each thumbnail adds its LUT to the grade."""

    levels: Levels
    grade: Grade
    managed: Managed
    viewing: Viewing
    scale: float = 1.0  # device pixels per device-independent pixel


class WallMaker(QObject):
    """Makes thumbnails in the background. `show` and `want` return at once. The LUTs shown last stay loaded; thumbnails
    of an older scene are dropped."""

    loaded = Signal(str, object)  # path, FileLook
    refused = Signal(str, str)  # path, why it can't be read
    missed = Signal(str, str)  # path, why its thumbnail can't be made for this scene
    made = Signal(str, object)  # path, QImage
    begun = Signal()  # there is work

    def __init__(
        self,
        create_executor: Callable[[], Any],
        look_from_file: Callable[[str, str], FileLook],
        parent: QObject | None = None,
    ) -> None:
        super().__init__(parent)
        self._create_executor, self._look_from_file = create_executor, look_from_file
        self._changed = threading.Condition()
        self._scene: Scene | None = None
        self._interpolation: dict[str, str] = {}
        self._looks: dict[tuple[str, str], FileLook] = {}
        self._stale: set[str] = set()
        self._pending: OrderedDict[str, None] = OrderedDict()
        self._workers: list[threading.Thread] = []
        self._stopping = False
        self._since = 0.0  # when the pending work began

    def show(self, scene: Scene | None, paths: Sequence[str]) -> None:
        """Make thumbnails of a scene for these files, in this order; without a scene, only load them."""
        with self._changed:
            self._scene = scene
            self._pending = OrderedDict.fromkeys(paths)
            if paths:
                self._looks = {key: look for key, look in self._looks.items() if key[0] in self._pending}
            self._begin()

    def reload(self, paths: Sequence[str]) -> None:
        """Read new or changed files before all others and make their thumbnails again.

        A file that can no longer be read keeps its previous version.
        """
        with self._changed:
            self._stale |= set(paths)
            for path in reversed(paths):
                self._pending[path] = None
                self._pending.move_to_end(path, last=False)
            self._begin()

    def _begin(self) -> None:
        if self._pending:
            self._since = self._since or time.monotonic()
            self.begun.emit()
        if not self._workers and self._pending:
            self._workers = [threading.Thread(target=self._run, daemon=True) for _ in range(WORKERS)]
            for worker in self._workers:
                worker.start()
        self._changed.notify_all()

    @property
    def current_work(self) -> tuple[str, float] | None:
        """What remains to be made, in words, and since when (`time.monotonic`); None if nothing does."""
        with self._changed:
            count = len(self._pending)
            self._since = self._since if count else 0.0
            return (f"Making {count} thumbnail{'s' * (count != 1)}", self._since) if count else None

    def want(self, paths: Sequence[str]) -> None:
        """Move these files, which are visible, to the front of the queue."""
        with self._changed:
            for path in reversed(paths):
                if path in self._pending:
                    self._pending.move_to_end(path, last=False)

    def set_interpolation(self, path: str, interpolation: str) -> None:
        """Set the interpolation of a LUT and make its thumbnail again."""
        with self._changed:
            self._interpolation[path] = interpolation
            self._pending[path] = None
            self._pending.move_to_end(path, last=False)
            self._changed.notify_all()

    def stop(self) -> None:
        """Stop; the threads finish what they are working on."""
        with self._changed:
            self._stopping = True
            self._changed.notify_all()
        for worker in self._workers:
            worker.join(2.0)

    # -- on the worker threads

    def _run(self) -> None:
        lower_priority()
        thumbnailer = _Thumbnailer(self._create_executor)
        while (work := self._next()) is not None:
            path, scene = work
            look = self._load(path)
            if look is not None and scene is not None:
                try:
                    image = thumbnailer.image(scene, look)
                    if scene is self._scene:
                        self._tell(self.made, path, image)
                except Exception as error:  # noqa: BLE001 (one look must not end the thread, whatever it is)
                    self._tell(self.missed, path, _line(f"making the thumbnail of {path}", error))
            del work, scene  # they hold the image
            INTERFACE_TURN.give_way()

    def _next(self) -> tuple[str, Scene | None] | None:
        with self._changed:
            self._changed.wait_for(lambda: self._stopping or self._pending)
            if self._stopping:
                return None
            path, _ = self._pending.popitem(last=False)
            return path, self._scene

    def _load(self, path: str) -> FileLook | None:
        key = path, self._interpolation.get(path, "file")
        look = self._looks.get(key)
        if look is None or path in self._stale:
            self._stale.discard(path)
            try:
                new = self._look_from_file(*key)
            except Exception as error:  # noqa: BLE001 (one look must not end the thread, whatever it is)
                self._tell(self.refused, path, _line(f"reading {path}", error))
                return look
            self._looks = {other: kept for other, kept in self._looks.items() if other[0] != path} | {key: new}
            self._tell(self.loaded, path, new)
            return new
        return look

    def _tell(self, signal: Any, *values: Any) -> None:
        if not self._stopping:
            signal.emit(*values)


class _Thumbnailer:
    """Makes thumbnails with its own executor, one image at a time. Used by one thread."""

    def __init__(self, create_executor: Callable[[], Any]) -> None:
        self._create_executor = create_executor
        self._executor: Any = None
        self._thumbnails: Thumbnails | None = None
        self._shown: Callable[[], Levels | None] = _none  # their source; a weak reference, since it may be large
        self._scale = 0.0

    def image(self, scene: Scene, look: FileLook) -> QImage:
        """Return a thumbnail of the scene with a LUT applied."""
        if self._executor is None:
            self._executor = self._create_executor()
        if self._thumbnails is None or self._shown() is not scene.levels or self._scale != scene.scale:
            size = round(WIDTH * scene.scale), round(HEIGHT * scene.scale)
            self._thumbnails = Thumbnails(self._executor, scene.levels, *size)
            self._shown, self._scale = ref(scene.levels), scene.scale
        graded = grade_ops(scene.managed, scene.grade.with_entries((*scene.grade.entries, look)))
        pixels = self._thumbnails.image((*graded, *view_ops(scene.managed, scene.viewing)))
        height, width = pixels.shape[:2]
        return QImage(pixels.data, width, height, 4 * width, QImage.Format.Format_RGBX8888).copy()


def _none() -> None:
    """Stand in for a weak reference before the first image."""


def _line(doing: str, error: Exception) -> str:
    return str(error) if isinstance(error, TesseraError) else internal_error(doing, error)

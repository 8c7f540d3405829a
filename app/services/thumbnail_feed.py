"""Requests thumbnails of mattes from the preview once the grade has rested for a moment."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, QTimer
from PySide6.QtGui import QImage

from app.model.document import Document
from app.model.grade_rows import Path, entries_before, matte_of, rows_of
from app.render.preview import Preview
from app.services.matte_thumbnails import SIZE, MatteThumbnails

REST_MS = 250
"""How long grade and image must stay the same."""
DENSITY = 2
"""Pixels of a thumbnail per device-independent pixel."""
State = tuple[Any, ...]


class ThumbnailFeed(QObject):
    """Keeps the thumbnails of the entries of the current document up to date: call `update_soon` when it changes."""

    def __init__(
        self, settled: Callable[[], Document | None], preview: Preview, thumbnails: MatteThumbnails, parent: QObject
    ) -> None:
        """`settled` returns the current document, or None while its colour spaces are not known."""
        super().__init__(parent)
        self._settled, self._preview, self._thumbnails = settled, preview, thumbnails
        self._made: WeakKeyDictionary[Document, dict[Path, State]] = WeakKeyDictionary()
        self._resting = QTimer(self, singleShot=True, interval=REST_MS)
        self._resting.timeout.connect(self._request)
        preview.matte_thumbnail.connect(self._take)

    def update_soon(self, *_: object) -> None:
        """Request the thumbnails that have changed, once nothing has changed for REST_MS."""
        self._resting.start()

    def _request(self) -> None:
        """Request the thumbnails of the mattes that have changed."""
        document = self._settled()
        if document is None or document.image is None:
            return
        made, states = self._made.setdefault(document, {}), _states(document)
        for path in made.keys() - states.keys():
            del made[path]
        paths = tuple(path for path, state in states.items() if made.get(path) != state)
        size = SIZE[0] * DENSITY, SIZE[1] * DENSITY
        self._preview.thumbnails(document, document.grade_at_frame, document.managed, paths, size)

    def _take(self, document: Document, path: Path, image: QImage | None) -> None:
        """Show a thumbnail, unless the grade has changed since it was requested."""
        state = _states(document).get(path)
        if state is not None and not self._resting.isActive():
            self._made.setdefault(document, {})[path] = state
            if image is not None:
                image.setDevicePixelRatio(DENSITY)
            self._thumbnails.set_image(document, path, state[0], image)


def _states(document: Document) -> dict[Path, State]:
    """Return all that the coverage of each matte depends on, by the path of its entry."""
    found = dict[Path, State]()
    for row in rows_of(document.grade_at_frame):
        matte = matte_of(row.entry)
        if matte is not None:
            above = entries_before(document.grade_at_frame, row.path) if "entry" in matte.reads else ()
            managed = document.managed if matte.reads else None  # it makes the colours that qualifiers read
            found[row.path] = (matte, above, id(document.image), managed)
    return found

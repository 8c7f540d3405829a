"""The part of the preview that concerns mattes: images of single mattes, colours for qualifiers, and planes."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING

from PySide6.QtCore import QObject, Signal

from app.model.grade_rows import Path
from app.render.requests import ColoursRequest, HighlightRequest, Request, ScopeRequest, ThumbnailRequest
from engine import Grade
from engine.color.management import Managed
from engine.kernel.op import Op
from engine.mattes.tree import Matte
from engine.viewing import Levels
from engine.viewing.plane_store import FRAME, HIGHLIGHT, SCOPES, THUMBNAILS, PlaneStore

if TYPE_CHECKING:
    from engine.viewing.scopes import ScopeOptions


class MattePreview(QObject):
    """Requests what mattes need; a newer request of a kind replaces the pending one. `Preview` answers them."""

    lacking = Signal(object)  # a tuple of lines: what the mattes of the displayed frame read and the file lacks
    highlighted = Signal(object, object, object)  # QImage or None, its region, and the matte of `highlight`
    coloured = Signal(object, object)  # pixels, and their values (n, 3|4)
    matte_thumbnail = Signal(object, object, object)  # key, path of the entry, QImage or None without a coverage
    requested = Signal()  # a frame, scopes or a highlight were requested

    def __init__(self, parent: QObject | None = None) -> None:
        super().__init__(parent)
        self._changed = threading.Condition()
        self._serial = 0
        self._request: Request | None = None
        self._last: Request | None = None
        self._watched: list[Levels] = []
        self.scopes: ScopeOptions | None = None
        self._scoping: ScopeRequest | None = None
        self._highlighting: HighlightRequest | None = None
        self._highlight: Matte | None = None
        self._colouring: ColoursRequest | None = None
        self._thumbnailing: ThumbnailRequest | None = None
        self._thumbnails: ThumbnailRequest | None = None  # those that are not all made

    def highlight(self, matte: Matte | None) -> None:
        """Request the coverage of a matte over the displayed frame; replaces the pending request. None ends that."""
        with self._changed:
            self._highlight = matte
            last, self._highlighting = self._last, None
            if matte is not None and last is not None:
                self._highlighting = HighlightRequest(self._serial, last, matte)
            self._changed.notify()
        if matte is None:
            self.highlighted.emit(None, (0.0, 0.0, 0.0, 0.0), None)
        self.requested.emit()

    def colours(self, pixels: tuple[tuple[int, int], ...], ops: tuple[Op, ...]) -> None:
        """Request the values of pixels of the data window after ops; replaces the pending request."""
        with self._changed:
            self._colouring = ColoursRequest(self._serial, pixels, ops)
            self._changed.notify()

    def thumbnails(
        self, key: object, grade: Grade, managed: Managed, paths: tuple[Path, ...], size: tuple[int, int]
    ) -> None:
        """Request thumbnails, of at most `size` pixels, of the mattes of entries, once nothing else is pending."""
        with self._changed:
            found = ThumbnailRequest(self._serial, key, grade, managed, paths, size) if paths else None
            self._thumbnailing = self._thumbnails = found
            self._changed.notify()

    def thumbnails_made(self, work: ThumbnailRequest) -> None:
        """Request these thumbnails no more: all of them are made. Called on the worker's thread."""
        with self._changed:
            if self._thumbnails is work:
                self._thumbnails = self._thumbnailing = None

    def _frame_again(self) -> None:
        """Make the last frame again. Called with the lock, on any thread."""
        self._request = self._request or self._last

    @property
    def _stores(self) -> list[PlaneStore]:
        """The planes of the images that frames are made from."""
        return [levels.planes for levels in self._watched if levels.planes is not None]

    def _planes_there(self, purpose: str) -> None:
        """Make again what waited for planes. Called on the thread that reads them."""
        with self._changed:
            last = self._last
            if purpose == FRAME:
                self._frame_again()
            elif purpose == SCOPES and self.scopes is not None and last is not None:
                self._scoping = ScopeRequest(self._serial, last)
            elif purpose == HIGHLIGHT and self._highlight is not None and last is not None:
                self._highlighting = HighlightRequest(self._serial, last, self._highlight)
            elif purpose == THUMBNAILS:
                self._thumbnailing = self._thumbnails
            self._changed.notify()

"""Thumbnails of mattes, which the viewer makes and the Grade panel shows."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engine.mattes.tree import Matte

SIZE = (26, 16)
"""Width and height of a thumbnail, in device-independent pixels."""


class MatteThumbnails(QObject):
    """The thumbnails of each document, by the path of the entry."""

    changed = Signal(object)  # the Document whose thumbnails have changed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._images: WeakKeyDictionary[QObject, dict[tuple[int, ...], tuple[Matte, QImage]]] = WeakKeyDictionary()

    def image(self, document: QObject, entry: tuple[int, ...], matte: Matte) -> QImage | None:
        """Return the thumbnail of the matte of an entry; None until there is one of this very matte."""
        made, image = self._images.get(document, {}).get(entry, (None, None))
        return image if made == matte else None

    def set_image(self, document: QObject, entry: tuple[int, ...], matte: Matte, image: QImage | None) -> None:
        """Set the thumbnail of the matte of an entry, grey, with 0 as black and 1 as white; None removes it."""
        images = self._images.setdefault(document, {})
        if image is None:
            images.pop(entry, None)
        else:
            images[entry] = matte, image
        self.changed.emit(document)

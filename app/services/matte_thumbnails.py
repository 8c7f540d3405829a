"""Thumbnails of mattes, which the viewer makes and the Grade panel shows."""

from __future__ import annotations

from weakref import WeakKeyDictionary

from PySide6.QtCore import QObject, Signal
from PySide6.QtGui import QImage

from engine.mattes.tree import Leaf, Matte, Node

SIZE = (26, 16)
"""Width and height of a thumbnail, in device-independent pixels."""


class MatteThumbnails(QObject):
    """The thumbnails of each document, by the path of the entry."""

    changed = Signal(object)  # the Document whose thumbnails have changed

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._images: WeakKeyDictionary[QObject, dict[tuple[int, ...], tuple[Matte, QImage]]] = WeakKeyDictionary()

    def image(self, document: QObject, entry: tuple[int, ...], matte: Matte) -> QImage | None:
        """Return the thumbnail of the matte of an entry; None if there is none yet.

        Until one of this very matte is made, it is that of an entry with the same matte, as after a move, else that of
        a matte with the same sources at this entry, as while a window is dragged.
        """
        images = self._images.get(document, {})
        made, image = images.get(entry, (None, None))
        if made == matte:
            return image
        same = next((other for each, other in images.values() if each == matte), None)
        return same if same is not None or made is None or not alike(made.root, matte.root) else image

    def set_image(self, document: QObject, entry: tuple[int, ...], matte: Matte, image: QImage | None) -> None:
        """Set the thumbnail of the matte of an entry, grey, with 0 as black and 1 as white; None removes it."""
        images = self._images.setdefault(document, {})
        if image is None:
            images.pop(entry, None)
        else:
            images[entry] = matte, image
        self.changed.emit(document)


def alike(one: Node, other: Node) -> bool:
    """Return whether two nodes have the same sources, whatever their values."""
    if isinstance(one, Leaf) or isinstance(other, Leaf):
        return isinstance(one, Leaf) and isinstance(other, Leaf) and type(one.source) is type(other.source)
    return len(one.nodes) == len(other.nodes) and all(map(alike, one.nodes, other.nodes))

"""How the panels of docks that have changed are repainted one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QWidget
from shiboken6 import isValid

from app.shell.docks import Dock, Holder
from app.widgets.style import PANEL


class DockCovers:
    """Covers panels with what they showed before, until it is their turn to be repainted.

    These are the panels that have another size, and those whose content has been laid out, as that of the grade is when
    an entry is added. They take more than half of a repaint of the window; a person sees them change some turns later
    than the image. The covers are children of the containers of panels, whose lack of a layout keeps them cheap.
    """

    def __init__(self, window: QWidget, docks: Iterable[Dock]) -> None:
        self._window, self._docks = window, [(dock, dock.holder) for dock in docks]
        self._size, self._places = QSize(), dict[Holder, QRect]()  # of the window and in it, at its last repaint
        self._covers = list[_Cover]()

    def note(self) -> None:
        """Remember where the panels are: the window is repainted next.

        That is after each drag event and before each frame; asking Qt for all places takes 0.1 ms.
        """
        self._size = self._window.size()
        for dock, holder in self._docks:
            holder.is_laid_out = False
            if holder.has_moved:
                self._places.pop(holder, None)
                if holder.isVisible():
                    self._places[holder] = holder.geometry().translated(dock.pos())
                holder.has_moved = False

    @property
    def is_covering(self) -> bool:
        """Whether panels are covered."""
        return bool(self._covers)

    def cover(self) -> None:
        """Cover the panels that have changed since the last repaint of the window."""
        painted = self._painted()
        if painted is None:
            return
        for holder, place in self._places.items():
            changed = holder.is_laid_out or place.size() != holder.size()
            if changed and self._is_to_be_covered(holder):
                self._covers.append(_Cover(holder, _part(painted, place)))

    def uncover_next(self) -> None:
        """Repaint one of the covered panels."""
        cover = self._covers.pop(0)
        if isValid(cover):
            cover.hide()
            cover.deleteLater()

    def _painted(self) -> QImage | None:
        """Return what the window shows, or None if that is not known: Qt has other pixels already, or none here."""
        store = self._window.backingStore()
        image = store.paintDevice() if store is not None else None
        return image if isinstance(image, QImage) and image.size() == self._size * image.devicePixelRatio() else None

    def _is_to_be_covered(self, holder: Holder) -> bool:
        is_covered = any(isValid(each) and each.parentWidget() is holder for each in self._covers)
        return not is_covered and holder.window() is self._window and not holder.visibleRegion().isEmpty()


class _Cover(QWidget):
    """Lies over a panel and shows what it looked like; Qt paints nothing below it. Input goes to the panel."""

    def __init__(self, holder: QWidget, look: QImage) -> None:
        super().__init__(holder)
        self._look = look
        self.setAttribute(Qt.WidgetAttribute.WA_OpaquePaintEvent)
        self.setAttribute(Qt.WidgetAttribute.WA_TransparentForMouseEvents)
        self.setGeometry(holder.rect())
        self.show()

    def paintEvent(self, event: QPaintEvent) -> None:
        with QPainter(self) as painter:
            painter.fillRect(self.rect(), QColor(PANEL))
            painter.drawImage(QPoint(), self._look)


def _part(image: QImage, place: QRect) -> QImage:
    """Return the part of an image at a place in logical pixels."""
    ratio = image.devicePixelRatio()
    return image.copy(QRect(place.topLeft() * ratio, place.size() * ratio))

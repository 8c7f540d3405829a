"""How docks that a resize has changed are repainted one after the other."""

from __future__ import annotations

from collections.abc import Iterable

from PySide6.QtCore import QPoint, QRect, QSize, Qt
from PySide6.QtGui import QColor, QImage, QPainter, QPaintEvent
from PySide6.QtWidgets import QDockWidget, QWidget
from shiboken6 import isValid

from app.widgets.style import PANEL


class DockCovers:
    """Covers the panel of each dock that has another size with what it showed before, until its turn to be repainted.

    All panels take about half of a repaint of the window; a person sees them in their last size for some turns. The
    covers are children of the containers of panels, which have no layout: nothing is laid out for them.
    """

    def __init__(self, window: QWidget, docks: Iterable[QDockWidget]) -> None:
        self._window = window
        self._docks = [(dock, dock.widget()) for dock in docks]
        self._size, self._places = QSize(), dict[QWidget, QRect]()  # of the window and in it, at its last repaint
        self._covers = list[_Cover]()

    def note(self) -> None:
        """Remember where the panels are: the window is repainted next."""
        self._size = self._window.size()
        self._places = {
            holder: holder.geometry().translated(dock.pos()) for dock, holder in self._docks if holder.isVisible()
        }

    @property
    def is_covering(self) -> bool:
        """Whether panels are covered."""
        return bool(self._covers)

    def cover(self) -> None:
        """Cover the panels of another size than at the last repaint."""
        painted = self._painted()
        if painted is None:
            return
        for holder, place in self._places.items():
            if place.size() != holder.size() and self._is_to_be_covered(holder):
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

    def _is_to_be_covered(self, holder: QWidget) -> bool:
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

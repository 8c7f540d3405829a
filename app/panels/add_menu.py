"""A searchable menu of what can be added to a grade: favourites, presets, operations by category, and looks."""

from __future__ import annotations

from typing import cast

from PySide6.QtCore import QEvent, QModelIndex, QObject, QPersistentModelIndex, QPoint, QRect, Qt, Signal
from PySide6.QtGui import QColor, QContextMenuEvent, QIcon, QKeyEvent, QMouseEvent, QPainter
from PySide6.QtWidgets import (
    QApplication,
    QFrame,
    QLabel,
    QLineEdit,
    QListWidget,
    QListWidgetItem,
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
    QVBoxLayout,
    QWidget,
)

from app.model.preset import Preset
from app.panels.addition_drops import drag_addition
from app.panels.op_menu import (
    LOOKS,
    PRESETS,
    Addition,
    KeptOffer,
    LookOffer,
    Offer,
    look_offers,
    offers,
    preset_offers,
    ranked,
)
from app.panels.preset_menu import offer_menu
from app.services.presets import Presets
from app.widgets.style import MUTED, TEXT, icon
from engine.kernel.op import Op

OFFER, SUFFIX, STARRED = (Qt.ItemDataRole.UserRole + n for n in range(3))
GAP = 8
STAR_WIDTH = 24
"""Width of the star at the right of a row, in pixels."""


class RowDelegate(QStyledItemDelegate):
    """Paints the category of an item behind its title, muted, and a star on favourites and on the selected item."""

    def __init__(self, parent: QObject) -> None:
        super().__init__(parent)
        self._full, self._hollow = icon("star"), icon("star-off")

    def initStyleOption(self, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> None:
        super().initStyleOption(option, index)
        if index.data(OFFER) is not None:
            suffix = option.fontMetrics.horizontalAdvance(self._suffix(option, index))
            room = option.rect.width() - STAR_WIDTH - suffix - 2 * GAP
            option.text = option.fontMetrics.elidedText(option.text, Qt.TextElideMode.ElideRight, room)

    def paint(
        self, painter: QPainter, option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex
    ) -> None:
        super().paint(painter, option, index)
        if index.data(OFFER) is None:
            return
        selected, starred = bool(option.state & QStyle.StateFlag.State_Selected), bool(index.data(STARRED))
        if suffix := self._suffix(option, index):
            painter.setPen(QColor(TEXT if selected else MUTED))
            place = option.rect.adjusted(0, 0, -STAR_WIDTH, 0)
            painter.drawText(place, Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter, suffix)
        if selected or starred:
            self._star(starred).paint(painter, star_place(option.rect).adjusted(5, 0, -5, 0))

    @staticmethod
    def _suffix(option: QStyleOptionViewItem, index: QModelIndex | QPersistentModelIndex) -> str:
        """Return what is written at the right of a row, which takes less than half of it."""
        most = option.rect.width() // 2 - STAR_WIDTH
        return option.fontMetrics.elidedText(index.data(SUFFIX) or "", Qt.TextElideMode.ElideRight, most)

    def _star(self, starred: bool) -> QIcon:
        return self._full if starred else self._hollow


def star_place(row: QRect) -> QRect:
    """Return the place of the star in a row."""
    return QRect(row.right() - STAR_WIDTH, row.top(), STAR_WIDTH, row.height())


class OfferList(QListWidget):
    """The rows of the menu. A click on a star makes a favourite, or ends that."""

    taken = Signal(object)  # Addition
    starred = Signal(object)  # Addition
    dragged = Signal(object)  # Addition
    menu_wanted = Signal(object, QPoint)  # Addition, and where

    def __init__(self) -> None:
        super().__init__()
        self.setAccessibleName("Operations and presets")
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.NoFocus)
        self.setItemDelegate(RowDelegate(self))
        self._pressed = QPoint()

    def show_offers(self, sections: list[tuple[str, list[Addition]]], favourites: list[str]) -> None:
        """List offers under headings; '' is none, and then each has its category behind it."""
        self.clear()
        for heading, found in sections:
            if heading:
                QListWidgetItem(heading, self).setFlags(Qt.ItemFlag.NoItemFlags)
            for offer in found:
                item = QListWidgetItem(offer.title, self)
                item.setData(OFFER, offer)
                item.setData(STARRED, offer.key in favourites)
                tag = offer.preset.tag if isinstance(offer, KeptOffer) else ""
                item.setData(SUFFIX, offer.category if not heading else tag)
                item.setToolTip(f"{offer.about}\n{offer.category}")
        self.setCurrentRow(-1)
        self.step(1)

    def step(self, by: int) -> None:
        """Select the next row in a direction; skip headings."""
        row = self.currentRow() + by
        while 0 <= row < self.count():
            if self.item(row).data(OFFER) is not None:
                self.setCurrentRow(row)
                return
            row += by

    def select(self, key: str) -> None:
        """Select the row of what is called by a key, if there is one."""
        rows = (row for row in range(self.count()) if (offer := self.item(row).data(OFFER)) and offer.key == key)
        self.setCurrentRow(next(rows, self.currentRow()))

    @property
    def current(self) -> Addition | None:
        """What is selected."""
        return _offer(self.currentItem())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        super().mousePressEvent(event)
        self._pressed = event.position().toPoint()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        offer, far = _offer(self.itemAt(self._pressed)), QApplication.startDragDistance()
        moved = (event.position().toPoint() - self._pressed).manhattanLength() >= far
        if offer is not None and moved and event.buttons() & Qt.MouseButton.LeftButton:
            self.dragged.emit(offer)

    def mouseReleaseEvent(self, event: QMouseEvent) -> None:
        item = self.itemAt(event.position().toPoint())
        offer = _offer(item)
        if item is not None and offer is not None and event.button() == Qt.MouseButton.LeftButton:
            on_star = star_place(self.visualItemRect(item)).contains(event.position().toPoint())
            (self.starred if on_star else self.taken).emit(offer)

    def contextMenuEvent(self, event: QContextMenuEvent) -> None:
        item = self.itemAt(event.pos())
        if item is not None and item.data(OFFER) is not None:
            self.setCurrentItem(item)
            self.menu_wanted.emit(item.data(OFFER), event.globalPos())


class AddMenu(QFrame):
    """A popup over the panel. Typing filters and ranks it; Up and Down select, Return adds, Escape closes.

    A row can be dragged to a place between the cards. A right click or the menu key opens a menu for the selected row.
    """

    chosen = Signal(object)  # the class of an op, or a Preset

    def __init__(self, parent: QWidget, presets: Presets) -> None:
        super().__init__(parent, Qt.WindowType.Popup)
        self.setObjectName("opMenu")
        self._ops, self._presets = offers(), presets
        self.search = QLineEdit()
        self.search.setPlaceholderText("Search operations and presets")
        self.search.setAccessibleName("Search operations and presets")
        self.search.setToolTip(
            "Type part of a name, tag or description; Return adds the selected row, the menu key opens its menu"
        )
        self.search.setContextMenuPolicy(Qt.ContextMenuPolicy.NoContextMenu)
        self.search.installEventFilter(self)
        self.list = OfferList()
        self.list.taken.connect(self._take)
        self.list.starred.connect(self._star)
        self.list.dragged.connect(self._drag)
        self.list.menu_wanted.connect(self._show_menu)
        self._nothing = QLabel("Nothing matches")
        self._nothing.setObjectName("hint")
        column = QVBoxLayout(self)
        column.setContentsMargins(6, 6, 6, 6)
        column.setSpacing(4)
        column.addWidget(self.search)
        column.addWidget(self.list, 1)
        column.addWidget(self._nothing)
        self.search.textChanged.connect(self._fill)
        presets.changed.connect(self._refill)

    def pop_up(self, bottom_left: QPoint, width: int, height: int) -> None:
        """Show the menu above a global position, with an empty search field."""
        self._presets.watch()
        self._ops = offers()  # the user's own ops may be others now
        self.search.clear()
        self._fill()
        self.resize(width, height)
        self.move(bottom_left.x(), bottom_left.y() - height)
        self.show()
        self.search.setFocus(Qt.FocusReason.PopupFocusReason)

    def titles(self) -> list[str]:
        """Return the titles of the rows."""
        items = (self.list.item(row) for row in range(self.list.count()))
        return [item.text() for item in items if item.data(OFFER) is not None]

    def eventFilter(self, watched: QObject, event: QEvent) -> bool:
        if event.type() == QEvent.Type.KeyPress and isinstance(event, QKeyEvent):
            if event.key() in (Qt.Key.Key_Up, Qt.Key.Key_Down):
                self.list.step(1 if event.key() == Qt.Key.Key_Down else -1)
                return True
            if event.key() in (Qt.Key.Key_Return, Qt.Key.Key_Enter):
                self._take(self.list.current)
                return True
        if event.type() == QEvent.Type.ContextMenu and self.list.current is not None:
            place = self.list.visualItemRect(self.list.currentItem())
            self._show_menu(self.list.current, self.list.viewport().mapToGlobal(place.bottomLeft()))
            return True
        return super().eventFilter(watched, event)

    def _fill(self, _text: str = "") -> None:
        text, favourites = self.search.text(), self._presets.favourites
        kept = preset_offers(self._presets.items)
        every: list[Addition] = [*kept, *self._ops, *look_offers()]
        sections = [("", ranked(every, text))] if text.strip() else self._sections(kept, favourites)
        self.list.show_offers(sections, favourites)
        found = self.list.count() > 0
        self._nothing.setVisible(not found)
        self.list.setVisible(found)

    def _sections(self, kept: list[KeptOffer], favourites: list[str]) -> list[tuple[str, list[Addition]]]:
        shipped = look_offers()
        known: dict[str, Addition] = {offer.key: offer for offer in (*kept, *self._ops, *shipped)}
        starred = [known[key] for key in favourites if key in known]
        sections: list[tuple[str, list[Addition]]] = [("Favourites", starred), (PRESETS, list(kept))]
        for offer in self._ops:
            if sections[-1][0] != offer.category:
                sections.append((offer.category, []))
            sections[-1][1].append(offer)
        sections.append((LOOKS, list(shipped)))
        return [section for section in sections if section[1]]

    def _refill(self) -> None:
        """Show other presets or favourites; what is selected stays so."""
        if not self.isVisible():
            return
        current = self.list.current
        self._fill()
        if current is not None:
            self.list.select(current.key)

    def _star(self, offer: Addition) -> None:
        self._presets.star(offer.key, offer.key not in self._presets.favourites)

    def _show_menu(self, offer: Addition, where: QPoint) -> None:
        offer_menu(offer, self._presets, self).popup(where)

    def _drag(self, offer: Addition) -> None:
        self.hide()
        drag_addition(offer.key, self.parentWidget() or self)

    def _take(self, offer: Addition | None) -> None:
        if offer is not None:
            self.hide()
            self.chosen.emit(_chosen(offer))


def _chosen(offer: Addition) -> type[Op] | Preset:
    if isinstance(offer, LookOffer):
        return offer.look.preset
    return offer.preset if isinstance(offer, KeptOffer) else cast(Offer, offer).kind


def _offer(item: QListWidgetItem | None) -> Addition | None:
    """Return what an item of the list offers; None for headings."""
    found = None if item is None else item.data(OFFER)
    return found if isinstance(found, Addition) else None

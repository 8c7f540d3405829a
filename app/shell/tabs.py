"""The tabs of the open images."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtGui import QAction, QDragEnterEvent, QDragMoveEvent, QDropEvent
from PySide6.QtWidgets import QTabBar, QToolButton

from app.dialogs.prompts import is_saved
from app.model.still_drag import MIME, ids_from_bytes
from app.services.open_documents import OpenDocuments
from app.services.open_session import OpenSession
from app.widgets.style import icon

WIDEST = 240
"""Maximum width of a tab, in pixels; a longer name is elided in the middle."""


class Tabs(QTabBar):
    """A tab per document; hidden while there is only one."""

    close_wanted = Signal(object)  # the button of the tab of this Document was clicked
    stills_dropped = Signal(list, object)  # the IDs of stills, and the Document onto whose tab they were dragged

    def __init__(self, documents: OpenDocuments, session: OpenSession, clean_action: QAction) -> None:
        """`clean_action` is checked while the clean view is on."""
        super().__init__()
        self._documents, self._session, self._clean_action = documents, session, clean_action
        self.setObjectName("imageTabs")
        self.setAccessibleName("Open images")
        self.setToolTip("The open images; drag a tab to move it, Ctrl+Tab shows the next one")
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setMovable(True)
        self.setAcceptDrops(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setUsesScrollButtons(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIconSize(QSize(12, 12))
        for arrow in self.findChildren(QToolButton):
            tip = "Show more tabs to the " + ("left" if "Left" in arrow.objectName() else "right")
            arrow.setToolTip(tip)
            arrow.setAccessibleName(tip)
            arrow.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.currentChanged.connect(self._choose)
        self.tabMoved.connect(self._moved)
        documents.documents_changed.connect(self._show)
        documents.current.changed.connect(self._show)
        session.changed.connect(self._show)
        self._show()

    def tabSizeHint(self, index: int) -> QSize:
        hint = super().tabSizeHint(index)
        return QSize(min(hint.width(), WIDEST), hint.height())

    def dragEnterEvent(self, event: QDragEnterEvent) -> None:
        if event.mimeData().hasFormat(MIME):
            event.acceptProposedAction()
        else:
            super().dragEnterEvent(event)  # files go to the window

    def dragMoveEvent(self, event: QDragMoveEvent) -> None:
        if event.mimeData().hasFormat(MIME):
            event.setAccepted(self.tabAt(event.position().toPoint()) >= 0)
        else:
            super().dragMoveEvent(event)

    def dropEvent(self, event: QDropEvent) -> None:
        data, at = event.mimeData(), self.tabAt(event.position().toPoint())
        if not data.hasFormat(MIME):
            super().dropEvent(event)
        elif at >= 0:
            event.acceptProposedAction()
            self.stills_dropped.emit(ids_from_bytes(bytes(data.data(MIME).data())), self._documents.items[at])

    def _show(self) -> None:
        """Update the tabs to match the documents."""
        documents = self._documents.items
        blocked = self.blockSignals(True)
        if abs(self.count() - len(documents)) > 1:
            self.hide()  # so that the tabs are laid out only once
        while self.count() > len(documents):
            self.removeTab(self.count() - 1)
        while self.count() < len(documents):
            self._add_tab()
        for at, document in enumerate(documents):
            text = (document.name or "No image").replace("&", "&&") + (
                " *" if not is_saved(document, self._session) else ""
            )
            if self.tabText(at) != text:
                self.setTabText(at, text)
            self.setTabToolTip(at, str(document.image_path or "No image yet"))
        self.setCurrentIndex(documents.index(self._documents.current.document))
        self.blockSignals(blocked)
        self.show_or_hide()

    def show_or_hide(self) -> None:
        """Show the tabs if several documents are open and the clean view is off."""
        self.setVisible(self.count() > 1 and not self._clean_action.isChecked())

    def _add_tab(self) -> None:
        at = self.addTab("")
        button = QToolButton()
        button.setIcon(icon("remove"))
        button.setIconSize(QSize(12, 12))
        button.setToolTip("Close this image (Ctrl+W)")
        button.setAccessibleName("Close image")
        button.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        button.clicked.connect(lambda: self._close(button))
        self.setTabButton(at, QTabBar.ButtonPosition.RightSide, button)

    def _close(self, button: QToolButton) -> None:
        right = QTabBar.ButtonPosition.RightSide
        at = next(n for n in range(self.count()) if self.tabButton(n, right) is button)
        self.close_wanted.emit(self._documents.items[at])

    def _choose(self, at: int) -> None:
        if 0 <= at < len(self._documents.items):
            self._documents.show(self._documents.items[at])

    def _moved(self, start: int, end: int) -> None:
        self._documents.move(start, end)

"""The open images, a tab each."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtWidgets import QTabBar, QToolButton

from app.dialogs import prompts as asking
from app.model.document import Document
from app.shell.workspace import Workspace
from app.widgets.style import icon


def name_of(document: Document) -> str:
    """What a document is called."""
    return document.name or "No image"


class Tabs(QTabBar):
    """A tab per document; hidden while there is only one."""

    def __init__(self, workspace: Workspace) -> None:
        super().__init__()
        self._workspace = workspace
        self.setObjectName("imageTabs")
        self.setAccessibleName("Open images")
        self.setToolTip("The open images; drag a tab to move it, Ctrl+Tab shows the next one")
        self.setDocumentMode(True)
        self.setDrawBase(False)
        self.setExpanding(False)
        self.setMovable(True)
        self.setElideMode(Qt.TextElideMode.ElideMiddle)
        self.setUsesScrollButtons(True)
        self.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.setIconSize(QSize(12, 12))
        for arrow in self.findChildren(QToolButton):
            words = "Show further tabs to the " + ("left" if "Left" in arrow.objectName() else "right")
            arrow.setToolTip(words)
            arrow.setAccessibleName(words)
            arrow.setFocusPolicy(Qt.FocusPolicy.TabFocus)
        self.currentChanged.connect(self._choose)
        self.tabMoved.connect(self._moved)
        workspace.documents_changed.connect(self._show)
        workspace.document_changed.connect(self._show)
        self._show()

    def _show(self) -> None:
        """Bring the tabs in line with the documents."""
        documents = self._workspace.documents
        blocked = self.blockSignals(True)
        if abs(self.count() - len(documents)) > 1:
            self.hide()  # so that the tabs find their places once
        while self.count() > len(documents):
            self.removeTab(self.count() - 1)
        while self.count() < len(documents):
            self._add_tab()
        for at, document in enumerate(documents):
            text = name_of(document) + (" *" if document.modified else "")
            if self.tabText(at) != text:
                self.setTabText(at, text.replace("&", "&&"))
                self.setTabToolTip(at, str(document.image_path or "No image yet"))
        self.setCurrentIndex(documents.index(self._workspace.document))
        self.blockSignals(blocked)
        self.show_or_hide()

    def show_or_hide(self) -> None:
        """Tabs are there for several documents, unless the image is to be alone."""
        self.setVisible(self.count() > 1 and not self._workspace.actions["clean"].isChecked())

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
        asking.close_document(self._workspace, self._workspace.documents[at])

    def _choose(self, at: int) -> None:
        if 0 <= at < len(self._workspace.documents):
            self._workspace.show_document(self._workspace.documents[at])

    def _moved(self, start: int, end: int) -> None:
        self._workspace.move_document(start, end)

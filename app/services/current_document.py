"""The current document: which one it is, and its signals."""

from __future__ import annotations

from PySide6.QtCore import QObject, Signal

from app.model.document import Document
from app.services.document_switch import DocumentSwitch

RELAYED = (
    "image_changed",
    "grade_changed",
    "selected_changed",
    "history_changed",
    "versions_changed",
    "title_changed",
)
"""Signals of the document that are relayed, in the order in which they are emitted for another one."""


class CurrentDocument(QObject):
    """Follows whichever document is current: connect to its signals once.

    Another document is announced by all signals, one after the other. Who follows several of them follows them by
    `switch`, and does its work once.
    """

    changed = Signal(object)  # another Document is current
    view_replaced = Signal()  # the view options are those of another document
    image_changed = Signal()  # this and the next five are those of the document
    grade_changed = Signal(object)
    selected_changed = Signal()
    history_changed = Signal()
    versions_changed = Signal()
    title_changed = Signal()
    viewport_changed = Signal()  # its image was zoomed or panned
    frame_wanted = Signal()  # something that a frame of it shows has changed

    def __init__(self, document: Document, parent: QObject) -> None:
        super().__init__(parent)
        self._document = document
        self.switch = DocumentSwitch(lambda: self._document.is_changing, self)
        self._follow(document)

    @property
    def document(self) -> Document:
        """The current document."""
        return self._document

    def follow(self, document: Document) -> None:
        """Make another document current, and announce it. Only `OpenDocuments` calls this."""
        self._document.end_drag()
        self._follow(self._document, False)
        self._document = document
        self._follow(document)
        self.switch.run(self._announce)

    def _announce(self) -> None:
        self.changed.emit(self._document)
        for name in RELAYED:
            signal = getattr(self, name)
            signal.emit(self._document.grade) if name == "grade_changed" else signal.emit()
        self.view_replaced.emit()

    def _follow(self, document: Document, on: bool = True) -> None:
        """Start or stop relaying a document's signals, signal to signal: a connected method would keep it alive."""
        for name in RELAYED:
            mine, its = getattr(self, name), getattr(document, name)
            its.connect(mine) if on else its.disconnect(mine)
        end = self.switch.end_change
        document.changed.connect(end) if on else document.changed.disconnect(end)

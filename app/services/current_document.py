"""The current document: which one it is, and its signals."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, Signal

from app.model.document import Document

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

    Another document is announced by all signals, one after the other, then by `announced` and `shown`. Who follows
    several of them follows `once` or `at_last`, so that a change of document does its work once.
    """

    changed = Signal(object)  # another Document is current
    view_replaced = Signal()  # the view options are those of another document
    announced = Signal()  # after all signals for another one, with those of its view options
    shown = Signal()  # after `announced`, and all that services emit then
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
        self.announcing = False
        """Whether another document is being announced; `announced` follows."""
        self.switching = False
        """The same; `shown` follows."""
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
        self.announcing = self.switching = True
        self.changed.emit(document)
        for name in RELAYED:
            signal = getattr(self, name)
            signal.emit(document.grade) if name == "grade_changed" else signal.emit()
        self.view_replaced.emit()
        self.announcing = False
        self.announced.emit()
        self.switching = False
        self.shown.emit()

    def once(self, act: Callable[[], object], *signals: Any) -> None:
        """Call `act` after each of `signals`, but only once for another document: for services."""
        for signal in (*signals, self.announced):
            signal.connect(partial(self._act_unless, "announcing", act))

    def at_last(self, act: Callable[[], object], *signals: Any) -> None:
        """The same after all services have followed another document: for what shows them."""
        for signal in (*signals, self.shown):
            signal.connect(partial(self._act_unless, "switching", act))

    def _act_unless(self, state: str, act: Callable[[], object], *_values: object) -> None:
        if not getattr(self, state):
            act()

    def _follow(self, document: Document, on: bool = True) -> None:
        """Start or stop relaying a document's signals, signal to signal: a connected method would keep it alive."""
        for name in RELAYED:
            mine, its = getattr(self, name), getattr(document, name)
            its.connect(mine) if on else its.disconnect(mine)

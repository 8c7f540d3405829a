"""A label that elides its text."""

from __future__ import annotations

from PySide6.QtCore import Qt
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QLabel, QSizePolicy


class ElidedLabel(QLabel):
    """A label that elides its text in the middle to fit its width."""

    def __init__(self, text: str = "") -> None:
        super().__init__()
        self._whole = text
        self.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Preferred)
        self._elide()

    @property
    def whole(self) -> str:
        """The full text."""
        return self._whole

    def show_text(self, text: str) -> None:
        """Show another text."""
        if text != self._whole:
            self._whole = text
            self._elide()

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        self._elide()

    def _elide(self) -> None:
        width = self.contentsRect().width() - 2 * self.margin()
        self.setText(self.fontMetrics().elidedText(self._whole, Qt.TextElideMode.ElideMiddle, width))

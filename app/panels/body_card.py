"""The base of the cards of entries that are not ops."""

from __future__ import annotations

from PySide6.QtWidgets import QWidget

from app.panels.cards import Card
from engine import Layer
from engine.kernel.op import Choice


class BodyCard(Card):
    """Has one body, which stays the same, and no options."""

    def __init__(self, layer: Layer, opened: bool) -> None:
        super().__init__(layer, opened)
        self.body = QWidget()
        self._column.insertWidget(1, self.body)
        self.body.setVisible(opened)

    @property
    def options(self) -> dict[str, Choice]:
        return {}

    def option(self, field: str) -> str:
        raise KeyError(field)

    def choose(self, field: str, value: str) -> None:
        raise KeyError(field)

    def _fold(self, shown: bool) -> None:
        self.body.setVisible(shown)

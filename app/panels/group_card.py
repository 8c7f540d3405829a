"""The card of a group of entries: the cards of those follow it, indented, while it is open."""

from __future__ import annotations

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QLineEdit

from app.model.entries import name_of
from app.panels.body_card import BodyCard
from app.widgets.showing import captioned
from engine import Layer
from engine.grade.entries import Group


class GroupCard(BodyCard):
    """Bypass, solo, mix and matte of a group apply to all its entries together."""

    renamed = Signal(str)

    def __init__(self, layer: Layer, opened: bool) -> None:
        super().__init__(layer, opened)
        self.name_edit = QLineEdit(self.name)
        self.name_edit.setAccessibleName("Name of the group")
        self.name_edit.setToolTip("Name of the group; type another one and press Return")
        self.name_edit.editingFinished.connect(self._rename)
        row = captioned("Name", self.name_edit)
        row.setContentsMargins(10, 2, 8, 8)
        self.body.setLayout(row)

    @property
    def group(self) -> Group:
        assert isinstance(self.layer.entry, Group)
        return self.layer.entry

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, runs)
        self.refresh()

    def refresh(self) -> None:
        self.name = name_of(self.layer)
        self.title.show_text(self.name)
        self._describe_switches()
        self.name_edit.setText(self.name)

    def _rename(self) -> None:
        name = self.name_edit.text().strip()
        if name and name != self.name:
            self.renamed.emit(name)
        else:
            self.name_edit.setText(self.name)

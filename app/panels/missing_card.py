"""The card of an entry whose op is missing: why, and what can be done."""

from __future__ import annotations

from PySide6.QtCore import Qt, Signal
from PySide6.QtWidgets import QLabel, QVBoxLayout

from app.panels.body_card import BodyCard
from app.widgets.showing import push_button
from engine import Layer
from engine.grade.missing import MissingOp, adopted


class MissingCard(BodyCard):
    """The entry is kept as it was saved, and changes nothing. It can be moved, copied and removed like any other."""

    adopt_wanted = Signal()

    def __init__(self, layer: Layer, opened: bool) -> None:
        super().__init__(layer, opened)
        self.note = QLabel()
        self.note.setTextFormat(Qt.TextFormat.PlainText)
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        self.adopt = push_button(
            "Use it as it is now",
            "Use the op of this name that is allowed, with the values of the fields that it has",
            self.adopt_wanted.emit,
        )
        column = QVBoxLayout(self.body)
        column.setContentsMargins(10, 2, 8, 8)
        column.setSpacing(6)
        column.addWidget(self.note)
        column.addWidget(self.adopt, 0, Qt.AlignmentFlag.AlignLeft)
        self.setProperty("missing", True)  # the style sheet shows it
        self._tip = self.title.toolTip()
        self.title.setText(f"{self.name} (missing)")
        self.refresh()

    @property
    def missing(self) -> MissingOp:
        assert isinstance(self.layer.entry, MissingOp)
        return self.layer.entry

    def set_layer(self, layer: Layer, runs: bool) -> None:
        super().set_layer(layer, False)
        self.runs = runs
        self.refresh()

    def refresh(self) -> None:
        reason = f"{self.missing.reason[:1].upper()}{self.missing.reason[1:]}; {self.missing.do}."
        self.note.setText(f"Missing. {reason} The image is shown without it.")
        self.title.setToolTip(f"{reason}\n{self._tip}")
        self.adopt.setVisible(adopted(self.missing) is not None)

    def _show_mix(self, shown: bool) -> None:
        """Show no mix: there is nothing to mix."""
        super()._show_mix(False)

"""What both pages of the Match panel have: captions, the strength, the line of the state, Cancel and Apply."""

from __future__ import annotations

from PySide6.QtWidgets import QHBoxLayout, QLabel, QVBoxLayout, QWidget

from app.widgets.number_row import NumberRow
from engine.kernel.op import Slider

STRENGTH = Slider(1.0, 0.0, 1.0, "", 0.0, "Mix of the match with the image, 0 to 1")
LABEL_WIDTH = 64


class MatchPage(QWidget):
    """Base: a column, with the strength, the line and the buttons of a match."""

    def __init__(self, what: str) -> None:
        """`what` is being made: a match, or a fit."""
        super().__init__()
        self.strength = NumberRow("Strength", STRENGTH, 1.0, f"Strength of the {what}", label_width=LABEL_WIDTH)
        self.line = QLabel()
        self.line.setObjectName("note")
        self.line.setWordWrap(True)
        self.line.setAccessibleName(f"State of the {what}")
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(6)

    def _add_end(self, cancel: QWidget, apply: QWidget) -> None:
        """Add the strength, the line and the buttons to the column."""
        self._column.addWidget(self.strength)
        self._column.addWidget(self.line)
        buttons = QHBoxLayout()
        buttons.addStretch(1)
        for button in (cancel, apply):
            buttons.addWidget(button)
        self._column.addLayout(buttons)


def caption(text: str, control: QWidget) -> QLabel:
    """Return the caption of a control, as wide as that of the strength."""
    label = QLabel(text)
    label.setFixedWidth(LABEL_WIDTH + 7)
    label.setBuddy(control)
    return label

"""Boxes for where a range of tones lies, below its wheel."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from PySide6.QtCore import Signal
from PySide6.QtGui import QResizeEvent
from PySide6.QtWidgets import QHBoxLayout, QWidget

from app.panels.range_field import Place
from app.widgets.scrubbing import ScrubLabel
from app.widgets.slider import NumberBox
from engine.kernel.op import Slider

WORDS_FROM = 120
"""Width of the row in pixels, for each place, from which on its labels are words instead of letters."""


class PlaceRow(QWidget):
    """A label and a box for each place. Drag a label or box, or type; double click a label to reset its number."""

    edited = Signal(int, float)  # index of the place, number
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str, places: Sequence[Place]) -> None:
        super().__init__()
        self.boxes: list[NumberBox] = []
        self.labels: list[ScrubLabel] = []
        self._words = [word.capitalize() for word, _ in places]
        line = QHBoxLayout(self)
        line.setContentsMargins(0, 0, 0, 0)
        line.setSpacing(4)
        for at, (word, kind) in enumerate(places):
            box = self._box(at, f"{name}, {word}", kind)
            if len(places) > 2:
                box.setSuffix("")  # there is no room for units; the tip has them
            label = ScrubLabel(word.capitalize(), box.scrub)
            label.reset.connect(partial(self.edited.emit, at, kind.default))
            label.setBuddy(box)
            label.setToolTip(f"{box.toolTip()}\nDouble click to reset to {kind.default:g}.")
            self.labels.append(label)
            self.boxes.append(box)
            line.addWidget(label)
            line.addWidget(box, 1)

    def set_numbers(self, numbers: Sequence[float]) -> None:
        """Show the numbers of the places without announcing them."""
        for box, number in zip(self.boxes, numbers, strict=True):
            blocked = box.blockSignals(True)
            box.setValue(number)
            box.blockSignals(blocked)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        for label, word in zip(self.labels, self._words, strict=True):
            label.setText(word if self.width() >= WORDS_FROM * len(self.boxes) else word[0])

    def _box(self, at: int, name: str, kind: Slider) -> NumberBox:
        box = NumberBox(kind)
        box.setMinimumWidth(48)
        box.setAccessibleName(name)
        box.setToolTip(
            f"{name}, {kind.unit or 'no unit'}. {kind.help}.\n"
            "Drag across it, or click and type a value, or use the arrow keys; Shift is fine, Alt coarse."
        )
        box.valueChanged.connect(partial(self.edited.emit, at))
        box.drag_started.connect(self.drag_started)
        box.drag_ended.connect(self.drag_ended)
        return box

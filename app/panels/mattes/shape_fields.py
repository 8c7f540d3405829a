"""The fields of a matte as a whole: growth, feather, gain, gamma and inversion."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtCore import Signal
from PySide6.QtWidgets import QCheckBox, QVBoxLayout, QWidget

from app.panels.key_marks import KeyMarks
from app.widgets.fields import label_width_for
from app.widgets.number_row import NumberRow
from engine.kernel.op import Slider
from engine.mattes.tree import MOST_PIXELS, Matte

_GROW = "Enlarges the covered area, or shrinks it below 0"
_GAMMA = "Above 1 raises the soft parts of the matte, below 1 lowers them"
SHAPE = {
    "grow": Slider(0.0, -MOST_PIXELS, MOST_PIXELS, "px", -MOST_PIXELS, _GROW, (-50.0, 50.0)),
    "feather": Slider(0.0, 0.0, MOST_PIXELS, "px", 0.0, "Radius by which the matte is blurred", (0.0, 200.0)),
    "gain": Slider(1.0, 0.0, 1000.0, "", 0.0, "Factor for the coverage, which stays between 0 and 1", (0.0, 4.0)),
    "gamma": Slider(1.0, 0.01, 100.0, "", 0.01, _GAMMA, (0.1, 4.0)),
}
"""The numbers of a matte, in the order in which they are applied."""


class ShapeFields(QWidget):
    """Edits the numbers of a matte, and whether it is inverted. `advance` builds its controls one by one."""

    edited = Signal(str, object)  # the field and its value
    drag_started = Signal()
    drag_ended = Signal()

    def __init__(self, name: str) -> None:
        """`name` is that of the entry."""
        super().__init__()
        self._name = name
        self._matte: Matte | None = None
        self._column = QVBoxLayout(self)
        self._column.setContentsMargins(0, 0, 0, 0)
        self._column.setSpacing(4)
        self.rows: dict[str, NumberRow] = {}
        self.marks = KeyMarks(self, "matte.")
        self.inverted = QCheckBox("Invert the matte")
        self.inverted.setAccessibleName(f"Invert the matte of {name}")
        self.inverted.setToolTip(f"Apply {name} where the matte covers nothing, after all of the above")
        self.inverted.clicked.connect(lambda on: self.edited.emit("inverted", on))
        self._column.addWidget(self.inverted)
        self._rest = self._build()

    def advance(self) -> bool:
        """Build the next control; return False if all are built."""
        return next(self._rest, self) is None

    def _build(self) -> Iterator[None]:
        width = label_width_for(SHAPE)
        for field, kind in SHAPE.items():
            name = f"{self._name} matte {field}"
            row = NumberRow(field.capitalize(), kind, kind.default, name, label_width=width)
            row.edited.connect(lambda number, field=field: self.edited.emit(field, number))
            row.drag_started.connect(self.drag_started)
            row.drag_ended.connect(self.drag_ended)
            self._column.insertWidget(len(self.rows), row)
            self.marks.add(field, [row.key_spot()])
            self.rows[field] = row
            self.show_matte(self._matte)
            QWidget.setTabOrder(row.box, self.inverted)
            yield

    def show_matte(self, matte: Matte | None) -> None:
        """Show the values of a matte."""
        self._matte = matte
        if matte is None:
            return
        for field, row in self.rows.items():
            if row.number != getattr(matte, field):
                row.set_number(getattr(matte, field))
        self.inverted.setChecked(matte.inverted)

"""An editor for a range of tones: its colour on a wheel or in rows, and rows for where it lies."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from app.panels.wheel_field import WheelField
from app.widgets.fields import FieldEditor, NumbersField
from app.widgets.key_mark import KeySpot
from app.widgets.number_row import NumberRow
from app.widgets.wheel import Limits
from engine.kernel.op import Slider

Place = tuple[str, Slider]
"""A number of a range of tones, such as its centre or width: its name, and its slider with its default."""


class RangeField(FieldEditor):
    """Edits red, green, blue and master on a wheel or in rows, and rows for the numbers after them, the `places`."""

    def __init__(
        self,
        label: str,
        kind: Slider,
        name: str,
        places: Sequence[Place],
        wheel: bool,
        label_width: int,
        limits: Limits | None = None,
    ) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        amounts = replace(kind, default=kind.default[:4], help=", ".join(kind.help.split(", ")[:4]))
        self.amounts: FieldEditor = (
            WheelField(label, amounts, name, limits, beside=True)
            if wheel
            else NumbersField(label, amounts, name, label_width)
        )
        self.amounts.edited.connect(lambda values: self._announce((*values, *self._value[4:])))
        self.amounts.drag_started.connect(self.drag_started)
        self.amounts.drag_ended.connect(self.drag_ended)
        column = self._column()
        column.addWidget(self.amounts)
        self.rows: dict[int, NumberRow] = {}
        for at, (part, place) in enumerate(places, 4):
            row = NumberRow(part.capitalize(), place, place.default, f"{name}, {part}", label_width=label_width)
            row.edited.connect(lambda number, at=at: self._set_part(at, number))
            row.drag_started.connect(self.drag_started)
            row.drag_ended.connect(self.drag_ended)
            column.addWidget(row)
            self.rows[at] = row

    def set_value(self, value: tuple[float, ...]) -> None:
        self._value = value
        self.amounts.set_value(value[:4])
        for at, row in self.rows.items():
            row.set_number(value[at])

    def key_spots(self) -> Sequence[KeySpot]:
        return [*self.amounts.key_spots(), *(row.key_spot((at,)) for at, row in self.rows.items())]

    def _set_part(self, at: int, number: float) -> None:
        self._announce((*self._value[:at], number, *self._value[at + 1 :]))

    def _announce(self, value: tuple[float, ...]) -> None:
        self.set_value(value)
        self.edited.emit(value)

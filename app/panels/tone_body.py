"""The body of the tone op."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout

from app.panels.bodies import Body, add_segment, segment
from app.panels.wheel_field import WheelField, limits_of
from app.widgets.field_labels import label_of
from app.widgets.fields import FieldEditor, NumbersField
from app.widgets.key_mark import KeySpot
from app.widgets.number_row import NumberRow
from engine.kernel.op import Op, Slider
from engine.ops import GradingTone
from engine.ops.grading_tone import PLACES, RANGES, WIDTHS

_LEAST_WIDTH = 0.01
_NAMES = {"middle": "mid tones"}


class ToneBody(Body):
    """Edits one range of tones at a time, selected by the tabs: a wheel or rows, and the start and width of the
    range."""

    def __init__(self, op: Op, wheels: bool) -> None:
        super().__init__(op)
        assert isinstance(op, GradingTone)
        self._style, self._wheels = op.style, wheels
        self._pages: dict[str, ToneField] = {}
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        self._holder = QVBoxLayout()

    def _build(self) -> Iterator[None]:
        row = QHBoxLayout()
        row.setSpacing(2)
        for tone in PLACES[self._style]:
            tip = f"Show the controls of the {_NAMES.get(tone, tone)}"
            button = segment(label_of(tone), tip, f"Tone grading {tone}")
            button.setMinimumWidth(1)  # so that five fit in a narrow panel
            button.clicked.connect(lambda _=False, tone=tone: self.show_tone(tone))
            self._group.addButton(button)
            self.tabs[tone] = button
            add_segment(row, button)
        self._column.addLayout(row)
        self._column.addLayout(self._holder)
        yield
        self.show_tone("middle")
        yield
        yield from self._add_fields(("contrast",))

    def fits(self, op: Op) -> bool:
        return super().fits(op) and getattr(op, "style", "") == self._style

    def show_tone(self, tone: str) -> None:
        """Show the controls of a range; create them on first use."""
        if tone not in self._pages:
            kind = self.op.kinds()[tone]
            assert isinstance(kind, Slider)
            page = ToneField(tone, kind, self._name(tone), self._style, self._wheels, self._label_width)
            self._pages[tone] = page
            self._holder.addWidget(self._take(tone, page))
        self.tabs[tone].setChecked(True)
        for name, shown in self._pages.items():
            shown.setVisible(name == tone)


class ToneField(FieldEditor):
    """Edits a range of tones: red, green, blue and master on a wheel or in rows, and rows for its position."""

    def __init__(self, tone: str, kind: Slider, name: str, style: str, wheel: bool, label_width: int) -> None:
        super().__init__()
        self._value: tuple[float, ...] = kind.default
        parts = kind.help.split(", ")
        amounts = replace(kind, default=kind.default[:4], help=", ".join(parts[:4]))
        self.amounts: FieldEditor = (
            WheelField(label_of(tone), amounts, name, limits_of(GradingTone, tone), beside=True)
            if wheel
            else NumbersField(label_of(tone), amounts, name, label_width)
        )
        self.amounts.edited.connect(lambda values: self._announce((*values, *self._value[4:])))
        self.amounts.drag_started.connect(self.drag_started)
        self.amounts.drag_ended.connect(self.drag_ended)
        column = self._column()
        column.addWidget(self.amounts)
        self.rows: dict[int, NumberRow] = {}
        for at, (part, at_first) in enumerate(zip(parts[4:], PLACES[style][tone], strict=True), 4):
            place = place_of(style, at_first, is_width=at == 5 and tone in WIDTHS)
            row = NumberRow(part.capitalize(), place, at_first, f"{name}, {part}", label_width=label_width)
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


def place_of(style: str, at_first: float, is_width: bool) -> Slider:
    """Return the slider for a position on the scale of a style, or for a width on it."""
    bottom, top = RANGES[style][:2]
    span, unit = round(top - bottom), "EV" if style == "linear" else ""
    if is_width:
        in_unit = "stops" if style == "linear" else "code values"
        return Slider(at_first, 0.0, float(span), unit, _LEAST_WIDTH, f"Width of the range in {in_unit}")
    where = "stops about mid grey" if style == "linear" else "code values"
    return Slider(at_first, bottom - 0.25 * span, top + 0.25 * span, unit, None, f"Position in {where}")

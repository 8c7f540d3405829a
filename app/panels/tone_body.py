"""The body of the tone op."""

from __future__ import annotations

from collections.abc import Iterator

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout

from app.panels.bodies import Body
from app.panels.range_field import Place, RangeField
from app.panels.wheel_field import limits_of
from app.widgets.field_labels import label_of
from app.widgets.segments import add_segment, segment
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
        self._pages: dict[str, RangeField] = {}
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
            places, limits = places_of(self._style, tone, kind), limits_of(GradingTone, tone)
            page = RangeField(label_of(tone), kind, self._name(tone), places, self._wheels, self._label_width, limits)
            self._pages[tone] = page
            self._holder.addWidget(self._take(tone, page))
        self.tabs[tone].setChecked(True)
        for name, shown in self._pages.items():
            shown.setVisible(name == tone)


def places_of(style: str, tone: str, kind: Slider) -> list[Place]:
    """Return where a range of tones lies: the numbers after the four of its wheel, on the scale of a style."""
    names = kind.help.split(", ")[4:]
    sliders = (place_of(style, each, at == 1 and tone in WIDTHS) for at, each in enumerate(PLACES[style][tone]))
    return list(zip(names, sliders, strict=True))


def place_of(style: str, at_first: float, is_width: bool) -> Slider:
    """Return the slider for a position on the scale of a style, or for a width on it."""
    bottom, top = RANGES[style][:2]
    span, unit = round(top - bottom), "EV" if style == "linear" else ""
    if is_width:
        in_unit = "stops" if style == "linear" else "code values"
        return Slider(at_first, 0.0, float(span), unit, _LEAST_WIDTH, f"Width of the range in {in_unit}")
    where = "stops about mid grey" if style == "linear" else "code values"
    return Slider(at_first, bottom - 0.25 * span, top + 0.25 * span, unit, None, f"Position in {where}")

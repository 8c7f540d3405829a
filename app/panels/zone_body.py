"""The body of the HDR wheels."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from PySide6.QtWidgets import QButtonGroup, QHBoxLayout, QToolButton, QVBoxLayout

from app.panels.bodies import Body
from app.panels.range_field import Place, RangeField
from app.widgets.field_labels import label_of
from app.widgets.segments import add_segment, segment
from app.widgets.stops_plot import STOPS
from app.widgets.zone_plot import ZonePlot
from engine.kernel.op import Op, Slider
from engine.ops import HdrWheels
from engine.ops.hdr_wheels import BORDERS, FALLOFF, ZONES
from engine.ops.tone_ranges import LEAST_FALLOFF

TABS = (("overall", *ZONES[:3]), ZONES[3:])
"""The zones on the two rows of tabs."""


def places_of(zone: str) -> list[Place]:
    """Return the numbers of a zone after the four of its wheel."""
    saturation = Slider(1.0, 0.0, 4.0, "", 0.0, "0 is grey, 1 leaves the colours as they are", (0.0, 2.0))
    if zone not in BORDERS:
        return [("saturation", saturation)]
    border = "ends" if BORDERS[zone] < 0.0 or zone == "shadow" else "begins"
    help = f"Stops about mid grey where the zone {border}"
    falloff = f"Stops over which the zone {border}, about its border"
    return [
        ("saturation", saturation),
        ("border", Slider(BORDERS[zone], -STOPS, STOPS, "EV", None, help)),
        ("falloff", Slider(FALLOFF, LEAST_FALLOFF, STOPS, "EV", LEAST_FALLOFF, falloff)),
    ]


class ZoneBody(Body):
    """A plot of the zones with borders to drag, and the controls of one zone at a time, selected by the tabs."""

    def __init__(self, op: Op, wheels: bool) -> None:
        super().__init__(op)
        self._wheels = wheels
        self._pages: dict[str, RangeField] = {}
        self._group = QButtonGroup(self)
        self.tabs: dict[str, QToolButton] = {}
        self._holder = QVBoxLayout()
        self.plot = ZonePlot(op.title(), list(BORDERS))

    def _build(self) -> Iterator[None]:
        self.plot.edited.connect(self._move_border)
        self.plot.selected.connect(lambda number: self.show_zone(list(BORDERS)[number]))
        self.plot.zone_chosen.connect(lambda number: self.show_zone(ZONES[number]))
        self.plot.drag_started.connect(self.drag_started)
        self.plot.drag_ended.connect(self.drag_ended)
        self._column.addWidget(self.plot)
        self._show_plot()
        yield
        for zones in TABS:
            row = QHBoxLayout()
            row.setSpacing(2)
            for zone in zones:
                tip = "Show the controls of all tones" if zone == "overall" else f"Show the controls of the {zone} zone"
                button = segment(label_of(zone), tip, f"HDR wheels {zone}")
                button.setMinimumWidth(1)
                button.clicked.connect(partial(self.show_zone, zone))
                self._group.addButton(button)
                self.tabs[zone] = button
                add_segment(row, button)
            self._column.addLayout(row)
        self._column.addLayout(self._holder)
        yield
        self.show_zone("shadow")

    def set_op(self, op: Op) -> None:
        super().set_op(op)
        self._show_plot()

    def show_zone(self, zone: str, _checked: bool = False) -> None:
        """Show the controls of a zone; create them on first use."""
        if zone not in self._pages:
            kind = self.op.kinds()[zone]
            assert isinstance(kind, Slider)
            page = RangeField(label_of(zone), kind, self._name(zone), places_of(zone), self._wheels, self._label_width)
            self._pages[zone] = page
            self._holder.addWidget(self._take(zone, page))
        self.tabs[zone].setChecked(True)
        self.plot.show_zone(ZONES.index(zone) if zone in ZONES else -1)
        for name, shown in self._pages.items():
            shown.setVisible(name == zone)

    def _show_plot(self) -> None:
        assert isinstance(self.op, HdrWheels)
        self.plot.show_zones([getattr(self.op, zone)[5] for zone in BORDERS], self.op.shares)

    def _move_border(self, number: int, stops: float) -> None:
        zone = list(BORDERS)[number]
        value = getattr(self.op, zone)
        self.edited.emit({zone: (*value[:5], stops, value[6])}, f"{zone} border")

"""The editor of a colour warp: a disc with its pins, their list, and the numbers of the selected one."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
from numpy.typing import NDArray
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QBoxLayout, QButtonGroup, QHBoxLayout, QSizePolicy, QToolButton, QVBoxLayout

from app.panels.dragging_body import Colour
from app.panels.warper.pin_list import PinList, PinNumbers, PinRow
from app.panels.warper.plane_body import PlaneBody
from app.widgets.segments import add_segment, segment
from app.widgets.warp_disc import NEW_RADIUS, Pins, WarpDisc, free_number
from engine.errors import GradeError
from engine.kernel.op import Op
from engine.ops import ColorWarp
from engine.ops.color_warp import NO_PIN, field_of
from engine.ops.warp_pins import MOST, Pin, numbers_at
from engine.ops.warp_space import position_of

MODES = {
    "hue_saturation": ("Hue and saturation", "Pins affect hue and saturation at any lightness, and preserve luminance"),
    "3d": ("3D", "Pins select and change hue, saturation and lightness"),
}
REACHES = (1.0, 0.5, 0.25)
"""Saturations at the rim that can be chosen."""
FOLDS = "The map folds where the disc is red: colours change their order."
MEND = "Widen the radius, lower the strength, or move the target closer to its source."
HUE_PER_PIXEL, SATURATION_PER_PIXEL = 0.5, 0.2
"""Degrees and % by which a drag on the image moves a target."""


class WarpBody(PlaneBody):
    """Edits the pins of a colour warp. In `large`, disc and numbers are side by side."""

    wanted = "Press on a colour of the image and drag: sideways for hue, up and down for saturation"

    def __init__(self, op: ColorWarp, large: bool = False) -> None:
        disc = WarpDisc(op.title())
        super().__init__(op, disc)
        self.disc = disc
        self._large = large
        self._picked: tuple[int, Pin] | None = None
        self.list, self.numbers = PinList(op.title()), PinNumbers(op.title())
        self.modes: dict[str, QToolButton] = {}
        self.reaches: dict[float, QToolButton] = {}

    @property
    def warp(self) -> ColorWarp:
        """The op that is shown."""
        assert isinstance(self.op, ColorWarp)
        return self.op

    # -- building

    def _build(self) -> Iterator[None]:
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        halves = QBoxLayout(across if self._large else down)
        halves.setSpacing(12 if self._large else 4)
        left, right = QVBoxLayout(), QVBoxLayout()
        for half in (left, right):
            half.setSpacing(4)
            halves.addLayout(half, 1)
        self._column.addLayout(halves)
        if self._large:
            self.disc.setSizePolicy(QSizePolicy.Policy.Expanding, QSizePolicy.Policy.Expanding)
        left.addLayout(self._mode_row())
        left.addWidget(self.disc, 1)
        yield
        left.addLayout(self._view_row())
        yield
        right.addWidget(self.list)
        right.addWidget(self.numbers)
        yield
        right.addLayout(self._buttons())
        right.addStretch(1)
        self._connect()
        self._ready = True
        self._show()

    def _mode_row(self) -> QHBoxLayout:
        row, group = QHBoxLayout(), QButtonGroup(self)
        row.setSpacing(2)
        for mode, (text, tip) in MODES.items():
            button = segment(text, tip, f"{self.op.title()} {text}")
            button.clicked.connect(lambda _=False, mode=mode: self.edited.emit({"mode": mode}, "mode"))
            group.addButton(button)
            add_segment(row, button)
            self.modes[mode] = button
        return row

    def _view_row(self) -> QHBoxLayout:
        """Return the choice of the saturation at the rim, and the note that the map folds."""
        row, group = QHBoxLayout(), QButtonGroup(self)
        row.setSpacing(2)
        for reach in REACHES:
            button = segment(
                f"{100.0 * reach:g} %",
                f"Show saturation up to {100.0 * reach:g} % at the rim of the disc",
                f"{self.op.title()} rim {100.0 * reach:g} %",
            )
            button.setSizePolicy(QSizePolicy.Policy.Fixed, QSizePolicy.Policy.Fixed)
            button.setFixedWidth(44)
            button.clicked.connect(lambda _=False, reach=reach: self.disc.zoom(reach))
            group.addButton(button)
            row.addWidget(button)
            self.reaches[reach] = button
        self.reaches[1.0].setChecked(True)
        self.note.setObjectName("folds")
        row.addSpacing(6)
        row.addWidget(self.note, 1)
        return row

    def _buttons(self) -> QVBoxLayout:
        self.add = segment("Add pin", "Add a pin on the disc (Insert; or double click on it)", "Colour warp: add pin")
        self.hold = segment("Hold greys", "Add a pin that keeps greys in place", "Colour warp: hold greys")
        self.clear = segment("Remove all", "Remove all pins", "Colour warp: remove all pins")
        for button in (self.add, self.hold, self.clear):
            button.setCheckable(False)
            button.setObjectName("wide")
        self.pick.setText("Pick and drag on the image")
        self.pick.setToolTip(
            f"{self.wanted}.\nThe colour becomes the source of a new pin, and the drag moves its target."
            " Return adds a pin at the centre, Esc ends."
        )
        self.pick.setAccessibleName("Colour warp: pick and drag on the image")
        column, row = QVBoxLayout(), QHBoxLayout()
        column.setSpacing(2)
        row.setSpacing(2)
        for button in (self.add, self.hold, self.clear):
            row.addWidget(button)
        column.addWidget(self.pick)
        column.addLayout(row)
        return column

    def _connect(self) -> None:
        disc, numbers = self.disc, self.numbers
        for source in (disc, numbers):
            source.drag_started.connect(self.drag_started)
            source.drag_ended.connect(self.drag_ended)
        disc.edited.connect(self._take_pins)
        disc.selected.connect(lambda _number: self._show_numbers())
        numbers.edited.connect(self._type)
        self.list.made.connect(self._mark)
        self.list.selected.connect(self._select)
        self.list.removed.connect(self._remove)
        self.add.clicked.connect(disc.add_beside)
        self.hold.clicked.connect(lambda: disc.add(0.0, 0.0))
        self.clear.clicked.connect(self._clear)

    def _mark(self, row: PinRow) -> None:
        """Give a pin's row its diamond."""
        self.marks.add_row((field_of(row.number),), row, row.name)

    # -- showing

    def show_samples(self, colours: NDArray[np.float64]) -> None:
        self.disc.show_samples(position_of(colours[np.isfinite(colours).all(axis=1)]))

    def _show(self) -> None:
        self.modes[self.warp.mode].setChecked(True)
        self.disc.show_pins(self.warp.pins, self.warp.warp)
        self._show_folds(self.disc.folds, f"{FOLDS}\n{MEND}")
        self._show_numbers()

    def _show_numbers(self) -> None:
        """Show the list, and the numbers of the selected pin."""
        disc = self.disc
        self.list.show_pins(disc.pins, disc.at, disc.flat)
        self.numbers.setVisible(disc.at in disc.pins)
        if disc.at in disc.pins:
            self.numbers.show_pin(disc.pins[disc.at], disc.flat)
        for button in (self.add, self.hold):
            button.setEnabled(free_number(disc.pins) > 0)
        self.clear.setEnabled(bool(disc.pins))

    # -- edits

    def _take_pins(self, pins: Pins, what: str) -> None:
        before = self.warp.pins
        numbers = sorted({*before, *pins})
        changes = {field_of(n): tuple(pins.get(n, NO_PIN)) for n in numbers if pins.get(n) != before.get(n)}
        if changes:
            self.edited.emit(changes, what)
        self._show_numbers()

    def _type(self, field: str, number: float) -> None:
        pin = self.disc.pins[self.disc.at]
        if field in ("hue", "to_hue"):  # by the shorter way
            before = getattr(pin, field)
            number = before + (number - before + 180.0) % 360.0 - 180.0
        self.disc.set_pin(self.disc.at, pin._replace(**{field: round(number, 4)}))

    def _select(self, number: int) -> None:
        self.disc.select(number)
        self.list.rows[number].button.setChecked(True)

    def _remove(self, number: int) -> None:
        self.disc.select(number)
        self.disc.setFocus(Qt.FocusReason.OtherFocusReason)  # the button goes
        self.disc.remove()

    def _clear(self) -> None:
        self.disc.setFocus(Qt.FocusReason.OtherFocusReason)
        self.edited.emit({field_of(number): NO_PIN for number in self.warp.pins}, "removal of all pins")

    # -- picking on the image

    def mark(self) -> Op:
        return ColorWarp.of(Pin(0.0, 0.0, 0.0, 0.0, 50.0, 0.0))

    def finder(self) -> Callable[[Colour], tuple[float, float, float]]:
        number = free_number(self.disc.pins)

        def find(colour: Colour) -> tuple[float, float, float]:
            if not number:
                raise GradeError(f"the colour warp has {MOST} pins already", "remove one first")
            return numbers_at(position_of(np.array(colour)))

        return find

    def take(self, found: tuple[float, float, float]) -> None:
        hue, saturation, lightness = (round(number, 2) for number in found)
        number = free_number(self.disc.pins)
        if number:
            pin = Pin(hue, saturation, lightness, hue, saturation, lightness, NEW_RADIUS)
            self._picked = number, pin
            self.disc.set_pin(number, self._pulled(pin), f"picking pin {number}")
            self.disc.select(number)

    def pull(self) -> None:
        if self._picked is not None:
            number, pin = self._picked
            self.disc.set_pin(number, self._pulled(pin), f"picking pin {number}")

    def drop_pick(self) -> None:
        self._picked = None

    def _pulled(self, pin: Pin) -> Pin:
        """Return a pin whose target the mouse has pulled away."""
        across, up = self.pulled
        saturation = max(0.0, pin.saturation + SATURATION_PER_PIXEL * up)
        return pin._replace(to_hue=round(pin.hue + HUE_PER_PIXEL * across, 2), to_saturation=round(saturation, 2))

"""The Scopes panel: panes with scopes, and above them their values, region, scale and gamut."""

from __future__ import annotations

import math
from dataclasses import replace
from functools import partial
from typing import Any

from PySide6.QtCore import QObject, QSize, QTimer
from PySide6.QtGui import QAction, QHideEvent, QResizeEvent, QShowEvent
from PySide6.QtWidgets import QBoxLayout, QGridLayout, QHBoxLayout, QMenu, QVBoxLayout, QWidget

from app.model.percent import percent
from app.panels.following import Following
from app.panels.picker import Picker, add_choice
from app.panels.scopes.display_scale import transfer_shown
from app.panels.scopes.pane import Pane
from app.panels.scopes.scope_settings import MOST_PANES, ORDER, PaneChoices, ScopeChoices
from app.render.preview import Preview
from app.services.colour_manager import Colour
from app.services.current_document import CurrentDocument
from app.services.jobs import Jobs
from app.services.settings import Settings
from app.widgets.elided import ElidedLabel
from app.widgets.gradual import Gradual
from app.widgets.small_buttons import action_button, icon_button
from engine.core.gamuts import GAMUTS
from engine.viewing.scopes import ScopeReading

SETTING = "scopes"
EMPTY = "Open an image to see its scopes."
STALE_MS = 400
"""How long the reading of the previous frame of a sequence stays while that of the next one is made."""
ASPECT = 1.5
"""Preferred width of a pane relative to its height."""
WIDE = 600
"""Width of the panel in pixels from which on its controls, and its words, are in one row."""
OF = {
    "source": ("Source", "Values in the file"),
    "graded": ("Graded", "Values after the grade, before the view"),
    "display": ("Display", "Values sent to the display, 0 to 100 %, or nits of PQ and HLG displays"),
}
WHERE = {False: ("Viewport", "The visible part of the image"), True: ("Full frame", "The whole image")}
SCALES = {
    "stops": ("Stops", "Eight stops on either side of mid grey (0.18)"),
    "0-1": ("0 to 1", "Scene-linear values from 0 to 1"),
    "0-4": ("0 to 4", "Scene-linear values from 0 to 4"),
    "0-16": ("0 to 16", "Scene-linear values from 0 to 16"),
}
GAMUT_WORDS = {"": ("No gamut", "Count no pixels outside of a gamut")} | {
    gamut: (name, f"Count pixels with a negative component in linear {name}") for gamut, name in GAMUTS.items()
}
PERCENT = ("0 to 100 %", "Display values have one scale")


class ScopesPanel(QWidget):
    """Shows the scopes. They are computed only while the panel is visible."""

    def __init__(
        self,
        current: CurrentDocument,
        colour: Colour,
        preview: Preview,
        settings: Settings,
        jobs: Jobs,
        inside: QAction,
    ) -> None:
        """`inside` limits scopes to the matte of the current entry."""
        super().__init__()
        self.setObjectName("scopesPanel")
        self.setMinimumWidth(280)
        self._current, self._colour, self._preview, self._settings = current, colour, preview, settings
        self._jobs = jobs
        self.choices = ScopeChoices.from_json(settings.get(SETTING, dict[str, Any]()))
        self.reading: ScopeReading | None = None
        self._of: QObject | None = None  # the document that the reading is about
        self._stale = QTimer(self, singleShot=True, interval=STALE_MS)
        self._stale.timeout.connect(self._clear)
        self.of = Picker("Values of the scopes", "The values that the scopes show", self._fill_of)
        self.where = Picker("Region of the scopes", "The region that the scopes cover", self._fill_where)
        self.scale = Picker("Scale of the scopes", "The scale of the values", self._fill_scale)
        self.gamut = Picker("Gamut", "Pixels outside of this gamut are counted below the scopes", self._fill_gamut)
        self.add_button = icon_button("add", f"Add a scope, up to {MOST_PANES}", "Add a scope")
        self.inside_button = action_button(inside)
        self.panes: list[Pane] = []
        self._due: list[Pane] = []  # panes that have still to show the reading
        self._transfer = ""
        self.drawing = Gradual(self._draw_next, self)
        """Shows the reading in the panes, which takes several turns of the event loop."""
        self.counted, self.beyond = ElidedLabel(), ElidedLabel()
        across = QBoxLayout.Direction.LeftToRight
        self._bar, self._foot, self._grid = QBoxLayout(across), QBoxLayout(across), QGridLayout()
        self._lay_out()
        self._connect()
        self._follow_image()
        self._show()

    def _lay_out(self) -> None:
        self._bar.setSpacing(4)
        for pickers in ((self.of, self.where), (self.scale, self.gamut)):
            row = QHBoxLayout()
            row.setSpacing(4)
            for picker in pickers:
                row.addWidget(picker, 1)
            self._bar.addLayout(row, 1)
        for button in (self.inside_button, self.add_button):
            row.addWidget(button)
        self._foot.setSpacing(2)
        for label in (self.counted, self.beyond):
            label.setObjectName("note")
            self._foot.addWidget(label, 1)
        self.beyond.setToolTip(
            "Shares of the pixels at or beyond the ends of the scale, in the channel with the largest share,\n"
            "and of the pixels outside of the gamut"
        )
        self._grid.setSpacing(4)
        column = QVBoxLayout(self)
        column.setContentsMargins(8, 6, 8, 4)
        column.setSpacing(4)
        column.addLayout(self._bar)
        column.addLayout(self._grid, 1)
        column.addLayout(self._foot)

    def _connect(self) -> None:
        self.add_button.clicked.connect(self._add_pane)
        self._preview.scoped.connect(self.show_reading)
        self._current.image_changed.connect(self._follow_image)
        self._following = Following(self, self._draw, self._current.switch, self._colour.changed)

    def sizeHint(self) -> QSize:
        return QSize(640, 240)

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        self._preview.set_scopes(self.choices.options)

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        self._preview.set_scopes(None)

    def resizeEvent(self, event: QResizeEvent) -> None:
        super().resizeEvent(event)
        across, down = QBoxLayout.Direction.LeftToRight, QBoxLayout.Direction.TopToBottom
        for row in (self._bar, self._foot):
            row.setDirection(across if self.width() > WIDE else down)
        self._arrange()

    def choose(self, **changes: Any) -> None:
        """Change the choices and save them."""
        before, self.choices = self.choices, replace(self.choices, **changes)
        self._settings.set(SETTING, self.choices.to_json())
        self._show()
        if self.isVisible() and self.choices.options != before.options:
            self._preview.set_scopes(self.choices.options)

    def show_reading(self, reading: ScopeReading) -> None:
        """Draw a reading, unless its options are outdated."""
        if reading.options == self.choices.options and self._current.document.image is not None:
            self._stale.stop()
            self.reading, self._of = reading, self._current.document
            self._draw()

    def _draw(self) -> None:
        """Draw the reading, bit by bit, or nothing in all panes, with the scale of the view that it is for."""
        shown = self._colour.shown if self.reading is None else self.reading.view
        document, names = self._current.document, self._colour.names
        self._transfer = "" if document.image is None else transfer_shown(names, document.managed, shown)
        self._show_scale(self._transfer)
        self._due += [pane for pane in self.panes if pane not in self._due]
        self.drawing.start()
        if self.reading is None:
            self.drawing.finish()
        text, clips = ("", False) if self.reading is None else _beyond(self.reading)
        self.beyond.show_text(text)
        if self.beyond.property("clips") != clips:
            self.beyond.setProperty("clips", clips)
            self.beyond.style().polish(self.beyond)
        empty = EMPTY if document.image is None else ""
        self.counted.show_text(_summary(self.reading) if self.reading else empty)

    def _draw_next(self) -> bool:
        """Draw the reading in the pane that waits longest; return whether more wait."""
        pane = self._due.pop(0) if self._due else None
        if pane in self.panes:
            pane.show_reading(self.reading, self._transfer)
        return bool(self._due)

    def _show(self) -> None:
        """Show the choices, and the reading as they say."""
        while len(self.panes) > len(self.choices.panes):
            pane = self.panes.pop()
            self._grid.removeWidget(pane)
            pane.hide()
            pane.deleteLater()
        while len(self.panes) < len(self.choices.panes):
            pane = Pane(self.choices.panes[len(self.panes)], self._jobs)
            pane.changed.connect(partial(self._change_pane, pane))
            pane.chosen.connect(partial(self._set_kind, pane))
            pane.closed.connect(partial(self._close_pane, pane))
            self.panes.append(pane)
        for pane, choices in zip(self.panes, self.choices.panes, strict=True):
            pane.set_choices(choices, self.choices.gamut)
        for number, pane in enumerate(self.panes, 1):
            pane.types.setAccessibleName(f"Type of scope {number}")
            pane.options.setAccessibleName(f"What scope {number} shows")
            pane.close_button.setAccessibleName(f"Close scope {number}")
            pane.close_button.setVisible(len(self.panes) > 1)
        self.add_button.setEnabled(len(self.panes) < MOST_PANES)
        self.of.show_choice(*OF[self.choices.values])
        self.where.show_choice(*WHERE[self.choices.whole])
        self.gamut.show_choice(*GAMUT_WORDS[self.choices.gamut])
        self._arrange()
        self._draw()

    def _show_scale(self, transfer: str) -> None:
        display = self.choices.values == "display"
        nits = (f"Nits ({transfer})", f"Luminance of a {transfer} display, and its signal in percent")
        self.scale.show_choice(*((nits if transfer else PERCENT) if display else SCALES[self.choices.scale]))
        self.scale.setEnabled(not display)

    def _arrange(self) -> None:
        """Place the panes in as many columns as bring them nearest to ASPECT."""
        count, width, height = len(self.panes), max(1, self.width()), max(1, self.height() - 60)
        options = [n for n in range(1, count + 1) if (count, n) != (4, 3)]  # three and one look unfinished
        columns = min(options, key=lambda n: abs(math.log(width / n / (height / -(-count // n)) / ASPECT)))
        for number, pane in enumerate(self.panes):
            row, column = divmod(number, columns)
            span = columns - column if number == count - 1 else 1
            self._grid.removeWidget(pane)
            self._grid.addWidget(pane, row, column, 1, span)
        for number in range(MOST_PANES):
            self._grid.setColumnStretch(number, int(number < columns))
            self._grid.setRowStretch(number, int(number < -(-count // columns)))

    def _change_pane(self, pane: Pane, changes: dict[str, Any]) -> None:
        if pane in self.panes:
            self.choose(panes=self.choices.with_pane(self.panes.index(pane), **changes))

    def _set_kind(self, pane: Pane, kind: str) -> None:
        self._change_pane(pane, {"kind": kind})

    def _add_pane(self) -> None:
        """Add a pane with a type that is not shown yet."""
        kind = next((each for each in ORDER if each not in self.choices.kinds), ORDER[0])
        self.choose(panes=(*self.choices.panes, PaneChoices(kind)))
        self.panes[-1].types.setFocus()

    def _close_pane(self, pane: Pane) -> None:
        at = self.panes.index(pane)
        shown = self.choices.panes
        self.choose(panes=(*shown[:at], *shown[at + 1 :]))
        self.panes[min(at, len(self.panes) - 1)].types.setFocus()

    def _follow_image(self) -> None:
        """Clear the scopes of another image; those of the previous frame of a sequence stay for a moment."""
        document = self._current.document
        if document.image is None or document is not self._of:
            self._clear()
        else:
            self._stale.start()

    def _clear(self) -> None:
        self._stale.stop()
        self.reading = self._of = None
        self._following.follow()

    def _fill_of(self, menu: QMenu) -> None:
        for value, (text, tip) in OF.items():
            add_choice(menu, text, tip, value == self.choices.values, partial(self.choose, values=value))

    def _fill_where(self, menu: QMenu) -> None:
        for whole, (text, tip) in WHERE.items():
            add_choice(menu, text, tip, whole == self.choices.whole, partial(self.choose, whole=whole))

    def _fill_scale(self, menu: QMenu) -> None:
        for scale, (text, tip) in SCALES.items():
            add_choice(menu, text, tip, scale == self.choices.scale, partial(self.choose, scale=scale))

    def _fill_gamut(self, menu: QMenu) -> None:
        for gamut, (text, tip) in GAMUT_WORDS.items():
            add_choice(menu, text, tip, gamut == self.choices.gamut, partial(self.choose, gamut=gamut))


def _summary(reading: ScopeReading) -> str:
    """Return the region and the number of pixels of a reading."""
    region = "full frame" if reading.options.whole else "viewport"
    inside = "Inside the matte: " if reading.in_matte else ""
    means = f", each the mean of {reading.shrink:.3g} × {reading.shrink:.3g}" if reading.shrink > 1.01 else ""
    space = "; colour space unknown, taken as Rec.709" if reading.assumed and reading.options.needs_xyz else ""
    return f"{inside}{reading.width} × {reading.height} pixels of the {region}{means}{space}"


def _beyond(reading: ScopeReading) -> tuple[str, bool]:
    """Return what lies beyond the ends of the scale and outside the gamut, in words, and whether the display clips."""
    shares, outside = reading.beyond(), reading.share_outside
    if shares is None:
        return "", False
    low, high = shares
    clips = reading.options.values == "display" and max(shares) > 0.0
    if reading.options.values == "display":
        text = f"clipped low {percent(low)}, high {percent(high)}" if clips else "nothing clipped"
    else:
        text = f"below the scale {percent(low)}, above {percent(high)}"
    if outside is None:
        return text, clips
    return f"{text}; outside {GAMUTS[reading.options.gamut]} {percent(outside)}", clips

"""The Colour panel: the colour spaces of image and grade, and display, view and looks."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

from PySide6.QtWidgets import QGridLayout, QLabel, QMenu, QWidget

from app.panels.config_menus import fill_configs
from app.panels.following import Following
from app.panels.picker import Picker, add_choice
from app.panels.space_menu import add_spaces, fill_inputs
from app.panels.view_menu import fill_displays, fill_looks, fill_views, looks_text
from app.services.colour_manager import Colour
from app.services.document_switch import DocumentSwitch
from app.services.view_options import ViewOptions
from app.widgets.fields import NumberField
from app.widgets.scrolling import scrolling_column
from engine.color.management import Managed
from engine.core.attribute_names import CHROMATICITIES
from engine.core.known_primaries import primaries_text, space_text
from engine.kernel.op import Slider

EXPOSURE = Slider(0.0, -10.0, 10.0, "EV", None, "Brightens only the viewer; exports are not affected", (-4.0, 4.0))
GAMMA = Slider(1.0, 0.2, 4.0, "", 0.05, "Above 1 brightens mid tones in the viewer; exports are not affected")
LABEL_WIDTH = 64


class ColourPanel(QWidget):
    """Pickers for the names of the config. Input, working and output space belong to the grade; display, view and
    looks do not."""

    def __init__(self, switch: DocumentSwitch, displayed: Callable[[], Any], view: ViewOptions, colour: Colour) -> None:
        super().__init__()
        self.setObjectName("colourPanel")
        self.setMinimumWidth(280)
        self._displayed, self._view, self._colour = displayed, view, colour
        self.pickers = {
            "Config": Picker("Config", "The OpenColorIO config of this grade", self._fill_config),
            "Input": Picker("Input space", "The colour space of the image", self._fill_input),
            "Working": Picker("Working space", "The colour space that CDLs and LUTs work in", self._fill_working),
            "Output": Picker("Output space", "The colour space that exports are written in", self._fill_output),
            "Display": Picker("Display", "The display that shows the image", partial(fill_displays, colour)),
            "View": Picker(
                "View", "The view transform from scene-linear to display values", partial(fill_views, colour)
            ),
            "Looks": Picker("Looks", "Looks of the config, applied only in the viewer", partial(fill_looks, colour)),
        }
        self.exposure = NumberField("Exposure", EXPOSURE, "Viewer exposure", label_width=LABEL_WIDTH)
        self.exposure.edited.connect(lambda value: view.set(exposure=value))
        self.gamma = NumberField("Gamma", GAMMA, "Viewer gamma", label_width=LABEL_WIDTH)
        self.gamma.edited.connect(lambda value: view.set(gamma=value))
        self.note = QLabel()
        self.note.setObjectName("note")
        self.note.setWordWrap(True)
        self._lay_out()
        self._colour.request_names()
        Following(self, self._refresh, switch, colour.changed, view.changed)

    def _lay_out(self) -> None:
        column = scrolling_column(self)
        grade, view = ("Config", "Input", "Working", "Output"), ("Display", "View", "Looks")
        column.addWidget(_heading("Grade"))
        column.addLayout(self._grid(grade))
        column.addWidget(self.note)
        column.addSpacing(8)
        column.addWidget(_heading("Viewer only"))
        column.addLayout(self._grid(view))
        column.addWidget(self.exposure)
        column.addWidget(self.gamma)
        column.addStretch(1)

    def _grid(self, names: tuple[str, ...]) -> QGridLayout:
        grid = QGridLayout()
        grid.setHorizontalSpacing(8)
        grid.setVerticalSpacing(6)
        for row, name in enumerate(names):
            label = QLabel(name)
            label.setFixedWidth(LABEL_WIDTH)
            label.setBuddy(self.pickers[name])
            grid.addWidget(label, row, 0)
            grid.addWidget(self.pickers[name], row, 1)
        return grid

    def _refresh(self) -> None:
        """Show the colour spaces and the view of the current document."""
        setup, managed, names = self._colour.setup, self._colour.managed, self._colour.names
        if names is not None:
            self.pickers["Config"].show_choice(names.config.name if setup.config else f"Default: {names.config.name}")
        found = managed.found
        whence = "Your rule" if found.assumed else "Detected"
        self.pickers["Input"].show_choice(
            space_text(setup.input) or (f"{whence}: {space_text(found.space)}" if found.space else "Unknown"),
            f"{found.space}\n{found.origin}" if found.space != space_text(found.space) else found.origin,
        )
        converts = managed.converts
        self.pickers["Working"].show_choice(setup.working or (f"Default: {managed.working}" if converts else "Default"))
        self.pickers["Output"].show_choice(setup.output or "Same as input")
        image = self._displayed()
        stated = image.part.metadata.get(CHROMATICITIES) if image is not None else None
        self.note.setText(_note(managed, primaries_text(stated)))
        for name in ("Display", "View", "Looks"):
            self.pickers[name].setEnabled(converts)
        view = self._view.state
        self.exposure.set_value(view.exposure)
        self.gamma.set_value(view.gamma)
        if not self._colour.managed.converts:
            self.pickers["Display"].show_choice("sRGB")
            self.pickers["View"].show_choice("As scene-linear Rec.709")
            self.pickers["Looks"].show_choice("None")
            return
        display, shown = self._colour.shown
        self.pickers["Display"].show_choice(display)
        self.pickers["View"].show_choice(shown)
        self.pickers["Looks"].show_choice(looks_text(view.looks))

    def _fill_config(self, menu: QMenu) -> None:
        names = self._colour.names
        chosen = self._colour.setup.config
        fill_configs(menu, names.builtin if names is not None else {}, chosen, self._colour.choose_config)

    def _fill_input(self, menu: QMenu) -> None:
        def choose(name: str) -> None:
            self._colour.edit("input space", input=name)

        fill_inputs(self._colour.names, self._colour.setup.input, choose, menu)

    def _fill_working(self, menu: QMenu) -> None:
        setup = self._colour.setup

        def choose(name: str) -> None:
            self._colour.edit("working space", working=name)

        add_choice(
            menu,
            "Default",
            "ACEScct if the config has it, else its log space",
            not setup.working,
            lambda: choose(""),
        )
        add_spaces(self._colour.names, menu, "workings", setup.working, choose)
        menu.addSeparator()
        others = menu.addMenu("Other spaces")
        others.setToolTipsVisible(True)
        add_spaces(self._colour.names, others, "colours", setup.working, choose)

    def _fill_output(self, menu: QMenu) -> None:
        setup = self._colour.setup

        def choose(name: str) -> None:
            self._colour.edit("output space", output=name)

        add_choice(
            menu, "Same as input", "Exports keep the colour space of the image", not setup.output, lambda: choose("")
        )
        add_spaces(self._colour.names, menu, "colours", setup.output, choose)


def _note(managed: Managed, stated: str) -> str:
    """Describe the input space: where it is from, and its primaries if they are `stated` or a matrix is computed."""
    found = managed.found
    if not managed.converts:
        line = managed.describe()
    elif space_text(found.space) != found.space:
        line = f"input space {found.origin}: {space_text(found.space)}, converted by a computed matrix"
    else:
        line = f"input space {found.origin}" + (f": {stated}" if found.stated and stated else "")
    return f"{line[:1].upper()}{line[1:]}."


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("cardTitle")
    return label

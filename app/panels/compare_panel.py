"""The panel for comparisons and overlays. Neither affects exports."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QPainter, QPixmap
from PySide6.QtWidgets import QButtonGroup, QCheckBox, QGridLayout, QHBoxLayout, QLabel, QMenu, QWidget

from app.canvas.stage import Stage
from app.model.comparison_target import OTHER_EYE, SOURCE, DocumentTarget, StillTarget, Target, VersionTarget
from app.model.view_state import DIFFERENCES, GAMUT_NAMES
from app.panels.following import Following
from app.panels.overlays import DIFFERENCE_MODES, OVERLAYS, toggled
from app.panels.picker import Picker, add_choice
from app.services.comparing import SIDES
from app.services.open_documents import OpenDocuments
from app.services.other_eye import other_eye
from app.widgets.choice_box import ChoiceBox
from app.widgets.fields import NumberField
from app.widgets.scrolling import scrolling_column
from app.widgets.segments import add_segment, segment
from engine.kernel.op import Slider
from engine.viewing import peaking
from engine.viewing.composing import COLOURS
from engine.viewing.gamut_ops import BANDS
from engine.viewing.viewer_ops import LADDER

MODES = (
    ("", "Off", "Show only the graded image"),
    ("source", "Source", "Show the image without the grade"),
    ("wipe", "Wipe", "Compare both images across a line; drag to move it, Shift+drag to turn it"),
    ("split", "Split", "Show the same half of both images side by side"),
    ("difference", "Difference", "Show the difference of the two images before the view, times the gain"),
)
ANGLE = Slider(90.0, 0.0, 360.0, "°", None, "Direction of the wipe line; 90 is upright")
GAIN = Slider(8.0, 1.0, 100.0, "×", 0.0, "Factor of the difference")
ZEBRA = Slider(0.95, 0.0, 1.0, "", 0.0, "Display luma, 0 to 1, above which zebra stripes appear")
PEAKING = Slider(
    0.1,
    0.01,
    0.5,
    "",
    0.001,
    "Change of display luma, 0 to 1, from one pixel to the next, above which edges are marked",
)
PEAKING_NAME = "focus peaking"
LABEL_WIDTH = 64


class ComparePanel(QWidget):
    """Comparisons and overlays of the current document."""

    def __init__(self, documents: OpenDocuments, stage: Stage) -> None:
        super().__init__()
        self.setObjectName("colourPanel")
        self.setMinimumWidth(280)
        self._documents, self._stage = documents, stage
        self.modes = QButtonGroup(self)
        self.against = Picker("Against", "The image to compare with", self._fill_against)
        self.angle = NumberField("Angle", ANGLE, "Angle of the wipe", label_width=LABEL_WIDTH)
        self.differences = QButtonGroup(self)
        self.gain = NumberField("Gain", GAIN, "Gain of the difference", label_width=LABEL_WIDTH)
        self.zebra = NumberField("Zebra", ZEBRA, "Level of the zebra", label_width=LABEL_WIDTH)
        self.peaking = NumberField("Peaking", PEAKING, "Threshold of focus peaking", label_width=LABEL_WIDTH)
        names = tuple(name.capitalize() for name in peaking.COLOURS)
        self.peaking_colour = ChoiceBox(names, "Colour of focus peaking", "The colour that edges are marked in")
        gamuts = tuple(GAMUT_NAMES.values())
        self.gamut = ChoiceBox(gamuts, "Gamut", "Colours outside of this gamut are marked by how far outside they are")
        self.gamut.activated.connect(lambda index: documents.view.set(gamut=list(GAMUT_NAMES)[index]))
        self.boxes: dict[str, QCheckBox] = {}
        self.counts: dict[str, QLabel] = {}
        self._swatches: dict[str, QLabel] = {}
        self._lay_out()
        self.angle.edited.connect(lambda value: documents.view.set(wipe_angle=value))
        self.gain.edited.connect(lambda value: documents.view.set(gain=value))
        self.zebra.edited.connect(lambda value: documents.view.set(zebra=value))
        self.peaking.edited.connect(lambda value: documents.view.set(peaking=value))
        self.peaking_colour.activated.connect(
            lambda index: documents.view.set(peaking_colour=list(peaking.COLOURS)[index])
        )
        others = documents.documents_changed, documents.current.versions_changed, stage.previewed_lut_changed
        Following(self, self._show, documents.current.switch, documents.view.changed, *others)

    def _lay_out(self) -> None:
        column = scrolling_column(self)
        column.addWidget(_heading("Compare"))
        row = QHBoxLayout()
        row.setSpacing(1)
        for number, (mode, text, tip) in enumerate(MODES):
            button = segment(text, tip, f"Compare: {text}")
            button.clicked.connect(partial(self._documents.view.set, compare=mode))
            self.modes.addButton(button, number)
            add_segment(row, button)
        column.addLayout(row)
        against = QHBoxLayout()
        label = QLabel("Against")
        label.setFixedWidth(LABEL_WIDTH)
        label.setBuddy(self.against)
        self._against_label = label
        against.addWidget(label)
        against.addWidget(self.against, 1)
        column.addLayout(against)
        column.addWidget(self.angle)
        column.addWidget(self.gain)
        column.addLayout(self._difference_modes())
        column.addSpacing(8)
        column.addWidget(_heading("Overlays"))
        column.addLayout(self._overlays())
        column.addLayout(self._gamuts())
        column.addWidget(self.zebra)
        column.addWidget(self.peaking)
        column.addLayout(self._peaking_colours())
        column.addStretch(1)

    def _difference_modes(self) -> QHBoxLayout:
        row = QHBoxLayout()
        row.setSpacing(1)
        self._difference_label = QLabel("Mode")
        self._difference_label.setFixedWidth(LABEL_WIDTH + 7)
        row.addWidget(self._difference_label)
        for number, (mode, (label, tip)) in enumerate(DIFFERENCE_MODES.items()):
            text = label.replace("&", "")
            button = segment(text, f"{tip} (Alt+D: next mode)", f"Difference: {text}")
            button.clicked.connect(partial(self._documents.view.set, difference=mode))
            self.differences.addButton(button, number)
            add_segment(row, button)
        return row

    def _gamuts(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self._gamut_label = QLabel("Gamut")
        self._gamut_label.setFixedWidth(LABEL_WIDTH + 7)
        self._gamut_label.setBuddy(self.gamut)
        row.addWidget(self._gamut_label)
        row.addWidget(self.gamut, 1)
        return row

    def _peaking_colours(self) -> QHBoxLayout:
        row = QHBoxLayout()
        self._colour_label = QLabel("Colour")
        self._colour_label.setFixedWidth(LABEL_WIDTH + 7)
        self._colour_label.setBuddy(self.peaking_colour)
        row.addWidget(self._colour_label)
        row.addWidget(self.peaking_colour, 1)
        return row

    def _overlays(self) -> QGridLayout:
        grid = QGridLayout()
        grid.setVerticalSpacing(4)
        grid.setColumnStretch(1, 1)
        for row, (name, (text, key, tip)) in enumerate(OVERLAYS.items()):
            box = QCheckBox(text.replace("&", ""))
            box.setToolTip(f"{tip} ({key})")
            box.setAccessibleName(f"Overlay: {box.text()}")
            box.clicked.connect(partial(self._toggle, name))
            swatch, count = QLabel(), QLabel()
            swatch.setPixmap(_swatch(name, peaking.COLOURS["red"]))
            count.setObjectName("numbers")
            count.setAlignment(Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter)
            count.setToolTip("Share of the visible pixels that are marked")
            count.setAccessibleName(f"Share of {box.text()}")
            grid.addWidget(swatch, row, 0)
            grid.addWidget(box, row, 1)
            grid.addWidget(count, row, 2)
            self.boxes[name], self.counts[name], self._swatches[name] = box, count, swatch
        return grid

    def _toggle(self, name: str) -> None:
        view = self._documents.view
        view.set(overlays=toggled(view.state.overlays, name))

    def _show(self) -> None:
        view = self._documents.view.state
        names = [mode for mode, _, _ in MODES]
        self.modes.setExclusive(False)  # side by side and anaglyph have their buttons in the Layers panel
        for mode, button in zip(names, self.modes.buttons(), strict=True):
            button.setChecked(mode == view.compare)
        self.modes.setExclusive(True)
        self.against.show_choice(self._stage.other.name(self._stage.previewed_lut))
        for widget in (self.against, self._against_label):
            widget.setEnabled(view.compare in SIDES and self._stage.previewed_lut is None)
        for field, value, mode in ((self.angle, view.wipe_angle, "wipe"), (self.gain, view.gain, "difference")):
            field.set_value(value)
            field.setEnabled(view.compare == mode)
        self.differences.button(DIFFERENCES.index(view.difference)).setChecked(True)
        for part in (self._difference_label, *self.differences.buttons()):
            part.setEnabled(view.compare == "difference")
        self.zebra.set_value(view.zebra)
        self.zebra.setEnabled("zebra" in view.overlays)
        self.gamut.setCurrentIndex(list(GAMUT_NAMES).index(view.gamut))
        for part in (self.gamut, self._gamut_label):
            part.setEnabled("gamut" in view.overlays)
        self.peaking.set_value(view.peaking)
        self.peaking_colour.setCurrentIndex(list(peaking.COLOURS).index(view.peaking_colour))
        self._swatches[PEAKING_NAME].setPixmap(_swatch(PEAKING_NAME, peaking.COLOURS[view.peaking_colour]))
        for part in (self.peaking, self.peaking_colour, self._colour_label):
            part.setEnabled(PEAKING_NAME in view.overlays)
        for name, box in self.boxes.items():
            box.setChecked(name in view.overlays)
            if name not in view.overlays:
                self.counts[name].setText("")

    def count(self, shares: Mapping[str, float]) -> None:
        """Show the shares of pixels that overlays mark, 0..1, by their names."""
        for name, share in shares.items():
            self.counts[name].setText(f"{100.0 * share:.3g} %")

    def _fill_against(self, menu: QMenu) -> None:
        documents, chosen = self._documents, self._documents.view.state.against

        def add(text: str, tip: str, value: Target) -> None:
            add_choice(menu, text, tip, chosen == value, lambda: documents.view.set(against=value))

        add("The source", "The image without the grade", SOURCE)
        if other_eye(documents.current.document.image) is not None:
            add("The other eye", "The same layer in the other view, with the same grade", OTHER_EYE)
        for version in documents.current.document.versions.items:
            add(version.name, "This version of the grade", VersionTarget(version.number))
        still = self._stage.other.still
        if still is not None:
            menu.addSeparator()
            add(still.name, f"The still {still.about}", StillTarget(still.id))
        others = [d for d in documents.items if d is not documents.current.document and d.image_path]
        if others:
            menu.addSeparator()
        for document in others:
            path = document.image_path
            assert path is not None
            add(path.name, f"{path}, with its own grade", DocumentTarget(document.id))


def _swatch(name: str, edges: tuple[int, int, int]) -> QPixmap:
    """Return a swatch with the colour of an overlay, stripes for the zebra. `edges` is the colour of focus peaking."""
    pixmap = QPixmap(24, 24)
    pixmap.setDevicePixelRatio(2)  # sharp on high-DPI screens
    colours = COLOURS | {PEAKING_NAME: edges}
    pixmap.fill(QColor(*colours[name]) if name in colours else QColor("#2e2e2e"))
    if name == "zebra":
        with QPainter(pixmap) as painter:
            for start in range(-12, 12, 6):
                painter.setPen(QColor("#dedede"))
                painter.drawLine(start, 12, start + 12, 0)
    elif name == "gamut":
        with QPainter(pixmap) as painter:
            for row, (_, colour) in enumerate(BANDS):
                painter.fillRect(0, 9 - 3 * row, 12, 3, QColor(*colour))
    elif name == "false colour":
        with QPainter(pixmap) as painter:
            for row, (_, rgb, _) in enumerate(LADDER[::3]):
                painter.fillRect(0, row * 3, 12, 3, QColor.fromRgbF(*rgb))
    return pixmap


def _heading(text: str) -> QLabel:
    label = QLabel(text)
    label.setObjectName("cardTitle")
    return label

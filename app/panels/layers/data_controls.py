"""The controls of the Layers panel for a layer of data: what it is shown as, its range, and false colours."""

from __future__ import annotations

from collections.abc import Mapping

from PySide6.QtGui import QAction
from PySide6.QtWidgets import QCheckBox, QGridLayout, QLabel, QMenu, QPushButton, QSizePolicy, QWidget

from app.model.data_view import LARGEST, valid_range
from app.panels.following import Following
from app.panels.picker import Picker, add_choice
from app.services.data_views import DataViews
from app.services.document_switch import DocumentSwitch
from app.widgets.slider import NumberBox
from engine.kernel.op import Slider
from engine.viewing.data_kinds import IMAGE, KINDS

LIMIT = Slider(0.0, -10.0, 10.0, "", -LARGEST, "In the units of the layer")
LABEL_WIDTH = 64
AS_IMAGE = "Image"


class DataControls(QWidget):
    """Shows and changes the data view of the displayed layer."""

    def __init__(self, switch: DocumentSwitch, data: DataViews, actions: Mapping[str, QAction]) -> None:
        super().__init__()
        self._data = data
        self.kind = Picker("Show as", "How the layer is shown on the screen; exports are not affected", self._fill)
        self.low, self.high = self._box("Black"), self._box("White")
        self.auto = QPushButton("Auto")
        self.auto.setToolTip(actions["data_fit"].toolTip())
        self.auto.setAccessibleName("Fit the range to the values")
        self.auto.clicked.connect(lambda: data.fit())
        self.coloured = QCheckBox("False colours")
        self.coloured.setToolTip("Show one channel of data in colours, from blue for low to red for high values")
        self.coloured.clicked.connect(lambda checked: data.choose(coloured=checked))
        self._lay_out()
        Following(self, self._show, switch, data.changed)

    def _lay_out(self) -> None:
        grid = QGridLayout(self)
        grid.setContentsMargins(10, 8, 10, 8)
        grid.setHorizontalSpacing(6)
        grid.setVerticalSpacing(6)
        for row, (text, buddy) in enumerate((("Show as", self.kind), ("Range", self.low))):
            label = QLabel(text)
            label.setFixedWidth(LABEL_WIDTH)
            label.setBuddy(buddy)
            grid.addWidget(label, row, 0)
        grid.addWidget(self.kind, 0, 1, 1, 3)
        grid.addWidget(self.low, 1, 1)
        grid.addWidget(self.high, 1, 2)
        grid.addWidget(self.auto, 1, 3)
        grid.addWidget(self.coloured, 2, 1, 1, 3)
        grid.setColumnStretch(1, 1)
        grid.setColumnStretch(2, 1)

    def _box(self, name: str) -> NumberBox:
        box = NumberBox(LIMIT)
        box.setRange(-LARGEST, LARGEST)
        box.setMinimumWidth(48)
        box.setSizePolicy(QSizePolicy.Policy.Ignored, QSizePolicy.Policy.Fixed)  # numbers of any length fit its limits
        box.setAccessibleName(f"{name} of the range")
        box.setToolTip(f"The value shown as {name.lower()}, in the units of the layer; type a number or use the arrows")
        box.valueChanged.connect(self._take_range)
        return box

    def _take_range(self) -> None:
        ends = valid_range((self.low.value(), self.high.value()))
        if ends:
            self._data.choose(range=ends)
        else:
            self._show()  # black must be less than white

    def _show(self) -> None:
        data = self._data
        shown, named = data.shown, data.named_kind
        text = _label(data.kind)
        self.kind.show_choice(text if data.view.kind else f"{text}, by its name" if named != IMAGE else text)
        has_range = shown is not None and shown.shown == "range"
        ends = shown.range if shown is not None and has_range else (0.0, 1.0)
        for box, value in zip((self.low, self.high), ends, strict=True):
            blocked = box.blockSignals(True)
            box.setSingleStep(max((ends[1] - ends[0]) / 50.0, 1e-6))
            box.setValue(value)
            box.blockSignals(blocked)
        for widget in (self.low, self.high, self.auto):
            widget.setEnabled(has_range)
        self.coloured.setEnabled(has_range and data.can_colour)
        self.coloured.setChecked(shown is not None and shown.coloured)

    def _fill(self, menu: QMenu) -> None:
        chosen, named = self._data.view.kind, self._data.named_kind

        def add(text: str, tip: str, kind: str) -> None:
            add_choice(menu, text, tip, chosen == kind, lambda: self._data.choose(kind=kind, range=()))

        add(f"{_label(named)}, by its name", "As the names of layer and part indicate", "")
        menu.addSeparator()
        add(AS_IMAGE, "Colours: with the grade and the display view", IMAGE)
        for kind, each in KINDS.items():
            add(each.label, "Values as they are, without grade and display view", kind)


def _label(kind: str) -> str:
    return AS_IMAGE if kind == IMAGE else KINDS[kind].label

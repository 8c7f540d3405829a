"""The page of the Preferences for control surfaces: MIDI with what each control is mapped to, and Tangent."""

from __future__ import annotations

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QHideEvent, QShowEvent
from PySide6.QtWidgets import (
    QCheckBox,
    QHBoxLayout,
    QHeaderView,
    QLabel,
    QLineEdit,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)
from shiboken6 import isValid

from app.model.control_surface import MODES
from app.model.search import has_words
from app.model.tangent import PORT
from app.shell.control_surface import ControlSurface
from app.widgets.choice_box import ChoiceBox
from app.widgets.showing import push_button

ROW = 20
"""Height of a row, in pixels."""
NO_PORT = "No MIDI port"
_TARGET = Qt.ItemDataRole.UserRole
_HOW = (
    "How the control sends its movement: its position, which takes over a value once it has reached it, or steps as "
    "1 / 127 or 65 / 63"
)


class SurfacePage(QWidget):
    """Chooses the port, lists everything that a control can be mapped to, and learns controls."""

    def __init__(self, surface: ControlSurface) -> None:
        super().__init__()
        self._surface = surface
        self.port = ChoiceBox((NO_PORT,), "MIDI port", "The MIDI port of the control surface")
        self.port.activated.connect(self._choose_port)
        self.search = push_button(
            "Search again", "Look for MIDI ports again, and open the chosen one", surface.midi.refresh
        )
        self.state = QLabel()
        self.state.setObjectName("note")
        self.state.setWordWrap(True)
        self.tangent = QCheckBox("Connect to Tangent's Hub")
        self.tangent.setAccessibleName("Connect to Tangent's Hub")
        self.tangent.setToolTip(
            f"Let Tangent's panels move whatever is selected, through Tangent's Hub on port {PORT} of this computer.\n"
            "Tangent's Mapper assigns their controls"
        )
        self.tangent.toggled.connect(surface.tangent.enable)
        self.hub = QLabel()
        self.hub.setObjectName("note")
        self.field = QLineEdit()
        self.field.setPlaceholderText("Search sliders, wheels and commands")
        self.field.setAccessibleName("Search targets of controls")
        self.field.setToolTip("Type words to list only what contains all of them")
        self.field.textChanged.connect(self._filter)
        self.list = QTreeWidget()
        self.items = {target: QTreeWidgetItem([title, "", ""]) for target, title in surface.targets()}
        self._fill()
        self.learn = push_button("Learn", "Map the selected row to the control that moves next", self._learn)
        self.learn.setCheckable(True)
        self.clear = push_button("Clear", "Remove the control of the selected row", self._clear)
        self.mode = ChoiceBox(MODES, "How the control moves", _HOW)
        self.mode.activated.connect(self._choose_mode)
        self._lay_out()
        surface.changed.connect(self._show)
        surface.midi.changed.connect(self._show_port)
        surface.tangent.changed.connect(self._show_hub)
        self._show()
        self._show_port()
        self._show_hub()

    def _lay_out(self) -> None:
        ports, row = QHBoxLayout(), QHBoxLayout()
        ports.addWidget(self.port, 1)
        ports.addWidget(self.search)
        for widget in (self.learn, self.clear, self.mode):
            row.addWidget(widget)
        row.addStretch(1)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        column.addLayout(ports)
        column.addWidget(self.state)
        hub = QHBoxLayout()
        hub.addWidget(self.tangent)
        hub.addWidget(self.hub, 1)
        column.addLayout(hub)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addLayout(row)

    def _fill(self) -> None:
        self.list.setAccessibleName("Sliders, wheels and commands, and their controls")
        self.list.setToolTip("Select a row, press Learn and move a control of the surface")
        self.list.setColumnCount(3)
        self.list.setHeaderLabels(["Moves", "Control", "How"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setStretchLastSection(False)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for column, width in ((1, 150), (2, 120)):
            self.list.header().resizeSection(column, width)
        for target, item in self.items.items():
            item.setData(0, _TARGET, target)
            item.setSizeHint(0, QSize(0, ROW))
            self.list.addTopLevelItem(item)
        self.list.currentItemChanged.connect(self._change_row)

    @property
    def current(self) -> str:
        """The target in the selected row, or ''."""
        item = self.list.currentItem()
        return str(item.data(0, _TARGET)) if item is not None else ""

    def showEvent(self, event: QShowEvent) -> None:
        super().showEvent(event)
        if not self._surface.midi.connected:
            self._surface.midi.refresh()

    def hideEvent(self, event: QHideEvent) -> None:
        super().hideEvent(event)
        if isValid(self._surface):  # it is gone when the window is closed under the page
            self._surface.learn("")

    def _show(self) -> None:
        """Show the control of each target, and whether one is being learnt."""
        mapped = {target: (control.text, mode) for control, (target, mode) in self._surface.mapping.items()}
        for target, item in self.items.items():
            for column, text in enumerate(mapped.get(target, ("", "")), 1):
                item.setText(column, text)
        learning = self._surface.learning
        if learning in self.items:
            self.items[learning].setText(1, "Move a control…")
        control = self._surface.control_for(self.current)
        is_number = not self.current.startswith("command")
        self.learn.setEnabled(bool(self.current))
        self.learn.setChecked(bool(learning))
        self.clear.setEnabled(control is not None)
        self.mode.setEnabled(control is not None and is_number and control[0].kind == "cc")
        self.mode.setCurrentText(control[1] if control is not None else MODES[0])

    def _show_port(self) -> None:
        midi = self._surface.midi
        names = [NO_PORT, *midi.ports]
        if midi.port and midi.port not in names:
            names.append(midi.port)
        self.port.clear()
        self.port.addItems(names)
        self.port.setCurrentText(midi.port or NO_PORT)
        waiting = f"{midi.port} is not connected." if midi.port else "Controls move whatever is selected."
        self.state.setText(midi.problem or (f"{midi.port} is connected." if midi.connected else waiting))

    def _show_hub(self) -> None:
        tangent = self._surface.tangent
        blocked = self.tangent.blockSignals(True)
        self.tangent.setChecked(tangent.enabled)
        self.tangent.blockSignals(blocked)
        there = (
            f"connected, {tangent.panels} panel{'s' * (tangent.panels != 1)}" if tangent.connected else "not running"
        )
        self.hub.setText(there if tangent.enabled else "")

    def _choose_port(self, index: int) -> None:
        self._surface.midi.choose(self.port.itemText(index) if index else "")

    def _change_row(self) -> None:
        self._surface.learn("")

    def _learn(self) -> None:
        self._surface.learn("" if self._surface.learning else self.current)

    def _clear(self) -> None:
        self._surface.clear(self.current)

    def _choose_mode(self, index: int) -> None:
        control = self._surface.control_for(self.current)
        if control is not None:
            self._surface.map(self.current, control[0], MODES[index])

    def _filter(self, typed: str) -> None:
        for item in self.items.values():
            item.setHidden(not has_words(typed, item.text(0)))

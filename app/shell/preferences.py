"""Preferences: device, drawing, memory, config, keys and own ops. Every change applies at once and is saved."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from PySide6.QtCore import QSize, Qt
from PySide6.QtGui import QAction, QKeySequence
from PySide6.QtWidgets import (
    QDialog,
    QDoubleSpinBox,
    QFormLayout,
    QHBoxLayout,
    QHeaderView,
    QKeySequenceEdit,
    QLabel,
    QLineEdit,
    QMenu,
    QTreeWidget,
    QTreeWidgetItem,
    QVBoxLayout,
    QWidget,
)

from app.actions.build import KEYS, key_owner, set_keys
from app.canvas.presenting.choice import Presenting
from app.model.search import has_words
from app.panels.config_menus import fill_configs
from app.panels.picker import Picker
from app.render.preview import Preview
from app.services.config_names import CONFIG, Names
from app.services.jobs import Jobs
from app.services.own_ops import OwnOps
from app.services.settings import BACKEND, BUDGET, Settings
from app.services.stills import Stills
from app.shell.colour_rules_page import ColourRulesPage
from app.shell.control_surface import ControlSurface
from app.shell.docks import default_keys
from app.shell.own_ops_page import OwnOpsPage
from app.shell.palette import plain
from app.shell.stills_page import StillsPage
from app.shell.surface_page import SurfacePage
from app.widgets.choice_box import ChoiceBox
from app.widgets.late_pages import LatePages
from app.widgets.showing import push_button
from engine.compute.devices import BackendInfo
from engine.viewing.presenting import DRAWINGS

GIB = 1 << 30
ROW = 20
"""Height of a row in the list of keys, in pixels."""
DRAWING_TIP = "A GPU surface shows frames without copying them to main memory; automatic uses it if a GPU computes"
DEVICE_TIP = "The device that computes the image, and exports that choose none"
_NAME = Qt.ItemDataRole.UserRole


class Preferences(QDialog):
    """The Preferences dialog, with a tab for each group."""

    def __init__(
        self,
        preview: Preview,
        presenting: Presenting,
        names: Callable[[], Names | None],
        backends: Callable[[], list[BackendInfo]],
        settings: Settings,
        jobs: Jobs,
        actions: Mapping[str, QAction],
        parent: QWidget | None = None,
        surface: ControlSurface | None = None,
        stills: Stills | None = None,
        own_ops: OwnOps | None = None,
    ) -> None:
        """`names` returns those in the config in use, None until it is read; `backends`, called on a thread, lists the
        compute devices."""
        super().__init__(parent)
        self.setWindowTitle("Preferences")
        self._preview, self._presenting, self._names = preview, presenting, names
        self._backends, self._settings, self._jobs = backends, settings, jobs
        self.pages = pages = LatePages()
        pages.setAccessibleName("Preferences")
        pages.setDocumentMode(True)
        pages.add("Computing", self._computing)
        pages.add("Colour", self._colour_page)
        self._rules = pages.add("Colour rules", lambda: ColourRulesPage(settings))
        self._keys = pages.add("Keys", lambda: KeysPage(actions, settings))
        if surface is not None:
            pages.add("Control surface", lambda: SurfacePage(surface))
        if stills is not None:
            pages.add("Stills", lambda: StillsPage(stills))
        if own_ops is not None:
            pages.add("Own ops", lambda: OwnOpsPage(own_ops))
        close = push_button("Close", "Close the preferences (Esc); changes are already saved", self.accept)
        column = QVBoxLayout(self)
        column.setContentsMargins(16, 16, 16, 16)
        column.setSpacing(10)
        column.addWidget(pages, 1)
        column.addWidget(close, 0, Qt.AlignmentFlag.AlignRight)
        self.resize(680, 520)

    @property
    def rules(self) -> ColourRulesPage:
        """The page of the colour rules."""
        page = self.pages.page(self._rules)
        assert isinstance(page, ColourRulesPage)
        return page

    @property
    def keys(self) -> KeysPage:
        """The page of the keys."""
        page = self.pages.page(self._keys)
        assert isinstance(page, KeysPage)
        return page

    def _computing(self) -> QWidget:
        self.device = ChoiceBox(("auto",), "Device", DEVICE_TIP)
        self.device.activated.connect(self._take_device)
        self.about = QLabel("Looking for devices…")
        self.about.setObjectName("note")
        self.about.setWordWrap(True)
        self.budget = QDoubleSpinBox()
        self.budget.setRange(0.25, 1024.0)
        self.budget.setDecimals(2)
        self.budget.setSingleStep(0.25)
        self.budget.setSuffix(" GiB")
        self.budget.setFixedWidth(120)
        self.budget.setAlignment(Qt.AlignmentFlag.AlignRight)
        self.budget.setValue(self._preview.budget / GIB)
        self.budget.setKeyboardTracking(False)
        self.budget.setAccessibleName("Memory for an image, in GiB")
        self.budget.setToolTip("Memory that a large image may use, in GiB; a larger budget keeps more tiles ready")
        self.budget.valueChanged.connect(self._take_budget)
        presenting = self._presenting
        self.drawing = ChoiceBox(DRAWINGS, "Draw the image with", DRAWING_TIP)
        self.drawing.setCurrentText(presenting.preference)
        self.drawing.textActivated.connect(presenting.set_preference)
        self.drawn = QLabel()
        self.drawn.setObjectName("note")
        self.drawn.setWordWrap(True)
        form = _form(
            ("&Device", self.device),
            ("", self.about),
            ("D&raw the image with", self.drawing),
            ("", self.drawn),
            ("&Memory for an image", self.budget),
        )
        self._jobs.run(self._backends, self._show_devices, self.about.setText, self)
        self._preview.ready.connect(self._show_ready)
        presenting.changed.connect(self._show_drawing)
        self._show_drawing()
        return form

    def done(self, result: int) -> None:
        self._jobs.drop(self)
        super().done(result)

    def _show_devices(self, found: list[BackendInfo]) -> None:
        chosen = self._preview.backend
        names = ["auto", *(info.name for info in found if info.usable)]
        if chosen not in names:
            names.append(chosen)
        self.device.clear()
        self.device.addItems(names)
        self.device.setCurrentText(chosen)
        lines = [f"{info.name}: {info.device}" if info.usable else f"{info.name}: {info.reason}" for info in found]
        self.about.setText("\n".join(lines))

    def _take_device(self) -> None:
        name = self.device.currentText()
        self._settings.set(BACKEND, name)
        self._preview.set_backend(name)

    def _take_budget(self, gib: float) -> None:
        budget = int(gib * GIB)
        self._settings.set(BUDGET, budget)
        self._preview.set_budget(budget)

    def _show_ready(self, name: str) -> None:
        self.device.setToolTip(f"{DEVICE_TIP}. In use: {name}")

    def _show_drawing(self) -> None:
        self.drawn.setText(f"Drawn by {self._presenting.line}")

    def _colour_page(self) -> QWidget:
        self.config = Picker("Config", "The OpenColorIO config for grades that name none", self._fill_config)
        self._show_config()
        note = QLabel("Tessera starts with the last selected display and view.")
        note.setObjectName("note")
        note.setWordWrap(True)
        return _form(("&Config", self.config), ("", note))

    def _fill_config(self, menu: QMenu) -> None:
        names = self._names()
        builtin = names.builtin if names is not None else {}
        fill_configs(menu, builtin, self._settings.get(CONFIG, ""), self._take_config)

    def _take_config(self, name: str) -> None:
        self._settings.set(CONFIG, name)
        self._show_config()

    def _show_config(self) -> None:
        self.config.show_choice(self._settings.get(CONFIG, "") or "$OCIO, or the newest built-in one")


class KeysPage(QWidget):
    """Lists and edits the keys of every command. Refuses a key that another command uses."""

    def __init__(self, actions: Mapping[str, QAction], settings: Settings) -> None:
        super().__init__()
        self._actions, self._settings = actions, settings
        self.field = QLineEdit()
        self.field.setPlaceholderText("Find a command")
        self.field.setAccessibleName("Find a command")
        self.field.setToolTip("Type words of a command's name to filter the list")
        self.field.textChanged.connect(self._filter)
        self.list = QTreeWidget()
        self.items = {name: QTreeWidgetItem([plain(a), ""]) for name, a in actions.items()}
        self._fill()
        self.edit = QKeySequenceEdit()
        self.edit.setMaximumSequenceLength(1)
        self.edit.setClearButtonEnabled(True)
        self.edit.setAccessibleName("Key of the command")
        self.edit.setToolTip("Press the new key for the command")
        for line in self.edit.findChildren(QLineEdit):
            line.setAccessibleName("Key of the command")
            line.setToolTip(self.edit.toolTip())
        self.edit.editingFinished.connect(self._take)
        self.reset = push_button("Reset", "Restore the default keys of the command", self._reset)
        self.reset_all = push_button("Reset all", "Restore the default keys of all commands", self._reset_all)
        self.note = QLabel("Choose a command, then press a key in the field.")
        self.note.setObjectName("note")
        row = QHBoxLayout()
        for widget in (self.edit, self.reset, self.reset_all):
            row.addWidget(widget, 1 if widget is self.edit else 0)
        column = QVBoxLayout(self)
        column.setContentsMargins(0, 12, 0, 0)
        column.setSpacing(8)
        column.addWidget(self.field)
        column.addWidget(self.list, 1)
        column.addLayout(row)
        column.addWidget(self.note)
        self._show()

    def _fill(self) -> None:
        self.list.setAccessibleName("Commands and their keys")
        self.list.setColumnCount(2)
        self.list.setHeaderLabels(["Command", "Keys"])
        self.list.setRootIsDecorated(False)
        self.list.setUniformRowHeights(True)
        self.list.header().setSectionResizeMode(0, QHeaderView.ResizeMode.Stretch)
        for name, item in self.items.items():
            item.setData(0, _NAME, name)
            item.setSizeHint(0, QSize(0, ROW))
            self.list.addTopLevelItem(item)
        self.list.currentItemChanged.connect(self._show_current)

    @property
    def current(self) -> str:
        """The name of the selected command, or ''."""
        item = self.list.currentItem()
        return str(item.data(0, _NAME)) if item is not None else ""

    def _show(self) -> None:
        native = QKeySequence.SequenceFormat.NativeText
        for name, item in self.items.items():
            item.setText(1, ", ".join(k.toString(native) for k in self._actions[name].shortcuts()))
        self._show_current()

    def _show_current(self) -> None:
        keys = self._actions[self.current].shortcuts() if self.current else []
        self.edit.setEnabled(bool(self.current))
        self.reset.setEnabled(self.current in self._settings.get(KEYS, dict[str, list[str]](), list[str]))
        self.edit.setKeySequence(keys[0] if keys else QKeySequence())

    def _take(self) -> None:
        key = self.edit.keySequence().toString()
        name = self.current
        before = [each.toString() for each in self._actions[name].shortcuts()] if name else []
        if not name or (key == (before[0] if before else "")):
            return
        owner = key_owner(self._actions, key) if key else ""
        if owner and owner != name:
            self.note.setText(f"{key} is used by {plain(self._actions[owner])}; change that key first.")
            self._show_current()
            return
        self._keep(name, [key] if key else [])
        self.note.setText(f"{plain(self._actions[name])} now uses {key or 'no key'}.")

    def _keep(self, name: str, keys: list[str]) -> None:
        set_keys(self._actions[name], keys)
        if keys == list(default_keys().get(name, ())):
            self._settings.remove(KEYS, name)
        else:
            self._settings.put(KEYS, name, keys)
        self._show()

    def _reset(self) -> None:
        name = self.current
        keys = list(default_keys().get(name, ()))
        taken = {key: key_owner(self._actions, key) for key in keys}
        self._keep(name, [key for key in keys if taken[key] in ("", name)])

    def _reset_all(self) -> None:
        for name, keys in default_keys().items():
            set_keys(self._actions[name], keys)
        self._settings.set(KEYS, {})
        self._show()

    def _filter(self, typed: str) -> None:
        for item in self.items.values():
            item.setHidden(not has_words(typed, f"{item.text(0)} {item.text(1)}"))


def _form(*rows: tuple[str, QWidget]) -> QWidget:
    page = QWidget()
    form = QFormLayout(page)
    form.setContentsMargins(12, 16, 12, 12)
    form.setHorizontalSpacing(16)
    form.setVerticalSpacing(10)
    form.setFieldGrowthPolicy(QFormLayout.FieldGrowthPolicy.AllNonFixedFieldsGrow)
    for label, widget in rows:
        form.addRow(label, widget)
    return page

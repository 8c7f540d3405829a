"""The panels around the image: they move, hide, float and tab together, and stay where they were put."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from functools import partial
from importlib import import_module

from PySide6.QtCore import QByteArray, QEvent, QSize, Qt
from PySide6.QtGui import QAction, QKeyEvent, QKeySequence
from PySide6.QtWidgets import (
    QAbstractItemView,
    QAbstractSlider,
    QAbstractSpinBox,
    QApplication,
    QDockWidget,
    QMainWindow,
    QMenu,
    QVBoxLayout,
    QWidget,
)

from app.actions.build import KEYS, show_keys
from app.shell.dock_title import DockTitle
from app.shell.workspace import Workspace
from app.widgets.gestures import Painted, is_command

LAYOUT = "layout"
"""The setting that holds where the docks are."""
VERSION = 1
PAGES = (Qt.Key.Key_PageUp, Qt.Key.Key_PageDown)
PAGED = (Painted, QAbstractSlider, QAbstractSpinBox, QAbstractItemView)
"""Controls that do something with them."""
BOTTOM_SHARE = 0.3
"""Of the window's height, for panels below the image, until somebody drags their edge."""


@dataclass(frozen=True)
class Lazily:
    """Called with the workspace, makes the widget `name` of `module`, which is imported when that is first needed."""

    module: str
    name: str

    def __call__(self, workspace: Workspace) -> QWidget:
        made = getattr(import_module(self.module), self.name)(workspace)
        assert isinstance(made, QWidget)
        return made


@dataclass(frozen=True)
class PanelSpec:
    """A panel: `keys` show and hide it, `area` is left, right or bottom, `shown` whether a new user sees it.

    `make` is called once, when the panel is first seen. Panels of one area are tabs of one dock, but for those of a
    `group`, which stand together beneath.
    """

    name: str
    title: str
    tip: str
    keys: tuple[str, ...]
    area: str
    make: Lazily
    shown: bool = False
    group: str = ""


PANELS: tuple[PanelSpec, ...] = (
    PanelSpec(
        "grade",
        "Grade",
        "The operations of the grade, in the order they are applied",
        ("Ctrl+1",),
        "right",
        Lazily("app.panels.grade_panel", "GradePanel"),
        True,
        "grade",
    ),
    PanelSpec(
        "versions",
        "Versions",
        "Named snapshots of the grade, and two of them as A and B",
        ("Ctrl+2",),
        "right",
        Lazily("app.panels.versions", "VersionsPanel"),
        True,
        "grade",
    ),
    PanelSpec(
        "history",
        "History",
        "Every change of the grade; a click goes there",
        ("Ctrl+3",),
        "right",
        Lazily("app.panels.history", "HistoryPanel"),
        True,
        "grade",
    ),
    PanelSpec(
        "timeline",
        "Timeline",
        "The frames of a sequence: step, scrub and play",
        ("Ctrl+T",),
        "bottom",
        Lazily("app.panels.timeline_panel", "TimelinePanel"),
        group="timeline",
    ),
    PanelSpec(
        "exports",
        "Exports",
        "Exports that run, wait or have ended",
        ("Ctrl+9",),
        "bottom",
        Lazily("app.panels.exports", "ExportsPanel"),
    ),
    PanelSpec(
        "looks",
        "Looks",
        "A wall of LUT and CDL files: the frame under each of them, flipped through at full size",
        ("Ctrl+4",),
        "bottom",
        Lazily("app.panels.look_wall", "LookWall"),
    ),
    PanelSpec(
        "looking",
        "Compare",
        "The image against another, and overlays: false colour, zebra, NaN, negative and clipped pixels",
        ("Ctrl+5",),
        "right",
        Lazily("app.panels.looking_panel", "LookingPanel"),
        True,
        "grade",
    ),
    PanelSpec(
        "scopes",
        "Scopes",
        "Waveform, RGB parade, vectorscope and histogram of source, graded or display values",
        ("Ctrl+6",),
        "bottom",
        Lazily("app.panels.scopes.panel", "ScopesPanel"),
    ),
    PanelSpec(
        "probe",
        "Probe",
        "Values of pixels, of an area and of pinned probes: source, graded and display",
        ("Ctrl+7",),
        "right",
        Lazily("app.panels.probe.panel", "ProbePanel"),
        group="grade",
    ),
    PanelSpec(
        "colour",
        "Colour",
        "The colour spaces of image and grade, and display, view and looks",
        ("Ctrl+8",),
        "right",
        Lazily("app.panels.colour_panel", "ColourPanel"),
        True,
        "grade",
    ),
)

_AREAS = {
    "left": Qt.DockWidgetArea.LeftDockWidgetArea,
    "right": Qt.DockWidgetArea.RightDockWidgetArea,
    "bottom": Qt.DockWidgetArea.BottomDockWidgetArea,
}


class Holder(QWidget):
    """What a panel lies in; it wants to be at least a `share` of the window's height."""

    def __init__(self, share: float) -> None:
        super().__init__()
        self.setObjectName("panel")
        self.setAttribute(Qt.WidgetAttribute.WA_StyledBackground)
        self._share = share

    def sizeHint(self) -> QSize:
        wanted = super().sizeHint()
        return QSize(wanted.width(), max(wanted.height(), round(self._share * self.window().height())))

    def event(self, event: QEvent) -> bool:
        """Page Up and Page Down are of the control that has the keys, if it is one for them, and not of layers."""
        asked = event.type() == QEvent.Type.ShortcutOverride and isinstance(QApplication.focusWidget(), PAGED)
        if asked and isinstance(event, QKeyEvent) and event.key() in PAGES and not is_command(event):
            event.accept()
            return True
        return super().event(event)


class Dock(QDockWidget):
    """A dock that makes its panel when it is first seen."""

    def __init__(self, spec: PanelSpec, workspace: Workspace, window: QMainWindow) -> None:
        super().__init__(spec.title, window)
        self.setObjectName(f"dock_{spec.name}")
        self.setAccessibleName(f"{spec.title} panel")
        self.spec, self._workspace = spec, workspace
        self._made: QWidget | None = None
        self.in_front = False
        self._holder = Holder(BOTTOM_SHARE if spec.area == "bottom" and not spec.group else 0.0)
        self._column = QVBoxLayout(self._holder)
        self._column.setContentsMargins(0, 0, 0, 0)
        self.setWidget(self._holder)
        self.setTitleBarWidget(DockTitle(self, window))
        self.visibilityChanged.connect(self._see)

    @property
    def panel(self) -> QWidget:
        """The panel, made if it is not yet."""
        if self._made is None:
            self._made = self.spec.make(self._workspace)
            policy = self._made.sizePolicy()
            policy.setRetainSizeWhenHidden(True)
            self._made.setSizePolicy(policy)
            self._column.addWidget(self._made)
        return self._made

    def _see(self, visible: bool) -> None:
        """A dock behind another tab counts as visible to Qt: its panel does not, so that it rests."""
        self.in_front = visible
        if visible:
            self.panel.show()
        elif self._made is not None:
            self._made.hide()


class Docks:
    """Every dock of a window, an action for each, and the layout that is remembered."""

    def __init__(self, workspace: Workspace, window: QMainWindow, menu: QMenu) -> None:
        self._workspace, self._window = workspace, window
        window.setDockNestingEnabled(True)
        window.setDockOptions(
            QMainWindow.DockOption.AnimatedDocks
            | QMainWindow.DockOption.AllowNestedDocks
            | QMainWindow.DockOption.AllowTabbedDocks
            | QMainWindow.DockOption.GroupedDragging
        )
        window.setCorner(Qt.Corner.BottomRightCorner, Qt.DockWidgetArea.RightDockWidgetArea)
        window.setTabPosition(Qt.DockWidgetArea.AllDockWidgetAreas, window.tabPosition(_AREAS["left"]).North)
        self.docks = {spec.name: Dock(spec, workspace, window) for spec in PANELS}
        for dock in self.docks.values():
            self._add_action(dock, menu)
        workspace.panel = lambda name: self.docks[name].panel
        workspace.show_panel = self.show
        self.reset()

    def reset(self) -> None:
        """Every panel where a new user finds it."""
        first: dict[tuple[str, str], Dock] = {}
        for dock in self.docks.values():
            dock.hide()  # what is not seen is moved at once
        for dock in self.docks.values():
            spec = dock.spec
            dock.setFloating(False)
            group = (spec.area, spec.group or spec.area)
            above = next((other for (area, _), other in first.items() if area == spec.area), None)
            before = first.setdefault(group, dock)
            if before is not dock:
                self._window.tabifyDockWidget(before, dock)
            elif above is not None:
                self._window.splitDockWidget(above, dock, Qt.Orientation.Vertical)
            else:
                self._window.addDockWidget(_AREAS[spec.area], dock)
            dock.setVisible(spec.shown)
        for dock in first.values():
            if dock.spec.shown:
                dock.raise_()

    def show(self, name: str) -> QWidget:
        """Bring a panel to the front; returns it."""
        dock = self.docks[name]
        dock.show()
        dock.raise_()
        return dock.panel

    def load_modules(self) -> None:
        """Import the modules of all panels, on a thread: then a panel that is first shown waits for none."""
        modules = [dock.spec.make.module for dock in self.docks.values()]
        self._workspace.jobs.run(lambda: [*map(import_module, modules)], lambda _modules: None, self._workspace.tell)

    def save(self) -> None:
        """Remember where the panels are."""
        state = bytes(self._window.saveState(VERSION).data())
        self._workspace.settings.set(LAYOUT, base64.b64encode(state).decode("ascii"))

    def restore(self) -> None:
        """Put the panels where they were; nothing happens if that is not known."""
        state = self._workspace.settings.get(LAYOUT, "")
        if state:
            self._window.restoreState(QByteArray.fromBase64(state.encode("ascii", "replace")), VERSION)

    def _add_action(self, dock: Dock, menu: QMenu) -> None:
        spec = dock.spec
        action = QAction(spec.title, self._window, checkable=True)
        action.setObjectName(f"panel_{spec.name}")
        dock.toggleViewAction().toggled.connect(action.setChecked)
        action.triggered.connect(partial(self._toggle, dock, action))
        keys = self._workspace.settings.get(KEYS, dict[str, list[str]](), list[str]).get(action.objectName(), spec.keys)
        action.setShortcuts([QKeySequence(key) for key in keys])
        show_keys(action, spec.tip)
        self._workspace.actions[action.objectName()] = action
        self._window.addAction(action)
        menu.addAction(action)

    def _toggle(self, dock: Dock, action: QAction, _checked: bool = False) -> None:
        """Bring a panel to the front, or hide the one that is there already."""
        if dock.in_front:
            dock.hide()
        else:
            self.show(dock.spec.name)
        action.setChecked(not dock.isHidden())

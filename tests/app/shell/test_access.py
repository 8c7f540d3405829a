"""Every control can be found, named and reached without a mouse."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractSlider,
    QAbstractSpinBox,
    QComboBox,
    QLineEdit,
    QScrollBar,
    QWidget,
)

from app.actions.table import all_commands
from app.dialogs.export_dialog import ExportDialog
from app.dialogs.look_dialog import LookDialog
from app.panels.op_menu import CURVES, made
from app.services.engine_calls import Services
from app.shell.keys_dialog import KeysDialog
from app.shell.main_window import MainWindow
from app.shell.palette import Palette
from app.widgets.key_mark import KeyDiamond
from engine import Grade
from engine.kernel.op import REGISTRY, Slider, TableKind
from tests.app.conftest import end, make_image, preferences_of, write_cube
from tests.app.fakes import FakeExecutor

CONTROLS = (QAbstractButton, QAbstractSlider, QAbstractSpinBox, QComboBox, QLineEdit)

UNITS = {
    kind.unit for op in REGISTRY.values() for kind in op.kinds().values() if isinstance(kind, Slider) and kind.unit
}
"""Every unit that a slider of an op has."""


def controls(widget: QWidget) -> list[QWidget]:
    """What the user can operate, but for the insides of Qt's own controls."""
    found = [w for kind in CONTROLS for w in widget.findChildren(kind)]
    inner = (QComboBox, QAbstractSpinBox, QLineEdit)
    return [w for w in found if not isinstance(w, QScrollBar) and not isinstance(w.parent(), inner) and ours(w)]


def ours(widget: QWidget) -> bool:
    """Not a part of Qt's, such as the list of a combo box or the arrow that shows what a tool bar has no room for."""
    return (
        not widget.objectName().startswith(("qt_", "Scroll"))
        and widget.window().metaObject().className() != "QComboBoxPrivateContainer"
    )


def every_op() -> Grade:
    """Every op that needs no table of a file."""
    tabled = {op for op in REGISTRY.values() if any(isinstance(k, TableKind) for k in op.kinds().values())}
    return Grade([made(op) for op in REGISTRY.values() if op in CURVES or op not in tabled])


@pytest.fixture(scope="module")
def full(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window with a card for every op and a file, for all the tests."""
    services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor())
    window = MainWindow(services=services)
    window.show()
    image = tmp_path_factory.mktemp("images") / "ramp.exr"
    image.write_bytes(b"made by the fake reader")
    window.files.open_image(image)
    window.document.open_grade(every_op(), None)
    window.panel.open_all()
    window.files.add_looks([write_cube(tmp_path_factory.mktemp("looks") / "half.cube", 0.5)])
    while len(window.panel.cards) <= len(every_op().entries) or not (window.panel.complete and window.canvas.has_frame):
        qapp.processEvents()
    yield window
    end(window)


def dialogs(window: MainWindow) -> list[QWidget]:
    ws, document = window.workspace, window.document
    preferences = preferences_of(window)
    for index in range(preferences.pages.count()):
        preferences.pages.page(index)
    return [
        ExportDialog(document, ws.colour, ws.stage, ws.preview, ws.settings, ws.jobs, window),
        LookDialog(
            lambda: document.grade, ws.files.export_look, ws.colour, ws.stage, ws.jobs, Path("look.clf"), window
        ),
        KeysDialog(ws.actions, window),
        Palette(ws.actions, window),
        preferences,
    ]


def test_every_control_has_a_tooltip_and_a_name(full: MainWindow):
    lacking = [
        f"{type(w).__name__} {w.objectName()} {w.accessibleName()!r}"
        for top in (full, *dialogs(full))
        for w in controls(top)
        if not w.toolTip() or not w.accessibleName()
    ]
    assert lacking == []


def test_every_control_can_be_reached_by_keys(full: MainWindow):
    unreachable = [
        w.accessibleName()
        for top in (full, *dialogs(full))
        for w in controls(top)
        if not w.focusPolicy() & Qt.FocusPolicy.TabFocus
        and w.accessibleName() != "Dismiss message"
        and not isinstance(w, KeyDiamond)  # Alt+K on its control
    ]
    assert unreachable == []


def test_every_slider_tells_its_unit_and_how_to_reset_it(full: MainWindow):
    for track in full.panel.findChildren(QAbstractSlider):
        if not isinstance(track, QScrollBar):
            assert ", no unit." in track.toolTip() or any(f", {unit}." in track.toolTip() for unit in (*UNITS, "%"))
            assert "double click to reset" in track.toolTip()


def test_every_action_has_words_and_the_keys_are_its_own(full: MainWindow):
    taken: dict[str, str] = {}
    for name, action in full.actions_by_name.items():
        assert action.text(), name
        assert action.toolTip() != action.text().replace("&", ""), name
        for key in action.shortcuts():
            assert key.toString(), name
            assert key.toString() not in taken, f"{name} and {taken.get(key.toString())} share {key.toString()}"
            taken[key.toString()] = name


def test_every_action_is_in_a_menu_and_does_something(full: MainWindow):
    assert {a.objectName() for a in in_menus(full.menuBar())} == set(full.actions_by_name)
    assert {command.name for command in all_commands() if command.run is None and command.view is None} == set()


def in_menus(top: Any) -> list[Any]:
    """Every action of a menu bar or menu and of the menus in it."""
    found = []
    for action in top.actions():
        found += in_menus(action.menu()) if action.menu() else [action] if action.objectName() else []
    return found


def test_no_label_is_clipped(full: MainWindow, qtbot: Any):
    from PySide6.QtWidgets import QLabel

    clipped = [
        label.text()
        for label in full.findChildren(QLabel)
        if label.isVisible()
        and label.text()
        and not label.wordWrap()
        and label.sizePolicy().horizontalPolicy().name != "Ignored"
        and label.fontMetrics().horizontalAdvance(label.text().splitlines()[0]) > label.width()
    ]
    assert clipped == []

"""Commands, keys, the palette and preferences."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from app.actions.build import KEYS
from app.actions.table import all_commands
from app.services.engine_calls import Services
from app.shell.keys_dialog import KeysDialog
from app.shell.main_window import MainWindow
from app.shell.palette import Palette
from app.shell.panels import PANELS
from engine import ops
from engine.errors import BackendUnavailable
from tests.app.conftest import end, preferences_of, window_in
from tests.app.fakes import FakeExecutor
from tests.app.hands import CTRL, Key
from tests.typed import expect


def test_every_action_has_a_tip_a_line_in_the_key_sheet_and_a_place_in_the_palette(window: MainWindow, qtbot: Any):
    sheet, palette = KeysDialog(window.actions_by_name, window), Palette(window.actions_by_name, window)
    lines = sheet.lines
    for name, action in window.actions_by_name.items():
        assert action.text().strip("&"), name
        assert action.statusTip() and action.toolTip().startswith(action.statusTip()), name
        keys, what = lines[name]
        assert what == action.statusTip(), name
        assert bool(keys) == bool(action.shortcuts()), name
        assert action in palette.shown or name == "palette", name
    assert {c.name for c in all_commands()} | {f"panel_{p.name}" for p in PANELS} == set(window.actions_by_name)


def test_the_key_sheet_finds(window: MainWindow):
    sheet = KeysDialog(window.actions_by_name, window)
    sheet.field.setText("redo")
    shown = [item.text(0) for _, items in sheet._groups for item in items if not item.isHidden()]
    assert shown == ["Redo"]


def test_the_palette_runs_a_command(opened: MainWindow, qtbot: Any):
    qtbot.keyClick(opened, Key.Key_P, CTRL | Qt.KeyboardModifier.ShiftModifier)
    palette = expect(Palette, opened.findChild(Palette))
    qtbot.keyClicks(palette.field, "green chan")
    assert palette.shown[0].objectName() == "green"
    qtbot.keyClick(palette.field, Key.Key_Down)
    qtbot.keyClick(palette.field, Key.Key_Up)
    qtbot.keyClick(palette.field, Key.Key_Return)
    assert opened.workspace.view.channel == "green"


def test_keys_can_be_changed(kept: MainWindow, tmp_path: Path, qtbot: Any):
    page = preferences_of(kept).keys
    page.list.setCurrentItem(page.items["fit"])
    page.edit.setKeySequence(QKeySequence("R"))
    page.edit.editingFinished.emit()
    assert "is used by Red" in page.note.text()
    page.edit.setKeySequence(QKeySequence("Ctrl+Alt+F"))
    page.edit.editingFinished.emit()
    assert kept.actions_by_name["fit"].shortcuts() == [QKeySequence("Ctrl+Alt+F")]
    assert kept.workspace.settings.get(KEYS, {}) == {"fit": ["Ctrl+Alt+F"]}
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert other.actions_by_name["fit"].shortcuts() == [QKeySequence("Ctrl+Alt+F")]
    page = preferences_of(other).keys
    page.reset_all.click()
    assert other.actions_by_name["fit"].shortcuts() == [QKeySequence("F")]
    end(other)


def test_device_and_memory_are_changed_while_running_and_remembered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    dialog = preferences_of(kept)
    with qtbot.waitSignal(kept.preview.ready):
        dialog.device.addItem("cuda:7")
        dialog.device.setCurrentText("cuda:7")
        dialog.device.activated.emit(dialog.device.currentIndex())
    dialog.budget.setValue(1.5)
    assert kept.preview.budget == 3 << 29
    assert kept.document.grade.entries[0] == ops.Exposure(2.0)
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert (other.preview.backend, other.preview.budget) == ("cuda:7", 3 << 29)
    end(other)


def test_a_device_that_is_gone_since_it_was_chosen_gives_way(tmp_path: Path, qtbot: Any):
    def create(name: str, _threads: int) -> FakeExecutor:
        if name != "auto":
            raise BackendUnavailable(f"{name}: there is no such device")
        return FakeExecutor()

    window = MainWindow("cuda:7", services=Services(create_executor=create))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: "is used instead" in window.bar.text)
    window.close()

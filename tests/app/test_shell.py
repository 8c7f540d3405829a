"""What is around the picture: tabs, sessions, recovery, commands, keys, panels, preferences, changed files."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence

from app import autosave
from app.actions.build import KEYS
from app.actions.file import RECENT_MENU
from app.actions.table import all_commands
from app.docks import PANELS
from app.keys_dialog import KeysDialog
from app.main_window import MainWindow
from app.palette import Palette, match
from app.preferences import Preferences
from app.services import Services
from app.session import Session, load_session, open_session, save_session, session_of
from engine import Grade, load_grade, ops
from engine.errors import BackendUnavailable, UnreadableFile
from tests.app.conftest import make_picture
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key, drop

CTRL = Qt.KeyboardModifier.ControlModifier


def picture(folder: Path, name: str) -> Path:
    path = folder / name
    path.write_bytes(b"made by the fake reader")
    return path


def window_in(folder: Path) -> MainWindow:
    services = Services(
        read_picture=make_picture, create_executor=lambda _name, _threads: FakeExecutor(), backends=list
    )
    window = MainWindow(services=services, folder=folder)
    window.show()
    return window


def end(window: MainWindow) -> None:
    for document in window.workspace.documents:
        document.mark_saved(document.grade, None)
    window.close()


@pytest.fixture
def kept(qtbot: Any, tmp_path: Path) -> Iterator[MainWindow]:
    """A window that remembers, with two pictures; the second has a grade and is shown from close by."""
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.files.open_picture(picture(tmp_path, "one.exr"))
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.files.open_picture(picture(tmp_path, "two.exr"))
    qtbot.waitUntil(lambda: window.document.picture is not None and len(window.workspace.documents) == 2)
    window.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    window.document.edit_entry(0, ops.Exposure(2.0), "exposure again")
    window.canvas.actual_size()
    window.workspace.set_view(channel="red", exposure=0.5)
    yield window
    end(window)


def facts(window: MainWindow) -> list[Any]:
    """What a session must bring back, for each document."""
    found = []
    for document in window.workspace.documents:
        path = document.picture_path.name if document.picture_path else ""
        found.append((path, document.grade, document.steps, document.undo_text, document.view))
    return found


# -- pictures in tabs


def test_each_picture_has_its_own_grade_history_and_view(kept: MainWindow, qtbot: Any):
    assert kept.tabs.isVisible()
    assert [kept.tabs.tabText(n) for n in range(2)] == ["one.exr", "two.exr *"]
    scale = kept.canvas.viewport.scale
    qtbot.keyClick(kept, Key.Key_Tab, CTRL)
    assert kept.document.picture_path.name == "one.exr"
    assert kept.document.steps == 0
    assert not kept.actions_by_name["red"].isChecked()
    assert not kept.actions_by_name["undo"].isEnabled()
    assert kept.canvas.viewport.fitted
    kept.tabs.setCurrentIndex(1)
    assert kept.document.grade.entries[0] == ops.Exposure(2.0)
    assert kept.actions_by_name["red"].isChecked()
    assert kept.canvas.viewport.scale == scale
    assert kept.panel.cards[0].layer.entry == ops.Exposure(2.0)


def test_tabs_move_and_close(kept: MainWindow, qtbot: Any):
    kept.tabs.moveTab(1, 0)
    assert [d.picture_path.name for d in kept.workspace.documents] == ["two.exr", "one.exr"]
    button = kept.tabs.tabButton(1, kept.tabs.ButtonPosition.RightSide)
    qtbot.mouseClick(button, LEFT)
    assert [d.picture_path.name for d in kept.workspace.documents] == ["two.exr"]
    kept.document.mark_saved(kept.document.grade, None)
    kept.actions_by_name["close_tab"].trigger()
    assert [d.picture_path for d in kept.workspace.documents] == [None]
    assert kept.empty.isVisible()
    assert not kept.canvas.has_frame


def test_a_picture_that_can_not_be_read_leaves_no_tab(kept: MainWindow, tmp_path: Path, qtbot: Any):
    kept.files.open_picture(tmp_path / "gone.exr")
    qtbot.waitUntil(lambda: "no such file" in kept.bar.text)
    assert len(kept.workspace.documents) == 2


def test_a_cursor_left_where_a_larger_picture_was_asks_nothing(kept: MainWindow, monkeypatch: pytest.MonkeyPatch):
    asked: list[Any] = []
    monkeypatch.setattr(kept.preview, "probe", lambda *words: asked.append(words[:2]))
    kept.canvas.hovered.emit((5000, 0))
    kept.canvas.hovered.emit((5, 6))
    assert asked == [(5, 6)]


# -- sessions


def test_a_session_is_saved_and_opened(kept: MainWindow, tmp_path: Path, qtbot: Any):
    before, path = facts(kept), tmp_path / "shot.tessera"
    kept.files.save_session(path)
    qtbot.waitUntil(path.exists)
    end(kept)
    other = window_in(tmp_path / "elsewhere")
    qtbot.addWidget(other)
    drop(other.canvas, path)
    qtbot.waitUntil(lambda: other.canvas.has_frame)
    assert facts(other) == before
    assert other.canvas.viewport.scale == 1.0
    other.document.undo()
    assert other.document.grade.entries[0] == ops.Exposure(1.0)
    assert str(path) in other.recent.paths
    end(other)


def test_a_session_finds_pictures_that_moved_with_it(kept: MainWindow, tmp_path: Path):
    save_session(session_of(kept.workspace), tmp_path / "shot.tessera")
    away = tmp_path / "away"
    away.mkdir()
    for name in ("one.exr", "two.exr", "shot.tessera"):
        shutil.move(tmp_path / name, away / name)
    session = load_session(away / "shot.tessera")
    assert [state.picture_path for state in session.documents] == [away / "one.exr", away / "two.exr"]


def test_tables_of_a_session_are_kept_once(kept: MainWindow, tmp_path: Path):
    cube = ops.Lut3d(
        [[[[r * 0.9, g, b] for b in (0, 0.3, 0.7, 1)] for g in (0, 0.2, 0.5, 1)] for r in (0, 0.1, 0.6, 1)]
    )
    curve = ops.Lut1d([(n / 999) ** 1.1 for n in range(1000)])
    for entry in (cube, curve, ops.Exposure(0.1), ops.Exposure(0.2)):
        kept.document.add(entry, "add")
    save_session(session_of(kept.workspace), tmp_path / "shot.tessera")
    text = (tmp_path / "shot.tessera").read_text()
    table = curve.to_json()[next(iter(curve.kinds()))]["float32"]
    assert text.count(table) == 1
    assert load_session(tmp_path / "shot.tessera").documents[1].steps[-1].grade == kept.document.grade


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "is not JSON"),
        ("[]", "not a Tessera session"),
        ('{"tessera": "session", "version": 99}', "newer"),
        ('{"tessera": "session", "version": 1, "documents": [{"picture": {"pool": "x"}}]}', "is damaged"),
        ('{"tessera": "session", "version": 1, "current": 0, "documents": [3]}', "is damaged"),
    ],
)
def test_a_damaged_session_is_one_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "shot.tessera"
    path.write_text(text)
    with pytest.raises(UnreadableFile, match=said):
        load_session(path)


def test_what_a_crash_left_is_back(kept: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    assert kept.autosave is not None
    written = kept.autosave.folder / autosave.SESSION
    qtbot.waitUntil(lambda: written.exists() and "exposure again" in written.read_text())
    crashed, before = tmp_path / "after", facts(kept)
    shutil.copytree(tmp_path / "config", crashed)  # as a program that was killed leaves it
    for folder in (crashed / "recovery").iterdir():
        folder.rename(folder.with_name("1-1"))
    other = window_in(crashed)
    qtbot.addWidget(other)
    qtbot.waitUntil(lambda: "what was open is back" in other.bar.text)
    qtbot.waitUntil(lambda: other.canvas.has_frame)
    assert facts(other) == before
    assert other.document.modified
    mine = other.autosave
    qtbot.waitUntil(lambda: mine is not None and (mine.folder / autosave.SESSION).exists())
    qtbot.waitUntil(lambda: not (crashed / "recovery" / "1-1").exists())
    end(other)
    assert list((crashed / "recovery").iterdir()) == []
    assert [d.picture_path.name for d in load_session(crashed / autosave.LAST).documents] == ["one.exr", "two.exr"]


def test_sessions_of_running_windows_and_of_those_that_crash_again_are_left_alone(tmp_path: Path):
    home = tmp_path / "recovery"
    for name in ("1-1", f"{autosave.os.getpid()}-{autosave._started(autosave.os.getpid())}"):
        (home / name).mkdir(parents=True)
        (home / name / autosave.SESSION).write_text('{"tessera":"session","version":1,"current":0,"documents":[]}')
    (found,) = autosave.crashed(tmp_path)
    assert (found.folder.name, found.tries) == ("1-1", 0)
    for _ in range(autosave.TRIES):
        autosave.note_try(autosave.crashed(tmp_path)[0])
    assert autosave.crashed(tmp_path)[0].tries == autosave.TRIES


def test_a_folder_that_can_not_be_written_is_told_once(tmp_path: Path, qtbot: Any):
    (tmp_path / "config").write_text("a file where the folder should be")
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    qtbot.waitUntil(lambda: "can't be kept for recovery" in window.bar.text)
    window.bar.hide()
    window.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    qtbot.wait(1300)
    assert window.bar.text == ""
    end(window)


def test_the_last_session_can_be_opened(kept: MainWindow, tmp_path: Path, qtbot: Any):
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert not other.bar.text
    other.actions_by_name["last_session"].trigger()
    qtbot.waitUntil(lambda: len(other.workspace.documents) == 2)
    end(other)


# -- files


def test_recent_files_are_offered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    assert [Path(name).name for name in kept.recent.paths] == ["two.exr", "one.exr"]
    kept.actions_by_name["previous_tab"].trigger()
    menu = kept.menus.menu(RECENT_MENU)
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert kept.document.picture_path == tmp_path / "two.exr"
    menu.actions()[-1].trigger()
    assert kept.recent.paths == []


def test_a_picture_that_changes_on_disk_is_read_again(kept: MainWindow, tmp_path: Path, qtbot: Any):
    qtbot.waitUntil(lambda: tmp_path / "two.exr" in kept.watching._known)
    old = kept.document.picture
    (tmp_path / "new.exr").write_bytes(b"another picture")
    (tmp_path / "new.exr").replace(tmp_path / "two.exr")
    qtbot.waitUntil(lambda: kept.document.picture is not old)
    assert kept.document.steps == 2
    assert "changed on disk" in kept.status.left.whole or "half" in kept.status.left.whole


# -- commands and keys


def test_every_action_has_a_tip_a_line_in_the_key_sheet_and_a_place_in_the_palette(window: MainWindow, qtbot: Any):
    sheet, palette = KeysDialog(window.workspace, window), Palette(window.workspace, window)
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
    sheet = KeysDialog(window.workspace, window)
    sheet.field.setText("redo")
    shown = [item.text(0) for _, items in sheet._groups for item in items if not item.isHidden()]
    assert shown == ["Redo"]


def test_the_palette_runs_a_command(opened: MainWindow, qtbot: Any):
    qtbot.keyClick(opened, Key.Key_P, CTRL | Qt.KeyboardModifier.ShiftModifier)
    palette = opened.findChild(Palette)
    qtbot.keyClicks(palette.field, "green chan")
    assert palette.shown[0].objectName() == "green"
    qtbot.keyClick(palette.field, Key.Key_Down)
    qtbot.keyClick(palette.field, Key.Key_Up)
    qtbot.keyClick(palette.field, Key.Key_Return)
    assert opened.workspace.view.channel == "green"
    assert match("scr full", "Full screen") is not None
    assert match("xyz", "Full screen") is None


def test_keys_can_be_changed(kept: MainWindow, tmp_path: Path, qtbot: Any):
    page = Preferences(kept.workspace, kept).keys
    page.list.setCurrentItem(page.items["fit"])
    page.edit.setKeySequence(QKeySequence("R"))
    page.edit.editingFinished.emit()
    assert "belongs to Red" in page.told.text()
    page.edit.setKeySequence(QKeySequence("Ctrl+Alt+F"))
    page.edit.editingFinished.emit()
    assert kept.actions_by_name["fit"].shortcuts() == [QKeySequence("Ctrl+Alt+F")]
    assert kept.workspace.settings.get(KEYS, {}) == {"fit": ["Ctrl+Alt+F"]}
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert other.actions_by_name["fit"].shortcuts() == [QKeySequence("Ctrl+Alt+F")]
    page = Preferences(other.workspace, other).keys
    page.reset_all.click()
    assert other.actions_by_name["fit"].shortcuts() == [QKeySequence("F")]
    end(other)


def test_device_and_memory_are_changed_while_running_and_remembered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    dialog = Preferences(kept.workspace, kept)
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
    assert (other.workspace.backend, other.preview.budget) == ("cuda:7", 3 << 29)
    end(other)


def test_a_device_that_is_gone_since_it_was_chosen_gives_way(tmp_path: Path, qtbot: Any):
    def create(name: str, _threads: int) -> FakeExecutor:
        if name != "auto":
            raise BackendUnavailable(f"{name}: there is no such device")
        return FakeExecutor()

    window = MainWindow("cuda:7", services=Services(create_executor=create))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: "computes instead" in window.bar.text)
    window.close()


# -- the window


def test_panels_are_shown_hidden_and_remembered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    grade, exports = kept.docks.docks["grade"], kept.docks.docks["exports"]
    kept.actions_by_name["panel_exports"].trigger()
    kept.actions_by_name["panel_grade"].trigger()
    assert exports.isVisible() and not grade.isVisible()
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    qtbot.waitExposed(other)
    assert other.docks.docks["exports"].isVisible() and not other.docks.docks["grade"].isVisible()
    other.actions_by_name["reset_layout"].trigger()
    assert not other.docks.docks["exports"].isVisible() and other.docks.docks["grade"].isVisible()
    end(other)


def test_the_picture_alone_and_full_screen(opened: MainWindow, qtbot: Any):
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_Tab)
    assert not opened.toolbar.isVisible() and not opened.docks.docks["grade"].isVisible()
    opened.actions_by_name["full_screen"].trigger()
    assert opened.isFullScreen() and not opened.menuBar().isVisible()
    qtbot.keyClick(opened.canvas, Key.Key_Tab)
    assert opened.toolbar.isVisible() and opened.docks.docks["grade"].isVisible()
    opened.actions_by_name["full_screen"].trigger()
    assert not opened.isFullScreen() and opened.menuBar().isVisible()


def test_panes_by_key(opened: MainWindow, qtbot: Any):
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_F6)
    assert opened.docks.docks["grade"].isAncestorOf(opened.focusWidget())
    qtbot.keyClick(opened, Key.Key_F6, Qt.KeyboardModifier.ShiftModifier)
    assert opened.focusWidget() is opened.canvas


def test_settings_outlive_a_damaged_file(tmp_path: Path, qtbot: Any):
    (tmp_path / "settings.json").write_text("{")
    window = window_in(tmp_path)
    qtbot.addWidget(window)
    window.workspace.settings.set("anything", 3)
    end(window)
    other = window_in(tmp_path)
    qtbot.addWidget(other)
    assert other.workspace.settings.get("anything", 0) == 3
    assert other.workspace.settings.get("anything", "text") == "text"
    end(other)


# -- colour


def test_input_space_display_and_view(opened: MainWindow, qtbot: Any):
    panel: Any = opened.workspace.show_panel("colour")
    assert panel.pickers["Input"].whole == "Unknown"
    assert not panel.pickers["View"].isEnabled()
    opened.workspace.colour.edit("input space", input="ACEScg")
    qtbot.waitUntil(lambda: opened.document.managed.input == "ACEScg" and opened.workspace.colour.names is not None)
    assert opened.document.undo_text == "input space"
    menu = panel.pickers["View"].menu()
    menu.aboutToShow.emit()
    names = [action.text() for action in menu.actions()]
    assert panel.pickers["View"].whole == names[0]
    menu.actions()[1].trigger()
    assert opened.workspace.view.view == names[1]
    assert opened.toolbar.view_picker.whole == names[1]
    menu = panel.pickers["Input"].menu()
    menu.aboutToShow.emit()
    inner = next(action.menu() for action in menu.actions() if action.menu() is not None)
    inner.aboutToShow.emit()
    inner.actions()[0].trigger()
    assert opened.document.grade.colour.input == inner.actions()[0].text()
    opened.document.undo()
    opened.document.undo()
    qtbot.waitUntil(lambda: not opened.document.managed.converts)


def test_a_config_can_be_dropped(opened: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "show.ocio"
    path.write_text(
        "ocio_profile_version: 2\nroles: {scene_linear: lin, default: lin}\n"
        "displays:\n  Screen:\n    - !<View> {name: Plain, colorspace: lin}\n"
        "colorspaces:\n  - !<ColorSpace>\n    name: lin\n"
    )
    drop(opened.canvas, path)
    opened.workspace.colour.want_names()
    qtbot.waitUntil(lambda: opened.workspace.colour.names is not None)
    assert list(opened.workspace.colour.names.displays) == ["Screen"]
    assert opened.document.undo_text == "config"


def test_a_resize_in_the_grade_is_said(opened: MainWindow, qtbot: Any):
    opened.document.add(ops.Resize(64, 32), "resize")
    assert "exported as 64 × 32" in opened.status.left.whole
    opened.document.undo()
    assert "exported" not in opened.status.left.whole


def test_a_space_that_is_not_there_is_told(opened: MainWindow, qtbot: Any):
    opened.workspace.colour.edit("input space", input="nonsense")
    qtbot.waitUntil(lambda: "nonsense" in opened.bar.text)


def test_viewer_exposure_and_gamma_reach_no_grade(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.workspace.set_view(exposure=2.0, gamma=1.5)
    assert not opened.document.modified
    opened.files.save_grade(tmp_path / "look.json")
    qtbot.waitUntil((tmp_path / "look.json").exists)
    assert load_grade(tmp_path / "look.json") == opened.document.grade
    opened.actions_by_name["view_reset"].trigger()
    assert (opened.workspace.view.exposure, opened.workspace.view.gamma) == (0.0, 1.0)


def test_an_empty_session_changes_nothing(window: MainWindow):
    open_session(window.workspace, Session(()))
    assert [document.grade for document in window.workspace.documents] == [window.document.grade]
    assert isinstance(window.document.grade, Grade)

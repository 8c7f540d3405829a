"""The place of the window is remembered for each set-up of screens."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QRect, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QMainWindow

from app.services.jobs import Jobs
from app.services.settings import Settings
from app.shell.window_geometry import SETTING, WindowGeometry, on_screen, set_up
from tests.app.conftest import end, window_in


@pytest.fixture
def settings(qapp: Any) -> Settings:
    return Settings(None, Jobs())


def restored(settings: Settings) -> QMainWindow:
    window = QMainWindow()
    window.resize(300, 200)
    WindowGeometry(window, settings).restore()
    return window


def test_a_window_opens_where_it_was_closed(settings: Settings, qtbot: Any):
    before = QMainWindow()
    qtbot.addWidget(before)
    before.setGeometry(120, 90, 400, 300)
    WindowGeometry(before, settings).save()
    assert restored(settings).geometry() == QRect(120, 90, 400, 300)
    before.setWindowState(Qt.WindowState.WindowMaximized)
    WindowGeometry(before, settings).save()
    assert restored(settings).isMaximized()


def test_full_screen_is_not_restored_but_the_size_under_it_is(settings: Settings, qtbot: Any):
    before = QMainWindow()
    qtbot.addWidget(before)
    before.setGeometry(120, 90, 400, 300)
    before.show()
    before.setWindowState(Qt.WindowState.WindowFullScreen)
    WindowGeometry(before, settings).save()
    after = restored(settings)
    assert not after.isFullScreen() and not after.isMaximized()
    assert after.geometry() == QRect(120, 90, 400, 300)


def test_a_set_up_of_screens_has_a_place_of_its_own(settings: Settings, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    at_home = {"screen": "", "geometry": [40, 30, 500, 400], "maximised": False}
    settings.set(SETTING, {"another screen": at_home})
    assert restored(settings).size().toTuple() == (300, 200)
    settings.put(SETTING, set_up(), at_home)
    assert restored(settings).geometry() == QRect(40, 30, 500, 400)


@pytest.mark.parametrize("geometry", [[5000, 5000, 400, 300], [-350, -250, 400, 300], [0, 0, 90000, 90000]])
def test_a_window_is_never_restored_off_the_screen(settings: Settings, geometry: list[int], qtbot: Any):
    settings.put(SETTING, set_up(), {"screen": "gone", "geometry": geometry, "maximised": False})
    assert QGuiApplication.primaryScreen().availableGeometry().contains(restored(settings).geometry())
    screen = QGuiApplication.primaryScreen()
    whole = screen.availableGeometry()
    assert on_screen(whole, screen) == whole


@pytest.mark.parametrize("damaged", [{}, {"geometry": "wide"}, {"geometry": [1, 2, 3]}, {"geometry": [0, 0, -5, True]}])
def test_damaged_settings_leave_the_size_as_it_is(settings: Settings, damaged: Any, qtbot: Any):
    settings.put(SETTING, set_up(), damaged)
    assert restored(settings).size().toTuple() == (300, 200)


def test_the_main_window_remembers_its_place(tmp_path: Path, qtbot: Any):
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.setMinimumSize(200, 200)
    window.setGeometry(30, 20, 700, 600)
    end(window)
    place = window.workspace.settings.get(SETTING, dict[str, Any]())[set_up()]
    assert place["geometry"] == [30, 20, 700, 600] and place["maximised"] is False
    settings = tmp_path / "config" / "settings.json"
    settings.write_text(settings.read_text().replace('"maximised": false', '"maximised": true'))
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert other.isMaximized() and other.normalGeometry().topLeft().toTuple() == (30, 20)
    end(other)

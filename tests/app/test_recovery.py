"""The recovery of several windows, of one process or of several."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import Any

from app import autosave
from app.main_window import MainWindow
from tests.app.conftest import end, picture, window_in


def test_two_windows_of_a_process_are_recovered_both(kept: MainWindow, tmp_path: Path, qtbot: Any):
    home = tmp_path / "config"
    other = window_in(home)
    qtbot.addWidget(other)
    other.files.open_picture(picture(tmp_path, "three.exr"))
    windows = (kept, other)
    qtbot.waitUntil(lambda: all((window.autosave.folder / autosave.SESSION).exists() for window in windows))
    for number, window in enumerate(windows):
        qtbot.waitUntil(lambda window=window: not window.autosave._writing)
        shutil.copytree(window.autosave.folder, tmp_path / "after" / "recovery" / f"1-1-{number}")
    found = [each.session for each in autosave.crashed(tmp_path / "after")]
    names = [[state.picture_path.name for state in session.documents] for session in found]
    assert sorted(names) == [["one.exr", "two.exr"], ["three.exr"]]
    end(other)
    assert (kept.autosave.folder / autosave.SESSION).exists()


def test_a_crashed_session_is_recovered_by_one_window(tmp_path: Path):
    folder = tmp_path / "recovery" / "1-1-1"
    folder.mkdir(parents=True)
    (folder / autosave.SESSION).write_text('{"tessera":"session","version":1,"current":0,"documents":[]}')
    mine = tmp_path / "recovery" / f"{autosave.os.getpid()}-{autosave._started(autosave.os.getpid())}-1"
    (found,) = autosave.crashed(tmp_path)
    assert autosave.claim(found, mine)
    assert not autosave.claim(found, tmp_path / "recovery" / "9-9-1")  # another window that found it as well
    assert autosave.crashed(tmp_path) == []
    shutil.rmtree(folder)
    assert not autosave.claim(found, mine)  # it was taken over meanwhile


def test_what_a_killed_process_left_half_removed_is_swept(tmp_path: Path):
    home = tmp_path / "recovery"
    live = home / f"{autosave.os.getpid()}-{autosave._started(autosave.os.getpid())}-1"
    for folder in (home / "1-1-1", live):
        folder.mkdir(parents=True)
        (folder / "text.txt").write_text("of a pool")
    assert autosave.crashed(tmp_path) == []
    assert [folder.name for folder in home.iterdir()] == [live.name]

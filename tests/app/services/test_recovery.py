"""The recovery of what was open when a program ended without closing: one window, several, or several processes."""

from __future__ import annotations

import json
import os
import shutil
import threading
from pathlib import Path
from typing import Any

import pytest

from app.model import session
from app.model.session import Session, load_session
from app.services import autosave
from app.services.autosave import Autosave
from app.shell.main_window import MainWindow
from engine import ops
from engine.core.atomic import write_text
from tests.app.conftest import end, facts, image, window_in
from tests.typed import expect


def is_written(saving: Autosave, last: str) -> bool:
    """Whether a session is there that includes `last`, and no other is being written.

    Where images take long to open, an earlier session lacks some of them.
    """
    path = saving.folder / autosave.SESSION
    return path.exists() and last in path.read_text() and not saving._writing


def test_what_a_crash_left_is_back(kept: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    saving = expect(Autosave, kept.autosave)
    qtbot.waitUntil(lambda: is_written(saving, "exposure again"))
    crashed, before = tmp_path / "after", facts(kept)
    shutil.copytree(tmp_path / "config", crashed)  # as a program that was killed leaves it
    for folder in (crashed / "recovery").iterdir():
        folder.rename(folder.with_name("1-1"))
    other = window_in(crashed)
    qtbot.addWidget(other)
    qtbot.waitUntil(lambda: "its session is restored" in other.bar.text)
    qtbot.waitUntil(lambda: other.canvas.has_frame)
    assert facts(other) == before
    assert other.document.modified
    mine = other.autosave
    qtbot.waitUntil(lambda: mine is not None and (mine.folder / autosave.SESSION).exists())
    qtbot.waitUntil(lambda: not (crashed / "recovery" / "1-1").exists())
    end(other)
    assert list((crashed / "recovery").iterdir()) == []
    assert [expect(Path, d.image_path).name for d in load_session(crashed / autosave.LAST).documents] == [
        "one.exr",
        "two.exr",
    ]


def test_an_older_snapshot_leaves_a_recovered_session_alone(
    kept: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    mine = expect(Autosave, kept.autosave)
    qtbot.waitUntil(lambda: is_written(mine, "exposure again"))
    crashed = tmp_path / "config" / "recovery" / "1-1"
    shutil.copytree(mine.folder, crashed)
    begun, hold, write = threading.Event(), threading.Event(), write_text

    def slow(path: Path, text: str) -> None:
        begun.set()
        hold.wait(20.0)
        write(path, text)

    monkeypatch.setattr(autosave, "write_text", slow)
    kept.document.edit_entry(0, ops.Exposure(3.0), "exposure")
    mine._save()  # a snapshot before the recovered documents are there
    assert begun.wait(20.0)
    (found,) = autosave.crashed(tmp_path / "config")
    kept.workspace.open_documents.open_session(found.session)
    mine.take_over([found.folder])
    hold.set()
    qtbot.waitUntil(lambda: "3.0" in (mine.folder / autosave.SESSION).read_text())
    written = json.loads((mine.folder / autosave.SESSION).read_text())
    assert crashed.exists() or len(written["documents"]) == 4
    qtbot.waitUntil(lambda: not crashed.exists())
    written = json.loads((mine.folder / autosave.SESSION).read_text())
    assert len(written["documents"]) == 4 and written["recovered"] == ["1-1"]


def test_a_folder_that_was_taken_over_is_not_recovered_twice(tmp_path: Path):
    home = tmp_path / "recovery"
    session = '{"tessera":"session","version":1,"current":0,"documents":[],"recovered":%s}'
    for name, taken in (("1-1", "[]"), ("2-2", '["1-1"]'), ("3-3", "3")):
        (home / name).mkdir(parents=True)
        (home / name / autosave.SESSION).write_text(session % taken)
    assert {found.folder.name for found in autosave.crashed(tmp_path)} == {"2-2", "3-3"}


def test_closing_takes_what_was_recovered_along(kept: MainWindow, tmp_path: Path, qtbot: Any):
    mine = kept.autosave
    assert mine is not None
    qtbot.waitUntil(lambda: (mine.folder / autosave.SESSION).exists())
    crashed = tmp_path / "config" / "recovery" / "1-1"
    shutil.copytree(mine.folder, crashed)
    mine.take_over([crashed])
    end(kept)
    assert not crashed.exists()


def test_sessions_of_running_windows_and_of_those_that_crash_again_are_left_alone(tmp_path: Path):
    home = tmp_path / "recovery"
    for name in ("1-1", f"{os.getpid()}-{autosave._started(os.getpid())}"):
        (home / name).mkdir(parents=True)
        (home / name / autosave.SESSION).write_text('{"tessera":"session","version":1,"current":0,"documents":[]}')
    (found,) = autosave.crashed(tmp_path)
    assert (found.folder.name, found.tries) == ("1-1", 0)
    for _ in range(autosave.TRIES):
        assert autosave.claim(autosave.crashed(tmp_path)[0], tmp_path / "9-9-1")
    assert autosave.crashed(tmp_path)[0].tries == autosave.TRIES


def test_a_folder_that_can_not_be_written_is_reported_once(tmp_path: Path, qtbot: Any):
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


@pytest.mark.parametrize("text", ["[" * 100_000, '{"a":' * 900 + "1" + "}" * 900, "null", '{"tessera": 1}', "\udcff"])
def test_damaged_files_of_a_crash_stop_no_start(text: str, tmp_path: Path):
    sound, damaged = tmp_path / "recovery" / "1-1", tmp_path / "recovery" / "1-2"
    for folder in (sound, damaged):
        folder.mkdir(parents=True)
    saved = session.to_json(Session(()), lambda _name, _text: None)
    (sound / autosave.SESSION).write_text(json.dumps(saved | {autosave.RECOVERED: 5}))
    (damaged / autosave.SESSION).write_bytes(text.encode("utf-8", "surrogateescape"))
    assert [each.folder for each in autosave.crashed(tmp_path)] == [sound]


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="the system has no named pipes")
def test_a_pipe_among_the_files_of_a_crash_is_not_waited_for(kept: MainWindow, tmp_path: Path):
    folder = tmp_path / "recovery" / "1-1"
    folder.mkdir(parents=True)
    os.mkfifo(folder / "pipe.txt")
    saved = session.to_json(kept.workspace.open_documents.session(), lambda _name, _text: None)
    saved["documents"][0]["steps"][0]["text"] = {"pool": "pipe"}
    (folder / autosave.SESSION).write_text(json.dumps(saved))
    assert autosave.crashed(tmp_path) == []


def test_two_windows_of_a_process_are_recovered_both(kept: MainWindow, tmp_path: Path, qtbot: Any):
    home = tmp_path / "config"
    other = window_in(home)
    qtbot.addWidget(other)
    other.files.open_image(image(tmp_path, "three.exr"))
    saving = [expect(Autosave, window.autosave) for window in (kept, other)]
    for number, (each, last) in enumerate(zip(saving, ("exposure again", "three.exr"), strict=True)):
        qtbot.waitUntil(lambda each=each, last=last: is_written(each, last))
        shutil.copytree(each.folder, tmp_path / "after" / "recovery" / f"1-1-{number}")
    found = [each.session for each in autosave.crashed(tmp_path / "after")]
    names = [[expect(Path, state.image_path).name for state in session.documents] for session in found]
    assert sorted(names) == [["one.exr", "two.exr"], ["three.exr"]]
    end(other)
    assert (saving[0].folder / autosave.SESSION).exists()


def test_a_crashed_session_is_recovered_by_one_window(tmp_path: Path):
    folder = tmp_path / "recovery" / "1-1-1"
    folder.mkdir(parents=True)
    (folder / autosave.SESSION).write_text('{"tessera":"session","version":1,"current":0,"documents":[]}')
    mine = tmp_path / "recovery" / f"{os.getpid()}-{autosave._started(os.getpid())}-1"
    (found,) = autosave.crashed(tmp_path)
    assert autosave.claim(found, mine)
    assert not autosave.claim(found, tmp_path / "recovery" / "9-9-1")  # another window that found it as well
    assert autosave.crashed(tmp_path) == []
    shutil.rmtree(folder)
    assert not autosave.claim(found, mine)  # it was taken over meanwhile


def test_sessions_of_other_machines_are_left_alone(tmp_path: Path):
    """A home folder may be shared, and only its own machine knows whether a process runs."""
    home = tmp_path / "recovery"
    for name in ("1-1-1-00000000", f"1-1-2-{autosave._machine()}"):
        (home / name).mkdir(parents=True)
        (home / name / autosave.SESSION).write_text('{"tessera":"session","version":1,"current":0,"documents":[]}')
    (home / "1-1-3-00000000").mkdir()
    (found,) = autosave.crashed(tmp_path)
    assert found.folder.name == f"1-1-2-{autosave._machine()}"
    assert len(list(home.iterdir())) == 3


def test_what_a_killed_process_left_half_removed_is_swept(tmp_path: Path):
    home = tmp_path / "recovery"
    live = home / f"{os.getpid()}-{autosave._started(os.getpid())}-1"
    for folder in (home / "1-1-1", live):
        folder.mkdir(parents=True)
        (folder / "text.txt").write_text("of a pool")
    assert autosave.crashed(tmp_path) == []
    assert [folder.name for folder in home.iterdir()] == [live.name]

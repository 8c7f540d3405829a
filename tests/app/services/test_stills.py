"""The folder of stills: what is listed, renamed, noted and deleted, by one window and by others."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from app.model.session import load_session
from app.model.still import still_name
from app.services.still_files import DELETED, free_path, read_still, read_stills
from app.services.stills import FOLDER, Stills
from app.shell.main_window import MainWindow
from engine.errors import WriteFailed
from engine.export.stills import write_note
from tests.app.conftest import end, window_in
from tests.app.stills import DARK, WARM, write_still


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "my stills"
    made.mkdir()
    write_still(made / "night.exr", "1", WARM, 5, "too blue")
    write_still(made / "day.exr", "2", DARK, 9)
    (made / "no still.exr").write_bytes(b"nothing")
    return made


@pytest.fixture
def shared(tmp_path: Path, folder: Path, qtbot: Any) -> Iterator[Callable[[str], MainWindow]]:
    """Windows of their own settings with the same folder of stills."""
    windows = []

    def open_one(name: str) -> MainWindow:
        window = window_in(tmp_path / name)
        windows.append(window)
        qtbot.addWidget(window)
        window.workspace.settings.set(FOLDER, str(folder))
        window.workspace.stills.watch()
        qtbot.waitUntil(lambda: window.workspace.stills.known and len(window.workspace.stills.items) >= 2)
        return window

    yield open_one
    for window in windows:
        end(window)


@pytest.fixture
def stills(shared: Callable[[str], MainWindow]) -> Stills:
    return shared("settings").workspace.stills


def names(stills: Stills) -> list[str]:
    return [still.name for still in stills.items]


def deleted(folder: Path) -> list[str]:
    return sorted(path.name for path in (folder / DELETED).iterdir())


def test_stills_are_listed_noted_and_renamed(stills: Stills, folder: Path, qtbot: Any) -> None:
    assert names(stills) == ["day", "night"] and stills.of_session == ()
    day, night = stills.items
    assert (day.grade, night.note, night.about) == (DARK, "too blue", "night.exr · frame 1001 · 23 Nov 2026, 14:05")
    assert night.matches("blue NIGHT") and night.matches("23 nov") and not night.matches("blue day")
    a_note_is_kept_in_the_header(stills, folder, qtbot)
    a_still_is_renamed_and_never_replaces_another(stills, folder, qtbot)


def a_still_is_renamed_and_never_replaces_another(stills: Stills, folder: Path, qtbot: Any) -> None:
    warned = []
    stills._messages.warned.connect(lambda each: warned.append(each.text))
    stills.rename(stills.items[0], "night")
    qtbot.waitUntil(lambda: bool(warned))
    assert warned[0].endswith("night.exr: already exists; choose another name") and names(stills) == ["day", "night"]
    stills.rename(stills.items[0], "a/b")
    qtbot.waitUntil(lambda: len(warned) == 2)
    assert warned[1].startswith("'a/b' is not a valid name of a still")
    stills.select(["2"])
    stills.rename(stills.items[0], "noon, later")
    qtbot.waitUntil(lambda: names(stills) == ["noon, later", "night"])
    assert stills.current is not None and stills.current.path == folder / "noon, later.exr"
    assert not (folder / "day.exr").exists() and stills.current.grade == DARK


def a_note_is_kept_in_the_header(stills: Stills, folder: Path, qtbot: Any) -> None:
    stills.set_note(stills.items[0], "for the client")
    qtbot.waitUntil(lambda: stills.items[0].note == "for the client")
    again = read_still(folder / "day.exr")
    assert again is not None and (again.note, again.grade) == ("for the client", DARK)


def test_deleted_stills_can_be_restored(stills: Stills, folder: Path, qtbot: Any) -> None:
    offers = []
    stills._messages.offered.connect(lambda *offer: offers.append(offer))
    stills.delete(stills.items)
    qtbot.waitUntil(lambda: bool(offers))
    assert names(stills) == [] and deleted(folder) == ["day.exr", "night.exr"]
    write_still(folder / "day.exr", "3", DARK)  # its name is taken meanwhile
    line, label, undo = offers[0]
    assert (line, label) == ("Deleted 2 stills.", "Undo")
    undo()
    qtbot.waitUntil(lambda: {"dayb", "night"} <= set(names(stills)))
    assert stills.find("2") is not None and deleted(folder) == []


def test_what_others_do_in_the_folder_is_followed(stills: Stills, folder: Path, qtbot: Any) -> None:
    new = write_still(folder / "new.exr", "3", WARM, 30)
    qtbot.waitUntil(lambda: names(stills)[:1] == ["new"])
    write_note(new, "seen")
    qtbot.waitUntil(lambda: stills.items[0].note == "seen")
    new.rename(folder / "newer.exr")
    qtbot.waitUntil(lambda: names(stills)[:1] == ["newer"])


def test_a_session_remembers_its_stills(
    shared: Callable[[str], MainWindow], image_file: Path, tmp_path: Path, qtbot: Any
) -> None:
    window, file = shared("settings"), tmp_path / "mine.tessera"
    ws = window.workspace
    window.files.open_image(image_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.files.save_session(file)
    qtbot.waitUntil(lambda: ws.session.path == file)
    ws.stills.join(ws.stills.items[:1])
    assert [still.id for still in ws.stills.of_session] == ["2"] and ws.session.modified
    assert ws.session.changes == ["which stills belong to it"]
    window.files.save_session(file)
    qtbot.waitUntil(lambda: not ws.session.modified)
    assert load_session(file).stills == ("2",)
    ws.stills.leave(ws.stills.items)
    assert ws.stills.of_session == () and len(ws.stills.items) == 2
    window.files.open_session(file)
    qtbot.waitUntil(lambda: len(ws.stills.of_session) == 1)


def test_names_of_new_stills_are_free(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    taken = datetime(2026, 11, 23, 14, 3, 55)
    assert still_name("shot", "1001", taken) == "shot.1001.20261123-140355"
    monkeypatch.setenv("TESSERA_DATA", str(tmp_path / "data"))
    first = free_path(tmp_path / "data" / "stills", "shot", "", taken)
    assert first == tmp_path / "data" / "stills" / "shot.20261123-140355.exr" and first.parent.is_dir()
    first.with_name(first.name.upper()).write_bytes(b"")
    assert free_path(first.parent, "shot", "", taken).name == "shot.20261123-140355b.exr"
    with pytest.raises(WriteFailed, match="folder of stills does not exist; make it, or choose another"):
        free_path(tmp_path / "gone", "shot", "", taken)


def test_files_that_did_not_change_are_not_read_again(folder: Path) -> None:
    paths = sorted(folder.glob("*.exr"))
    known = {still.path: still for still in read_stills(paths, {})}
    again = read_stills(paths, known)
    assert all(still is known[still.path] for still in again) and len(again) == 2

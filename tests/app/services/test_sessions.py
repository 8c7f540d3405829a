"""Sessions, what a crash leaves, recent and changed files."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtWidgets import QFileDialog

from app.actions.file import RECENT_MENU
from app.model import session
from app.model.session import Session, load_session, save_session
from app.model.viewport import Viewport
from app.services import autosave
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.errors import UnreadableFile
from engine.kernel.op import Table
from tests.app.conftest import end, facts, window_in
from tests.app.hands import drop
from tests.typed import expect


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
    assert expect(Viewport, other.canvas.viewport).scale == 1.0
    other.document.undo()
    assert other.document.grade.entries[0] == ops.Exposure(1.0)
    assert str(path) in other.recent.paths
    end(other)


def test_a_session_finds_images_that_moved_with_it(kept: MainWindow, tmp_path: Path):
    save_session(kept.workspace.open_documents.session(), tmp_path / "shot.tessera")
    away = tmp_path / "away"
    away.mkdir()
    for name in ("one.exr", "two.exr", "shot.tessera"):
        shutil.move(tmp_path / name, away / name)
    session = load_session(away / "shot.tessera")
    assert [state.image_path for state in session.documents] == [away / "one.exr", away / "two.exr"]


def test_tables_of_a_session_are_kept_once(kept: MainWindow, tmp_path: Path):
    cube = ops.Lut3d(
        [[[[r * 0.9, g, b] for b in (0, 0.3, 0.7, 1)] for g in (0, 0.2, 0.5, 1)] for r in (0, 0.1, 0.6, 1)]
    )
    curve = ops.Lut1d([(n / 999) ** 1.1 for n in range(1000)])
    for entry in (cube, curve, ops.Exposure(0.1), ops.Exposure(0.2)):
        kept.document.add(entry, "add")
    save_session(kept.workspace.open_documents.session(), tmp_path / "shot.tessera")
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
        ('{"tessera": "session", "version": 1, "documents": [{"image": {"pool": "x"}}]}', "is damaged"),
        ('{"tessera": "session", "version": 1, "current": 0, "documents": [3]}', "is damaged"),
        ('{"tessera": "session", "version": 1, "current": Infinity, "documents": []}', "is damaged"),
    ],
)
def test_a_damaged_session_is_one_line(tmp_path: Path, text: str, said: str):
    path = tmp_path / "shot.tessera"
    path.write_text(text)
    with pytest.raises(UnreadableFile, match=said):
        load_session(path)


@pytest.mark.parametrize(("place", "value"), [("left", float("nan")), ("scale", float("inf")), ("top", 10**400)])
def test_a_place_that_is_none_is_left_out(kept: MainWindow, tmp_path: Path, place: str, value: float):
    path = tmp_path / "shot.tessera"
    save_session(kept.workspace.open_documents.session(), path)
    data = json.loads(path.read_text())
    assert load_session(path).documents[1].viewport is not None
    data["documents"][1]["viewport"][place] = value
    path.write_text(json.dumps(data))
    assert load_session(path).documents[1].viewport is None
    data["documents"][1]["at"] = -1
    path.write_text(json.dumps(data))
    with pytest.raises(UnreadableFile, match="is damaged"):
        load_session(path)


def test_the_last_session_can_be_opened(kept: MainWindow, tmp_path: Path, qtbot: Any):
    end(kept)
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    assert not other.bar.text
    other.actions_by_name["last_session"].trigger()
    qtbot.waitUntil(lambda: len(other.workspace.documents) == 2)
    end(other)


def close_all(window: MainWindow) -> None:
    for document in list(window.workspace.documents):
        window.workspace.open_documents.close(document)


def save_session_by_menu(window: MainWindow, name: Path | None = None) -> None:
    """Save the session; a `name` is what the dialog is answered with, which must ask then and only then."""
    window.actions_by_name["save_session"].trigger()
    dialogs = [each for each in window.findChildren(QFileDialog) if each.isVisible()]
    assert len(dialogs) == (name is not None)
    for dialog in dialogs:
        dialog.fileSelected.emit(str(name))
        dialog.close()


def test_a_session_ends_with_its_last_document(kept: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "shot.tessera"
    save_session_by_menu(kept, path)
    qtbot.waitUntil(lambda: kept.workspace.session.path == path)
    written = path.read_bytes()
    close_all(kept)
    assert kept.workspace.session.path is None and "shot" not in kept.windowTitle()
    kept.files.open_image(tmp_path / "one.exr")
    qtbot.waitUntil(lambda: kept.document.image is not None)
    save_session_by_menu(kept, tmp_path / "other.tessera")
    qtbot.waitUntil(lambda: kept.workspace.session.path == tmp_path / "other.tessera")
    assert path.read_bytes() == written
    kept.document.edit_entry(0, ops.Exposure(3.0), "exposure")
    assert kept.workspace.session.modified
    save_session_by_menu(kept)
    qtbot.waitUntil(lambda: not kept.workspace.session.modified)
    assert load_session(tmp_path / "other.tessera").documents[0].grade.entries[0] == ops.Exposure(3.0)


def test_what_tessera_keeps_by_itself_is_no_session_to_save_to(kept: MainWindow, tmp_path: Path, qtbot: Any):
    end(kept)
    last = tmp_path / "config" / autosave.LAST
    written = last.read_bytes()
    other = window_in(tmp_path / "config")
    qtbot.addWidget(other)
    other.actions_by_name["last_session"].trigger()
    qtbot.waitUntil(lambda: len(other.workspace.documents) == 2)
    assert other.workspace.session.path is None and not other.workspace.session.modified
    other.document.edit_entry(0, ops.Exposure(5.0), "exposure")
    save_session_by_menu(other, last)
    assert "written by Tessera itself" in other.bar.text
    save_session_by_menu(other, tmp_path / "mine.tessera")
    qtbot.waitUntil(lambda: other.workspace.session.path == tmp_path / "mine.tessera")
    assert last.read_bytes() == written
    assert str(last) not in other.recent.paths
    end(other)


def test_a_session_beside_other_documents_does_not_give_its_name(kept: MainWindow, tmp_path: Path, qtbot: Any):
    path, mine = tmp_path / "shot.tessera", tmp_path / "mine.tessera"
    save_session(kept.workspace.open_documents.session(), path)
    written = path.read_bytes()
    kept.files.open_session(path)
    qtbot.waitUntil(lambda: len(kept.workspace.documents) == 4)
    assert kept.workspace.session.path is None
    save_session_by_menu(kept, mine)
    qtbot.waitUntil(lambda: kept.workspace.session.path == mine)
    kept.files.open_session(path)
    qtbot.waitUntil(lambda: len(kept.workspace.documents) == 6)
    assert kept.workspace.session.path == mine and kept.workspace.session.modified
    assert path.read_bytes() == written


def test_looking_is_no_change_of_a_session(kept: MainWindow, tmp_path: Path, qtbot: Any):
    kept.files.save_session(tmp_path / "shot.tessera")
    qtbot.waitUntil(lambda: kept.workspace.session.path is not None)
    session = kept.workspace.session
    kept.workspace.set_view(exposure=1.0, channel="green")
    kept.canvas.fit()
    kept.actions_by_name["previous_tab"].trigger()
    kept.tabs.moveTab(1, 0)
    assert session.modified, "the order of the tabs is kept"
    kept.tabs.moveTab(1, 0)
    assert not session.modified
    kept.document.keep_version()
    assert session.modified and not session.holds(kept.document)
    kept.document.edit_version("Version 1", None, "removal")
    assert not session.modified and session.holds(kept.document)
    kept.workspace.open_documents.close(kept.document)
    assert session.modified


def test_images_of_a_session_that_can_not_be_read_stay_in_it(kept: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "shot.tessera"
    save_session(kept.workspace.open_documents.session(), path)
    close_all(kept)
    for name in ("one.exr", "two.exr"):
        (tmp_path / name).rename(tmp_path / f"away {name}")
    kept.files.open_session(path)
    qtbot.waitUntil(lambda: "two.exr" in kept.bar.text)
    kept.actions_by_name["previous_tab"].trigger()
    qtbot.waitUntil(lambda: "one.exr" in kept.bar.text)
    assert [document.name for document in kept.workspace.documents] == ["one.exr", "two.exr"]
    assert not kept.workspace.session.modified
    (tmp_path / "away one.exr").rename(tmp_path / "one.exr")
    kept.files.open_image(tmp_path / "one.exr")
    qtbot.waitUntil(lambda: kept.document.image is not None)
    assert len(kept.workspace.documents) == 2


def test_recent_files_are_offered(kept: MainWindow, tmp_path: Path, qtbot: Any):
    assert [Path(name).name for name in kept.recent.paths] == ["two.exr", "one.exr"]
    kept.actions_by_name["previous_tab"].trigger()
    menu = kept.menus.menu(RECENT_MENU)
    menu.aboutToShow.emit()
    menu.actions()[0].trigger()
    assert kept.document.image_path == tmp_path / "two.exr"
    menu.actions()[-1].trigger()
    assert kept.recent.paths == []
    kept.workspace.settings.set("recent", [True, 7, "/plates/a.exr", None])  # as a damaged file may say
    assert kept.recent.paths == ["/plates/a.exr"]


def test_an_image_that_changes_on_disk_is_read_again(kept: MainWindow, tmp_path: Path, qtbot: Any):
    notes: list[str] = []
    kept.workspace.messages.noted.connect(notes.append)
    qtbot.waitUntil(lambda: kept.workspace.disk.known)
    old = kept.document.image
    (tmp_path / "new.exr").write_bytes(b"another image")
    (tmp_path / "new.exr").replace(tmp_path / "two.exr")
    qtbot.waitUntil(lambda: kept.document.image is not old)
    assert kept.document.steps == 2
    assert notes == ["two.exr changed on disk and was read again"]


def test_a_session_whose_current_document_is_none(kept: MainWindow, qtbot: Any):
    kept.workspace.open_documents.open_session(replace(kept.workspace.open_documents.session(), current=-99))
    assert len(kept.workspace.documents) == 4 and kept.document is kept.workspace.documents[2]


def test_an_empty_session_changes_nothing(window: MainWindow):
    window.workspace.open_documents.open_session(Session(()))
    assert [document.grade for document in window.workspace.documents] == [window.document.grade]
    assert isinstance(window.document.grade, Grade)


def test_a_session_whose_tables_unpack_to_too_much_is_one_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "bomb.tessera"
    table = Table(np.zeros((4096, 3)) + 0.5)
    grade = Grade([ops.Lut1d(table, (0.0, 1.0), "uniform")])
    monkeypatch.setattr(session, "MOST_BYTES_OF_TABLES", table.array.nbytes - 1)
    data = {"tessera": "session", "version": 1, "current": 0, "documents": [{"anything": grade.to_json()}] * 3}
    path.write_text(json.dumps(data))
    with pytest.raises(UnreadableFile, match=r"bomb\.tessera: its tables take more than 0 MB; remove some"):
        load_session(path)
    monkeypatch.setattr(session, "MOST_BYTES_OF_TABLES", table.array.nbytes)
    with pytest.raises(UnreadableFile, match=r"bomb\.tessera: the session is damaged"):
        load_session(path)

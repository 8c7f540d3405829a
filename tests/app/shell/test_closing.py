"""Closing the window: unsaved work is asked about, and pending writes are waited for."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication, QMessageBox

from app.model.grade_file import save_grade_file
from app.model.session import load_session
from app.shell.main_window import MainWindow
from engine import load_grade, ops
from tests.app.conftest import image, window_in
from tests.app.hands import LEFT, file_dialog

Buttons = QMessageBox.StandardButton


@pytest.fixture
def edited(kept: MainWindow) -> MainWindow:
    """Two documents with unsaved grades; the second has a version."""
    first, second = kept.workspace.documents
    first.edit_entry(0, ops.Exposure(1.0), "exposure")
    second.keep_version("warm")
    return kept


@pytest.fixture
def slow(monkeypatch: pytest.MonkeyPatch) -> Iterator[threading.Event]:
    """A disk that blocks every grade until the event is set."""
    release, write = threading.Event(), save_grade_file

    def wait(*words: Any) -> None:
        release.wait(60.0)
        write(*words)

    monkeypatch.setattr("app.services.saving.save_grade_file", wait)
    yield release
    release.set()


def question(window: MainWindow) -> QMessageBox | None:
    """The visible question."""
    return next((box for box in window.findChildren(QMessageBox) if box.isVisible()), None)


def answer(window: MainWindow, button: QMessageBox.StandardButton, qtbot: Any) -> str:
    """Answer the visible question; returns its text."""
    box = question(window)
    assert box is not None
    words = box.text()
    qtbot.mouseClick(box.button(button), LEFT)
    return words


def modified(window: MainWindow) -> list[bool]:
    return [document.modified for document in window.workspace.documents]


def test_cancel_after_discard_leaves_everything_as_modified_as_it_was(edited: MainWindow, qtbot: Any):
    before = [document.state for document in edited.workspace.documents]
    for _ in range(2):
        assert not edited.close()
        assert answer(edited, Buttons.Discard, qtbot) == "Save the grade of one.exr first?"
        assert answer(edited, Buttons.Cancel, qtbot) == "Save the grade of two.exr first?"
        assert edited.isVisible() and question(edited) is None
        assert modified(edited) == [True, True]
        assert [document.state for document in edited.workspace.documents] == before


def test_everything_is_asked_about_and_discarded(edited: MainWindow, qtbot: Any):
    edited.close()
    for name in ("one", "two"):
        assert answer(edited, Buttons.Discard, qtbot) == f"Save the grade of {name}.exr first?"
    assert not edited.isVisible()


def test_a_grade_that_is_edited_after_it_was_discarded_is_asked_about_again(edited: MainWindow, qtbot: Any):
    first, _ = edited.workspace.documents
    edited.close()
    answer(edited, Buttons.Discard, qtbot)
    first.edit_entry(0, ops.Exposure(2.0), "exposure")
    assert answer(edited, Buttons.Discard, qtbot) == "Save the grade of two.exr first?"
    assert edited.isVisible()
    assert answer(edited, Buttons.Discard, qtbot) == "Save the grade of one.exr first?"
    assert not edited.isVisible()


def test_a_save_that_is_given_up_ends_closing(edited: MainWindow, tmp_path: Path, qtbot: Any):
    edited.close()
    answer(edited, Buttons.Discard, qtbot)
    answer(edited, Buttons.Save, qtbot)
    file_dialog(edited).reject()
    edited.files.save_grade(tmp_path / "two.json")
    qtbot.waitUntil(lambda: modified(edited) == [True, False])
    assert edited.isVisible() and question(edited) is None


def test_a_save_that_fails_ends_closing(edited: MainWindow, tmp_path: Path, qtbot: Any):
    (tmp_path / "folder.json").mkdir()
    first, second = edited.workspace.documents
    for document in (first, second):
        document.mark_saved(document.saved.grade, tmp_path / "folder.json", ())
    edited.close()
    answer(edited, Buttons.Save, qtbot)
    qtbot.waitUntil(lambda: "folder.json" in edited.bar.text)
    assert edited.isVisible() and modified(edited) == [True, True]


def test_closing_with_a_session_that_differs_from_its_file_asks(edited: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "shot.tessera"
    edited.files.save_session(path)
    qtbot.waitUntil(lambda: edited.workspace.session.path == path)
    assert "shot.tessera" in edited.windowTitle()
    edited.document.edit_entry(0, ops.Exposure(7.0), "exposure")
    edited.close()
    assert answer(edited, Buttons.Cancel, qtbot) == "Save the session shot.tessera first?"
    edited.close()
    assert answer(edited, Buttons.Discard, qtbot) == "Save the session shot.tessera first?"
    assert answer(edited, Buttons.Cancel, qtbot) == "Save the grade of two.exr first?", "the file holds the other's"
    edited.close()
    answer(edited, Buttons.Save, qtbot)
    qtbot.waitUntil(lambda: not edited.isVisible())
    assert load_session(path).documents[1].grade.entries[0] == ops.Exposure(7.0)


def test_a_session_that_is_as_its_file_closes_at_once(edited: MainWindow, tmp_path: Path, qtbot: Any):
    edited.files.save_session(tmp_path / "shot.tessera")
    qtbot.waitUntil(lambda: edited.workspace.session.path is not None)
    edited.canvas.fit()
    edited.workspace.set_view(exposure=2.0)
    assert edited.close() and not edited.isVisible()


def test_a_document_whose_versions_no_file_holds_is_asked_about(kept: MainWindow, tmp_path: Path, qtbot: Any):
    first, second = kept.workspace.documents
    second.mark_saved(second.grade, tmp_path / "two.json")
    kept.workspace.open_documents.show(first)
    kept.actions_by_name["keep_version"].trigger()
    kept.actions_by_name["close_tab"].trigger()
    assert answer(kept, Buttons.Cancel, qtbot) == "Save the grade of one.exr first?"
    assert first in kept.workspace.documents
    kept.files.save_session(tmp_path / "shot.tessera")
    qtbot.waitUntil(lambda: kept.workspace.session.path is not None)
    kept.actions_by_name["close_tab"].trigger()
    assert question(kept) is None and first not in kept.workspace.documents


def test_a_save_under_way_is_waited_for(edited: MainWindow, slow: threading.Event, tmp_path: Path, qtbot: Any):
    for document in edited.workspace.documents:
        edited.files.save_grade(tmp_path / f"{document.name}.json", document=document)
    assert not edited.close()
    assert edited.isVisible() and question(edited) is None
    assert "Writing two.exr.json…" in edited.workspace.jobs.status
    slow.set()
    qtbot.waitUntil(lambda: not edited.isVisible())
    assert load_grade(tmp_path / "two.exr.json").entries[0] == ops.Exposure(2.0)
    assert (tmp_path / "one.exr.json").exists()


def test_a_disk_that_does_not_answer_is_said_and_left(
    edited: MainWindow, slow: threading.Event, tmp_path: Path, qtbot: Any
):
    edited.closing._patience.setInterval(50)
    first, second = edited.workspace.documents
    first.mark_saved(first.grade, None)
    edited.files.save_grade(tmp_path / "two.json", document=second)
    edited.close()
    qtbot.waitUntil(lambda: question(edited) is not None)
    assert answer(edited, Buttons.Cancel, qtbot) == "Close without waiting?"
    assert edited.isVisible()
    edited.close()
    qtbot.waitUntil(lambda: question(edited) is not None)
    box = question(edited)
    assert box is not None and box.informativeText() == "Writing two.json… The disk does not respond."
    answer(edited, Buttons.Discard, qtbot)
    assert not edited.isVisible(), "the grade that is being written is not asked about once more"
    assert str(tmp_path / "two.json") in edited.workspace.finish(0.0)


def test_who_cancels_instead_of_waiting_keeps_the_window(
    edited: MainWindow, slow: threading.Event, tmp_path: Path, qtbot: Any
):
    edited.closing._patience.setInterval(50)
    for document in edited.workspace.documents:
        edited.files.save_grade(tmp_path / f"{document.name}.json", document=document)
    edited.close()
    qtbot.waitUntil(lambda: question(edited) is not None)
    assert answer(edited, Buttons.Cancel, qtbot) == "Close without waiting?"
    slow.set()
    qtbot.waitUntil(lambda: not edited.workspace.jobs.writes)
    QApplication.processEvents()
    assert edited.isVisible() and question(edited) is None
    edited.close()
    assert not edited.isVisible()


def test_a_save_that_is_given_up_makes_nobody_ask_later_whether_to_wait(
    edited: MainWindow, slow: threading.Event, tmp_path: Path, qtbot: Any
):
    edited.closing._patience.setInterval(50)
    first, second = edited.workspace.documents
    edited.close()
    answer(edited, Buttons.Save, qtbot)
    asked_for = edited.document
    file_dialog(edited).reject()
    other = second if asked_for is first else first
    edited.files.save_grade(tmp_path / "other.json", document=other)
    qtbot.waitUntil(lambda: not edited.closing._patience.isActive())
    qtbot.wait(100)
    assert edited.workspace.jobs.writes and question(edited) is None


def test_a_later_save_of_a_grade_whose_file_dialog_was_cancelled_makes_nobody_ask(
    edited: MainWindow, slow: threading.Event, tmp_path: Path, qtbot: Any
):
    edited.closing._patience.setInterval(50)
    edited.close()
    answer(edited, Buttons.Save, qtbot)
    asked_for = edited.document
    file_dialog(edited).reject()
    edited.files.save_grade(tmp_path / "later.json", document=asked_for)
    assert edited.workspace.jobs.writes and not edited.closing._patience.isActive()
    qtbot.wait(100)
    assert question(edited) is None


def test_a_slow_home_does_not_hold_the_window_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    release = threading.Event()
    from app.services import autosave, settings

    for module, name in ((autosave, "save_session"), (autosave, "write_text"), (settings, "write_text")):
        write = getattr(module, name)
        monkeypatch.setattr(module, name, partial(_slowly, release, write))
    window = window_in(tmp_path / "config")
    qtbot.addWidget(window)
    window.files.open_image(image(tmp_path, "one.exr"))
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.workspace.settings.set("anything", 1)
    window.workspace.settings.sync()
    assert window.autosave is not None
    window.autosave._save()
    assert window.close() and not window.isVisible()
    late = window.workspace.finish(0.05)
    assert {Path(name).name for name in late} >= {"settings.json"} and len(late) >= 3
    release.set()
    assert window.workspace.finish() == []
    assert (tmp_path / "config" / "last.tessera").exists()
    assert '"anything": 1' in (tmp_path / "config" / "settings.json").read_text()


def _slowly(release: threading.Event, write: Any, *words: Any) -> None:
    release.wait(60.0)
    write(*words)


def test_reading_is_taken_back_with_its_tab(
    kept: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    release = threading.Event()
    read = kept.workspace.services.read_image

    def wait(*words: Any) -> Any:
        release.wait(60.0)
        return read(*words)

    object.__setattr__(kept.workspace.services, "read_image", wait)
    kept.files.open_image(image(tmp_path, "three.exr"))
    assert kept.status.left.whole == "Reading three.exr…"
    kept.workspace.open_documents.close(kept.document)
    assert "Reading" not in kept.status.left.whole
    release.set()
    qtbot.waitUntil(lambda: kept.workspace.jobs.ended(0.0))

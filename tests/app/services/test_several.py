"""Several files at once: images are read when they are looked at, and looks reach the image that is shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app.model.comparison_target import DocumentTarget
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops, save_grade
from tests.app.hands import drop, file_dialog


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    paths = [tmp_path / f"plate{letter}.exr" for letter in "abcde"]
    for path in paths:
        path.write_bytes(b"made by the fake reader")
    return paths


def test_many_images_are_read_when_they_are_seen(window: MainWindow, files: list[Path], qtbot: Any):
    drop(window.canvas, *files)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    documents = window.workspace.documents
    assert [document.image_path for document in documents] == files
    assert [document.image is not None for document in documents] == [False] * 4 + [True]
    window.workspace.open_documents.show(documents[1])
    qtbot.waitUntil(lambda: documents[1].image is not None)
    before = documents[4].image
    drop(window.canvas, *files)  # they are open: the last is read again, no other comes
    qtbot.waitUntil(lambda: window.workspace.document is documents[4] and documents[4].image is not before)
    assert window.workspace.documents == documents


def test_an_image_is_read_to_be_held_against_another(window: MainWindow, files: list[Path], qtbot: Any):
    drop(window.canvas, *files[:2])
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    other = window.workspace.documents[0]
    window.workspace.set_view(compare="wipe", against=DocumentTarget(window.workspace.documents[0].id))
    qtbot.waitUntil(lambda: other.image is not None)

    def requested() -> bool:
        last = window.preview._last
        return last is not None and last.view.comparison is not None and last.view.comparison.levels is not None

    qtbot.waitUntil(requested)


def test_a_look_that_came_with_a_broken_image_reaches_no_other(
    window: MainWindow, files: list[Path], cube: Path, qtbot: Any
):
    missing = files[0].with_name("missing.exr")
    drop(window.canvas, files[0], missing, cube)
    qtbot.waitUntil(lambda: window.document.image_path == files[0] and window.canvas.has_frame)
    qtbot.waitUntil(lambda: not window.workspace.jobs.active)
    assert not any(isinstance(entry, FileLook) for entry in window.document.grade.entries)


def test_a_layer_that_can_not_be_read_is_not_kept(window: MainWindow, files: list[Path], qtbot: Any):
    drop(window.canvas, files[0])
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    files[0].unlink()
    window.files.open_image(files[0], 0, "diffuse")
    qtbot.waitUntil(lambda: "does not exist" in window.bar.text)
    assert (window.document.part, window.document.layer) == (0, "")


def test_the_dialog_of_images_takes_looks_as_well(window: MainWindow, files: list[Path], cube: Path, qtbot: Any):
    window.actions_by_name["open"].trigger()
    dialog = file_dialog(window)
    dialog.filesSelected.emit([str(files[0]), str(cube)])
    dialog.close()
    qtbot.waitUntil(lambda: window.document.image_path == files[0] and window.canvas.has_frame)
    qtbot.waitUntil(lambda: isinstance(window.document.grade.entries[-1], FileLook))


def test_a_grade_that_comes_with_an_image_is_that_image_s(window: MainWindow, files: list[Path], qtbot: Any):
    drop(window.canvas, files[0])
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    first = window.document
    first.edit_entry(0, ops.Exposure(1.0), "exposure")
    saved = files[0].with_name("look.json")
    save_grade(Grade([ops.Exposure(3.0)]), saved)
    drop(window.canvas, saved, files[1])
    qtbot.waitUntil(lambda: window.document.image_path == files[1] and window.document.grade_path == saved)
    assert window.document.grade == Grade([ops.Exposure(3.0)])
    assert first.grade.entries[0] == ops.Exposure(1.0)
    first.mark_saved(first.grade, None)


def test_an_image_is_one_by_whatever_name(
    window: MainWindow, files: list[Path], monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    monkeypatch.chdir(files[0].parent)
    for path in (files[0], files[1], Path(files[0].name), Path(files[1].name)):
        window.files.open_image(path)
        qtbot.waitUntil(lambda: window.document.image is not None)
    assert [document.image_path for document in window.workspace.documents] == files[:2]

"""The gallery by mouse and keys: find a still, compare it, take its grade over, drag it onto an image."""

from __future__ import annotations

import warnings
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPointF, Qt
from PySide6.QtGui import QDragEnterEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QMessageBox, QWidget

from app.model.comparison_target import SOURCE, StillTarget
from app.model.still_drag import MIME
from app.panels.gallery.panel import NONE_OF_SESSION, GalleryPanel
from app.services.stills import FOLDER
from app.shell.main_window import MainWindow
from engine import ops
from tests.app.conftest import image
from tests.app.hands import LEFT, Key
from tests.app.stills import DARK, WARM, write_still
from tests.typed import expect


@pytest.fixture
def gallery(opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any) -> GalleryPanel:
    """All stills of a folder, beside an image."""
    monkeypatch.setenv("TESSERA_CACHE", str(tmp_path / "cache"))
    folder = tmp_path / "stills"
    folder.mkdir()
    write_still(folder / "night.exr", "1", WARM, 5, "too blue")
    write_still(folder / "day.exr", "2", DARK, 9)
    write_still(folder / "plain.exr", "3", None, 1)
    opened.workspace.settings.set(FOLDER, str(folder))
    panel = expect(GalleryPanel, opened.workspace.show_panel("stills"))
    panel.scope.setCurrentIndex(1)
    panel.scope.activated.emit(1)
    qtbot.waitUntil(lambda: panel.model.rowCount() == 3)
    return panel


def choose(panel: GalleryPanel, id: str) -> None:
    panel.list.setCurrentIndex(panel.model.index(panel.model.row_of(id)))
    panel.list.setFocus()


def drop(widget: QWidget, id: str, at: QPointF) -> None:
    data = QMimeData()
    data.setData(MIME, id.encode())
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the only constructor there is, and Qt 6.12 wants it gone
        QApplication.sendEvent(widget, QDragEnterEvent(at.toPoint(), copy, data, LEFT, none))
    QApplication.sendEvent(widget, QDropEvent(at, copy, data, LEFT, none))


def test_stills_are_found_and_compared_by_keys(gallery: GalleryPanel, opened: MainWindow, qtbot: Any) -> None:
    qtbot.keyClicks(gallery.search, "blue")
    assert [still.name for still in gallery.model.items] == ["night"] and gallery.count.text() == "1 of 3"
    gallery.search.clear()
    gallery.scope.setCurrentIndex(0)
    gallery.scope.activated.emit(0)
    assert gallery.model.items == [] and gallery.list.hint == NONE_OF_SESSION
    opened.workspace.stills.join(opened.workspace.stills.items[:1])
    assert [still.name for still in gallery.model.items] == ["day"] and gallery.count.text() == "1 still"
    gallery.scope.setCurrentIndex(1)
    gallery.scope.activated.emit(1)
    keys_compare_and_esc_leaves(gallery, opened, qtbot)
    opened.workspace.set_view(compare="wipe", against=StillTarget("9"))
    qtbot.waitUntil(lambda: opened.bar.isVisible())
    assert "The still to compare with is not in the folder" in opened.workspace.stage.other.missing(None)


def keys_compare_and_esc_leaves(gallery: GalleryPanel, opened: MainWindow, qtbot: Any) -> None:
    choose(gallery, "2")
    qtbot.keyClick(gallery.list, Key.Key_Right)
    assert gallery.details.name.text() == "night" and gallery.details.note.text() == "too blue"
    qtbot.keyClick(gallery.list, Key.Key_Return)
    assert opened.workspace.view.compare == "wipe" and opened.workspace.view.against == StillTarget("1")
    labels = opened.workspace.stage.labels
    qtbot.waitUntil(lambda: labels._comparison is not None and labels._comparison.names == ("Grade", "night"))
    comparison = labels._comparison
    assert comparison is not None and comparison.levels is not None and comparison.grade.entries == ()
    qtbot.keyClick(gallery.list, Key.Key_Escape)
    assert opened.workspace.document.view == replace(opened.workspace.view, compare="", against=SOURCE)
    qtbot.waitUntil(lambda: labels._comparison is None)


def test_the_grade_of_a_still_is_taken_over_whole_by_entries_and_by_drags(
    gallery: GalleryPanel, opened: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    document = opened.document
    before, colour = document.grade, document.grade.colour
    choose(gallery, "1")
    qtbot.mouseClick(gallery.details.use, LEFT)
    assert document.grade.entries == WARM.entries and document.grade.colour == colour
    assert document.undo_text == "the grade of night"
    document.undo()
    assert document.grade == before
    choose(gallery, "3")
    assert not gallery.details.use.isEnabled() and not gallery.details.entries.isEnabled()
    choose(gallery, "1")
    assert not gallery.details.add.isEnabled()
    gallery.details.entries.setCurrentRow(1)
    qtbot.keyClick(gallery.details.entries, Key.Key_Space)
    assert gallery.details.checked == [1] and gallery.details.add.text() == "Add 1 entry"
    before = document.grade
    document.select(0)
    qtbot.mouseClick(gallery.details.add, LEFT)
    assert document.entries == (ops.Exposure(), ops.Saturation(0.5), ops.Cdl())
    assert document.undo_text == "Saturation of night" and document.selected == 1
    document.undo()
    assert document.grade == before
    a_still_is_dragged_onto_an_image_or_a_tab(gallery, opened, tmp_path, qtbot)


def a_still_is_dragged_onto_an_image_or_a_tab(
    gallery: GalleryPanel, opened: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    indexes = [gallery.model.index(gallery.model.row_of("1"))]
    assert bytes(gallery.model.mimeData(indexes).data(MIME).data()) == b"1"
    first = opened.document
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document is not first and opened.document.image is not None)
    versions, view = first.versions, first.view
    drop(opened.tabs, "1", QPointF(opened.tabs.tabRect(0).center()))
    assert first.grade.entries == WARM.entries and first.steps == 1 and opened.document.steps == 0
    assert (first.versions, first.view) == (versions, view)
    drop(opened.canvas, "2", QPointF(20, 20))
    assert opened.document.grade.entries == DARK.entries and opened.document.undo_text == "the grade of day"


def test_rename_note_and_delete_by_keys_and_thumbnails(gallery: GalleryPanel, opened: MainWindow, qtbot: Any) -> None:
    choose(gallery, "2")
    qtbot.keyClick(gallery.list, Key.Key_F2)
    assert gallery.details.name.hasSelectedText()
    qtbot.keyClicks(gallery.details.name, "dawn")
    qtbot.keyClick(gallery.details.name, Key.Key_Return)
    qtbot.waitUntil(lambda: gallery.model.items[0].name == "dawn")
    qtbot.keyClicks(gallery.details.note, "ours")
    qtbot.keyClick(gallery.details.note, Key.Key_Return)
    qtbot.waitUntil(lambda: gallery.model.items[0].note == "ours")
    gallery.list.setFocus()
    qtbot.keyClick(gallery.list, Key.Key_Delete)
    box = next(each for each in opened.findChildren(QMessageBox) if each.isVisible())
    assert box.text() == "Delete dawn?"
    qtbot.mouseClick(next(b for b in box.buttons() if b.text() == "Delete"), LEFT)
    qtbot.waitUntil(lambda: [still.name for still in gallery.model.items] == ["night", "plain"])
    assert opened.bar.button.text() == "Undo"
    thumbnails = opened.workspace.still_thumbnails
    qtbot.waitUntil(lambda: all(thumbnails.get(still) is not None for still in gallery.model.items))
    found = thumbnails.get(gallery.model.items[0])
    assert found is not None and (found.width(), found.height()) == (384, 216)
    colour = found.pixelColor(192, 108)
    wanted = [round(255 * (1.055 * v ** (1 / 2.4) - 0.055)) for v in (0.18, 0.36, 0.54)]
    assert all(abs(a - b) <= 1 for a, b in zip((colour.red(), colour.green(), colour.blue()), wanted, strict=True))


def test_thumbnails_of_hidden_tiles_are_dropped_and_made_again(
    gallery: GalleryPanel, opened: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    def made() -> list[str]:
        return [still.id for still in gallery.model.items if thumbnails.get(still) is not None]

    monkeypatch.setattr("app.services.still_thumbnails.KEPT_BYTES", 4 * 384 * 216)
    thumbnails = opened.workspace.still_thumbnails
    qtbot.waitUntil(lambda: len(made()) == 3)
    gallery.list.hide()
    assert len(made()) == 1
    gallery.list.show()
    qtbot.waitUntil(lambda: len(made()) == 3)

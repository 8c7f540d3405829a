"""The menu that adds operations and presets, its favourites, and the dialog that keeps a preset."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QMimeData, QPoint, QPointF, Qt
from PySide6.QtGui import QContextMenuEvent, QDragEnterEvent, QDragLeaveEvent, QDropEvent
from PySide6.QtWidgets import QApplication, QInputDialog, QMenu

from app.dialogs.preset_dialog import PresetDialog
from app.model.looks import looks
from app.panels import add_menu
from app.panels.add_menu import OFFER, AddMenu, star_place
from app.panels.addition_drops import MIME
from app.panels.op_menu import offers
from app.services.presets import Presets
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, Layer, ops
from engine.grade.entries import Group
from tests.app.conftest import begin_with, end, window_in
from tests.app.hands import LEFT, SHIFT, Key
from tests.app.panels.acting import THREE
from tests.app.services.test_presets import MATTE, WARM
from tests.typed import expect

LOOK = Group((ops.Exposure(0.5), WARM), "look")


@pytest.fixture(scope="module")
def kept(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window with two presets."""
    window = window_in(tmp_path_factory.mktemp("kept"))
    window.workspace.presets.save("night look", LOOK, "show A")
    missing = FileLook("/nowhere/film.cube", (WARM,))
    window.workspace.presets.save("film", missing)
    yield window
    end(window)


@pytest.fixture
def window(kept: MainWindow, qtbot: Any) -> MainWindow:
    qtbot.waitUntil(lambda: len(kept.workspace.presets.items) == 2)
    kept.workspace.settings.set("favourites", [])
    begin_with(kept.document, THREE)
    kept.bar.hide()
    kept.docks.show("grade")
    kept.activateWindow()
    qtbot.waitUntil(kept.isActiveWindow)
    return kept


@pytest.fixture
def menu(window: MainWindow, qtbot: Any) -> Iterator[AddMenu]:
    qtbot.keyClick(window, Key.Key_A, SHIFT)
    found = expect(AddMenu, window.panel.footer.op_menu)
    assert found.isVisible()
    yield found
    found.hide()


def headings(menu: AddMenu) -> list[str]:
    items = [menu.list.item(row) for row in range(menu.list.count())]
    return [item.text() for item in items if item.data(OFFER) is None]


def presets(window: MainWindow) -> Presets:
    return window.workspace.presets


def test_presets_come_first_and_favourites_before_them(window: MainWindow, menu: AddMenu, qtbot: Any) -> None:
    assert headings(menu)[:2] == ["Presets", "Primary"] and menu.titles()[:2] == ["film", "night look"]
    assert len(menu.titles()) == 2 + len(offers()) + len(looks())
    for key in ("Saturation", "preset/night look"):
        presets(window).star(key, True)
    assert headings(menu)[:2] == ["Favourites", "Presets"]
    assert menu.titles()[:4] == ["night look", "Saturation", "film", "night look"]
    presets(window).star("preset/gone", True)
    assert menu.titles()[:2] == ["night look", "Saturation"]


def test_a_preset_is_found_by_its_tag_and_added_in_one_step(window: MainWindow, menu: AddMenu, qtbot: Any) -> None:
    window.panel.select(0)
    qtbot.keyClicks(menu.search, "show a")
    assert menu.titles()[0] == "night look"
    qtbot.keyClick(menu.search, Key.Key_Return)
    assert not menu.isVisible() and window.document.grade == Grade([THREE.entries[0], LOOK, *THREE.entries[1:]])
    window.document.undo()
    assert window.document.grade == THREE


def test_missing_luts_are_said_when_a_preset_is_added(window: MainWindow, menu: AddMenu, qtbot: Any) -> None:
    qtbot.keyClicks(menu.search, "film")
    qtbot.keyClick(menu.search, Key.Key_Return)
    assert "film.cube of the preset film is missing" in window.bar.text


def test_a_click_on_the_star_makes_a_favourite(window: MainWindow, menu: AddMenu, qtbot: Any) -> None:
    menu.list.select("preset/film")
    place = star_place(menu.list.visualItemRect(menu.list.currentItem())).center()
    qtbot.mouseClick(menu.list.viewport(), LEFT, pos=place)
    assert presets(window).favourites == ["preset/film"] and menu.isVisible()
    assert headings(menu)[0] == "Favourites" and window.document.grade == THREE


def test_the_menu_of_a_row_is_reached_by_the_menu_key(window: MainWindow, menu: AddMenu, qtbot: Any) -> None:
    def popped_up(*wanted: str) -> QMenu:
        event = QContextMenuEvent(QContextMenuEvent.Reason.Keyboard, QPoint(), QPoint())
        QApplication.sendEvent(menu.search, event)
        (found,) = (each for each in menu.findChildren(QMenu) if each.isVisible())
        assert [action.text() for action in found.actions()] == list(wanted)
        return found

    menu.list.select("preset/film")
    first = popped_up("Add to favourites", "Rename…", "Delete")
    first.actions()[0].trigger()
    first.close()
    assert presets(window).favourites == ["preset/film"]
    menu.list.select("preset/film")
    again = popped_up("Remove from favourites", "Rename…", "Delete")
    again.actions()[1].trigger()
    again.close()
    dialog = next(each for each in window.findChildren(QInputDialog) if each.isVisible())
    dialog.setTextValue("film")
    dialog.accept()
    qtbot.waitUntil(lambda: not window.findChildren(QInputDialog))
    menu.search.setText("exposure")
    last = popped_up("Add to favourites")
    last.close()


def test_rows_can_be_dragged_between_the_cards(window: MainWindow, menu: AddMenu, qtbot: Any, monkeypatch: Any) -> None:
    dragged: list[str] = []
    monkeypatch.setattr(add_menu, "drag_addition", lambda key, _source: dragged.append(key))
    menu.list.select("preset/night look")
    start = menu.list.visualItemRect(menu.list.currentItem()).center()
    qtbot.mousePress(menu.list.viewport(), LEFT, pos=start)
    menu.list.mouseMoveEvent(moved(start + QPoint(0, 60)))
    assert dragged == ["preset/night look"] and not menu.isVisible()


def moved(to: QPoint) -> Any:
    from PySide6.QtCore import QEvent
    from PySide6.QtGui import QMouseEvent

    none = Qt.KeyboardModifier.NoModifier
    return QMouseEvent(QEvent.Type.MouseMove, QPointF(to), QPointF(to), LEFT, LEFT, none)


SHIPPED = looks()[0]


@pytest.mark.parametrize(
    ("key", "entry"),
    [
        ("preset/night look", LOOK),
        ("Exposure", ops.Exposure()),
        (SHIPPED.key, SHIPPED.preset.grade.entries[0]),
    ],
)
def test_what_is_dropped_is_added_there(window: MainWindow, qtbot: Any, key: str, entry: Any) -> None:
    stack, data = window.panel.stack, QMimeData()
    data.setData(MIME, key.encode())
    card = window.panel.cards[1]
    where = QPoint(20, card.geometry().top() + 1)
    some = Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    enter = QDragEnterEvent(where, *some)
    QApplication.sendEvent(stack, enter)
    assert enter.isAccepted() and stack.line.isVisible()
    QApplication.sendEvent(stack, QDragLeaveEvent())
    assert not stack.line.isVisible()
    for event in (QDragEnterEvent(where, *some), QDropEvent(QPointF(where), *some)):
        QApplication.sendEvent(stack, event)
    assert not stack.line.isVisible()
    assert window.document.grade == Grade([THREE.entries[0], entry, *THREE.entries[1:]])
    window.document.undo()
    assert window.document.grade == THREE


def test_a_preset_that_was_deleted_meanwhile_is_not_dropped(window: MainWindow, qtbot: Any) -> None:
    data = QMimeData()
    data.setData(MIME, b"preset/gone")
    some = Qt.DropAction.CopyAction, data, LEFT, Qt.KeyboardModifier.NoModifier
    for event in (QDragEnterEvent(QPoint(20, 20), *some), QDropEvent(QPointF(20, 20), *some)):
        QApplication.sendEvent(window.panel.stack, event)
    assert window.document.grade == THREE


# -- the dialog


def test_an_entry_is_kept_by_the_dialog(window: MainWindow, qtbot: Any) -> None:
    begin_with(window.document, Grade([Layer(Group((WARM,), "day/look"), matte=MATTE)]))
    window.panel.select(0)
    window.actions_by_name["save_preset"].trigger()
    dialog = next(each for each in window.findChildren(PresetDialog) if each.isVisible())
    assert dialog.name.text() == "day look" and dialog.mattes.isChecked() and dialog.save.text() == "Save"
    for name, button, enabled in (("film", "Replace", True), ("a/b", "Save", False), ("new", "Save", True)):
        dialog.name.setText(name)
        assert (dialog.save.text(), dialog.save.isEnabled()) == (button, enabled)
        assert bool(dialog.note.text()) == (name != "new")
    dialog.tag.setText("show B")
    dialog.mattes.setChecked(False)
    dialog.save.click()
    qtbot.waitUntil(lambda: presets(window).find("new") is not None)
    found = presets(window).find("new")
    assert found is not None and found.tag == "show B" and found.grade == Grade([Group((WARM,), "day/look")])
    presets(window).delete(found)
    qtbot.waitUntil(lambda: presets(window).find("new") is None)


def test_without_entries_there_is_nothing_to_keep(window: MainWindow, tmp_path: Path) -> None:
    assert window.actions_by_name["save_preset"].isEnabled()
    begin_with(window.document, Grade())
    assert not window.actions_by_name["save_preset"].isEnabled()

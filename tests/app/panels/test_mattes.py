"""The matte of an entry in its card: its first source and its tree, by mouse and keys."""

from __future__ import annotations

from dataclasses import fields
from typing import Any, cast

import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QMenu

from app.model.matte_drawing import WINDOWS
from app.panels.mattes import menus
from app.panels.mattes.section import MatteSection
from app.panels.mattes.shape_fields import SHAPE
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.mattes import (
    SOURCES,
    Branch,
    Ellipse,
    HslQualifier,
    Leaf,
    Matte,
    Rectangle,
)
from tests.app.conftest import begin_with
from tests.app.hands import ALT, CTRL, LEFT, Key, drag, move
from tests.app.panels.acting import pull
from tests.app.panels.matte_cards import (
    A,
    B,
    C,
    card_matte,
    choose,
    matte_of,
    root_of,
    section_of,
    the_menu,
    union,
    window_layer,
)
from tests.typed import expect


def test_menus_name_all_sources_as_their_classes_do():
    stated = {name: (kind.family, kind.title()) for name, kind in SOURCES.items()}
    assert stated == {
        name: (family, title) for family, names in menus.FAMILIES.items() for name, title in names.items()
    }
    assert tuple(window.__name__ for window in WINDOWS) == menus.WINDOWS


def test_a_click_on_the_button_adds_the_first_source(graded: MainWindow, qtbot: Any):
    matte = card_matte(graded, 1)
    qtbot.mouseClick(matte.button, LEFT)
    menu = the_menu(graded)
    offered = {action.objectName() for action in menu.actions()}
    assert {f"matte_add_{name.lower()}" for name in SOURCES} <= offered
    (drawing,) = (expect(QMenu, action.menu()) for action in menu.actions() if action.menu())
    assert [action.objectName() for action in drawing.actions()] == [
        f"matte_draw_{window.__name__.lower()}" for window in WINDOWS
    ]
    choose(menu, "matte_add_ellipse")
    assert isinstance(expect(Leaf, root_of(graded, 1)).source, Ellipse)
    assert graded.panel.at == 1
    assert graded.document.undo_text == "Saturation matte: adding Ellipse"
    section = expect(MatteSection, matte.section)
    assert section.isVisible() and section.body is not None, "its fields are shown at once"
    graded.document.undo()
    assert matte_of(graded, 1) is None and not section.isVisible()


def test_the_section_and_its_fields_are_made_bit_by_bit(graded: MainWindow, qtbot: Any):
    matte = card_matte(graded)
    graded.document.edit_entry(0, window_layer(graded, 0, Matte(Leaf(Ellipse()))), "matte")
    graded.panel.select(0)
    matte.open(True)
    assert matte._section is None, "in a later turn of the event loop"
    section = expect(MatteSection, matte.section)
    assert section.isVisible() and not section._shape.rows
    qtbot.waitUntil(lambda: len(section._shape.rows) == len(SHAPE))
    matte.open(False)
    graded.document.edit_entry(0, window_layer(graded, 0, Matte(Leaf(Rectangle()))), "matte")
    matte.open(True)
    qtbot.waitUntil(section.isVisible)
    assert matte.section is section


def test_the_key_opens_the_menu_and_the_palette_has_each_source(graded: MainWindow, qtbot: Any):
    graded.panel.select(2)
    qtbot.keyClick(graded, Key.Key_M, CTRL)
    choose(the_menu(graded), "matte_add_rectangle")
    assert isinstance(expect(Leaf, root_of(graded, 2)).source, Rectangle)
    graded.actions_by_name["matte_add_hslqualifier"].trigger()
    root = expect(Branch, root_of(graded, 2))
    assert root.mode == "union" and isinstance(expect(Leaf, root.nodes[1]).source, HslQualifier)


def test_every_source_has_an_editor_for_every_field(graded: MainWindow):
    for name, kind in SOURCES.items():
        section = section_of(graded, Leaf(kind()))
        assert section.body is not None, name
        assert set(section.body.editors) == {field.name for field in fields(cast(Any, kind))}, name


def test_an_entry_that_resizes_can_not_have_a_matte(graded: MainWindow):
    begin_with(graded.document, Grade([ops.Resize(64, 32)]))
    assert card_matte(graded).button.isHidden()
    assert not graded.actions_by_name["matte_add"].isEnabled()
    graded.workspace.matte_editor.add("Ellipse")
    assert matte_of(graded) is None and "resizes" in graded.bar.text


def test_the_button_shows_and_hides_the_section(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    matte, card = card_matte(graded), graded.panel.cards[0]
    qtbot.mouseClick(matte.button, LEFT)
    assert section.isHidden() and card.is_open
    card.open(False)
    qtbot.mouseClick(matte.button, LEFT)
    assert section.isVisible() and card.is_open
    card.open(False)
    assert section.isHidden()


# -- the tree


def test_nodes_are_selected_by_a_click_and_by_keys(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B, C))
    selection = graded.workspace.matte_selection
    assert [row.title.text() for row in section.tree.rows] == ["Union", "Ellipse", "Rectangle", "HSL qualifier"]
    qtbot.mouseClick(section.tree.rows[2].title, LEFT, pos=QPoint(60, 10))
    assert selection.node == (1,)
    assert section.body is not None and isinstance(section.body.source, Rectangle)
    qtbot.keyClick(section.tree.rows[2].title, Key.Key_Down)
    assert selection.node == (2,) and section.tree.rows[3].title.hasFocus()
    qtbot.keyClick(section.tree.rows[3].title, Key.Key_Up)
    qtbot.keyClick(section.tree.rows[2].title, Key.Key_Up)
    qtbot.keyClick(section.tree.rows[1].title, Key.Key_Up)
    assert graded.workspace.matte_selection.node == () and section.tree.rows[0].title.hasFocus()
    assert section.mode.isVisible() and section.body is None
    qtbot.keyClick(section.tree.rows[0].title, Key.Key_Escape)
    assert selection.node is None and not section.mode.isVisible()


def test_another_entry_ends_the_selection(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B))
    qtbot.mouseClick(section.tree.rows[1].title, LEFT, pos=QPoint(60, 10))
    graded.workspace.matte_selection.draw("Ellipse")
    graded.panel.select(1)
    assert graded.workspace.matte_selection.node is None and graded.workspace.matte_selection.drawing == ""
    section.tree.rows[2].eye.click()  # without the focus, which would select the entry
    assert graded.panel.at == 0 and matte_of(graded, 1) is None
    assert expect(Branch, root_of(graded)).nodes[1] == Leaf(Rectangle(), enabled=False)


def test_switches_of_a_node(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B))
    row = section.tree.rows[2]
    qtbot.mouseClick(row.eye, LEFT)
    assert root_of(graded) == union(A, Leaf(Rectangle(), enabled=False))
    qtbot.mouseClick(row.invert, LEFT)
    assert root_of(graded) == union(A, Leaf(Rectangle(), inverted=True, enabled=False))
    row.title.setFocus()
    qtbot.keyClick(row.title, Key.Key_Space)
    qtbot.keyClick(row.title, Key.Key_I)
    assert root_of(graded) == union(A, B)
    assert graded.document.undo_text == "Exposure matte: Rectangle inversion"
    steps = graded.document.steps
    drag(qtbot, row.opacity, -10)
    opacity = expect(Branch, root_of(graded)).nodes[1].opacity
    assert 0.5 < opacity < 0.9 and graded.document.steps == steps + 1
    assert row.opacity.number == pytest.approx(100 * opacity)
    row.opacity.setFocus()
    qtbot.keyClick(row.opacity, Key.Key_Left)
    assert expect(Branch, root_of(graded)).nodes[1].opacity == pytest.approx(opacity - 0.01)
    qtbot.mouseDClick(row.opacity, LEFT)
    assert root_of(graded) == union(A, B)


def test_nodes_are_moved_by_keys(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, Branch("intersection", (B,)), C))
    rows = section.tree.rows
    qtbot.mouseClick(rows[4].title, LEFT, pos=QPoint(60, 10))
    qtbot.keyClick(rows[4].title, Key.Key_Right, ALT)
    assert root_of(graded) == union(A, Branch("intersection", (B, C)))
    assert graded.workspace.matte_selection.node == (1, 1) and rows[4].title.hasFocus()
    qtbot.keyClick(rows[4].title, Key.Key_Up, ALT)
    assert root_of(graded) == union(A, Branch("intersection", (C, B)))
    qtbot.keyClick(rows[3].title, Key.Key_Left, ALT)
    assert root_of(graded) == union(A, Branch("intersection", (B,)), C)
    assert graded.document.entries[1] == ops.Saturation(1.2), "the entries stay where they are"
    qtbot.keyClick(rows[4].title, Key.Key_Up, ALT)
    qtbot.keyClick(rows[2].title, Key.Key_Up, ALT)
    assert root_of(graded) == union(C, A, Branch("intersection", (B,)))
    qtbot.keyClick(rows[1].title, Key.Key_Up, ALT)
    assert root_of(graded) == union(C, A, Branch("intersection", (B,))), "it stays at the start"


def test_nodes_are_moved_by_dragging_them(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, Branch("intersection", (B,)), C))
    rows = section.tree.rows
    height = rows[1].height() + 1
    pull(rows[4].title, QPointF(60, 10), QPointF(0, -3.2 * height), qtbot)
    assert root_of(graded) == union(C, A, Branch("intersection", (B,)))
    assert graded.document.undo_text == "Exposure matte: move of HSL qualifier"
    pull(rows[1].title, QPointF(60, 5), QPointF(0, 3.3 * height), qtbot)
    assert root_of(graded) == union(A, Branch("intersection", (B, C))), "on the last node of a branch: into it"
    pull(rows[4].title, QPointF(60, 10), QPointF(0, 1.2 * height), qtbot)
    assert root_of(graded) == union(A, Branch("intersection", (B,)), C), "below it: behind it"


def test_a_drag_of_a_node_can_be_cancelled(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B, C))
    title = section.tree.rows[3].title
    qtbot.mousePress(title, LEFT, pos=QPoint(60, 10))
    move(title, QPoint(60, -40), LEFT)
    assert section.tree._line.isVisible()
    qtbot.keyClick(title, Key.Key_Escape)
    qtbot.mouseRelease(title, LEFT, pos=QPoint(60, -40))
    assert root_of(graded) == union(A, B, C) and not section.tree._line.isVisible()


def test_nodes_are_copied_and_removed(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B))
    rows = section.tree.rows
    qtbot.mouseClick(rows[1].title, LEFT, pos=QPoint(60, 10))
    qtbot.keyClick(rows[1].title, Key.Key_D, CTRL)
    assert root_of(graded) == union(A, A, B) and len(graded.document.entries) == 3
    qtbot.keyClick(rows[2].title, Key.Key_Delete)
    assert root_of(graded) == union(A, B)
    assert graded.workspace.matte_selection.node == (1,)
    qtbot.mouseClick(rows[2].remove, LEFT)
    qtbot.mouseClick(rows[1].remove, LEFT)
    assert matte_of(graded) is None, "the matte goes with its last node"
    graded.document.undo()
    assert root_of(graded) == union(A)


def test_the_title_of_the_card_has_the_focus_after_the_last_node_is_removed(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    section.tree.rows[0].title.setFocus()
    qtbot.keyClick(section.tree.rows[0].title, Key.Key_Delete)
    assert matte_of(graded) is None and graded.panel.cards[0].title.hasFocus()


def test_branches_are_made_joined_in_another_way_and_opened(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B))
    qtbot.mouseClick(section.tree.rows[2].title, LEFT, pos=QPoint(60, 10))
    qtbot.mouseClick(section.more, LEFT)
    choose(the_menu(graded), "matte_subtraction")
    assert root_of(graded) == union(A, Branch("subtraction", (B,)))
    assert graded.workspace.matte_selection.node == (1,)
    section.mode.setCurrentText("intersection")
    section.mode.textActivated.emit("intersection")
    assert root_of(graded) == union(A, Branch("intersection", (B,)))
    assert graded.actions_by_name["matte_unwrap"].isEnabled()
    graded.actions_by_name["matte_unwrap"].trigger()
    assert root_of(graded) == union(A, B)
    assert not graded.actions_by_name["matte_unwrap"].isEnabled()


def test_a_tree_that_would_be_too_deep_is_refused(graded: MainWindow, qtbot: Any):
    section_of(graded, A)
    for _ in range(15):
        graded.workspace.matte_editor.select(())
        graded.actions_by_name["matte_union"].trigger()
    steps = graded.document.steps
    graded.workspace.matte_editor.select(())
    graded.actions_by_name["matte_union"].trigger()
    assert graded.document.steps == steps and "deep" in graded.bar.text

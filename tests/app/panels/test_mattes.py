"""The matte of an entry in its card: sources, tree, fields and shape, by mouse and keys."""

from __future__ import annotations

from dataclasses import fields, replace
from pathlib import Path
from typing import Any, cast

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication, QImage
from PySide6.QtWidgets import QApplication, QMenu

from app.panels.mattes.card_matte import CardMatte
from app.panels.mattes.section import MatteSection
from app.panels.mattes.source_body import PICK_TIPS
from app.shell.main_window import MainWindow
from app.widgets.style import icon
from engine import Grade, ops
from engine.errors import GradeError
from engine.grade.entries import layer_of
from engine.mattes import (
    SOURCES,
    Branch,
    Cryptomatte,
    Ellipse,
    HslQualifier,
    ImageMatte,
    Leaf,
    Matte,
    PositionBox,
    Rectangle,
)
from engine.mattes.tree import Node
from tests.app.conftest import begin_with
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, Key, drag, file_dialog, move
from tests.app.panels.acting import pull
from tests.typed import expect

A, B, C = Leaf(Ellipse()), Leaf(Rectangle()), Leaf(HslQualifier())


def union(*nodes: Node) -> Branch:
    return Branch("union", nodes)


def matte_of(window: MainWindow, at: int = 0) -> Matte | None:
    return layer_of(window.document.entries[at]).matte


def root_of(window: MainWindow, at: int = 0) -> Node:
    return expect(Matte, matte_of(window, at)).root


def card_matte(window: MainWindow, at: int = 0) -> CardMatte:
    return expect(CardMatte, window.panel.cards[at].findChild(CardMatte))


def section_of(window: MainWindow, root: Node, at: int = 0) -> MatteSection:
    """The open section of an entry with this tree."""
    window.document.edit_entry(at, window_layer(window, at, Matte(root)), "matte")
    window.panel.select(at)
    card_matte(window, at).open(True)
    QApplication.processEvents()
    return expect(MatteSection, card_matte(window, at).section)


def window_layer(window: MainWindow, at: int, matte: Matte) -> Any:
    return replace(layer_of(window.document.entries[at]), matte=matte)


def the_menu(window: MainWindow) -> QMenu:
    """The menu that is open in the panel."""
    (menu,) = (each for each in window.panel.findChildren(QMenu) if each.isVisible())
    return expect(QMenu, menu)


def choose(menu: QMenu, name: str) -> None:
    next(action for action in menu.actions() if action.objectName() == name).trigger()
    menu.close()
    QApplication.processEvents()


def test_a_click_on_the_button_adds_the_first_source(graded: MainWindow, qtbot: Any):
    matte = card_matte(graded, 1)
    qtbot.mouseClick(matte.button, LEFT)
    menu = the_menu(graded)
    offered = {action.objectName() for action in menu.actions()}
    assert {f"matte_add_{name.lower()}" for name in SOURCES} <= offered
    choose(menu, "matte_add_ellipse")
    assert isinstance(expect(Leaf, root_of(graded, 1)).source, Ellipse)
    assert graded.panel.at == 1
    assert graded.document.undo_text == "Saturation matte: adding Ellipse"
    section = expect(MatteSection, matte.section)
    assert section.isVisible() and section.body is not None, "its fields are shown at once"
    graded.document.undo()
    assert matte_of(graded, 1) is None and not section.isVisible()


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


# -- fields


def test_a_field_of_a_source_is_dragged_as_one_step(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    body = section.body
    assert body is not None, "a single node needs no selection"
    steps = graded.document.steps
    drag(qtbot, body.editors["softness_out"].row.track, 40)  # type: ignore[attr-defined]
    source = expect(Ellipse, expect(Leaf, root_of(graded)).source)
    assert source.softness_out > 0.0 and graded.document.steps == steps + 1
    assert graded.document.undo_text == "Exposure matte: Ellipse softness out"
    box = body.editors["center"].boxes[1]  # type: ignore[attr-defined]
    qtbot.mouseClick(box, LEFT)
    qtbot.keyClicks(box, "123")
    qtbot.keyClick(box, Key.Key_Return)
    assert expect(Ellipse, expect(Leaf, root_of(graded)).source).center == (source.center[0], 123.0)


def test_an_edit_that_is_refused_shows_the_old_value_again(graded: MainWindow, qtbot: Any):
    section = section_of(graded, Leaf(PositionBox()))
    assert section.body is not None
    field: Any = section.body.editors["channels"]
    before = root_of(graded)
    field.box.lineEdit().selectAll()
    qtbot.keyClicks(field.box.lineEdit(), "P.X, P.Y")
    qtbot.keyClick(field.box.lineEdit(), Key.Key_Return)
    assert root_of(graded) == before and field.box.currentText() == "P.X, P.Y, P.Z"
    assert "channels" in graded.bar.text
    field.box.lineEdit().selectAll()
    qtbot.keyClicks(field.box.lineEdit(), "W.X, W.Y, W.Z")
    qtbot.keyClick(field.box.lineEdit(), Key.Key_Return)
    assert expect(PositionBox, expect(Leaf, root_of(graded)).source).channels == ("W.X", "W.Y", "W.Z")


def test_the_shape_of_a_matte(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    drag(qtbot, section.shape.rows["feather"].track, 30)
    matte = expect(Matte, matte_of(graded))
    assert matte.feather > 0.0
    assert graded.document.undo_text == "Exposure matte: feather"
    for field in ("grow", "gain", "gamma"):
        section.shape.rows[field].track.setFocus()
        qtbot.keyClick(section.shape.rows[field].track, Key.Key_Right)
        assert getattr(matte_of(graded), field) > getattr(matte, field), field
    qtbot.mouseClick(section.shape.inverted, LEFT, pos=QPoint(8, section.shape.inverted.height() // 2))
    assert expect(Matte, matte_of(graded)).inverted
    qtbot.keyClick(graded, Key.Key_I, CTRL | SHIFT)
    assert not expect(Matte, matte_of(graded)).inverted


def test_names_are_typed_and_removed(graded: MainWindow, qtbot: Any):
    section = section_of(graded, Leaf(Cryptomatte()))
    assert section.body is not None
    chips: Any = section.body.editors["names"]
    qtbot.keyClicks(chips.field, "hero*")
    qtbot.keyClick(chips.field, Key.Key_Return)
    qtbot.keyClicks(chips.field, "tree")
    qtbot.keyClick(chips.field, Key.Key_Return)
    assert expect(Cryptomatte, expect(Leaf, root_of(graded)).source).names == ("hero*", "tree")
    assert chips.field.text() == ""
    qtbot.mouseClick(chips.chips[0].button, LEFT)
    assert expect(Cryptomatte, expect(Leaf, root_of(graded)).source).names == ("tree",)
    qtbot.keyClick(chips.field, Key.Key_Backspace)
    assert expect(Cryptomatte, expect(Leaf, root_of(graded)).source).names == ()
    ids: Any = section.body.editors["ids"]
    qtbot.keyClicks(ids.field, "0xff")
    qtbot.keyClick(ids.field, Key.Key_Return)
    qtbot.keyClicks(ids.field, "minus one")
    qtbot.keyClick(ids.field, Key.Key_Return)
    assert expect(Cryptomatte, expect(Leaf, root_of(graded)).source).ids == (255,)


def test_the_path_of_an_image_is_typed(graded: MainWindow, qtbot: Any, tmp_path: Path):
    section = section_of(graded, Leaf(ImageMatte()))
    assert section.body is not None
    field: Any = section.body.editors["path"]
    qtbot.keyClicks(field.line, "/mattes/sky.####.exr")
    qtbot.keyClick(field.line, Key.Key_Return)
    assert expect(ImageMatte, expect(Leaf, root_of(graded)).source).path == "/mattes/sky.####.exr"


# -- the whole matte


def test_views_are_switched_by_buttons_and_keys(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    qtbot.mouseClick(section.views["alone"], LEFT)
    assert graded.workspace.view.matte == "alone" and section.views["alone"].isChecked()
    qtbot.mouseClick(section.views["cut-out"], LEFT)
    assert graded.workspace.view.matte == "cut-out" and not section.views["alone"].isChecked()
    qtbot.mouseClick(section.views["cut-out"], LEFT)
    assert graded.workspace.view.matte == ""
    for key, modifier, shown in ((Key.Key_M, Qt.KeyboardModifier.NoModifier, "overlay"), (Key.Key_M, ALT, "alone")):
        qtbot.keyClick(graded, key, modifier)
        assert graded.workspace.view.matte == shown
        qtbot.keyClick(graded, key, modifier)
        assert graded.workspace.view.matte == ""


def test_mattes_are_copied_between_entries_and_documents(graded: MainWindow, qtbot: Any):
    section_of(graded, union(A, B))
    qtbot.keyClick(graded, Key.Key_M, CTRL | SHIFT)
    graded.panel.select(1)
    qtbot.keyClick(graded, Key.Key_V, CTRL | ALT | SHIFT)
    assert root_of(graded, 1) == union(A, B) and graded.document.entries[2] == ops.Contrast(1.3)
    graded.workspace.open_documents.new()
    begin_with(graded.document, Grade([ops.Exposure()]))
    qtbot.keyClick(graded, Key.Key_V, CTRL)
    assert root_of(graded) == union(A, B), "a plain paste of a matte"
    graded.actions_by_name["matte_clear"].trigger()
    assert matte_of(graded) is None
    assert graded.document.undo_text == "Exposure matte: removal"


def test_the_matte_of_a_copied_entry_is_pasted_alone(graded: MainWindow, qtbot: Any):
    section_of(graded, A)
    qtbot.keyClick(graded, Key.Key_C, CTRL | ALT)
    graded.panel.select(1)
    graded.actions_by_name["matte_paste"].trigger()
    assert graded.document.entries[1] == window_layer(graded, 1, expect(Matte, matte_of(graded)))
    assert len(graded.document.entries) == 3


@pytest.mark.parametrize(
    "text", ["", "words", '{"tessera": "matte", "version": 1}', '{"tessera": "matte", "version": 9}']
)
def test_what_is_no_matte_is_reported(graded: MainWindow, text: str):
    QGuiApplication.clipboard().setText(text)
    graded.actions_by_name["matte_paste"].trigger()
    assert graded.bar.isVisible() and matte_of(graded, 2) is None


def test_a_reset_of_the_entry_keeps_its_matte(graded: MainWindow, qtbot: Any):
    section_of(graded, A)
    qtbot.keyClick(graded, Key.Key_Backspace, CTRL)
    assert graded.document.entries[0] == window_layer(graded, 0, Matte(A))
    assert layer_of(graded.document.entries[0]).entry == ops.Exposure()


def test_a_path_is_drawn_and_a_colour_is_picked_on_the_image(graded: MainWindow):
    selection = graded.workspace.matte_selection
    graded.panel.select(0)
    graded.actions_by_name["matte_add_path"].trigger()
    assert selection.drawing == "Path" and matte_of(graded) is None
    graded.actions_by_name["matte_add_key3d"].trigger()
    assert selection.drawing == "" and selection.picking
    body = expect(MatteSection, card_matte(graded).section).body
    assert body is not None and body.pick is not None and body.pick.isChecked()
    body.pick.click()
    assert not selection.picking and not body.pick.isChecked()
    assert graded.actions_by_name["matte_pick"].isEnabled()
    graded.actions_by_name["matte_pick"].trigger()
    assert selection.picking


def test_a_thumbnail_is_shown_on_the_button(graded: MainWindow):
    section_of(graded, A)
    matte = card_matte(graded)
    before = matte.button.icon().cacheKey()
    image = QImage(26, 16, QImage.Format.Format_Grayscale8)
    image.fill(255)
    graded.workspace.matte_thumbnails.set_image(graded.document, (0,), expect(Matte, matte_of(graded)), image)
    assert matte.button.icon().cacheKey() != before
    shown = matte.button.icon().pixmap(26, 16).toImage()
    assert shown.pixelColor(13, 8).name() == "#ffffff"
    graded.document.undo()
    assert matte.button.icon().cacheKey() == icon("matte-none").cacheKey() != before


def test_a_mode_is_chosen_by_keys(graded: MainWindow, qtbot: Any):
    section = section_of(graded, union(A, B))
    qtbot.mouseClick(section.tree.rows[0].title, LEFT, pos=QPoint(60, 10))
    section.mode.setFocus()
    qtbot.keyClick(section.mode, Key.Key_Down)
    assert expect(Branch, root_of(graded)).mode == "intersection"
    assert section.tree.rows[0].title.text() == "Intersection"
    assert graded.document.undo_text == "Exposure matte: union mode"


def test_an_image_is_chosen_in_a_dialog(graded: MainWindow, qtbot: Any, tmp_path: Path):
    section = section_of(graded, Leaf(ImageMatte()))
    assert section.body is not None
    field: Any = section.body.editors["path"]
    field.browse.click()
    dialog = file_dialog(graded)
    dialog.fileSelected.emit(str(tmp_path / "sky.exr"))
    dialog.close()
    assert expect(ImageMatte, expect(Leaf, root_of(graded)).source).path == str(tmp_path / "sky.exr")
    assert field.line.text() == str(tmp_path / "sky.exr")


def test_a_large_tree_is_shown_bit_by_bit(graded: MainWindow, qtbot: Any):
    section = section_of(graded, A)
    many = union(*(Leaf(Ellipse(center=(float(n), 0.0))) for n in range(60)))
    graded.document.edit_entry(0, window_layer(graded, 0, Matte(many)), "matte")
    assert len(section.tree.rows) < 61, "the rest follows"
    qtbot.waitUntil(lambda: len(section.tree.rows) == 61)
    assert section.tree.rows[60].path == (59,) and section.tree.rows[60].isVisible()
    graded.document.undo()
    assert [row.isVisible() for row in section.tree.rows] == [True] + [False] * 60


def test_a_thumbnail_of_another_matte_is_not_shown(graded: MainWindow):
    section_of(graded, A)
    image = QImage(26, 16, QImage.Format.Format_Grayscale8)
    thumbnails, first, second = graded.workspace.matte_thumbnails, Matte(A), Matte(B)
    thumbnails.set_image(graded.document, (0,), first, image)
    assert thumbnails.image(graded.document, (0,), first) is image
    assert thumbnails.image(graded.document, (0,), second) is None
    thumbnails.set_image(graded.document, (0,), first, None)
    assert thumbnails.image(graded.document, (0,), first) is None


def test_a_matte_that_the_grade_can_not_have_is_refused_with_a_message(graded: MainWindow, monkeypatch: Any):
    section_of(graded, A)
    lines: list[str] = []
    graded.workspace.matte_selection.refused.connect(lines.append)
    before, steps = root_of(graded), graded.document.steps

    def refuse(*_: Any, **__: Any) -> Any:
        raise GradeError("no")

    monkeypatch.setattr("app.services.matte_selection.added", refuse)
    graded.workspace.matte_selection.add(Ellipse(), "new ellipse")
    monkeypatch.setattr("app.services.matte_selection.switched", refuse)
    assert not graded.workspace.matte_selection.set_matte(Matte(A), "x")
    assert lines == ["no", "no"] and root_of(graded) == before and graded.document.steps == steps


@pytest.mark.parametrize(("name", "words"), [("Cryptomatte", "Shift only adds"), ("Key3d", "Alt they are left out")])
def test_the_tip_of_picking_says_what_the_modifiers_do(name: str, words: str):
    assert words in PICK_TIPS[name]

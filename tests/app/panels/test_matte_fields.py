"""The fields of a matte in its card, its views and thumbnail, copies, and what is drawn and picked."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication, QImage

from app.model.matte_drawing import WINDOWS
from app.panels.mattes.section import MatteSection
from app.panels.mattes.source_body import PICK_TIPS
from app.shell.main_window import MainWindow
from app.widgets.style import icon
from app.widgets.vector_field import VectorField
from engine import Grade, ops
from engine.errors import GradeError
from engine.grade.entries import layer_of
from engine.mattes import (
    Branch,
    Cryptomatte,
    Ellipse,
    ImageMatte,
    Leaf,
    Matte,
    PositionBox,
)
from tests.app.conftest import begin_with
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, Key, drag, file_dialog
from tests.app.panels.matte_cards import A, B, card_matte, matte_of, root_of, section_of, union, window_layer
from tests.typed import expect


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


def test_the_units_of_positions_and_rotations_are_beside_their_names(graded: MainWindow):
    units = {"center": "units", "size": "units", "rotation": "deg"}
    for source, shown in ((PositionBox(), units), (Ellipse(), {"center": "px", "size": "px"})):
        body = section_of(graded, Leaf(source)).body
        assert body is not None
        vectors = {field: each for field, each in body.editors.items() if isinstance(each, VectorField)}
        assert {field: each.unit.text() for field, each in vectors.items()} == shown
        assert all(each.unit.width() >= each.unit.sizeHint().width() for each in vectors.values())
        assert len({each.boxes[0].x() for each in vectors.values()}) == 1


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


@pytest.mark.parametrize("window", WINDOWS, ids=lambda window: str(window.__name__))
def test_each_window_is_drawn_by_a_command(graded: MainWindow, window: type):
    graded.panel.select(1)
    graded.actions_by_name[f"matte_draw_{window.__name__.lower()}"].trigger()
    assert graded.workspace.matte_selection.drawing == window.__name__ and matte_of(graded, 1) is None


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
    moved = Matte(Leaf(Ellipse(center=(9.0, 9.0))))
    assert thumbnails.image(graded.document, (0,), moved) is image, "the last one, until that of this one is made"
    assert thumbnails.image(graded.document, (0,), Matte(union(A))) is None
    assert thumbnails.image(graded.document, (1,), first) is image, "that of a moved entry"
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


@pytest.mark.parametrize(("name", "words"), [("Cryptomatte", "Shift only adds"), ("Key3d", "excluded with Alt")])
def test_the_tip_of_picking_says_what_the_modifiers_do(name: str, words: str):
    assert words in PICK_TIPS[name]

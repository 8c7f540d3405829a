"""What goes in and out of the window: looks, grades, CDLs, parts and layers, and the question before closing."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from PySide6.QtWidgets import QMessageBox

from app.panels.file_card import FileCard
from app.shell.main_window import MainWindow
from app.widgets.choice_box import ChoiceBox
from engine import FileLook, Grade, load_grade, ops, save_grade
from tests.app.conftest import write_cube
from tests.app.hands import LEFT, Key, drag, drop, file_dialog, row
from tests.typed import expect


def test_looks_are_added_ordered_and_removed(opened: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    other = write_cube(tmp_path / "double.cube", 2.0)
    drop(opened.canvas, cube, other)
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 4)
    assert opened.document.steps == 1
    names = [Path(e.path).name for e in opened.document.grade.entries if isinstance(e, FileLook)]
    assert names == ["half.cube", "double.cube"]
    opened.panel.select(3)
    opened.actions_by_name["entry_up"].trigger()
    names = [Path(e.path).name for e in opened.document.grade.entries if isinstance(e, FileLook)]
    assert names == ["double.cube", "half.cube"]
    qtbot.mouseClick(opened.panel.cards[2].remove, LEFT)
    (left,) = opened.document.grade.entries[2:]
    assert Path(expect(FileLook, left).path).name == "half.cube"
    opened.document.undo()
    assert len(opened.panel.cards) == 4


def test_interpolation_of_one_look(opened: MainWindow, cube: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    card = opened.panel.cards[2]
    assert isinstance(card, FileCard)
    assert not card.findChildren(ChoiceBox)  # made when it is needed: it takes longer than the rest of the card
    card.box.textActivated.emit("tetrahedral")

    def look() -> FileLook:
        return expect(FileLook, opened.document.grade.entries[2])

    qtbot.waitUntil(lambda: look().interpolation == "tetrahedral")
    assert expect(ops.Lut3d, look().ops[0]).interpolation == "tetrahedral"
    card.open()
    assert (card.box.currentText(), card.box.isVisible()) == ("tetrahedral", True)


def test_interpolation_of_a_copy_leaves_the_original(opened: MainWindow, cube: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    opened.panel.select(2)
    opened.actions_by_name["entry_duplicate"].trigger()

    def words() -> list[str]:
        return [expect(FileLook, look).interpolation for look in opened.document.grade.entries[2:]]

    for index, word in ((3, "linear"), (2, "tetrahedral")):
        opened.panel.cards[index].box.textActivated.emit(word)
    qtbot.waitUntil(lambda: words() == ["tetrahedral", "linear"])


def test_interpolation_of_a_look_that_is_gone_goes_back(opened: MainWindow, cube: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    cube.unlink()
    card = opened.panel.cards[2]
    assert isinstance(card, FileCard)
    card.box.setCurrentText("linear")
    card.box.textActivated.emit("linear")
    qtbot.waitUntil(lambda: opened.bar.text != "")
    assert card.box.currentText() == "file"


def test_a_look_that_is_none_is_reported(opened: MainWindow, tmp_path: Path, qtbot: Any):
    bad = tmp_path / "bad.cube"
    bad.write_text("this is no cube")
    drop(opened.panel.parentWidget().window(), bad)
    qtbot.waitUntil(lambda: "bad.cube" in opened.bar.text)
    assert len(opened.document.grade.entries) == 2


def test_save_and_open_a_grade(opened: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    assert opened.isWindowModified()
    opened.actions_by_name["save_grade"].trigger()
    dialog = file_dialog(opened)
    dialog.fileSelected.emit(str(tmp_path / "look.json"))
    dialog.close()
    qtbot.waitUntil(lambda: not opened.isWindowModified())
    saved = opened.document.grade
    assert load_grade(tmp_path / "look.json") == saved
    assert "look.json" in opened.windowTitle()
    opened.document.open_grade(Grade(), None)
    drop(opened.canvas, tmp_path / "look.json")
    qtbot.waitUntil(lambda: opened.document.grade == saved)


def test_a_grade_with_any_op_is_kept_and_shown(opened: MainWindow, tmp_path: Path, qtbot: Any):
    grade = Grade([op() for op in (ops.Contrast, ops.WhiteBalance, ops.Matrix, ops.Range, ops.LogCamera, ops.Blur)])
    grade = Grade([*grade.entries, ops.Lut1d([0.0, 0.5, 1.0])])
    save_grade(grade, tmp_path / "any.json")
    opened.files.open_grade(tmp_path / "any.json")
    qtbot.waitUntil(lambda: opened.document.grade == grade)
    assert [card.op for card in opened.panel.cards] == list(grade.entries)
    drag(qtbot, row(opened, "contrast").track, 10)
    assert expect(ops.Contrast, opened.document.grade.entries[0]).contrast > 1.0
    assert opened.document.grade.entries[1:] == grade.entries[1:]


def test_a_refused_value_is_reported_and_taken_back(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.Range()]), None)
    box = row(opened, "min_in").box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "1.5")
    qtbot.keyClick(box, Key.Key_Return)
    assert "must rise" in opened.bar.text
    assert box.value() == 0.0


def test_an_operation_can_be_added(opened: MainWindow):
    opened.panel.add(ops.Contrast)
    assert isinstance(opened.document.grade.entries[-1], ops.Contrast)


def test_cdl_out_and_in(opened: MainWindow, tmp_path: Path, qtbot: Any):
    cdl = ops.Cdl(slope=(1.2, 1.0, 0.9), offset=(0.01, 0.0, 0.0), saturation=0.8)
    opened.document.edit_entry(1, cdl, "cdl")
    opened.files.export_look(tmp_path / "shot.cc")
    qtbot.waitUntil((tmp_path / "shot.cc").exists)
    opened.document.open_grade(Grade([ops.Exposure(), ops.Cdl()]), None)
    drop(opened.canvas, tmp_path / "shot.cc")
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] == cdl)


def test_a_cdl_can_not_say_a_lut(opened: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    opened.files.export_look(tmp_path / "shot.cc")
    qtbot.waitUntil(lambda: "3D LUT" in opened.bar.text)
    assert not (tmp_path / "shot.cc").exists()


def test_parts_and_layers(window: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "parts.exr"
    path.write_bytes(b"")
    window.files.open_image(path)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert window.toolbar.part_box.isVisible()
    window.toolbar.part_box.setFocus()
    qtbot.keyClick(window.toolbar.part_box, Key.Key_Down)
    qtbot.waitUntil(lambda: window.document.image.part.index == 1)
    qtbot.keyClick(window.toolbar.layer_box, Key.Key_Down)
    qtbot.waitUntil(lambda: window.document.image.layer.name == "diffuse")
    assert window.toolbar.layer_box.currentText() == "diffuse"


def test_closing_asks_while_the_grade_is_unsaved(opened: MainWindow, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.close()
    assert opened.isVisible()
    box = opened.findChild(QMessageBox)
    assert box is not None
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Cancel), LEFT)
    assert opened.isVisible()
    opened.close()
    box = next(b for b in opened.findChildren(QMessageBox) if b.isVisible())
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Discard), LEFT)
    qtbot.waitUntil(lambda: not opened.isVisible())


def test_closing_saves_if_asked_to(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.open_grade(opened.document.grade, tmp_path / "look.json")
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.close()
    box = next(b for b in opened.findChildren(QMessageBox) if b.isVisible())
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Save), LEFT)
    qtbot.waitUntil(lambda: not opened.isVisible())
    assert load_grade(tmp_path / "look.json").entries[0] == ops.Exposure(1.0)

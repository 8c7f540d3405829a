"""The window, driven by mouse and keyboard."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QMimeData, QPoint, QPointF, Qt, QUrl
from PySide6.QtGui import QDragEnterEvent, QDropEvent, QMouseEvent, QWheelEvent
from PySide6.QtWidgets import QApplication, QFileDialog, QMessageBox, QWidget

from app.canvas import Canvas
from app.main_window import MainWindow
from app.panels.cards import FileCard, OpCard
from app.panels.slider import NumberRow
from engine import FileLook, Grade, load_grade, ops, save_grade
from tests.app.conftest import write_cube
from tests.app.fakes import FakeExecutor

LEFT = Qt.MouseButton.LeftButton
Key = Qt.Key


def row(window: MainWindow, field: str = "stops", card: int = 0) -> NumberRow:
    shown = window.panel.cards[card]
    assert isinstance(shown, OpCard)
    return shown.editors[field].row  # type: ignore[attr-defined]


def drag(qtbot: Any, widget: QWidget, dx: int, modifier: Any = Qt.KeyboardModifier.NoModifier) -> None:
    start = QPoint(widget.width() // 2, widget.height() // 2)
    qtbot.mousePress(widget, LEFT, modifier, start)
    for step in range(1, 11):
        move(widget, start + QPoint(dx * step // 10, 0), LEFT, modifier)
    qtbot.mouseRelease(widget, LEFT, modifier, start + QPoint(dx, 0))


def move(widget: QWidget, to: QPoint, buttons: Any = Qt.MouseButton.NoButton, modifier: Any = None) -> None:
    modifier = modifier or Qt.KeyboardModifier.NoModifier
    place = QPointF(to)
    event = QMouseEvent(
        QEvent.Type.MouseMove, place, QPointF(widget.mapToGlobal(to)), Qt.MouseButton.NoButton, buttons, modifier
    )
    QApplication.sendEvent(widget, event)


def drop(widget: QWidget, *paths: Path) -> None:
    data = QMimeData()
    data.setUrls([QUrl.fromLocalFile(str(path)) for path in paths])
    none, copy = Qt.KeyboardModifier.NoModifier, Qt.DropAction.CopyAction
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the only constructor there is, and Qt 6.12 wants it gone
        enter = QDragEnterEvent(QPoint(50, 50), copy, data, LEFT, none)
    QApplication.sendEvent(widget, enter)
    QApplication.sendEvent(widget, QDropEvent(QPointF(50, 50), copy, data, LEFT, none))


def wheel(widget: QWidget, at: QPoint, notches: int) -> None:
    none = Qt.KeyboardModifier.NoModifier
    spot, where = QPointF(at), QPointF(widget.mapToGlobal(at))
    phase = Qt.ScrollPhase.NoScrollPhase
    delta = QPoint(0, 120 * notches)
    QApplication.sendEvent(
        widget, QWheelEvent(spot, where, QPoint(), delta, Qt.MouseButton.NoButton, none, phase, False)
    )


def shown_colour(window: MainWindow) -> tuple[int, int, int]:
    """The middle of the picture as it is on the screen."""
    canvas: Canvas = window.canvas
    colour = canvas.grab().toImage().pixelColor(canvas.rect().center())
    return colour.red(), colour.green(), colour.blue()


def file_dialog(window: MainWindow) -> QFileDialog:
    return next(d for d in window.findChildren(QFileDialog) if d.isVisible())


def test_an_empty_window_teaches(window: MainWindow):
    assert window.empty.isVisible()
    assert window.empty.open_button.isVisible()
    assert not window.actions_by_name["export"].isEnabled()


def test_open_by_menu(window: MainWindow, picture_file: Path, qtbot: Any):
    window.actions_by_name["open"].trigger()
    dialog = file_dialog(window)
    dialog.setDirectory(str(picture_file.parent))
    dialog.filesSelected.emit([str(picture_file)])
    dialog.close()
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert not window.empty.isVisible()
    assert "ramp.exr" in window.windowTitle()
    qtbot.waitUntil(lambda: "192 × 108" in window.status.left.whole)


def test_open_by_drop(window: MainWindow, picture_file: Path, qtbot: Any):
    drop(window.canvas, picture_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert window.document.picture_path == picture_file


def test_a_missing_picture_is_told_in_the_bar(window: MainWindow, tmp_path: Path, qtbot: Any):
    window.files.open_picture(tmp_path / "gone.exr")
    qtbot.waitUntil(lambda: "there is no such file" in window.bar.text)
    qtbot.mouseClick(window.bar.close_button, LEFT)
    assert not window.bar.isVisible()


def test_escape_dismisses_the_bar(window: MainWindow, qtbot: Any):
    window.bar.tell("something went wrong; do this")
    qtbot.keyClick(window.canvas, Key.Key_Escape)
    assert not window.bar.isVisible()


def test_an_executor_that_can_not_be_made_is_told(qtbot: Any):
    from app.services import Services
    from engine.errors import BackendUnavailable

    def refuse(_name: str, _threads: int) -> Any:
        raise BackendUnavailable("cuda is not on this machine", "use --backend auto")

    window = MainWindow(services=Services(create_executor=refuse))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: "cuda is not on this machine" in window.bar.text)


def test_a_slider_drag_is_one_step_and_changes_the_picture(opened: MainWindow, qtbot: Any):
    before = shown_colour(opened)
    drag(qtbot, row(opened).track, 20)
    stops = opened.document.grade.entries[0].stops
    assert stops > 1.0
    assert opened.document.steps == 1
    assert row(opened).box.value() == pytest.approx(stops)
    qtbot.waitUntil(lambda: shown_colour(opened) > before)
    qtbot.keyClick(opened, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert opened.document.grade.entries[0].stops == 0.0
    assert row(opened).box.value() == 0.0
    qtbot.waitUntil(lambda: shown_colour(opened) == before)
    qtbot.keyClick(opened, Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert opened.document.grade.entries[0].stops == stops


def test_a_slider_drag_costs_the_viewport_alone(opened: MainWindow, executor: FakeExecutor, qtbot: Any):
    executor.calls.clear()
    drag(qtbot, row(opened).track, 20)
    qtbot.waitUntil(lambda: "display" in executor.calls)
    assert set(executor.calls) == {"display"}


def test_a_click_alone_changes_nothing_and_a_double_click_resets(opened: MainWindow, qtbot: Any):
    track = row(opened).track
    qtbot.mouseClick(track, LEFT, pos=QPoint(5, 5))
    assert opened.document.steps == 0
    drag(qtbot, track, 30)
    qtbot.mouseDClick(track, LEFT)
    assert opened.document.grade.entries[0].stops == 0.0


def test_shift_makes_a_drag_fine(opened: MainWindow, qtbot: Any):
    drag(qtbot, row(opened).track, 20)
    coarse = opened.document.grade.entries[0].stops
    opened.document.undo()
    drag(qtbot, row(opened).track, 20, Qt.KeyboardModifier.ShiftModifier)
    assert opened.document.grade.entries[0].stops == pytest.approx(coarse / 10, abs=0.05)


def test_arrow_keys_and_wheel_step(opened: MainWindow, qtbot: Any):
    track = row(opened).track
    track.setFocus()
    qtbot.keyClick(track, Key.Key_Right)
    qtbot.keyClick(track, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert opened.document.grade.entries[0].stops == pytest.approx(0.11)
    wheel(track, QPoint(5, 5), 1)
    assert opened.document.grade.entries[0].stops == pytest.approx(0.21)
    qtbot.keyClick(track, Key.Key_Delete)
    assert opened.document.grade.entries[0].stops == 0.0


def test_the_wheel_leaves_an_unfocused_slider_alone(opened: MainWindow):
    opened.canvas.setFocus()
    wheel(row(opened).track, QPoint(5, 5), 1)
    wheel(row(opened).box, QPoint(5, 5), 1)
    assert opened.document.steps == 0


def test_a_typed_value_may_lie_beyond_the_slider(opened: MainWindow, qtbot: Any):
    box = row(opened).box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "12.345678")
    qtbot.keyClick(box, Key.Key_Return)
    assert opened.document.grade.entries[0].stops == 12.345678
    assert opened.document.steps == 1
    assert not box.hasFocus()


def test_master_moves_the_three_together(opened: MainWindow, qtbot: Any):
    opened.document.edit_entry(1, ops.Cdl(offset=(0.1, 0.0, -0.1)), "offset")
    field = opened.panel.cards[1].editors["offset"]  # type: ignore[union-attr]
    drag(qtbot, field.master.track, 10)  # type: ignore[attr-defined]
    red, green, blue = opened.document.grade.entries[1].offset
    assert green > 0.05
    assert (red - green, green - blue) == pytest.approx((0.1, 0.1))
    qtbot.mouseDClick(field.master.track, LEFT)  # type: ignore[attr-defined]
    assert opened.document.grade.entries[1].offset == (0.0, 0.0, 0.0)


def test_a_channel_of_the_cdl_and_its_style(opened: MainWindow, qtbot: Any):
    card = opened.panel.cards[1]
    assert isinstance(card, OpCard)
    drag(qtbot, card.editors["slope"].rows[2].track, 20)  # type: ignore[attr-defined]
    style = card.editors["style"].box  # type: ignore[attr-defined]
    style.setFocus()
    qtbot.keyClick(style, Key.Key_Down)
    cdl = opened.document.grade.entries[1]
    assert cdl.slope[:2] == (1.0, 1.0)
    assert cdl.slope[2] > 1.0
    assert cdl.style == "asc"


def test_looks_are_added_ordered_and_removed(opened: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    other = write_cube(tmp_path / "double.cube", 2.0)
    drop(opened.canvas, cube, other)
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 4)
    assert opened.document.steps == 1
    names = [Path(e.path).name for e in opened.document.grade.entries if isinstance(e, FileLook)]
    assert names == ["half.cube", "double.cube"]
    qtbot.mouseClick(opened.panel.cards[3].up, LEFT)
    names = [Path(e.path).name for e in opened.document.grade.entries if isinstance(e, FileLook)]
    assert names == ["double.cube", "half.cube"]
    qtbot.mouseClick(opened.panel.cards[2].remove, LEFT)
    assert [Path(e.path).name for e in opened.document.grade.entries[2:]] == ["half.cube"]
    opened.document.undo()
    assert len(opened.panel.cards) == 4


def test_interpolation_of_one_look(opened: MainWindow, cube: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    card = opened.panel.cards[2]
    assert isinstance(card, FileCard)
    card.box.textActivated.emit("tetrahedral")
    qtbot.waitUntil(lambda: opened.document.grade.entries[2].interpolation == "tetrahedral")
    assert opened.document.grade.entries[2].ops[0].interpolation == "tetrahedral"


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


def test_a_look_that_is_none_is_told(opened: MainWindow, tmp_path: Path, qtbot: Any):
    bad = tmp_path / "bad.cube"
    bad.write_text("this is no cube")
    drop(opened.panel.parentWidget().window(), bad)
    qtbot.waitUntil(lambda: "bad.cube" in opened.bar.text)
    assert len(opened.document.grade.entries) == 2


@pytest.mark.parametrize("key", [Key.Key_Backslash, Key.Key_C])
def test_before_and_after(opened: MainWindow, qtbot: Any, key: Qt.Key):
    before = shown_colour(opened)
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    qtbot.waitUntil(lambda: shown_colour(opened) != before)
    qtbot.keyClick(opened.canvas, key)
    qtbot.waitUntil(lambda: shown_colour(opened) == before)
    qtbot.keyClick(opened.canvas, key)
    qtbot.waitUntil(lambda: shown_colour(opened) != before)


@pytest.mark.parametrize(("key", "value"), [("R", 188), ("G", 188), ("B", 137), ("A", 188), ("L", 186)])
def test_channels(opened: MainWindow, qtbot: Any, key: str, value: int):
    colour = shown_colour(opened)
    qtbot.keyClicks(opened.canvas, key.lower())
    qtbot.waitUntil(lambda: shown_colour(opened) == pytest.approx((value,) * 3, abs=2))
    qtbot.keyClicks(opened.canvas, key.lower())
    qtbot.waitUntil(lambda: shown_colour(opened) == colour)


def test_view_exposure_is_no_part_of_the_grade(opened: MainWindow, qtbot: Any):
    before = shown_colour(opened)
    qtbot.keyClick(opened.canvas, Key.Key_BracketRight)
    qtbot.keyClick(opened.canvas, Key.Key_BracketRight)
    assert opened.toolbar.view_stops == 1.0
    qtbot.waitUntil(lambda: shown_colour(opened) > before)
    assert not opened.document.modified
    qtbot.keyClick(opened.canvas, Key.Key_BracketLeft)
    assert opened.toolbar.view_stops == 0.5
    drag(qtbot, opened.toolbar.exposure.row.track, 10)
    assert opened.toolbar.view_stops > 0.5
    assert opened.document.steps == 0


def test_probe_tells_source_and_graded(opened: MainWindow, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    move(opened.canvas, opened.canvas.rect().center())
    qtbot.waitUntil(lambda: "graded" in opened.status.graded.text())
    column, line = opened.canvas.viewport.pixel_at(*(v * opened.devicePixelRatio() for v in centre(opened.canvas)))
    pixel = [float(v) for v in opened.document.picture.pixels[line, column]]
    assert opened.status.position.text() == f"{column + 10}, {line + 20}"
    assert numbers(opened.status.source.text()) == pytest.approx(pixel, abs=1e-4)
    assert numbers(opened.status.graded.text()) == pytest.approx([2 * v for v in pixel[:3]] + pixel[3:], abs=1e-4)


def centre(widget: QWidget) -> tuple[int, int]:
    return widget.rect().center().x(), widget.rect().center().y()


def numbers(text: str) -> list[float]:
    return [float(word) for word in text.split()[1:]]


def test_zoom_pan_fit_and_one_to_one(opened: MainWindow, qtbot: Any):
    canvas = opened.canvas
    fitted = canvas.viewport
    spot = QPoint(300, 250)
    wheel(canvas, spot, 2)
    assert canvas.viewport.scale == pytest.approx(fitted.scale * 1.5625)
    assert canvas.viewport.source_at(300, 250) == pytest.approx(fitted.source_at(300, 250), abs=0.5)
    left = canvas.viewport.left
    qtbot.mousePress(canvas, Qt.MouseButton.MiddleButton, pos=spot)
    move(canvas, spot + QPoint(40, 0), Qt.MouseButton.MiddleButton)
    qtbot.mouseRelease(canvas, Qt.MouseButton.MiddleButton, pos=spot)
    assert canvas.viewport.left == left + 40
    qtbot.keyClicks(canvas, "1")
    assert canvas.viewport.scale == 1.0
    qtbot.keyClicks(canvas, "f")
    assert canvas.viewport == fitted


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
    assert [card.op for card in opened.panel.cards] == list(grade.entries)  # type: ignore[union-attr]
    drag(qtbot, row(opened, "contrast").track, 10)
    assert opened.document.grade.entries[0].contrast > 1.0
    assert opened.document.grade.entries[1:] == grade.entries[1:]


def test_a_refused_value_is_told_and_taken_back(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.Range()]), None)
    box = row(opened, "min_in").box
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "1.5")
    qtbot.keyClick(box, Key.Key_Return)
    assert "must rise" in opened.bar.text
    assert box.value() == 0.0


def test_an_operation_can_be_added(opened: MainWindow):
    menu = opened.panel.add_op.menu()
    next(action for action in menu.actions() if action.text() == "Contrast").trigger()
    assert isinstance(opened.document.grade.entries[-1], ops.Contrast)


def test_cdl_out_and_in(opened: MainWindow, tmp_path: Path, qtbot: Any):
    cdl = ops.Cdl(slope=(1.2, 1.0, 0.9), offset=(0.01, 0.0, 0.0), saturation=0.8)
    opened.document.edit_entry(1, cdl, "cdl")
    opened.files.export_cdl(tmp_path / "shot.cc")
    qtbot.waitUntil((tmp_path / "shot.cc").exists)
    opened.document.open_grade(Grade([ops.Exposure(), ops.Cdl()]), None)
    drop(opened.canvas, tmp_path / "shot.cc")
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] == cdl)


def test_a_cdl_can_not_say_a_lut(opened: MainWindow, cube: Path, tmp_path: Path, qtbot: Any):
    opened.files.add_looks([cube])
    qtbot.waitUntil(lambda: len(opened.panel.cards) == 3)
    opened.files.export_cdl(tmp_path / "shot.cc")
    qtbot.waitUntil(lambda: "3D LUT" in opened.bar.text)
    assert not (tmp_path / "shot.cc").exists()


def test_parts_and_layers(window: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "parts.exr"
    path.write_bytes(b"")
    window.files.open_picture(path)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert window.toolbar.part_box.isVisible()
    window.toolbar.part_box.setFocus()
    qtbot.keyClick(window.toolbar.part_box, Key.Key_Down)
    qtbot.waitUntil(lambda: window.document.picture.part.index == 1)
    qtbot.keyClick(window.toolbar.layer_box, Key.Key_Down)
    qtbot.waitUntil(lambda: window.document.picture.layer.name == "diffuse")
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


def test_closing_saves_if_told_to(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.open_grade(opened.document.grade, tmp_path / "look.json")
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    opened.close()
    box = next(b for b in opened.findChildren(QMessageBox) if b.isVisible())
    qtbot.mouseClick(box.button(QMessageBox.StandardButton.Save), LEFT)
    qtbot.waitUntil(lambda: not opened.isVisible())
    assert load_grade(tmp_path / "look.json").entries[0] == ops.Exposure(1.0)


def test_preparing_is_told_and_the_window_answers(opened: MainWindow, executor: FakeExecutor, qtbot: Any):
    told: list[str] = []
    opened.preview.status.connect(told.append)
    executor.warm = False
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    qtbot.waitUntil(lambda: told[-1:] == [""] and len(told) > 1)
    assert "Preparing…" in told

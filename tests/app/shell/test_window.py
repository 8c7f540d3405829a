"""The window, driven by mouse and keyboard."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QPushButton

from app.model.viewport import Viewport
from app.panels.cards import OpCard
from app.shell.main_window import MainWindow
from engine import ops
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key, centre, drag, drop, file_dialog, move, numbers, row, shown_colour, wheel
from tests.app.panels.acting import choose
from tests.typed import expect


def test_an_empty_window_teaches(window: MainWindow):
    assert window.empty.isVisible()
    assert window.empty.open_button.isVisible()
    assert not window.actions_by_name["export"].isEnabled()


def test_it_lists_recent_files_while_it_is_empty(window: MainWindow, image_file: Path, qtbot: Any):
    def listed() -> list[str]:
        return [each.text() for each in window.empty.findChildren(QPushButton) if each.objectName() == "link"]

    window.files.open_image(image_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert listed() == [], "nobody sees it"
    window.workspace.open_documents.close(window.document)
    assert window.empty.isVisible() and listed() == [image_file.name]
    window.workspace.settings.set("recent", [])
    qtbot.waitUntil(lambda: listed() == [])


def test_open_by_menu(window: MainWindow, image_file: Path, qtbot: Any):
    window.actions_by_name["open"].trigger()
    dialog = file_dialog(window)
    dialog.setDirectory(str(image_file.parent))
    dialog.filesSelected.emit([str(image_file)])
    dialog.close()
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert not window.empty.isVisible()
    assert "ramp.exr" in window.windowTitle()
    qtbot.waitUntil(lambda: "192 × 108" in window.status.left.whole)


def test_open_by_drop(window: MainWindow, image_file: Path, qtbot: Any):
    drop(window.canvas, image_file)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    assert window.document.image_path == image_file


def test_a_missing_image_is_reported_in_the_bar(window: MainWindow, tmp_path: Path, qtbot: Any):
    window.files.open_image(tmp_path / "gone.exr")
    qtbot.waitUntil(lambda: "does not exist" in window.bar.text)
    qtbot.mouseClick(window.bar.close_button, LEFT)
    assert not window.bar.isVisible()


def test_escape_dismisses_the_bar(window: MainWindow, qtbot: Any):
    window.workspace.messages.warn("something went wrong; do this")
    qtbot.keyClick(window.canvas, Key.Key_Escape)
    assert not window.bar.isVisible()


def test_an_executor_that_can_not_be_made_is_reported(qtbot: Any):
    from app.services.engine_calls import Services
    from engine.errors import BackendUnavailable

    def refuse(_name: str, _threads: int) -> Any:
        raise BackendUnavailable("cuda is not on this machine", "use --backend auto")

    window = MainWindow(services=Services(create_executor=refuse))
    qtbot.addWidget(window)
    window.show()
    qtbot.waitUntil(lambda: "cuda is not on this machine" in window.bar.text)


def test_a_slider_drag_is_one_step_and_changes_the_image(opened: MainWindow, qtbot: Any):
    before = shown_colour(opened)
    drag(qtbot, row(opened).track, 20)
    stops = expect(ops.Exposure, opened.document.grade.entries[0]).stops
    assert stops > 1.0
    assert opened.document.steps == 1
    assert row(opened).box.value() == pytest.approx(stops)
    qtbot.waitUntil(lambda: shown_colour(opened) > before)
    qtbot.keyClick(opened, Key.Key_Z, Qt.KeyboardModifier.ControlModifier)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 0.0
    assert row(opened).box.value() == 0.0
    qtbot.waitUntil(lambda: shown_colour(opened) == before)
    qtbot.keyClick(opened, Key.Key_Y, Qt.KeyboardModifier.ControlModifier)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == stops


def test_a_slider_drag_costs_the_viewport_alone(opened: MainWindow, executor: FakeExecutor, qtbot: Any):
    executor.calls.clear()
    drag(qtbot, row(opened).track, 20)
    qtbot.waitUntil(lambda: "display" in executor.calls)
    assert "upload" not in executor.calls  # quick frames may be resampled from the level that is there


def test_a_click_alone_changes_nothing_and_a_double_click_resets(opened: MainWindow, qtbot: Any):
    track = row(opened).track
    qtbot.mouseClick(track, LEFT, pos=QPoint(5, 5))
    assert opened.document.steps == 0
    drag(qtbot, track, 30)
    qtbot.mouseDClick(track, LEFT)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 0.0


def test_shift_makes_a_drag_fine(opened: MainWindow, qtbot: Any):
    drag(qtbot, row(opened).track, 20)
    coarse = expect(ops.Exposure, opened.document.grade.entries[0]).stops
    opened.document.undo()
    drag(qtbot, row(opened).track, 20, Qt.KeyboardModifier.ShiftModifier)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == pytest.approx(coarse / 10, abs=0.05)


def test_arrow_keys_and_wheel_step(opened: MainWindow, qtbot: Any):
    track = row(opened).track
    track.setFocus()
    qtbot.keyClick(track, Key.Key_Right)
    qtbot.keyClick(track, Key.Key_Right, Qt.KeyboardModifier.ShiftModifier)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == pytest.approx(0.11)
    wheel(track, QPoint(5, 5), 1)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == pytest.approx(0.21)
    qtbot.keyClick(track, Key.Key_Delete)
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 0.0


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
    assert expect(ops.Exposure, opened.document.grade.entries[0]).stops == 12.345678
    assert opened.document.steps == 1
    assert not box.hasFocus()


def test_master_moves_the_three_together(opened: MainWindow, qtbot: Any):
    opened.workspace.settings.set("wheels", False)
    opened.document.edit_entry(1, ops.Cdl(offset=(0.1, 0.0, -0.1)), "offset")
    field = opened.panel.cards[1].editors["offset"]
    drag(qtbot, field.master.track, 10)
    red, green, blue = expect(ops.Cdl, opened.document.grade.entries[1]).offset
    assert green > 0.005
    assert (red - green, green - blue) == pytest.approx((0.1, 0.1))
    qtbot.mouseDClick(field.master.track, LEFT)
    assert expect(ops.Cdl, opened.document.grade.entries[1]).offset == (0.0, 0.0, 0.0)


def test_a_channel_of_the_cdl_and_its_style(opened: MainWindow, qtbot: Any):
    opened.workspace.settings.set("wheels", False)
    card = opened.panel.cards[1]
    assert isinstance(card, OpCard)
    drag(qtbot, card.editors["slope"].rows[2].track, 20)  # type: ignore[attr-defined]
    choose(opened, card, "Style", "asc", qtbot)
    cdl = expect(ops.Cdl, opened.document.grade.entries[1])
    assert cdl.slope[:2] == (1.0, 1.0)
    assert cdl.slope[2] > 1.0
    assert cdl.style == "asc"


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
    assert opened.workspace.view.exposure == 1.0
    qtbot.waitUntil(lambda: shown_colour(opened) > before)
    assert not opened.document.modified
    qtbot.keyClick(opened.canvas, Key.Key_BracketLeft)
    assert opened.workspace.view.exposure == 0.5
    drag(qtbot, opened.toolbar.exposure.row.track, 10)
    assert opened.workspace.view.exposure > 0.5
    assert opened.document.steps == 0


def test_probe_tells_source_and_graded(opened: MainWindow, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    move(opened.canvas, opened.canvas.rect().center())
    qtbot.waitUntil(lambda: "graded" in opened.status.graded.text())
    ratio, (x, y) = opened.devicePixelRatio(), centre(opened.canvas)
    found = viewport_of(opened).pixel_at(x * ratio, y * ratio)
    assert found is not None
    column, line = found
    pixel = [float(v) for v in opened.document.image.pixels[line, column]]
    assert opened.status.position.text() == f"{column + 10}, {line + 20}"
    assert numbers(opened.status.source.text()) == pytest.approx(pixel, abs=1e-4)
    assert numbers(opened.status.graded.text()) == pytest.approx([2 * v for v in pixel[:3]] + pixel[3:], abs=1e-4)


def viewport_of(window: MainWindow) -> Viewport:
    return expect(Viewport, window.canvas.viewport)


def test_zoom_pan_fit_and_one_to_one(opened: MainWindow, qtbot: Any):
    canvas = opened.canvas
    fitted = viewport_of(opened)
    spot = QPoint(300, 250)
    wheel(canvas, spot, 2)
    assert viewport_of(opened).scale == pytest.approx(fitted.scale * 1.5625)
    assert viewport_of(opened).source_at(300, 250) == pytest.approx(fitted.source_at(300, 250), abs=0.5)
    left = viewport_of(opened).left
    qtbot.mousePress(canvas, Qt.MouseButton.MiddleButton, pos=spot)
    move(canvas, spot + QPoint(40, 0), Qt.MouseButton.MiddleButton)
    qtbot.mouseRelease(canvas, Qt.MouseButton.MiddleButton, pos=spot)
    assert viewport_of(opened).left == left + 40
    qtbot.keyClicks(canvas, "1")
    assert viewport_of(opened).scale == 1.0
    qtbot.keyClicks(canvas, "f")
    assert canvas.viewport == fitted


def test_preparing_is_reported_and_the_window_answers(opened: MainWindow, executor: FakeExecutor, qtbot: Any):
    messages: list[str] = []
    opened.preview.status.connect(messages.append)
    executor.warm = False
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    qtbot.waitUntil(lambda: messages[-1:] == [""] and len(messages) > 1)
    assert "Preparing…" in messages

"""The chips over the image: what each way of showing it differently is called, and how it is ended there."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from PySide6.QtCore import QPoint, Qt
from PySide6.QtWidgets import QApplication

from app.model.comparison_target import VersionTarget
from app.model.view_state import ViewState
from app.shell.chips import EDGE, ChipFrame
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from tests.app.conftest import image
from tests.app.hands import LEFT, Key

DARK = FileLook("/luts/dark.cube", (ops.Exposure(-1.0),))
MANY = {"compare": "wipe", "channel": "red", "exposure": 1.0, "gamma": 1.2, "overlays": ("false colour", "zebra")}


def texts(window: MainWindow) -> list[str]:
    return [frame.label.text() for frame in window.chips.frames if frame.isVisible()]


def chip(window: MainWindow, text: str) -> ChipFrame:
    return next(frame for frame in window.chips.frames if text in frame.label.text())


def test_each_chip_is_ended_by_its_button(opened: MainWindow, qtbot: Any):
    assert texts(opened) == [] and not opened.chips.isVisible()
    opened.workspace.set_view(**MANY)
    opened.workspace.stage.preview_lut(DARK)
    wanted = ["Trying LUT: dark.cube", "Wipe: With dark.cube | Without dark.cube", "Zebra", "False colour"]
    assert texts(opened) == [*wanted, "Red channel", "Viewer +1 EV", "Viewer gamma 1.2"]
    for left in range(6, -1, -1):
        ended = opened.chips.frames[-1].chip
        qtbot.mouseClick(opened.chips.frames[-1].end, LEFT)
        assert len(texts(opened)) == left and ended.name not in [f.chip.name for f in opened.chips.frames]
        assert QApplication.focusWidget() is opened.canvas, "the mouse does not take the focus"
    assert opened.workspace.view == replace(ViewState(), display=opened.workspace.view.display)
    assert opened.workspace.stage.previewed_lut is None and not opened.chips.isVisible()


def test_chips_are_reached_and_ended_by_keys(opened: MainWindow, qtbot: Any):
    for key in (Key.Key_Space, Key.Key_Delete, Key.Key_Return):
        opened.workspace.set_view(channel="green", exposure=-0.5)
        qtbot.keyClick(opened.canvas, Key.Key_F6)
        assert QApplication.focusWidget() is chip(opened, "Green channel").end
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert opened.workspace.view.channel == "" and opened.workspace.view.exposure == -0.5
        assert QApplication.focusWidget() is chip(opened, "Viewer −0.5 EV").end
        qtbot.keyClick(QApplication.focusWidget(), key)
        assert opened.workspace.view.exposure == 0.0 and QApplication.focusWidget() is opened.canvas


def add_by_mouse(window: MainWindow, qtbot: Any) -> None:
    qtbot.mouseClick(chip(window, "Trying LUT").add, LEFT)


def add_by_button_and_keys(window: MainWindow, qtbot: Any) -> None:
    qtbot.keyClick(window.canvas, Key.Key_F6)
    assert QApplication.focusWidget() is chip(window, "Trying LUT").add
    qtbot.keyClick(QApplication.focusWidget(), Key.Key_Return)


def add_by_command(window: MainWindow, qtbot: Any) -> None:
    qtbot.keyClick(window.canvas, Key.Key_L, Qt.KeyboardModifier.ShiftModifier)


def test_a_tried_lut_is_added(opened: MainWindow, qtbot: Any):
    action = opened.actions_by_name["add_tried_lut"]
    for add in (add_by_mouse, add_by_button_and_keys, add_by_command):
        assert not action.isEnabled()
        opened.workspace.stage.preview_lut(DARK)
        assert action.isEnabled()
        opened.canvas.setFocus()
        add(opened, qtbot)
        assert opened.document.grade.entries[-1] == DARK and opened.document.undo_text == "adding dark.cube"
        assert texts(opened) == [] and not action.isEnabled()
        opened.document.undo()


def test_each_button_tells_what_it_does_and_its_key(opened: MainWindow, qtbot: Any):
    opened.workspace.set_view(**MANY)
    opened.workspace.stage.preview_lut(DARK)
    keys = ["(Esc)", "(W)", "(Z)", "(Shift+F)", "(R)", "(Ctrl+0)", "(Ctrl+0)"]
    for frame, key in zip(opened.chips.frames, keys, strict=True):
        assert frame.end.toolTip() == f"End: {frame.chip.text} {key}"
        assert frame.end.accessibleName() == f"End: {frame.chip.text}"
        assert frame.toolTip() == frame.chip.tip and frame.accessibleName() == frame.chip.text
    assert opened.chips.frames[0].add.toolTip().endswith("(Shift+L)")
    they_wrap_and_leave_the_rest_of_the_image_to_the_hands(opened, qtbot)


def they_wrap_and_leave_the_rest_of_the_image_to_the_hands(opened: MainWindow, qtbot: Any) -> None:
    opened.workspace.stage.preview_lut(FileLook("/luts/" + 80 * "long " + ".cube", (ops.Exposure(-1.0),)))
    boxes = [frame.geometry().translated(opened.chips.pos()) for frame in opened.chips.frames]
    assert len({box.top() for box in boxes}) > 1
    assert all(box.right() < opened.canvas.width() - EDGE for box in boxes)
    assert not any(a.intersects(b) for n, a in enumerate(boxes) for b in boxes[:n])
    gap = QPoint(boxes[0].right() + 3, boxes[0].center().y())
    assert opened.canvas.childAt(gap) is None and opened.canvas.childAt(boxes[0].center()) is not None
    before = opened.canvas.viewport
    qtbot.mousePress(chip(opened, "Wipe").label, LEFT)
    assert opened.canvas._grabbed is None and opened.canvas.viewport == before


def test_chips_follow_the_document_and_stay_in_the_clean_view(opened: MainWindow, tmp_path: Path, qtbot: Any):
    first = opened.document
    opened.workspace.set_view(channel="blue")
    opened.set_clean(True)
    assert texts(opened) == ["Blue channel"]
    opened.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: opened.document is not first and opened.document.image is not None)
    opened.workspace.set_view(channel="", overlays=("zebra",))
    assert texts(opened) == ["Zebra"]
    opened.workspace.open_documents.show(first)
    assert texts(opened) == ["Blue channel"]
    for document in list(opened.workspace.documents):
        opened.workspace.open_documents.close(document)
    assert not opened.chips.isVisible()


def test_versions_are_named_and_frames_below_full_resolution_are_called_proxy(opened: MainWindow, qtbot: Any):
    version = opened.document.keep_version("Warm")
    opened.workspace.set_view(compare="wipe", against=VersionTarget(version.number))
    assert texts(opened) == ["Wipe: Grade | Warm"]
    opened.document.edit_version("Warm", replace(version, name="Warmer"), "renaming")
    assert texts(opened) == ["Wipe: Grade | Warmer"]
    opened.document.edit_version("Warmer", None, "removal")
    assert texts(opened) == ["Wipe: Grade | Deleted version"]
    qtbot.mouseClick(chip(opened, "Wipe").end, LEFT)
    quick_frames_are_called_proxy_after_a_moment(opened, qtbot)


def quick_frames_are_called_proxy_after_a_moment(opened: MainWindow, qtbot: Any) -> None:
    stage = opened.workspace.stage
    qtbot.waitUntil(lambda: opened.preview.idle and stage.shown_request is not None)
    exact = stage.shown_request
    assert exact is not None
    opened.preview.frame.disconnect(stage._show_frame)
    opened.chips._proxy.setInterval(0)
    stage.shown_request = replace(exact, exact=False)
    stage.shown.emit()
    assert texts(opened) == []
    qtbot.waitUntil(lambda: texts(opened) == ["Proxy"])
    assert not chip(opened, "Proxy").end.isVisible() and "follows by itself" in chip(opened, "Proxy").toolTip()
    stage.shown_request = exact
    stage.shown.emit()
    assert texts(opened) == []

"""The export dialog where files are there already: it asks, and only what was agreed to is replaced."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.dialogs.export_dialog import ExportDialog
from app.services import export_job
from app.services.export_options import YES, arguments
from app.services.export_queue import Export, State
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from tests.app.command_line import write_exr
from tests.app.hands import LEFT, Key

WAITS = "import time; time.sleep(60)"


@pytest.fixture
def waiting(opened: MainWindow, monkeypatch: pytest.MonkeyPatch) -> MainWindow:
    """A window with an image whose exports only wait."""
    monkeypatch.setattr(export_job, "arguments", lambda order, grade: ["-c", WAITS])
    return opened


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    (tmp_path / "in").mkdir()
    (tmp_path / "out").mkdir()
    for frame in range(1, 6):
        write_exr(tmp_path / "in" / f"s.{frame:04}.exr", 20, 10)
    return tmp_path / "in" / "s.####.exr"


@pytest.fixture
def out(tmp_path: Path) -> Path:
    """A target of which frames 2 and 3 are there."""
    for frame in (2, 3):
        (tmp_path / "out" / f"g.{frame:04}.exr").write_text("mine")
    return tmp_path / "out" / "g.####.exr"


def opened_dialog(window: MainWindow, source: Path, target: Path) -> ExportDialog:
    window.actions_by_name["export"].trigger()
    dialog = window.export_dialog
    assert dialog is not None
    dialog.source.setText(str(source))
    dialog.target.setText(str(target))
    return dialog


def asked(dialog: ExportDialog, qtbot: Any) -> str:
    """What the dialog asks after Export is pressed."""
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: dialog.buttons.asking)
    return dialog.line.text()


def ordered(window: MainWindow, qtbot: Any) -> Export:
    """The export that was put into the queue last."""
    exports = window.workspace.exports.exports
    qtbot.waitUntil(lambda: bool(exports) and window.export_dialog is None)
    return exports[-1]


def existing(export: Export) -> str:
    return next(word for word in arguments(export.order, Path("g.json")) if word.startswith("--existing"))


def test_where_nothing_is_there_nothing_is_asked(waiting: MainWindow, shot: Path, tmp_path: Path, qtbot: Any):
    opened_dialog(waiting, shot, tmp_path / "out" / "n.####.exr").buttons.export.click()
    assert existing(ordered(waiting, qtbot)) == "--existing=fail"


def test_frames_that_are_there_are_asked_about(waiting: MainWindow, shot: Path, out: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot, out)
    line = asked(dialog, qtbot)
    assert line.startswith("2 of 5 frames exist already: 2-3. Press Replace")
    assert dialog.summary.text() == "5 frames 1-5, EXR half ZIP, colour space unknown"
    assert "g_v002.####.exr" in line
    assert waiting.workspace.exports.exports == []
    buttons = dialog.buttons
    shown = (buttons.version, buttons.skip, buttons.replace)
    assert all(button.isVisible() and button.toolTip() and button.accessibleName() for button in shown)
    assert not buttons.export.isVisible() and buttons.version.isDefault()
    buttons.replace.click()
    assert existing(ordered(waiting, qtbot)) == "--existing=2-3"


def test_frames_that_are_there_are_skipped(waiting: MainWindow, shot: Path, out: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot, out)
    asked(dialog, qtbot)
    dialog.buttons.skip.click()
    assert existing(ordered(waiting, qtbot)) == "--existing=skip"


def test_a_new_version_is_another_name(waiting: MainWindow, shot: Path, out: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot, out)
    asked(dialog, qtbot)
    dialog.buttons.version.click()
    assert dialog.target.text() == str(out.with_name("g_v002.####.exr"))
    assert not dialog.buttons.asking and dialog.buttons.export.isVisible()
    dialog.buttons.export.click()
    export = ordered(waiting, qtbot)
    assert (export.order.target.name, existing(export)) == ("g_v002.####.exr", "--existing=fail")


def test_one_image_is_asked_about(waiting: MainWindow, image_file: Path, tmp_path: Path, qtbot: Any):
    (tmp_path / "out.exr").write_text("mine")
    dialog = opened_dialog(waiting, image_file, tmp_path / "out.exr")
    assert asked(dialog, qtbot).startswith("out.exr exists already.")
    assert not dialog.buttons.skip.isVisible()
    dialog.buttons.replace.click()
    assert existing(ordered(waiting, qtbot)) == "--existing=replace"


@pytest.mark.parametrize("change", ["target", "source", "options", "close"])
@pytest.mark.parametrize("late", [False, True])
def test_what_was_asked_counts_for_that_alone(
    waiting: MainWindow, shot: Path, out: Path, qtbot: Any, change: str, late: bool
):
    dialog = opened_dialog(waiting, shot, out)
    if late:
        dialog.buttons.export.click()  # the answer of the disk is on its way
    else:
        asked(dialog, qtbot)
    if change == "target":
        dialog.target.setText(str(out.with_name("h.####.exr")))
    elif change == "source":
        dialog.source.setText(str(shot.with_name("s.%04d.exr")))
    elif change == "options":
        dialog.form.set_values({"frames": "1"})
    else:
        dialog.reject()
    qtbot.waitUntil(lambda: waiting.workspace.jobs.active == 0)
    QApplication.processEvents()
    assert waiting.workspace.exports.exports == []
    if change == "source":  # the same frames: it asks again, about the new order
        qtbot.waitUntil(lambda: dialog.buttons.asking)
        dialog.buttons.replace.click()
        assert ordered(waiting, qtbot).order.source == shot.with_name("s.%04d.exr")
    elif change != "close":
        assert not dialog.buttons.asking and dialog.buttons.export.isVisible()
        assert dialog.buttons.export.isEnabled() and "already" not in dialog.line.text()


def test_what_can_not_begin_is_reported_by_the_dialog(waiting: MainWindow, shot: Path, tmp_path: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot.with_name("none.####.exr"), tmp_path / "out" / "g.####.exr")
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: "has no frames" in dialog.line.text())
    assert dialog.buttons.export.isEnabled() and waiting.workspace.exports.exports == []


def test_the_grade_is_that_of_the_moment_of_the_answer(waiting: MainWindow, shot: Path, out: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot, out)
    asked(dialog, qtbot)
    waiting.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    dialog.buttons.replace.click()
    assert ordered(waiting, qtbot).order.grade.entries[0] == ops.Exposure(2.0)


@pytest.mark.parametrize(("choice", "has"), [("With dark.cube", True), ("Without dark.cube", False)])
def test_a_lut_that_is_tried_is_asked_about(
    waiting: MainWindow, image_file: Path, tmp_path: Path, qtbot: Any, choice: str, has: bool
):
    look = FileLook(str(tmp_path / "dark.cube"), (ops.Cdl(saturation=0.5),))
    dialog = opened_dialog(waiting, image_file, tmp_path / "out.exr")
    assert not dialog.previewed_lut.isVisible() and not dialog.previewed_lut.label.isVisible()
    waiting.workspace.stage.preview_lut(look)
    assert dialog.previewed_lut.isVisible() and dialog.previewed_lut.label.isVisible()
    dialog.buttons.export.click()
    assert "dark.cube is shown on the image" in dialog.line.text()
    assert waiting.workspace.exports.exports == []
    button = dialog.previewed_lut.with_lut if has else dialog.previewed_lut.without_lut
    assert button.text() == choice and not button.isChecked()
    qtbot.mouseClick(button, LEFT)
    dialog.buttons.export.click()
    assert (look in ordered(waiting, qtbot).order.grade.entries) == has


def test_another_lut_that_is_tried_is_asked_about_anew(
    waiting: MainWindow, image_file: Path, tmp_path: Path, qtbot: Any
):
    stage = waiting.workspace.stage
    stage.preview_lut(FileLook(str(tmp_path / "dark.cube"), (ops.Cdl(saturation=0.5),)))
    dialog = opened_dialog(waiting, image_file, tmp_path / "out.exr")
    dialog.previewed_lut.without_lut.setFocus()
    qtbot.keyClick(dialog.previewed_lut.without_lut, Key.Key_Space)
    assert not dialog.previewed_lut.question
    stage.preview_lut(FileLook(str(tmp_path / "light.cube"), (ops.Cdl(saturation=1.5),)))
    assert "light.cube" in dialog.previewed_lut.question
    stage.preview_lut(None)
    assert not dialog.previewed_lut.question and not dialog.previewed_lut.isVisible()


def test_again_goes_on_with_what_was_made(waiting: MainWindow, shot: Path, out: Path, qtbot: Any):
    dialog = opened_dialog(waiting, shot, out)
    asked(dialog, qtbot)
    dialog.buttons.replace.click()
    export = ordered(waiting, qtbot)
    export.cancel()
    qtbot.waitUntil(lambda: export.state == State.CANCELLED)
    export.again()
    assert export.order.options["resume"] == YES and existing(export) == "--existing=2-3"


@pytest.mark.parametrize("frames", [False, True])
def test_the_header_is_shown_whatever_exists(
    opened: MainWindow, shot: Path, out: Path, tmp_path: Path, qtbot: Any, frames: bool
):
    target = out if frames else out.with_name("g.0002.exr")
    dialog = opened_dialog(opened, shot if frames else shot.with_name("s.0002.exr"), target)
    dialog.show_header.click()
    qtbot.waitUntil(lambda: dialog.line.text() not in ("", "Reading the header…"), timeout=60_000)
    qtbot.waitUntil(lambda: bool(dialog.header.text.toPlainText()), timeout=60_000)
    assert "already" not in dialog.line.text() and out.with_name("g.0002.exr").read_text() == "mine"


@pytest.mark.parametrize("answer", ["replace", "skip"])
def test_frames_are_replaced_as_agreed(
    opened: MainWindow, shot: Path, out: Path, tmp_path: Path, qtbot: Any, answer: str
):
    dialog = opened_dialog(opened, shot, out)
    dialog.form.set_values({"backend": "cpu", "threads": "1"})
    asked(dialog, qtbot)
    getattr(dialog.buttons, answer).click()
    late = tmp_path / "out" / "g.0004.exr"
    late.write_text("from another program")  # before the export looks
    export = ordered(opened, qtbot)
    qtbot.waitUntil(lambda: export.over, timeout=60_000)
    assert late.read_text() == "from another program"
    mine = tmp_path / "out" / "g.0002.exr"
    if answer == "skip":
        assert export.state == State.DONE and mine.read_text() == "mine"
        assert len([*out.parent.iterdir()]) == 5
        return
    assert export.state == State.FAILED and "g.0004.exr: already exists" in export.line
    late.unlink()
    export.again()
    qtbot.waitUntil(lambda: export.over, timeout=60_000)
    again: State = export.state
    assert again == State.DONE and mine.read_bytes()[:4] == b"\x76\x2f\x31\x01"

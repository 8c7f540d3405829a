"""The export sheet for movies, and the editor of burn-ins."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QComboBox, QPushButton

from app.dialogs.burn_in_dialog import PREVIEW, BurnInDialog
from app.dialogs.export_dialog import ExportDialog
from app.services import export_job
from app.services.export_options import arguments
from app.services.export_queue import State
from app.shell.main_window import MainWindow
from engine.movies.burn_in import Text
from engine.movies.burn_presets import load_burn_in
from tests.app.hands import LEFT, Key
from tests.typed import expect

WAITS = "import time; time.sleep(60)"


@pytest.fixture(autouse=True)
def own_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TESSERA_CONFIG", str(tmp_path / "config"))


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    (tmp_path / "shot").mkdir()
    for frame in (1012, 1013):
        (tmp_path / "shot" / f"s.{frame}.exr").touch()
    return tmp_path / "shot" / "s.####.exr"


@pytest.fixture
def sheet(opened: MainWindow, shot: Path, qtbot: Any) -> ExportDialog:
    opened.actions_by_name["export"].trigger()
    dialog = opened.export_dialog
    assert dialog is not None
    dialog.source.setText(str(shot))
    return dialog


def choose(box: QComboBox, text: str, qtbot: Any) -> None:
    """Choose an entry of a list with keys."""
    box.setFocus()
    qtbot.keyClick(box, Key.Key_Home)
    while box.currentText() != text:
        before = box.currentIndex()
        qtbot.keyClick(box, Key.Key_Down)
        assert box.currentIndex() != before, f"{text} is not in the list"


def button(sheet: ExportDialog, text: str) -> QPushButton:
    return next(each for each in sheet.form.findChildren(QPushButton) if each.text() == text and each.isVisible())


def test_the_format_shows_its_options(sheet: ExportDialog, qtbot: Any):
    groups, rows = sheet.form.groups, sheet.form._rows
    assert groups["Basic"].is_open and "compression" in sheet.form.editors
    assert sheet.destination.format.currentText() == "OpenEXR"
    assert groups["Movie"].isHidden() and not rows["compression"][1].isHidden()
    choose(sheet.destination.format, "QuickTime", qtbot)
    sheet.destination.format.activated.emit(sheet.destination.format.currentIndex())
    assert sheet.target.text().endswith(".mov")
    assert not groups["Movie"].isHidden() and rows["compression"][1].isHidden()
    # A movie is one file: the token of the frame is left out.
    qtbot.waitUntil(lambda: sheet.summary.text().startswith("Movie of 2 frames 1012-1013, ProRes 422 HQ"))
    assert sheet.destination.path.toolTip().endswith("s_graded.mov")
    sheet.target.setText("x.mp4")
    assert sheet.destination.format.currentText() == "MP4" and "H.264" in sheet.summary.text()
    sheet.target.setText("x.unknown")
    assert sheet.destination.format.currentIndex() == -1


def test_a_movie_is_ordered_with_its_options(
    sheet: ExportDialog, opened: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    orders: list[Any] = []

    def waiting(order: Any, grade: Path) -> list[str]:
        orders.append(order)
        return ["-c", WAITS]

    monkeypatch.setattr(export_job, "arguments", waiting)
    sheet.form.set_values({"compression": "piz", "type": "half"})  # of images: not given on
    sheet.target.setText("{name}.mov")
    sheet.form.groups["Movie"].set_open(True)
    editors = sheet.form.editors
    choose(expect(QComboBox, editors["codec"]), "ProRes 4444", qtbot)
    for name, text in (("rate", "25"), ("timecode", "01:00:00:00"), ("audio", "mix.wav")):
        qtbot.mouseClick(editors[name], LEFT)
        qtbot.keyClicks(editors[name], text)
    said = "Movie of 2 frames 1012-1013, ProRes 4444, colour space unknown, 25 fps, timecode 01:00:00:00, audio mix.wav"
    qtbot.waitUntil(lambda: sheet.summary.text() == said)
    qtbot.mouseClick(sheet.buttons.export, LEFT)
    qtbot.waitUntil(lambda: bool(orders))
    words = arguments(orders[0], Path("g.json"))
    assert {"--codec=prores_4444", "--rate=25", "--timecode=01:00:00:00", "--audio=mix.wav"} <= set(words)
    assert not any(word.startswith(("--type", "--compression")) for word in words)
    (export,) = opened.workspace.exports.exports
    export.cancel()
    qtbot.waitUntil(lambda: export.over, timeout=10_000)
    assert (export.state, export.line) == (State.CANCELLED, "Stopped. No movie was written.")


def test_a_wrong_rate_is_said(sheet: ExportDialog, qtbot: Any):
    sheet.target.setText("a.mov")
    sheet.form.groups["Movie"].set_open(True)
    qtbot.mouseClick(sheet.form.editors["rate"], LEFT)
    qtbot.keyClicks(sheet.form.editors["rate"], "fast")
    assert sheet.summary.text().startswith("Rate: 'fast' is not a rate")


def test_a_burn_in_is_edited_saved_and_used(sheet: ExportDialog, qtbot: Any):
    sheet.target.setText("a.mov")
    sheet.form.groups["Movie"].set_open(True)
    qtbot.mouseClick(button(sheet, "Edit…"), LEFT)
    dialog = sheet.findChild(BurnInDialog)
    assert dialog is not None and not dialog.save.isEnabled()
    fields, view = dialog.fields, dialog.views[PREVIEW]
    qtbot.waitUntil(lambda: not view.pixmap().isNull())
    before = view.pixmap().toImage()
    centre = fields.texts["center"]
    qtbot.mouseClick(centre.viewport(), LEFT)
    qtbot.keyClicks(centre, "for review")
    qtbot.keyClick(centre, Key.Key_Return)
    qtbot.keyClicks(centre, "{frame}")
    qtbot.waitUntil(lambda: view.pixmap().toImage() != before)
    for field, text in ((fields.aspect, "2.39"), (fields.safe, "93, 90"), (fields.slate, "1"), (dialog.name, "client")):
        qtbot.mouseClick(field, LEFT)
        qtbot.keyClicks(field, text)
    qtbot.keyClick(dialog.name, Key.Key_Return)
    qtbot.waitUntil(lambda: sheet.form.values.get("burn-in") == "client")
    saved = load_burn_in("client")
    assert (
        saved.texts[-3:] != ()
        and Text("for review", "center") in saved.texts
        and Text("{frame}", "center") in saved.texts
    )
    assert (saved.mask, saved.safe, saved.slate) == (2.39, (0.93, 0.9), 1)
    box = expect(QComboBox, sheet.form.editors["burn-in"])
    assert box.currentText() == "client" and box.findText("client") >= 0


def test_a_wrong_field_of_a_burn_in_is_named(sheet: ExportDialog, opened: MainWindow, qtbot: Any):
    dialog = BurnInDialog("standard", opened.workspace.jobs, sheet)
    qtbot.addWidget(dialog)
    dialog.name.setText("x")
    for field, text, line in (
        (dialog.fields.aspect, "wide", "Aspect mask: 'wide' is not a number"),
        (dialog.fields.slate, "1.5", "Slate frames: '1.5' is not a whole number"),
        (dialog.fields.texts["top"], "{shoot}", "{shoot} is not known in a text"),
    ):
        field.setFocus()
        (field.setPlainText if hasattr(field, "setPlainText") else field.setText)(text)
        field.textEdited.emit(text) if hasattr(field, "textEdited") else None
        assert dialog.line.text().startswith(line) and not dialog.save.isEnabled()
        (field.setPlainText if hasattr(field, "setPlainText") else field.setText)("")
        field.textEdited.emit("") if hasattr(field, "textEdited") else None
    assert dialog.save.isEnabled() and dialog.line.text() == ""
    dialog.reject()

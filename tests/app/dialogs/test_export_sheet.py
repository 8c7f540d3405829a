"""The export sheet: destination, summary, folding groups, and what becomes of a failure."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QComboBox

from app.dialogs.export_destination import DESTINATION
from app.dialogs.export_dialog import UNFOLDED, ExportDialog
from app.dialogs.export_form import ExportForm
from app.services import export_job
from app.services.export_options import ExportOrder
from app.services.export_queue import State, written
from app.shell.main_window import MainWindow
from app.widgets.default_line import DefaultLine
from engine import Grade
from tests.app.hands import LEFT, Key
from tests.typed import expect

FAILS = "import sys; print('tessera: out.exr: the disk is full; free it', file=sys.stderr); sys.exit(1)"
BREAKS = """
import json, sys
print(json.dumps({"event": "progress", "done": 0.5, "seconds": 1.0}), flush=True)
print('tessera: out.exr: the disk is full; free it', file=sys.stderr)
sys.exit(1)
"""
WAITS = "import time; time.sleep(60)"


def play(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    monkeypatch.setattr(export_job, "arguments", lambda order, grade: ["-c", script])


def sheet(window: MainWindow, source: Path | None = None, target: str = "") -> ExportDialog:
    window.actions_by_name["export"].trigger()
    dialog = window.export_dialog
    assert dialog is not None
    if source is not None:
        dialog.source.setText(str(source))
    if target:
        dialog.target.setText(target)
    return dialog


@pytest.fixture
def shot(tmp_path: Path) -> Path:
    (tmp_path / "shot").mkdir()
    for frame in range(1012, 1030):
        (tmp_path / "shot" / f"s.{frame}.exr").touch()
    return tmp_path / "shot" / "s.####.exr"


def test_the_summary_follows_the_options(opened: MainWindow, shot: Path, qtbot: Any):
    dialog = sheet(opened, shot)
    said = dialog.summary.text
    qtbot.waitUntil(lambda: said() == "18 frames 1012-1029, EXR half ZIP, colour space unknown")
    editors = dialog.form.editors
    expect(QComboBox, editors["type"]).setCurrentText("Float, 32 bit")
    for field, text in (("compression", "dwaa:45"), ("frames", "1012,1014-1015")):
        editor = editors[field]
        line = editor.lineEdit() if isinstance(editor, QComboBox) else editor
        qtbot.mouseClick(line, LEFT)
        qtbot.keyClicks(line, text)
    qtbot.waitUntil(lambda: said() == "3 frames 1012,1014-1015, EXR float DWAA 45, colour space unknown")
    qtbot.mouseClick(editors["resize"], LEFT)
    qtbot.keyClicks(editors["resize"], "64")
    assert said().startswith("Resize: '64'")
    qtbot.keyClicks(editors["resize"], "x32")
    assert said().endswith("resized to 64x32")
    dialog.source.setText(str(opened.document.image_path))
    qtbot.waitUntil(lambda: said() == "1 image, EXR float DWAA 45, colour space unknown, resized to 64x32")
    dialog.target.setText("a.png")
    assert "PNG" in said()


def test_existing_frames_are_asked_about_before_export_is_pressed(
    opened: MainWindow, shot: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, WAITS)
    for frame in range(1012, 1018):
        shot.with_name(f"s_graded.{frame}.exr").touch()
    dialog = sheet(opened, shot, "{name}_graded.{frame}.exr")
    dialog.target.setFocus()
    qtbot.waitUntil(lambda: dialog.buttons.asking)
    assert dialog.line.text().startswith("6 of 18 frames exist already: 1012-1017.") and dialog.target.hasFocus()
    assert dialog.status.isAncestorOf(dialog.buttons.skip) and dialog.buttons.skip.isVisible()
    qtbot.mouseClick(dialog.buttons.skip, LEFT)
    qtbot.waitUntil(lambda: bool(opened.workspace.exports.exports))
    order = opened.workspace.exports.exports[0].order
    assert (order.existing, order.target) == ("skip", shot.with_name("s_graded.####.exr"))


def test_the_destination_is_remembered(
    opened: MainWindow, shot: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, WAITS)
    (tmp_path / "out").mkdir()
    exports = opened.workspace.exports.exports
    dialog = sheet(opened, shot, str(tmp_path / "out" / "{name}_{layer}_{version}.{frame}.exr"))
    path = dialog.destination.path
    qtbot.waitUntil(lambda: path.toolTip() == str(tmp_path / "out" / "s_rgba_v001.####.exr"))
    qtbot.keyClick(dialog, Key.Key_Return)
    qtbot.waitUntil(lambda: len(exports) == 1 and opened.export_dialog is None)
    assert exports[0].order.target == tmp_path / "out" / "s_rgba_v001.####.exr"
    assert opened.workspace.settings.get(DESTINATION, [""]) == [
        str(tmp_path / "out"),
        "{name}_{layer}_{version}.{frame}.exr",
    ]
    again = sheet(opened)
    assert again.target.text() == str(tmp_path / "out" / "{name}_{layer}_{version}.{frame}.exr")
    again.source.setText(str(shot))
    qtbot.waitUntil(lambda: again.destination.path.toolTip().endswith("s_rgba_v002.####.exr"))  # one is on its way
    again.reject()


def test_a_token_is_inserted_and_a_wrong_one_reported(opened: MainWindow, qtbot: Any):
    dialog = sheet(opened, target="/out/a.exr")
    dialog.target.setCursorPosition(5)
    menu = dialog.destination.tokens.menu()
    texts = [action.text().partition("\t")[0] for action in menu.actions()]
    assert texts == ["{name}", "{layer}", "{version}", "{frame}", "{colourspace}"]
    menu.actions()[0].trigger()
    assert dialog.target.text() == "/out/{name}a.exr" and dialog.destination.path.whole == "→ /out/rampa.exr"
    dialog.target.setText("/out/{nme}.exr")
    assert dialog.summary.text().startswith("{nme} is not a token")
    dialog.buttons.export.click()
    assert "{nme} is not a token" in dialog.line.text() and dialog.status.failed


def test_tab_goes_from_the_top_to_the_groups(opened: MainWindow):
    dialog = sheet(opened)
    assert "frames" in dialog.form.editors
    seen, widget = list[str](), dialog.source.nextInFocusChain()
    while widget is not dialog.source and widget is not None:
        seen += [widget.accessibleName()] if widget.focusPolicy() & Qt.FocusPolicy.TabFocus else []
        widget = widget.nextInFocusChain()
    start = seen[: seen.index("Colour options") + 1]
    assert start[:6] == ["Target file", "Insert a token", "Browse", "Preset", "Save preset", "Delete preset"]
    assert start.index("Basic options") < start.index("Frames") < len(start) - 1 and "Export" in seen[len(start) :]


def test_groups_fold_and_stay_so(opened: MainWindow, qtbot: Any):
    dialog = sheet(opened)
    groups = dialog.form.groups
    assert dialog.form.unfolded_groups == ["Basic"]
    dialog.form.set_values({"display": "sRGB", "only-graded": "yes", "storage": "tiled"})
    assert (groups["Colour"].note, groups["Output"].note) == ("Display: sRGB", "Storage: tiled, Graded channels only")
    groups["Colour"].title.setFocus()
    qtbot.keyClick(groups["Colour"].title, Key.Key_Space)
    qtbot.mouseClick(groups["Basic"].title, LEFT)
    assert groups["Colour"].content.isVisible() and not groups["Basic"].content.isVisible()
    assert opened.workspace.settings.get(UNFOLDED, [""]) == ["Colour"]
    dialog.reject()
    assert sheet(opened).form.unfolded_groups == ["Colour"]


def test_options_of_sequences_are_left_to_sequences(opened: MainWindow, shot: Path):
    dialog = sheet(opened)
    form: ExportForm = dialog.form
    form.set_values({"frames": "1012", "resume": "yes"})
    assert not form.groups["Sequence"].isVisible() and not form.editors["frames"].isVisible()
    assert dialog._order().options == {}
    dialog.source.setText(str(shot))
    assert form.groups["Sequence"].isVisible() and form.editors["frames"].isVisible()
    assert dialog._order().options == {"frames": "1012", "resume": "yes"}


def test_a_default_is_solid_text_that_typing_replaces(opened: MainWindow, qtbot: Any):
    dialog = sheet(opened)
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    resize = expect(DefaultLine, dialog.form.editors["resize"])
    assert (resize.text(), resize.placeholderText(), resize.value) == ("None", "", "")
    qtbot.mouseClick(resize, LEFT)
    qtbot.keyClicks(resize, "64x32")
    assert dialog.form.values["resize"] == "64x32"
    resize.selectAll()
    qtbot.keyClick(resize, Key.Key_Delete)
    assert "resize" not in dialog.form.values
    compression = expect(QComboBox, dialog.form.editors["compression"])
    compression.setFocus(Qt.FocusReason.TabFocusReason)
    assert resize.text() == "None" and compression.currentText() == "Same as the source"
    compression.setCurrentText("piz")
    compression.setCurrentIndex(0)
    assert "compression" not in dialog.form.values


def test_a_failure_returns_to_the_filled_form(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, FAILS)
    dialog = sheet(opened, target=str(tmp_path / "{name}_x.exr"))
    dialog.form.set_values({"type": "float"})
    filled = dialog.filled
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: opened.workspace.exports.exports != [] and opened.export_dialog is not None)
    again = opened.export_dialog
    assert again is not None and again is not dialog and again.filled == filled
    assert again.line.text() == "out.exr: the disk is full; free it" and again.status.failed
    again.form.set_values({})
    assert not again.status.failed  # it is about what was asked before
    again.reject()
    row: Any = opened.workspace.panel("exports")
    qtbot.mouseClick(row.rows[0].edit, LEFT)
    assert opened.export_dialog is not None and opened.export_dialog.filled == filled


def test_a_late_failure_offers_the_form(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, BREAKS)
    sheet(opened, target=str(tmp_path / "out.exr")).buttons.export.click()
    qtbot.waitUntil(lambda: opened.bar.text == "out.exr: the disk is full; free it")
    assert opened.export_dialog is None
    qtbot.mouseClick(opened.bar.button, LEFT)
    again = opened.export_dialog
    assert again is not None and again.target.text() == str(tmp_path / "out.exr")
    again.reject()
    opened.workspace.open_documents.close(opened.document)
    opened.workspace.exports.exports[0].edit("late")  # its image is closed
    assert opened.export_dialog is None and opened.bar.text == "late"


@pytest.mark.parametrize(
    ("report", "existing", "said"),
    [
        ({"seconds_total": 0.5}, "fail", "Wrote g.exr in 0.5 s."),
        ({"made": [], "kept": [*range(18)], "seconds_total": 0.0}, "fail", "18 of 18 frames were finished already."),
        ({"made": [], "kept": [1], "seconds_total": 0.0}, "skip", "1 of 1 frames existed already."),
        (
            {"made": [1, 2], "kept": [3], "seconds_total": 2.0},
            "fail",
            "Wrote 2 of 3 frames of g.exr in 2.0 s; 1 was finished already.",
        ),
        ({"made": [1, 2], "kept": [], "seconds_total": 2.0}, "fail", "Wrote g.exr in 2.0 s."),
    ],
)
def test_what_was_written_is_said(report: dict[str, Any], existing: str, said: str):
    assert written(ExportOrder(Path("s.exr"), Path("g.exr"), Grade(), {}, existing), report) == said


def test_the_state_of_an_export_that_failed_can_be_edited(opened: MainWindow):
    export = opened.workspace.exports.add(ExportOrder(Path("s.exr"), Path("g.exr"), Grade()))
    panel: Any = opened.workspace.panel("exports")
    export.cancel()
    assert export.state != State.DONE and not panel.rows[0].edit.isVisible()  # it has no form

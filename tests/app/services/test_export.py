"""Exports: the dialog, the queue, and programs of their own that report, fail and can be stopped."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QInputDialog

from app.actions.file import open_export_dialog
from app.dialogs.export_dialog import ExportDialog
from app.services import export_job
from app.services.export_options import YES, ExportOrder, arguments, check
from app.services.export_queue import ExportQueue, State
from app.services.jobs import Jobs
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.errors import TesseraError
from tests.typed import expect

LEFT = Qt.MouseButton.LeftButton

WORKS = """
import json, sys, time, pathlib
for n in range(4):
    print(json.dumps({"event": "progress", "done": n / 4, "seconds": n * 0.01}), flush=True)
print("a library's chatter", flush=True)
pathlib.Path(sys.argv[1]).write_text("image")
print(json.dumps({"event": "done", "report": {"seconds_total": 0.5, "notes": ["the preview was dropped"]}}), flush=True)
"""
FAILS = """
import sys
print("shot.exr: is damaged after line 4; ask for it again", file=sys.stderr)
sys.exit(1)
"""
HANGS = """
import json, signal, sys, time
signal.signal(signal.SIGTERM, lambda *_: sys.exit(130))
print(json.dumps({"event": "progress", "done": 0.1, "seconds": 1.0}), flush=True)
time.sleep(60)
"""


FRAMES = """
import json, signal, sys, time
def stop(*_):
    if {report}:
        report = {{"made": [1, 2], "kept": [3], "cancelled": True}}
        print(json.dumps({{"event": "done", "report": report}}), flush=True)
        print("tessera: cancelled after 2 frames; --resume does the rest", file=sys.stderr)
    sys.exit(130)
signal.signal(signal.SIGTERM, stop)
print(json.dumps({{"event": "progress", "frame": 3, "done": 3, "failed": 0, "total": 40, "seconds": 1.0}}), flush=True)
time.sleep(60)
"""


@pytest.fixture
def queue() -> Any:
    jobs = Jobs()
    made = ExportQueue(jobs)
    yield made
    made.cancel()
    jobs.close()


@pytest.fixture
def dialog(opened: MainWindow, tmp_path: Path) -> ExportDialog:
    opened.actions_by_name["export"].trigger()
    shown = opened.export_dialog
    assert shown is not None
    shown.target.setText(str(tmp_path / "out.exr"))
    return shown


def order(folder: Path, name: str = "out.exr") -> ExportOrder:
    return ExportOrder(folder / "in.exr", folder / name, Grade([ops.Exposure(1.0)]))


def play(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let another program stand in for the command line."""
    monkeypatch.setattr(export_job, "arguments", lambda order, grade: ["-c", script, str(order.target)])


def test_an_export_runs_and_reports(queue: ExportQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    play(monkeypatch, WORKS)
    first, second = queue.add(order(tmp_path)), queue.add(order(tmp_path, "second.exr"))
    assert (first.state, second.state) == (State.RUNNING, State.WAITING)
    qtbot.waitUntil(lambda: not queue.running)
    assert (tmp_path / "out.exr").read_text() == (tmp_path / "second.exr").read_text() == "image"
    assert first.line == "Wrote out.exr in 0.5 s. the preview was dropped"
    assert (first.state, first.done) == (State.DONE, 1.0)
    assert "a library's chatter" in first.log
    queue.clear()
    assert queue.exports == []


def test_a_failure_is_one_line_and_can_be_tried_again(
    queue: ExportQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, FAILS)
    export = queue.add(order(tmp_path))
    qtbot.waitUntil(lambda: export.state == State.FAILED)
    assert "is damaged after line 4" in export.line
    play(monkeypatch, WORKS)
    export.again()
    qtbot.waitUntil(lambda: export.state == State.DONE)


def test_one_that_runs_and_one_that_waits_can_be_stopped(
    queue: ExportQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, HANGS)
    running, waiting = queue.add(order(tmp_path)), queue.add(order(tmp_path, "second.exr"))
    qtbot.waitUntil(lambda: running.done == 0.1)
    waiting.cancel()
    assert waiting.state == State.CANCELLED
    running.cancel()
    qtbot.waitUntil(lambda: running.state == State.CANCELLED)
    assert running.line.startswith("Stopped")
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("report", "said"),
    [
        (True, "Stopped. 2 of 40 frames were written; 1 was there already."),
        (False, "Stopped. At least 3 of 40 frames are complete."),
    ],
)
def test_a_stopped_sequence_tells_what_was_written(
    queue: ExportQueue, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any, report: bool, said: str
):
    play(monkeypatch, FRAMES.format(report=report))
    export = queue.add(order(tmp_path, "out.####.exr"))
    qtbot.waitUntil(lambda: export.done > 0.0)
    export.cancel()
    qtbot.waitUntil(lambda: export.state == State.CANCELLED)
    assert export.line == said


def test_without_a_folder_for_temporary_files_an_export_fails(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    def full(*_: Any, **__: Any) -> Any:
        raise OSError(28, "No space left on device", "/tmp")

    monkeypatch.setattr("tempfile.mkdtemp", full)
    exports = opened.workspace.exports
    export = exports.add(order(tmp_path))
    qtbot.waitUntil(lambda: export.over)
    assert export.state == State.FAILED and "No space left on device" in export.line
    assert not exports.running
    dialog = open_export_dialog(opened.workspace)
    assert dialog is not None
    dialog.show_header.click()
    qtbot.waitUntil(lambda: "No space left on device" in dialog.line.text())
    dialog.reject()


def test_the_dialog_orders_and_the_panel_shows(
    dialog: ExportDialog, opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, HANGS)
    opened.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    dialog.form.set_values({"type": "float", "compression": "zip:9", "only-graded": YES})
    qtbot.mouseClick(dialog.buttons.export, LEFT)
    qtbot.waitUntil(lambda: bool(opened.workspace.exports.exports))
    export = opened.workspace.exports.exports[0]
    assert export.order.options == {"type": "float", "compression": "zip:9", "only-graded": YES}
    assert export.order.grade.entries[0] == ops.Exposure(1.0)
    panel: Any = opened.workspace.panel("exports")
    row = panel.rows[0]
    qtbot.waitUntil(lambda: row.bar.value() == 100)
    opened.close()
    assert "export is running" in opened.bar.text
    qtbot.mouseClick(row.stop, LEFT)
    qtbot.waitUntil(lambda: export.state == State.CANCELLED)
    qtbot.mouseClick(row.log, LEFT)
    assert "Stopped" in row.text.toPlainText()
    qtbot.mouseClick(panel.clear, LEFT)
    assert panel.rows == []


@pytest.mark.parametrize("end", ["accept", "reject", "close"])
def test_the_program_that_reads_the_header_ends_with_the_dialog(
    dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, end: str
):
    stopped: list[bool] = []
    monkeypatch.setattr(dialog.header, "stop", lambda: stopped.append(True))
    getattr(dialog, end)()
    assert stopped == [True]


@pytest.mark.parametrize(
    ("name", "value"), [("resize", "12"), ("threads", "-1"), ("max-memory", "much"), ("context", "SHOT")]
)
def test_what_the_command_line_refuses_is_reported(dialog: ExportDialog, opened: MainWindow, name: str, value: str):
    dialog.form.set_values({name: value})
    dialog.buttons.export.click()
    assert value in dialog.line.text()
    assert opened.workspace.exports.exports == []


def test_presets(dialog: ExportDialog, qtbot: Any):
    presets, box = dialog.presets, dialog.presets.box
    box.setCurrentText("EXR half, ZIP")
    box.activated.emit(box.currentIndex())
    assert dialog.form.values == {"type": "half", "compression": "zip"} | dialog._here()
    dialog.form.set_values({"storage": "tiled"})
    presets.save()
    expect(QInputDialog, dialog.findChild(QInputDialog)).textValueSelected.emit("Tiles")
    dialog.form.set_values({})
    box.activated.emit(box.currentIndex())
    assert dialog.form.values == {"storage": "tiled"} | dialog._here()
    presets.forget.click()
    assert box.findText("Tiles") < 0


def test_options_become_the_command_lines(tmp_path: Path):
    values = {"type": "half", "layer": "fg, bg", "salvage": YES, "resize": "64x32", "context": "A=1,B=2"}
    asked = check(values)
    assert (asked.type, asked.layer, asked.salvage, asked.resize) == ("half", ["fg", "bg"], True, (64, 32))
    assert asked.context == [("A", "1"), ("B", "2")]
    words = arguments(ExportOrder(Path("in.exr"), Path("out.exr"), Grade(), values), tmp_path / "g.json")
    assert words[:5] == ["-m", "app.cli.main", "export", "in.exr", "out.exr"]
    assert words[-3:] == ["--existing=fail", "--progress", "json"]
    with pytest.raises(TesseraError, match="12"):
        check({"resize": "12"})


def test_values_may_begin_with_a_minus_sign():
    asked = check({"view": "Film", "looks": "-B", "frames": "-5--1", "layer": "-fg,bg", "part": "-p"})
    assert (asked.looks, asked.frames, asked.layer, asked.part) == ("-B", "-5--1", ["-fg", "bg"], "-p")

"""The export dialog: a process of its own that reports, fails and can be stopped."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt

from app import export_job
from app.export_dialog import ExportDialog
from app.export_job import ExportOrder, arguments
from app.jobs import Jobs
from engine import Grade, ops

LEFT = Qt.MouseButton.LeftButton

WORKS = """
import json, sys, time, pathlib
for n in range(4):
    print(json.dumps({"event": "progress", "done": n / 4, "seconds": n * 0.01}), flush=True)
print("a library's chatter", flush=True)
pathlib.Path(sys.argv[1]).write_text("picture")
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


@pytest.fixture
def dialog(qtbot: Any, tmp_path: Path) -> Iterator[ExportDialog]:
    jobs = Jobs()
    shown = ExportDialog(ExportOrder(tmp_path / "in.exr", tmp_path / "out.exr", Grade([ops.Exposure(1.0)])), jobs)
    qtbot.addWidget(shown)
    shown.show()
    yield shown
    jobs.close()


def play(monkeypatch: pytest.MonkeyPatch, script: str) -> None:
    """Let another program stand in for the command line."""
    monkeypatch.setattr(export_job, "arguments", lambda order, grade: ["-c", script, str(order.target)])


def test_an_export_runs_and_reports(dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    play(monkeypatch, WORKS)
    qtbot.mouseClick(dialog.export_button, LEFT)
    assert not dialog.target.isEnabled()
    qtbot.waitUntil(lambda: dialog.line.text().startswith("Wrote"))
    assert (tmp_path / "out.exr").read_text() == "picture"
    assert dialog.line.text().endswith("in 0.5 s. the preview was dropped")
    assert dialog.bar.value() == 1000
    assert dialog.cancel_button.text() == "Close"


def test_overwriting_is_asked(dialog: ExportDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    play(monkeypatch, WORKS)
    (tmp_path / "out.exr").write_text("old")
    qtbot.mouseClick(dialog.export_button, LEFT)
    assert "is there already" in dialog.line.text()
    assert not dialog.running
    assert (tmp_path / "out.exr").read_text() == "old"
    qtbot.mouseClick(dialog.export_button, LEFT)
    qtbot.waitUntil(lambda: dialog.line.text().startswith("Wrote"))


def test_a_failure_is_one_line_and_can_be_tried_again(
    dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    play(monkeypatch, FAILS)
    qtbot.mouseClick(dialog.export_button, LEFT)
    qtbot.waitUntil(lambda: "is damaged after line 4" in dialog.line.text())
    assert dialog.export_button.isEnabled()


def test_cancel_stops_the_process(dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    play(monkeypatch, HANGS)
    qtbot.mouseClick(dialog.export_button, LEFT)
    qtbot.waitUntil(lambda: dialog.bar.value() == 100)
    qtbot.mouseClick(dialog.cancel_button, LEFT)
    qtbot.waitUntil(lambda: dialog.line.text().startswith("Stopped"))
    assert not dialog.running
    assert dialog.isVisible()


def test_closing_a_running_export_stops_it_first(dialog: ExportDialog, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    play(monkeypatch, HANGS)
    qtbot.mouseClick(dialog.export_button, LEFT)
    qtbot.waitUntil(lambda: dialog.bar.value() == 100)
    dialog.close()
    qtbot.waitUntil(lambda: not dialog.running)
    dialog.close()
    assert not dialog.isVisible()


def test_the_order_as_a_command_line(tmp_path: Path):
    order = ExportOrder(Path("in.exr"), Path("out.exr"), Grade(), "half", "dwaa", part=2, layer="fg", threads=3)
    words = arguments(order, tmp_path / "g.json")
    assert words[:5] == ["-m", "app.cli", "export", "in.exr", "out.exr"]
    said = " ".join(words)
    assert "--type half --compression dwaa --force --progress json --part 2 --layer fg --threads 3" in said
    assert "--compression" not in arguments(ExportOrder(Path("a"), Path("b"), Grade()), tmp_path / "g.json")

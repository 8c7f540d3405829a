"""Grabbing stills: the export of the displayed frame, its name, and what can go wrong."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.services import export_job
from app.services.still_files import read_still
from app.services.stills import FOLDER
from app.shell.main_window import MainWindow
from engine import FileLook, ops
from engine.io import describe, read_image
from tests.app.command_line import write_exr
from tests.app.hands import Key
from tests.app.stills import write_still

FULL = """
import sys
sys.exit("tessera: still.exr: the disk is full; free some space")
"""


def warnings_of(window: MainWindow) -> list[str]:
    lines: list[str] = []
    window.workspace.messages.warned.connect(lambda each: lines.append(each.text))
    return lines


def test_a_still_is_the_displayed_frame_and_closing_waits_for_it(
    window: MainWindow, tmp_path: Path, qtbot: Any
) -> None:
    source, folder = write_exr(tmp_path / "shot, one.1001.exr"), tmp_path / "stills"
    folder.mkdir()
    window.workspace.settings.set(FOLDER, str(folder))
    assert not window.actions_by_name["grab_still"].isEnabled()
    window.files.open_image(source)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    window.workspace.stage.preview_lut(FileLook("half.cube", (ops.Exposure(-2.0),)))
    window.document.mark_saved(window.document.grade, None)
    qtbot.keyClick(window.canvas, Key.Key_S)
    assert window.workspace.still_grabs.current_work is not None
    assert not window.close() and window.isVisible()
    qtbot.waitUntil(lambda: not window.isVisible())
    (path,) = folder.iterdir()
    assert re.fullmatch(r"shot_one\.1001\.\d{8}-\d{6}\.exr", path.name)
    still, part = read_still(path), describe(path).parts[0]
    assert still is not None and (still.source, still.frame) == (str(source), "1001")
    assert still.grade is not None and still.grade.entries[0] == ops.Exposure(1.0) and len(still.grade.entries) == 3
    assert {channel.type for channel in part.channels} == {"half"} and part.compression == "zip"
    np.testing.assert_array_equal(read_image(path).pixels, read_image(source).pixels / 2)


def test_what_goes_wrong_is_one_line(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    lines = warnings_of(opened)
    opened.workspace.settings.set(FOLDER, str(tmp_path / "gone"))
    opened.actions_by_name["grab_still"].trigger()
    qtbot.waitUntil(lambda: bool(lines))
    gone = f"No still was grabbed. {tmp_path / 'gone'}: the folder of stills does not exist; make it, or choose another"
    assert lines[0].startswith(gone) and not opened.workspace.still_grabs.running
    opened.workspace.settings.set(FOLDER, str(tmp_path))
    monkeypatch.setattr(export_job, "arguments", lambda *_: ["-c", FULL])
    opened.actions_by_name["grab_still"].trigger()
    opened.actions_by_name["grab_still"].trigger()
    qtbot.waitUntil(lambda: len(lines) == 3)
    assert lines[1:] == ["No still was grabbed. still.exr: the disk is full; free some space"] * 2
    assert not opened.workspace.still_grabs.running
    folder = tmp_path / "stills"
    folder.mkdir()
    opened.workspace.settings.set(FOLDER, str(folder))
    opened.workspace.stills.add(write_still(folder / "a.exr", "1"))  # what was written belongs to the session
    qtbot.waitUntil(lambda: [still.id for still in opened.workspace.stills.of_session] == ["1"])

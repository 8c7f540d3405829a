"""File > Export look…: every format from one dialog, written on a thread, and the error told."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtWidgets import QFileDialog

from app import asking
from app.files import EXPORTED_LOOKS
from app.main_window import MainWindow
from engine import ops
from engine.looks import LOOK_FORMATS
from engine.ocio import ops_from_file

PATIENCE = 60_000
"""Milliseconds that a process may take on a busy machine."""


def test_the_dialog_has_every_format_and_names_the_file_after_it(opened: MainWindow, qtbot: Any):
    asking.export_look(opened.workspace)
    (dialog,) = opened.findChildren(QFileDialog)
    assert {kind.rpartition("*")[2].rstrip(")") for kind in dialog.nameFilters()} == set(LOOK_FORMATS)
    assert dialog.selectedFiles()[0].endswith(".clf")
    for kind in dialog.nameFilters():
        dialog.selectNameFilter(kind)
        dialog.filterSelected.emit(kind)
        assert kind.endswith(f"*.{dialog.defaultSuffix()})")
        assert dialog.selectedFiles()[0].endswith(f".{dialog.defaultSuffix()}")
    dialog.close()


@pytest.mark.parametrize("kind", ["3D LUT over 0 to 1", "Common LUT"])
def test_what_is_chosen_is_written(opened: MainWindow, tmp_path: Path, qtbot: Any, kind: str):
    opened.document.edit_entry(1, ops.Cdl(saturation=0.5), "cdl")
    asking.export_look(opened.workspace)
    (dialog,) = opened.findChildren(QFileDialog)
    chosen = next(name for name in EXPORTED_LOOKS if name.startswith(kind))
    dialog.selectNameFilter(chosen)
    path = tmp_path / f"look.{chosen.rpartition('*.')[2].rstrip(')')}"
    notes: list[str] = []
    opened.workspace.noted.connect(notes.append)
    dialog.fileSelected.emit(str(path))
    qtbot.waitUntil(lambda: bool(notes), timeout=PATIENCE)
    assert notes[0].startswith(f"Wrote {path.name}: ")
    assert ("error" if path.suffix == ".cube" else "exact") in notes[0]
    assert ops_from_file(path)
    if path.suffix == ".cube":
        assert "LUT_1D_SIZE" not in path.read_text()
    dialog.close()


def test_a_doubtful_lut_is_told_to_stay(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    opened.files.export_look(tmp_path / "look.3dl")
    qtbot.waitUntil(lambda: "results beyond 0..1 are cut off" in opened.bar.text, timeout=PATIENCE)
    assert (tmp_path / "look.3dl").exists()


def test_what_a_format_cannot_say_is_told_and_not_written(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.PqCurve(), "curve")
    opened.files.export_look(tmp_path / "look.clf")
    qtbot.waitUntil(
        lambda: "a .clf has no process node for PQ curve; write a .ctf" in opened.bar.text, timeout=PATIENCE
    )
    assert list(tmp_path.glob("look*")) == []

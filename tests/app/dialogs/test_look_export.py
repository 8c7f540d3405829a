"""File > Export look…: every format from one dialog, written on a thread, and the error shown."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import PyOpenColorIO as ocio
import pytest
from PySide6.QtGui import QAction
from PySide6.QtWidgets import QMenu

from app.dialogs.look_dialog import EXPORTED_LOOKS, LookDialog
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops
from engine.grade.colour_settings import Viewing
from engine.grade.keys import with_key
from engine.luts.look_files import LOOK_FORMATS
from engine.ocio import load_config, ops_from_file

PATIENCE = 60_000
"""Milliseconds that a process may take on a busy machine."""


@pytest.fixture
def dialog(opened: MainWindow) -> LookDialog:
    """The dialog of a window whose image nobody knows the colour space of."""
    opened.actions_by_name["export_look"].trigger()
    return next(d for d in opened.findChildren(LookDialog) if d.isVisible())


@pytest.fixture
def known(opened: MainWindow, dialog: LookDialog, qtbot: Any) -> LookDialog:
    """The same, once the image is known to be ACEScg."""
    colour = opened.workspace.colour
    colour.edit("input space", input="ACEScg")
    qtbot.waitUntil(lambda: colour.managed.converts and colour.names is not None)
    qtbot.waitUntil(dialog.view.isEnabled)
    return dialog


def choose_kind(dialog: LookDialog, start: str) -> None:
    dialog.kind.setCurrentText(next(name for name in EXPORTED_LOOKS if name.startswith(start)))


def type_name(dialog: LookDialog, path: Path) -> None:
    dialog.target.setText(str(path))
    dialog.target.textEdited.emit(str(path))


def lines_of(dialog: LookDialog) -> dict[str, QAction]:
    """The choices of a view, those of displays as `DISPLAY/VIEW`."""
    menu = dialog.view.menu()
    menu.aboutToShow.emit()
    found = {line.text(): line for line in menu.actions() if line.menu() is None}
    for inner in menu.findChildren(QMenu):
        found |= {f"{inner.title()}/{line.text()}": line for line in inner.actions()}
    return found


def test_the_dialog_has_every_format_and_names_the_file_after_it(dialog: LookDialog):
    kinds = [dialog.kind.itemText(at) for at in range(dialog.kind.count())]
    assert {kind.rpartition("*")[2].rstrip(")") for kind in kinds} == set(LOOK_FORMATS)
    assert dialog.target.text().endswith(".clf")
    for kind in kinds:
        dialog.kind.setCurrentText(kind)
        assert kind.endswith(f"*{Path(dialog.target.text()).suffix})")


def test_a_grade_with_keys_is_written_at_the_chosen_frame(opened: MainWindow, tmp_path: Path, qtbot: Any):
    entry = with_key(with_key(ops.Exposure(), "stops", 0, 0.0), "stops", 10, 4.0, "linear")
    opened.document.edit(Grade([entry]), "keys")
    opened.actions_by_name["export_look"].trigger()
    dialog = next(d for d in opened.findChildren(LookDialog) if d.isVisible())
    assert dialog.frame.isVisible() and "keys from frame 0 to 10" in dialog.meaning.text()
    dialog.frame.edited.emit(5)
    assert dialog.meaning.text().endswith("the look has those of frame 5.")
    type_name(dialog, tmp_path / "look.cc")
    dialog.buttons.export.click()
    qtbot.waitUntil((tmp_path / "look.cc").exists, timeout=PATIENCE)
    assert "<Slope>4 4 4</Slope>" in (tmp_path / "look.cc").read_text()


def test_a_grade_without_keys_asks_for_no_frame(dialog: LookDialog):
    assert not dialog.frame.isVisible() and "keys" not in dialog.meaning.text()


@pytest.mark.parametrize("kind", ["3D LUT over 0 to 1", "Common LUT"])
def test_what_is_chosen_is_written(opened: MainWindow, dialog: LookDialog, tmp_path: Path, qtbot: Any, kind: str):
    opened.document.edit_entry(1, ops.Cdl(saturation=0.5), "cdl")
    type_name(dialog, tmp_path / "look.cube")
    assert dialog.kind.currentText().startswith("3D LUT for Resolve")
    choose_kind(dialog, kind)
    path = Path(dialog.target.text())
    notes: list[str] = []
    opened.workspace.messages.noted.connect(notes.append)
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: bool(notes), timeout=PATIENCE)
    assert notes[0].startswith(f"Wrote {path.name}: ")
    assert ("error" if path.suffix == ".cube" else "exact") in notes[0]
    assert ops_from_file(path)
    if path.suffix == ".cube":
        assert "LUT_1D_SIZE" not in path.read_text()


def test_a_file_that_is_there_is_asked_about(dialog: LookDialog, tmp_path: Path, qtbot: Any):
    path = tmp_path / "look.clf"
    path.write_text("mine")
    type_name(dialog, path)
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: dialog.buttons.asking)
    assert dialog.isVisible() and dialog.buttons.replace.isVisible() and not dialog.buttons.export.isVisible()
    assert "look.clf exists already" in dialog.meaning.text() and path.read_text() == "mine"
    dialog.buttons.version.click()
    assert dialog.target.text() == str(tmp_path / "look_v002.clf") and dialog.buttons.export.isVisible()
    dialog.target.setText("")
    dialog.target.textEdited.emit("")
    for name, words in (
        ("", "Give the file a name"),
        ("look.txt", "look.txt is not the name of a look file; end it in"),
    ):
        dialog.target.setText(name)
        dialog.buttons.export.click()
        assert dialog.isVisible() and words in dialog.meaning.text()


def test_a_file_is_replaced_only_where_that_was_agreed_to(
    opened: MainWindow, dialog: LookDialog, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    path = tmp_path / "look.cc"
    type_name(dialog, path)
    true = dialog._write_look

    def late(*what: Any, **more: Any) -> None:
        path.write_text("from another program")
        true(*what, **more)

    monkeypatch.setattr(dialog, "_write_look", late)
    dialog.buttons.export.click()
    qtbot.waitUntil(lambda: "look.cc: " in opened.bar.text)
    assert "in the meantime" in opened.bar.text or "already exists" in opened.bar.text
    assert path.read_text() == "from another program"
    monkeypatch.undo()
    opened.actions_by_name["export_look"].trigger()
    again = next(d for d in opened.findChildren(LookDialog) if d.isVisible())
    type_name(again, path)
    again.buttons.export.click()
    qtbot.waitUntil(lambda: again.buttons.asking)
    again.buttons.replace.click()
    qtbot.waitUntil(lambda: "Slope" in path.read_text(), timeout=PATIENCE)


def test_a_lut_that_is_tried_is_asked_about(opened: MainWindow, dialog: LookDialog, tmp_path: Path, qtbot: Any):
    look = FileLook(str(tmp_path / "dark.cube"), (ops.Cdl(saturation=0.5),))
    opened.workspace.stage.preview_lut(look)
    path = tmp_path / "look.cc"
    type_name(dialog, path)
    assert dialog.previewed_lut.isVisible()
    dialog.buttons.export.click()
    assert "dark.cube is shown on the image" in dialog.meaning.text() and not path.exists()
    dialog.previewed_lut.with_lut.click()
    dialog.buttons.export.click()
    qtbot.waitUntil(path.exists, timeout=PATIENCE)
    assert ops_from_file(path) == [ops.Cdl(saturation=0.5)]


def test_without_a_colour_space_there_is_no_view(dialog: LookDialog):
    assert not dialog.view.isEnabled() and dialog.viewing is None
    assert "Set the input space in the Colour panel" in dialog.meaning.text()


def test_the_views_that_a_look_can_have(opened: MainWindow, known: LookDialog, qtbot: Any):
    names, colour = opened.workspace.colour.names, opened.workspace.colour
    assert names is not None
    lines = lines_of(known)
    every = [f"{display}/{view.name}" for display, views in names.displays.items() for view in views]
    display, view = colour.shown
    assert list(lines) == ["None: only the grade", f"Window: {view} on {display}", "", *every]
    assert known.viewing is None and "applies its own view" in known.meaning.text()
    opened.workspace.set_view(looks="none", exposure=2.0, gamma=1.5)
    lines_of(known)[f"Window: {view} on {display}"].trigger()
    assert known.viewing == Viewing(display, view, "none")  # neither exposure nor gamma
    assert f"From ACEScg to {display} / {view}. The look outputs display values" in known.meaning.text()
    lines_of(known)["Rec.2100-PQ - Display/Un-tone-mapped"].trigger()
    assert known.viewing == Viewing("Rec.2100-PQ - Display", "Un-tone-mapped")
    choose_kind(known, "ASC CDL, one")
    assert known.viewing is None and not known.view.isEnabled() and "A CDL can't include a view" in known.meaning.text()
    choose_kind(known, "Common")
    assert known.viewing is not None


def test_a_view_is_in_the_look(opened: MainWindow, known: LookDialog, tmp_path: Path, qtbot: Any):
    path = tmp_path / "look.ctf"
    type_name(known, path)
    known.choose_view(("sRGB - Display", "Un-tone-mapped"))
    notes: list[str] = []
    opened.workspace.messages.noted.connect(notes.append)
    known.buttons.export.click()
    qtbot.waitUntil(lambda: bool(notes), timeout=PATIENCE)
    config = load_config().ocio
    light = np.random.default_rng(5).uniform(0.01, 0.9, (500, 3)).astype(np.float32)
    seen, wanted = light.copy(), light.copy()
    view = ocio.DisplayViewTransform("ACEScg", "sRGB - Display", "Un-tone-mapped")
    for transform, pixels in ((ocio.FileTransform(str(path)), seen), (view, wanted)):
        config.getProcessor(transform).getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE).applyRGB(pixels)
    assert np.abs(seen - wanted).max() < 1e-5


def test_a_doubtful_lut_is_reported_to_stay(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    opened.files.export_look(tmp_path / "look.3dl")
    qtbot.waitUntil(lambda: "results outside 0..1 are clamped" in opened.bar.text, timeout=PATIENCE)
    assert (tmp_path / "look.3dl").exists()


def test_what_a_format_cannot_say_is_reported_and_not_written(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.document.edit_entry(0, ops.PqCurve(), "curve")
    opened.files.export_look(tmp_path / "look.clf")
    qtbot.waitUntil(
        lambda: "a .clf has no process node for PQ curve; write a .ctf" in opened.bar.text, timeout=PATIENCE
    )
    assert list(tmp_path.glob("look*")) == []

"""The pickers of colour, and what the viewer alone changes."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from app.shell.main_window import MainWindow
from engine import load_grade, ops
from engine.core.colorimetry import CIE_XYZ, PRIMARIES
from tests.app.hands import drop


def test_input_space_display_and_view(opened: MainWindow, qtbot: Any):
    panel: Any = opened.workspace.show_panel("colour")
    assert panel.pickers["Input"].whole == "Unknown"
    assert not panel.pickers["View"].isEnabled()
    opened.workspace.colour.edit("input space", input="ACEScg")
    qtbot.waitUntil(lambda: opened.document.managed.input == "ACEScg" and opened.workspace.colour.names is not None)
    assert opened.document.undo_text == "input space"
    menu = panel.pickers["View"].menu()
    menu.aboutToShow.emit()
    names = [action.text() for action in menu.actions()]
    assert panel.pickers["View"].whole == names[0]
    menu.actions()[1].trigger()
    assert opened.workspace.view.view == names[1]
    assert opened.toolbar.view_picker.whole == names[1]
    menu = panel.pickers["Input"].menu()
    menu.aboutToShow.emit()
    inner = next(action.menu() for action in menu.actions() if action.menu() is not None)
    inner.aboutToShow.emit()
    inner.actions()[0].trigger()
    assert opened.document.grade.colour.input == inner.actions()[0].text()
    opened.document.undo()
    opened.document.undo()
    qtbot.waitUntil(lambda: not opened.document.managed.converts)


def test_any_colour_may_be_worked_in_and_none_of_data(opened: MainWindow, qtbot: Any):
    panel: Any = opened.workspace.show_panel("colour")
    qtbot.waitUntil(lambda: opened.workspace.colour.names is not None)
    menu = panel.pickers["Working"].menu()
    menu.aboutToShow.emit()
    assert [action.text() for action in menu.actions()][:3] == ["Default", "", "ACES"]
    others = menu.actions()[-1].menu()
    assert others.title() == "Other spaces"
    families = {action.text(): action.menu() for action in others.actions()}
    assert "Utility" in families
    families["Utility"].aboutToShow.emit()
    assert "Raw" not in [action.text() for action in families["Utility"].actions()]
    families["ACES"].aboutToShow.emit()
    next(action for action in families["ACES"].actions() if action.text() == "ACEScc").trigger()
    assert opened.document.grade.colour.working == "ACEScc"


def test_another_config_has_other_variables(opened: MainWindow, qtbot: Any):
    opened.workspace.colour.edit("variables", input="ACEScg", context=(("SHOT", "sc010"),))
    opened.workspace.colour.choose_config("ocio://cg-config-latest")
    setup = opened.document.grade.colour
    assert (setup.config, setup.input, setup.context) == ("ocio://cg-config-latest", "", ())


def test_a_config_can_be_dropped(opened: MainWindow, tmp_path: Path, qtbot: Any):
    path = tmp_path / "show.ocio"
    path.write_text(
        "ocio_profile_version: 2\nroles: {scene_linear: lin, default: lin}\n"
        "displays:\n  Screen:\n    - !<View> {name: Plain, colorspace: lin}\n"
        "colorspaces:\n  - !<ColorSpace>\n    name: lin\n"
    )
    drop(opened.canvas, path)
    opened.workspace.colour.request_names()
    qtbot.waitUntil(lambda: opened.workspace.colour.names is not None)
    names = opened.workspace.colour.names
    assert names is not None and list(names.displays) == ["Screen"]
    assert opened.document.undo_text == "config"


def test_a_resize_in_the_grade_is_said(opened: MainWindow, qtbot: Any):
    opened.document.add(ops.Resize(64, 32), "resize")
    assert "exported as 64 × 32" in opened.status.left.whole
    opened.document.undo()
    assert "exported" not in opened.status.left.whole


def test_the_export_size_is_computed_once_for_a_grade(opened: MainWindow, monkeypatch: pytest.MonkeyPatch):
    opened.document.add(ops.Resize(64, 32), "resize")
    calls = list[object]()
    monkeypatch.setattr("app.shell.status_bar.plan", calls.append)
    for text in ("one", "two", ""):
        opened.status.show_data(text)
        assert "exported as 64 × 32" in opened.status.left.whole
    opened.status.show_grade(opened.document.grade)
    assert not calls


def test_a_space_that_is_not_there_is_reported(opened: MainWindow, qtbot: Any):
    opened.workspace.colour.edit("input space", input="nonsense")
    qtbot.waitUntil(lambda: "nonsense" in opened.bar.text)


def test_viewer_exposure_and_gamma_reach_no_grade(opened: MainWindow, tmp_path: Path, qtbot: Any):
    opened.workspace.set_view(exposure=2.0, gamma=1.5)
    assert not opened.document.modified
    opened.files.save_grade(tmp_path / "look.json")
    qtbot.waitUntil((tmp_path / "look.json").exists)
    assert load_grade(tmp_path / "look.json") == opened.document.grade
    opened.actions_by_name["view_reset"].trigger()
    assert (opened.workspace.view.exposure, opened.workspace.view.gamma) == (0.0, 1.0)


def test_names_of_configs_that_no_grade_uses_are_let_go(opened: MainWindow, qtbot: Any):
    colour = opened.workspace.colour
    opened.workspace.show_panel("colour")
    qtbot.waitUntil(lambda: colour.names is not None)
    for config in ("ocio://cg-config-latest", "ocio://studio-config-latest", "ocio://cg-config-latest"):
        colour.choose_config(config)
        qtbot.waitUntil(lambda: colour.names is not None)
        assert set(colour._names) == {config}


def test_primaries_are_named(opened: MainWindow, qtbot: Any):
    panel: Any = opened.workspace.show_panel("colour")
    colour, document = opened.workspace.colour, opened.document
    shown = document.image
    for chromaticities, choice, note in (
        (PRIMARIES["ap1"], "Detected: ACEScg", "Input space from chromaticities: AP1 (ACEScg) primaries, ACES white."),
        (CIE_XYZ, "Detected: CIE XYZ", "Input space from chromaticities: CIE XYZ, converted by a computed matrix."),
    ):
        part = replace(shown.part, metadata={"chromaticities": chromaticities})
        image = replace(shown, info=replace(shown.info, parts=(part,)), part=part)
        document.set_image(image, document.image_path, colour.find(document.image_path, image, document.setup))
        assert panel.pickers["Input"].whole == choice
        assert panel.note.text() == note

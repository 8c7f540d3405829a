"""The bar that asks for the colour space of an image, the rules that it makes, and their page in the Preferences."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from PySide6.QtCore import Qt
from PySide6.QtGui import QKeySequence
from PySide6.QtWidgets import QApplication

from app.model.view_state import ViewState
from app.services.colour_rules import Rule, add_rule, rules_of
from app.services.space_question import ASK, REMEMBER, find_choices
from app.shell.main_window import MainWindow
from engine.core.colorimetry import PRIMARIES
from engine.errors import UnreadableFile
from engine.grade.colour_settings import ColourSetup, Viewing
from tests.app.conftest import image, make_image, preferences_of
from tests.app.hands import ALT, LEFT, SHIFT, Key

ASKED = "The colour space of ramp.exr is unknown; it is shown as scene-linear Rec.709."

CLIPPED = "Values above 1 are clipped on the screen."


@pytest.fixture
def asking(opened: MainWindow, qtbot: Any) -> MainWindow:
    """A window that asks for the space of its image, with the likely ones."""
    question = opened.workspace.space_question
    question._timer.stop()
    question._find()
    qtbot.waitUntil(lambda: bool(question.current.choices))
    return opened


def settle(window: MainWindow, qtbot: Any) -> None:
    """Wait until the spaces of the current image are resolved."""
    qtbot.waitUntil(lambda: window.workspace.colour.settled(window.document))


def button(window: MainWindow, text: str) -> Any:
    return next(each for each in window.colour_bar.buttons if each.accessibleName() == text)


def test_an_unknown_space_is_said_and_likely_ones_are_offered(asking: MainWindow, qtbot: Any):
    bar = asking.colour_bar
    assert bar.isVisible() and bar.label.toolTip() == f"{ASKED} {CLIPPED}"
    assert bar.label.text() == ASKED
    names = [each.accessibleName() for each in bar.buttons]
    assert names == ["ACEScg", "ACES2065-1", "Linear Rec.709 (sRGB)"]
    assert "colour space unknown, shown as scene-linear Rec.709, clipped at 1" in asking.status.left.whole
    assert bar.geometry().bottom() < asking.canvas.geometry().top()
    for at, each in enumerate(bar.buttons):
        assert each.toolTip().startswith(f"Use {each.accessibleName()} for this image: ")
        assert each.toolTip().endswith(f"(Alt+{at + 1})") and not each.icon().isNull()
    thumbnails: list[Any] = [choice.thumbnail for choice in asking.workspace.space_question.current.choices]
    assert not np.array_equal(thumbnails[0], thumbnails[1])


def test_one_click_uses_a_space_and_undo_asks_again(asking: MainWindow, qtbot: Any):
    window, buttons = asking, asking.colour_bar.buttons
    qtbot.mouseClick(button(window, "ACES2065-1"), LEFT)
    settle(window, qtbot)
    assert window.document.managed.input == "ACES2065-1"
    assert window.document.undo_text == "input space"
    question = window.workspace.space_question
    assert question.current.state == REMEMBER and question.current.line.startswith("ramp.exr is ACES2065-1 now.")
    window.document.undo()
    settle(window, qtbot)
    assert question.current.state == ASK and window.colour_bar.buttons == buttons
    assert "unknown" in window.status.left.whole


def test_a_key_uses_a_space_and_a_folder_is_remembered(asking: MainWindow, tmp_path: Path, qtbot: Any):
    window, settings = asking, asking.workspace.settings
    qtbot.keyClick(window, Key.Key_1, ALT)
    settle(window, qtbot)
    assert window.document.grade.colour.input == "ACEScg"
    qtbot.mouseClick(button(window, f"in {tmp_path.name}"), LEFT)
    assert rules_of(settings) == (Rule("ACEScg", folder=str(tmp_path)),)
    assert not window.colour_bar.isVisible()
    window.files.open_image(image(tmp_path, "next.exr"))
    qtbot.waitUntil(lambda: window.document.name == "next.exr" and window.document.image is not None)
    found = window.document.managed.found
    assert (found.space, found.origin) == ("ACEScg", f"from your rule for {tmp_path.name}")
    assert not window.document.modified and window.document.grade.colour == ColourSetup()
    assert not window.colour_bar.isVisible()
    assert f"ACEScg from your rule for {tmp_path.name}" in window.status.left.whole
    panel: Any = window.workspace.show_panel("colour")
    assert panel.pickers["Input"].whole == "Your rule: ACEScg"
    assert panel.note.text() == f"Input space from your rule for {tmp_path.name}."


def test_a_name_pattern_is_remembered_by_key(window: MainWindow, tmp_path: Path, qtbot: Any):
    window.files.open_image(image(tmp_path, "sc010_diffuse.exr"))
    qtbot.waitUntil(lambda: window.workspace.space_question.current.state == ASK)
    window.workspace.space_question.use("ACEScg")
    settle(window, qtbot)
    qtbot.keyClick(window, Key.Key_0, ALT)
    assert rules_of(window.workspace.settings) == (Rule("ACEScg", pattern="*_diffuse.exr"),)


def test_a_rule_reaches_exports_and_ends_with_its_removal(opened: MainWindow, tmp_path: Path, qtbot: Any):
    colour, settings, document = opened.workspace.colour, opened.workspace.settings, opened.document
    add_rule(settings, Rule("ACEScg", folder=str(tmp_path)))
    settle(opened, qtbot)
    assert document.managed.found.assumed
    assert colour.export_setup(document, document.grade).input == "ACEScg"
    assert colour.export_setup(document, document.grade, tmp_path / "ramp.####.exr").input == "ACEScg"
    assert colour.export_setup(document, document.grade, Path("/elsewhere/a.exr")).input == ""
    page: Any = preferences_of(opened).rules
    assert page.list.topLevelItem(0).text(0) == str(tmp_path) and page.list.topLevelItem(0).text(1) == "ACEScg"
    qtbot.mouseClick(page.remove, LEFT)
    settle(opened, qtbot)
    assert not rules_of(settings) and not page.remove.isEnabled() and page.list.topLevelItemCount() == 0
    assert document.managed.input == "" and opened.workspace.space_question.current.state == ASK
    assert colour.export_setup(document, document.grade).input == ""


def test_a_rule_is_for_frames_that_are_decoded_already(window: MainWindow, tmp_path: Path, qtbot: Any):
    frames = [image(tmp_path, f"shot.{number}.exr") for number in (1001, 1002, 1003)]
    window.files.open_image(frames[0])
    player = window.workspace.player
    qtbot.waitUntil(lambda: player.clip is not None)
    window.actions_by_name["next_frame"].trigger()
    qtbot.waitUntil(lambda: window.document.name == "shot.1002.exr")
    add_rule(window.workspace.settings, Rule("ACEScg", pattern="shot.####.exr"))
    settle(window, qtbot)
    window.actions_by_name["previous_frame"].trigger()
    qtbot.waitUntil(lambda: window.document.name == "shot.1001.exr")
    settle(window, qtbot)
    assert window.document.managed.found.origin == "from your rule for shot.####.exr"


def test_chromaticities_that_lead_to_no_space_are_described(opened: MainWindow):
    document = opened.document
    for numbers, said in (
        (PRIMARIES["rec709"], "Its header states Rec.709 primaries, D65 white, which the config can't convert."),
        ((0.0, 0.0), "Its header has invalid chromaticities."),
    ):
        part = replace(document.image.part, metadata={"chromaticities": numbers})
        made = replace(document.image, info=replace(document.image.info, parts=(part,)), part=part)
        document.set_image(made, document.image_path, document.managed, document.setup)
        assert opened.colour_bar.label.toolTip() == f"{ASKED} {CLIPPED} {said}"


def test_delete_removes_the_selected_rule(window: MainWindow, qtbot: Any):
    for folder in ("/one", "/two/three"):
        add_rule(window.workspace.settings, Rule("ACEScg", folder=folder))
    dialog = preferences_of(window)
    dialog.show()
    dialog.pages.setCurrentIndex(2)
    page: Any = dialog.rules
    assert page.isVisible()
    dialog.activateWindow()
    qtbot.waitUntil(dialog.isActiveWindow)
    page.list.setFocus()
    qtbot.keyClick(page.list, Key.Key_Down)
    qtbot.keyClick(page.list, Key.Key_Delete)
    assert [rule.folder for rule in rules_of(window.workspace.settings)] == ["/two/three"]
    dialog.close()


def test_a_question_is_dismissed_for_one_image_and_brought_back(asking: MainWindow, tmp_path: Path, qtbot: Any):
    window = asking
    qtbot.mouseClick(window.colour_bar.close_button, LEFT)
    assert not window.colour_bar.isVisible() and not window.workspace.view.asks_space
    assert "colour space unknown" in window.status.left.whole
    assert not ViewState.from_json(window.workspace.view.to_json()).asks_space
    assert ViewState.from_json({}).asks_space
    window.files.open_image(image(tmp_path, "other.exr"))
    qtbot.waitUntil(lambda: window.workspace.space_question.current.state == ASK)
    assert window.colour_bar.isVisible()
    window.workspace.open_documents.show(window.workspace.documents[0])
    assert not window.colour_bar.isVisible()
    window.actions_by_name["space_unasked"].trigger()
    assert window.colour_bar.isVisible() and window.colour_bar.label.text() == ASKED


def test_a_given_space_need_not_be_remembered(asking: MainWindow, qtbot: Any):
    window = asking
    qtbot.keyClick(window, Key.Key_3, ALT)
    settle(window, qtbot)
    qtbot.mouseClick(window.colour_bar.close_button, LEFT)
    assert not window.colour_bar.isVisible() and not rules_of(window.workspace.settings)
    assert window.workspace.view.asks_space


def test_more_offers_the_menu_of_all_spaces(asking: MainWindow, qtbot: Any):
    menu: Any = asking.colour_bar.more.menu()
    asking.workspace.colour.request_names()
    qtbot.waitUntil(lambda: asking.workspace.colour.names is not None)
    menu.aboutToShow.emit()
    family = next(action.menu() for action in menu.actions() if action.menu() is not None)
    family.aboutToShow.emit()
    family.actions()[0].trigger()
    settle(asking, qtbot)
    assert asking.document.grade.colour.input == family.actions()[0].text()
    assert asking.workspace.space_question.current.state == REMEMBER


def test_layers_without_colours_are_not_asked_about(asking: MainWindow):
    document = asking.document
    shown = document.image
    for name in ("crypto00", "N", "depth"):
        channels = tuple(replace(shown.part.channels[0], name=f"{name}.{each}") for each in "RGB")
        part = replace(shown.part, channels=channels)
        data = replace(shown, info=replace(shown.info, parts=(part,)), part=part, layer=part.layers[0])
        document.set_image(data, document.image_path, document.managed, document.setup)
        assert not asking.colour_bar.isVisible(), name
    document.set_image(shown, document.image_path, document.managed, document.setup)
    assert asking.colour_bar.isVisible()


def test_the_keyboard_reaches_the_bar_and_returns_to_the_image(asking: MainWindow, qtbot: Any):
    bar, canvas = asking.colour_bar, asking.canvas
    canvas.setFocus()
    qtbot.keyClick(canvas, Key.Key_F6, SHIFT)
    assert QApplication.focusWidget() is bar.buttons[0]
    qtbot.keyClick(bar.buttons[0], Key.Key_Space)
    settle(asking, qtbot)
    assert asking.document.managed.input == "ACEScg" and QApplication.focusWidget() is bar.buttons[0]
    qtbot.keyClick(bar.buttons[0], Key.Key_Space)
    assert rules_of(asking.workspace.settings) and QApplication.focusWidget() is canvas


def test_the_clean_view_hides_the_bar(asking: MainWindow):
    asking.set_clean(True)
    assert not asking.colour_bar.isVisible()
    asking.set_clean(False)
    assert asking.colour_bar.isVisible()


def test_choices_without_room_are_hidden_and_the_text_is_shortened(asking: MainWindow):
    bar = asking.colour_bar
    bar.resize(2000, bar.height())
    assert all(not each.isHidden() for each in bar.buttons) and bar.label.text() == ASKED
    bar.resize(560, bar.height())
    shown = [not each.isHidden() for each in bar.buttons]
    assert shown == sorted(shown, reverse=True) and not all(shown)
    bar.resize(330, bar.height())
    assert bar.label.text() == "Colour space unknown, shown as scene-linear Rec.709" and not bar.more.isHidden()
    bar.resize(160, bar.height())
    assert bar.label.text() in ("Colour space unknown", "")


def test_hidden_choices_lead_the_menu(asking: MainWindow, qtbot: Any):
    bar = asking.colour_bar
    bar.resize(330, bar.height())
    menu = bar.more.menu()
    menu.aboutToShow.emit()
    first = menu.actions()[0]
    assert first.text() == "ACEScg"
    first.trigger()
    settle(asking, qtbot)
    assert asking.document.managed.input == "ACEScg"


def test_late_choices_of_a_closed_or_another_image_are_dropped(opened: MainWindow, tmp_path: Path, qtbot: Any):
    question, jobs, documents = opened.workspace.space_question, opened.workspace.jobs, opened.workspace.open_documents
    first = opened.document
    question._timer.setInterval(1_000_000)  # finds nothing by itself
    question._timer.stop()
    question._find()
    documents.close(first)
    qtbot.waitUntil(lambda: not jobs.active)
    assert not question.current.choices and not opened.colour_bar.isVisible()
    for name in ("one.exr", "two.exr"):
        opened.files.open_image(image(tmp_path, name))
        qtbot.waitUntil(lambda name=name: question.current.line.startswith(f"The colour space of {name}"))
    documents.show(documents.items[0])
    question._find()
    documents.show(documents.items[1])
    qtbot.waitUntil(lambda: not jobs.active)
    assert not question.current.choices
    documents.show(documents.items[0])
    assert len(question.current.choices) == 3  # found meanwhile, and kept
    with patch.object(opened.workspace.colour, "settled", return_value=False):
        documents.show(documents.items[1])
        assert question.current.state == ""  # nothing of the other image stays while the spaces are resolved


def test_a_problem_of_the_config_is_reported_and_not_asked_about(opened: MainWindow, qtbot: Any):
    opened.workspace.colour.choose_config("/no/such/config.ocio")
    settle(opened, qtbot)
    assert not opened.colour_bar.isVisible()
    opened.document.undo()
    settle(opened, qtbot)
    assert opened.colour_bar.isVisible()


def test_thumbnails_need_the_config_and_show_data_of_any_kind(tmp_path: Path):
    path = image(tmp_path, "a_logc4.exr")
    made = make_image(path)
    pixels = np.full((3, 200, 4), np.nan, np.float16)
    choices = find_choices(ColourSetup(), path, replace(made, pixels=pixels), Viewing("no such display"))
    assert choices[0].space == "ARRI LogC4" and all(c.thumbnail is not None for c in choices)
    with pytest.raises(UnreadableFile):
        find_choices(ColourSetup("/no/such/config.ocio"), path, made, Viewing())


def test_the_keys_are_those_of_commands(window: MainWindow):
    for at in range(1, 6):
        action = window.actions_by_name[f"space_{at}"]
        assert action.shortcuts() == [QKeySequence(f"Alt+{at}")] and not action.isEnabled()
    assert not window.actions_by_name["space_folder"].isEnabled()
    assert window.colour_bar.focusPolicy() == Qt.FocusPolicy.NoFocus

"""A grade applied to the other open images: one step in each, and nothing lost."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QApplication

from app.dialogs.apply_grade import ApplyGradeDialog
from app.services.engine_calls import _lacks_planes
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.errors import UnreadableFile
from engine.grade.colour_settings import ColourSetup
from engine.grade.entries import Group, Layer
from engine.mattes import Cryptomatte, DepthRange, Leaf, Matte
from engine.mattes.planes import ChannelPlane, CoveragePlane
from tests.app.command_line import write_exr
from tests.app.hands import drop

LOOK = Grade([ops.Exposure(0.5), ops.Saturation(1.2)])
OLD = Grade([ops.Contrast(1.1)])


@pytest.fixture
def four(window: MainWindow, tmp_path: Path, qtbot: Any) -> Iterator[MainWindow]:
    """Four images; the last is shown and has a grade, each other has one of its own and a version."""
    paths = [tmp_path / f"plate{letter}.exr" for letter in "abcd"]
    for path in paths:
        path.write_bytes(b"made by the fake reader")
    drop(window.canvas, *paths)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    for document in window.workspace.documents[:3]:
        document.edit(OLD, "contrast")
        document.keep_version("before")
    window.document.edit(LOOK, "look")
    yield window
    for document in window.workspace.documents:
        document.mark_saved(document.grade, None)


def test_all_others_get_it_as_one_step_that_is_undone(four: MainWindow) -> None:
    *others, shown = four.workspace.documents
    offers: list[Any] = []
    four.workspace.messages.offered.connect(lambda line, label, run: offers.append((line, label, run)))
    four.actions_by_name["apply_to_all"].trigger()
    for document in others:
        assert document.grade == LOOK and document.steps == 2 and document.undo_text == "the grade of plated.exr"
        assert document.history[1:] == ["contrast", "the grade of plated.exr"]
        assert document.versions["before"].grade == OLD
        document.undo()
        assert document.grade == OLD
        document.redo()
    assert shown.grade == LOOK and shown.steps == 1
    ((line, label, run),) = offers
    assert (line, label) == ("Applied the grade to 3 images.", "Undo in all")
    others[1].edit(Grade([ops.Exposure(1.0)]), "exposure")
    run()
    assert [document.grade for document in others] == [OLD, Grade([ops.Exposure(1.0)]), OLD]
    assert others[0].redo_text == "the grade of plated.exr"


def test_images_keep_their_colour_spaces_and_are_named(four: MainWindow) -> None:
    first, second, _, _ = four.workspace.documents
    setup = ColourSetup(working="ACEScc", input="ACEScg")
    first.edit(replace(OLD, colour=setup), "spaces")
    second.edit(replace(OLD, colour=ColourSetup(input="ACEScg")), "spaces")
    lines: list[str] = []
    four.workspace.messages.offered.connect(lambda line, *_: lines.append(line))
    four.actions_by_name["apply_to_all"].trigger()
    assert first.grade == replace(LOOK, colour=setup)
    assert second.grade.colour.input == "ACEScg"
    different = "platea.exr works in other colour spaces, where it looks different."
    assert lines == [f"Applied the grade to 3 images. {different}"]


def test_those_that_have_it_stay_as_they_are(four: MainWindow) -> None:
    notes: list[str] = []
    four.workspace.messages.noted.connect(notes.append)
    four.actions_by_name["apply_to_all"].trigger()
    steps = [document.steps for document in four.workspace.documents]
    four.actions_by_name["apply_to_all"].trigger()
    assert steps == [document.steps for document in four.workspace.documents]
    assert notes == ["These images have this grade already."]


def dialog(window: MainWindow) -> ApplyGradeDialog:
    window.actions_by_name["apply_to_some"].trigger()
    return next(each for each in QApplication.topLevelWidgets() if isinstance(each, ApplyGradeDialog))


def test_a_selection_is_chosen_with_the_keyboard(four: MainWindow, qtbot: Any) -> None:
    shown = dialog(four)
    qtbot.waitExposed(shown)
    names = [shown.list.item(n).text() for n in range(shown.list.count())]
    assert names == ["platea.exr", "plateb.exr", "platec.exr"]
    assert shown.apply.text() == "Apply to 3"
    qtbot.keyClick(shown.list, Qt.Key.Key_Down)
    qtbot.keyClick(shown.list, Qt.Key.Key_Space)
    assert shown.apply.text() == "Apply to 2"
    qtbot.keyClick(shown.list, Qt.Key.Key_Return)
    assert [document.grade for document in four.workspace.documents] == [LOOK, OLD, LOOK, LOOK]


def test_several_are_unchecked_at_once_and_cancelling_changes_nothing(four: MainWindow, qtbot: Any) -> None:
    shown = dialog(four)
    qtbot.waitExposed(shown)
    qtbot.mouseClick(shown.none, Qt.MouseButton.LeftButton)
    assert not shown.apply.isEnabled() and shown.checked == []
    shown.list.selectAll()
    shown.list.item(1).setCheckState(Qt.CheckState.Checked)
    assert len(shown.checked) == 3
    for widget in (shown.all, shown.none, shown.apply, shown.cancel, shown.list):
        assert widget.toolTip() and widget.accessibleName()
    qtbot.keyClick(shown, Qt.Key.Key_Escape)
    assert [document.grade for document in four.workspace.documents[:3]] == [OLD] * 3


def test_without_another_image_there_is_nothing_to_apply_to(opened: MainWindow) -> None:
    assert not opened.actions_by_name["apply_to_all"].isEnabled()
    assert not opened.actions_by_name["apply_to_some"].isEnabled()


def matted() -> Grade:
    inner = Layer(ops.Saturation(0.5), enabled=False, matte=Matte(Leaf(Cryptomatte("CryptoObject", ("hero",)))))
    return Grade([Layer(ops.Exposure(0.5), matte=Matte(Leaf(DepthRange()))), Group((inner,), "hero")])


def test_images_that_lack_what_mattes_need_are_named(
    four: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    asked: list[Any] = []

    def lacks(path: Path, part: int | None, planes: Any) -> bool:
        asked.append((path.name, part, planes, threading.current_thread() is threading.main_thread()))
        if path.name == "platea.exr":
            raise UnreadableFile(path, "is damaged", "write it again")
        return path.name == "platec.exr"

    services = replace(four.workspace.services, lacks_planes=lacks)
    monkeypatch.setattr(four.workspace, "services", services)
    four.document.edit(matted(), "mattes")
    qtbot.waitUntil(lambda: "plated.exr: has no channel 'Z'" in four.bar.text)  # as its frame says
    four.actions_by_name["apply_to_all"].trigger()
    assert four.bar.text == "Applied the grade to 3 images."
    said = "Applied the grade to 3 images. platec.exr lacks channels, objects or files that its mattes need."
    qtbot.waitUntil(lambda: four.bar.text == said)
    planes = ChannelPlane("Z"), CoveragePlane("CryptoObject", ("hero",))
    assert asked == [(f"plate{letter}.exr", None, planes, False) for letter in "abc"]
    assert four.bar.button.text() == "Undo in all" and four.bar.button.isVisible()
    qtbot.mouseClick(four.bar.button, Qt.MouseButton.LeftButton)
    assert [document.grade for document in four.workspace.documents[:3]] == [OLD] * 3


def test_images_whose_new_grade_was_undone_meanwhile_are_not_named(
    four: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any
) -> None:
    goes_on, lines = threading.Event(), list[str]()
    four.workspace.messages.offered.connect(lambda line, _label, _run: lines.append(line))
    services = replace(four.workspace.services, lacks_planes=lambda *_: goes_on.wait(20.0))
    monkeypatch.setattr(four.workspace, "services", services)
    four.document.edit(matted(), "mattes")
    four.actions_by_name["apply_to_all"].trigger()
    for document in four.workspace.documents[1:3]:
        document.undo()
    goes_on.set()
    named = "platea.exr lacks channels, objects or files that its mattes need."
    qtbot.waitUntil(lambda: any(line.endswith(named) for line in lines))  # the preview may say more meanwhile


def test_what_a_file_lacks_is_read_from_it(tmp_path: Path) -> None:
    path = write_exr(tmp_path / "plate.exr")
    assert _lacks_planes(path, None, (ChannelPlane("Z"),)) and not _lacks_planes(path, None, (ChannelPlane("G"),))
    assert _lacks_planes(path, 0, (ChannelPlane("G"), CoveragePlane("CryptoObject", ("hero",))))

"""What an image is compared with is known by what it is, not by its name, and never exchanged for something else."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QCoreApplication

from app.model.comparison_target import SOURCE, DocumentTarget, VersionTarget
from app.model.document import Document
from app.model.session import load_session, save_session
from app.panels.compare_panel import ComparePanel
from app.services.comparing import SIDES
from app.shell.main_window import MainWindow
from engine import FileLook, Grade, ops
from tests.app.conftest import image
from tests.app.panels.test_looking_panel import seen

HALVED, QUARTERED = Grade([ops.Exposure(-1.0)]), Grade([ops.Exposure(-2.0)])


@pytest.fixture
def wiped(opened: MainWindow) -> MainWindow:
    """A halved image beside a version that quarters it."""
    document = opened.document
    document.open_grade(QUARTERED, None)
    version = document.keep_version("Night")
    document.open_grade(HALVED, None)
    opened.workspace.show_panel("looking")
    opened.workspace.set_view(compare="wipe", against=VersionTarget(version.number))
    return opened


@pytest.fixture
def other(opened: MainWindow, tmp_path: Path, qtbot: Any) -> Document:
    """A second document, a sequence, that the first and current one is compared with."""
    first = opened.document
    for frame in (1, 2):
        image(tmp_path, f"t.{frame:04}.exr")
    opened.files.open_image(tmp_path / "t.0001.exr")
    qtbot.waitUntil(lambda: opened.document is not first and opened.workspace.player.clip is not None)
    second = opened.document
    opened.workspace.open_documents.show(first)
    opened.workspace.show_panel("looking")
    opened.workspace.set_view(compare="split", against=DocumentTarget(second.id))
    return second


def against(window: MainWindow) -> Any:
    """The other side of what the preview was asked for last."""
    QCoreApplication.sendPostedEvents()  # a frame is requested from the event loop
    request = window.preview._last
    return None if request is None else request.view.comparison


def message(window: MainWindow) -> str:
    """The text of the message bar."""
    QCoreApplication.sendPostedEvents()
    return window.bar.text


def label(window: MainWindow) -> str:
    panel = window.workspace.panel("looking")
    assert isinstance(panel, ComparePanel)
    return panel.against.whole


def test_a_version_that_is_renamed_is_still_compared_with(wiped: MainWindow, qtbot: Any):
    before = seen(wiped, qtbot, lambda: None)
    version = wiped.document.versions["Night"]
    wiped.document.edit_version("Night", replace(version, name="Dusk"), "renaming")
    assert np.array_equal(seen(wiped, qtbot, lambda: None), before)
    assert against(wiped).grade == QUARTERED and label(wiped) == "Dusk"


def test_a_version_that_is_brought_up_to_date_is_seen_at_once(wiped: MainWindow):
    version = wiped.document.versions["Night"]
    wiped.document.edit_version("Night", replace(version, grade=Grade([ops.Exposure(-3.0)])), "update")
    assert against(wiped).grade == Grade([ops.Exposure(-3.0)])


def test_a_version_that_is_deleted_is_reported_and_undo_brings_it_back(wiped: MainWindow, qtbot: Any):
    graded = seen(wiped, qtbot, lambda: wiped.workspace.set_view(compare=""))
    wiped.workspace.set_view(compare="wipe")
    wiped.document.edit_version("Night", None, "removal")
    assert against(wiped) is None and label(wiped) == "Deleted version"
    assert message(wiped).startswith("The version to compare with was deleted; choose another")
    assert np.array_equal(seen(wiped, qtbot, lambda: None), graded)  # alone, not beside its source
    wiped.document.undo()
    assert against(wiped).grade == QUARTERED and label(wiped) == "Night"
    assert not message(wiped)


def test_a_later_version_is_not_taken_for_a_deleted_one(wiped: MainWindow):
    wiped.document.edit_version("Night", None, "removal")
    wiped.document.keep_version("Night")
    assert against(wiped) is None and label(wiped) == "Deleted version"


@pytest.mark.parametrize("compare", ["", "source", *SIDES])
def test_what_has_gone_is_reported_where_it_would_be_seen(wiped: MainWindow, compare: str):
    wiped.workspace.set_view(compare=compare)
    wiped.document.edit_version("Night", None, "removal")
    assert bool(message(wiped)) == (compare in SIDES)
    wiped.workspace.set_view(compare="wipe", against=SOURCE)
    assert not message(wiped) and against(wiped).grade.entries == ()


def test_a_line_about_one_document_goes_with_it(wiped: MainWindow, tmp_path: Path, qtbot: Any):
    wiped.document.edit_version("Night", None, "removal")
    first = wiped.document
    assert message(wiped)
    wiped.files.open_image(image(tmp_path, "second.exr"))
    assert not message(wiped)
    wiped.workspace.open_documents.show(first)
    assert message(wiped)


def test_the_other_image_may_be_stepped(opened: MainWindow, other: Document, qtbot: Any):
    before = against(opened).levels
    first = opened.document
    opened.workspace.open_documents.show(other)
    opened.workspace.player.step(1)
    qtbot.waitUntil(lambda: other.image_path is not None and other.image_path.name == "t.0002.exr")
    opened.workspace.open_documents.show(first)
    assert against(opened).levels is not before
    assert against(opened).levels.exact is not None and label(opened) == "t.0002.exr"
    assert not message(opened)


def test_the_other_image_is_followed_while_it_is_not_shown(opened: MainWindow, other: Document, qtbot: Any):
    other.edit(HALVED, "exposure")
    assert against(opened).grade == HALVED
    pixels = np.zeros_like(other.image.pixels)
    other.set_image(replace(other.image, pixels=pixels), other.image_path)
    assert not against(opened).levels.whole(0).any()
    same = against(opened).levels
    opened.workspace.set_view(exposure=1.0)
    assert against(opened).levels is same  # nothing new is brought to the device
    other.mark_saved(other.grade, None)


def test_an_image_that_is_closed_is_reported(opened: MainWindow, other: Document, qtbot: Any):
    opened.workspace.open_documents.close(other)
    assert against(opened) is None and label(opened) == "Closed image"
    assert message(opened).startswith("The image to compare with was closed; choose another")


def test_a_look_that_is_tried_is_what_is_compared(wiped: MainWindow):
    wiped.workspace.stage.preview_lut(FileLook("dark.cube", (ops.Exposure(-1.0),)))
    assert against(wiped).grade == HALVED and label(wiped) == "The grade without dark.cube"
    panel = wiped.workspace.panel("looking")
    assert isinstance(panel, ComparePanel) and not panel.against.isEnabled()
    wiped.workspace.stage.preview_lut(None)
    assert against(wiped).grade == QUARTERED and panel.against.isEnabled()


def test_a_session_keeps_both_kinds(opened: MainWindow, other: Document, tmp_path: Path, qtbot: Any):
    workspace, first = opened.workspace, opened.document
    number = other.keep_version("Night").number
    other.update(view=replace(other.view, compare="wipe", against=VersionTarget(number)))
    path = tmp_path / "shot.tessera"
    save_session(workspace.open_documents.session(), path)
    for _ in range(2):  # each time it has targets of its own
        before = len(workspace.documents)
        workspace.open_documents.open_session(load_session(path))
        one, two = workspace.documents[before:]
        assert one.view.against == DocumentTarget(two.id) and two.view.against == VersionTarget(number)
    assert first.view.against == DocumentTarget(other.id)


def test_targets_of_older_sessions_are_found(opened: MainWindow, other: Document, tmp_path: Path):
    number = other.keep_version("Night shift").number
    path = tmp_path / "shot.tessera"
    save_session(opened.workspace.open_documents.session(), path)
    data = json.loads(path.read_text())
    wanted = {
        f"picture {other.image_path}": DocumentTarget("1"),
        "picture /gone.exr": DocumentTarget(""),
        "version Night shift": VersionTarget(number),
        "version Dusk": VersionTarget(0),
        "": SOURCE,
    }
    for text, target in wanted.items():
        at = 1 if text.startswith("version") else 0
        data["documents"][at]["view"]["against"] = text
        path.write_text(json.dumps(data))
        assert load_session(path).documents[at].view.against == target

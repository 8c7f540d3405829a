"""Mattes in the window: how they are shown, values inside them, what the file lacks, and thumbnails."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtWidgets import QApplication

from app.panels.probe.panel import ProbePanel
from app.panels.scopes.panel import ScopesPanel
from app.services import thumbnail_feed
from app.shell.main_window import MainWindow
from engine import Grade, Layer, ops
from engine.mattes.channels import DepthRange
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Rectangle

LEFT = Matte(Leaf(Rectangle(center=(48.0, 54.0), size=(48.0, 108.0))))
DEPTH = Matte(Leaf(DepthRange(channel="depth.Z")))


def graded(*mattes: Matte) -> Grade:
    return Grade([Layer(ops.Exposure(1.0), matte=matte) for matte in mattes])


def settled(window: MainWindow, qtbot: Any) -> None:
    """Wait until the frame on the canvas is what the document shows."""
    document, stage = window.document, window.workspace.stage
    qtbot.waitUntil(
        lambda: (
            window.preview.idle
            and stage.shown_request is not None
            and stage.shown_request.exact
            and stage.shown_request.grade is document.grade
            and stage.shown_request.view.matte == document.view.matte
            and stage.shown_request.view.inside_matte == document.view.inside_matte
        )
    )


def test_the_matte_of_the_selected_entry_is_shown(opened: MainWindow, qtbot: Any):
    opened.document.edit(graded(LEFT, Matte(Leaf(Rectangle(center=(144.0, 54.0), size=(48.0, 108.0))))), "mattes")
    opened.document.select(0)
    opened.actions_by_name["matte_alone"].trigger()
    settled(opened, qtbot)
    stage = opened.workspace.stage
    assert stage.shown_request is not None and stage.shown_request.view.entry == (0,)
    opened.document.select(1)
    qtbot.waitUntil(lambda: stage.shown_request is not None and stage.shown_request.view.entry == (1,))


def test_one_option_limits_scopes_and_probes(opened: MainWindow, qtbot: Any):
    opened.document.edit(graded(LEFT), "a matte")
    settled(opened, qtbot)
    with qtbot.waitSignal(opened.preview.scoped):
        scopes = opened.workspace.show_panel("scopes")
    probe = opened.workspace.show_panel("probe")
    assert isinstance(scopes, ScopesPanel) and isinstance(probe, ProbePanel)
    for button in (scopes.inside_button, probe.inside_button):
        assert not button.isChecked() and button.toolTip() and button.accessibleName()
    with qtbot.waitSignal(opened.preview.scoped, check_params_cb=lambda reading: reading.in_matte and reading.exact):
        scopes.inside_button.click()
    assert probe.inside_button.isChecked() and opened.workspace.view.inside_matte
    qtbot.waitUntil(lambda: scopes.counted.whole.startswith("Inside the matte: "))
    opened.workspace.stage.pins.add((20, 50))
    opened.workspace.stage.pins.add((150, 50))
    qtbot.waitUntil(lambda: len(probe.samples) >= 2)
    inside, outside = (probe.samples[(x, 50, 1, 1)] for x in (20, 150))
    assert inside.graded and not outside.graded
    items = [probe.tree.topLevelItem(n) for n in range(probe.tree.topLevelItemCount())]
    titles = [item.text(0) for item in items if item is not None]
    assert [title.endswith("outside the matte") for title in titles[-2:]] == [False, True]
    opened.actions_by_name["view_as_exported"].trigger()
    assert not opened.workspace.view.inside_matte


def test_what_the_file_lacks_is_said_until_it_is_not_needed(opened: MainWindow, qtbot: Any):
    warned: list[str] = []
    gone: list[str] = []
    opened.workspace.messages.warned.connect(lambda each: warned.append(each.text))
    opened.workspace.messages.withdrawn.connect(lambda each: gone.append(each.text))
    opened.document.edit(graded(DEPTH), "a matte")
    qtbot.waitUntil(lambda: any("depth.Z" in line for line in warned))
    opened.document.edit(graded(LEFT), "another matte")
    qtbot.waitUntil(lambda: any("depth.Z" in line for line in gone))


def test_cards_get_thumbnails_and_each_change_makes_one_new(
    opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    feed = opened.workspace._thumbnail_feed
    feed._resting.setInterval(5)
    made: list[Any] = []
    opened.preview.matte_thumbnail.connect(lambda key, path, image: made.append(path))
    document, thumbnails = opened.document, opened.workspace.matte_thumbnails
    document.edit(graded(LEFT, LEFT), "mattes")
    qtbot.waitUntil(lambda: thumbnails.image(document, (1,), LEFT) is not None)
    image = thumbnails.image(document, (0,), LEFT)
    assert image is not None and image.devicePixelRatio() == thumbnail_feed.DENSITY
    scaled = image.width() / 192
    assert image.pixelColor(round(20 * scaled), 10).red() == 255
    assert image.pixelColor(round(170 * scaled), 10).red() == 0
    qtbot.waitUntil(lambda: len(feed._made[document]) == 2 and opened.preview.idle and not feed._resting.isActive())
    QApplication.processEvents()  # an answer may have been on its way
    made.clear()
    entries = document.grade.entries
    moved = Matte(Leaf(Rectangle(center=(150.0, 54.0), size=(40.0, 108.0))))
    document.edit(document.grade.with_entries((entries[0], Layer(ops.Exposure(1.0), matte=moved))), "moved")
    qtbot.waitUntil(lambda: bool(made))
    qtbot.waitUntil(lambda: opened.preview.idle)
    assert made == [(1,)]


def test_what_the_file_lacks_is_not_said_any_more_once_it_is_closed(opened: MainWindow):
    gone: list[str] = []
    opened.workspace.messages.withdrawn.connect(lambda each: gone.append(each.text))
    opened.workspace.stage._show_lacking(("no depth.Z",))
    opened.workspace.open_documents.close(opened.document)
    assert gone == ["no depth.Z"]

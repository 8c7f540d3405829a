"""The keys of panels: what is behind another tab comes to the front, what is in front goes."""

from __future__ import annotations

from typing import Any

from app.services.files import IMAGE
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.hands import Key, row


def test_the_key_of_a_panel_brings_it_to_the_front_and_then_hides_it(opened: MainWindow, qtbot: Any):
    docks, actions = opened.docks.docks, opened.actions_by_name
    grade, probe, looking = (docks[name] for name in ("grade", "probe", "looking"))
    qtbot.waitUntil(lambda: grade.in_front)
    actions["panel_probe"].trigger()  # it was not there
    qtbot.waitUntil(lambda: probe.in_front and not grade.in_front)
    actions["panel_looking"].trigger()  # it was behind
    qtbot.waitUntil(lambda: looking.in_front and not probe.in_front)
    assert all(actions[f"panel_{name}"].isChecked() for name in ("grade", "probe", "looking"))
    actions["panel_looking"].trigger()  # it is in front
    qtbot.waitUntil(lambda: looking.isHidden() and not actions["panel_looking"].isChecked())
    actions["panel_grade"].trigger()
    qtbot.waitUntil(lambda: grade.in_front)
    assert not probe.isHidden()


def test_page_keys_are_of_the_control_that_takes_them(opened: MainWindow, qtbot: Any):
    """Elsewhere they go through the layers of the image."""
    opened.document.open_grade(Grade([ops.Exposure(), ops.GradingHueCurve.neutral()]), None)
    slider, plot = row(opened).track, opened.panel.cards[1].body.plot
    opened.activateWindow()
    qtbot.waitUntil(opened.isActiveWindow)
    qtbot.waitUntil(plot.isVisible)
    slider.setFocus()
    qtbot.keyClick(slider, Key.Key_PageUp)
    plot.setFocus()
    qtbot.keyClick(plot, Key.Key_PageUp)
    assert plot.at == 1 and opened.document.grade.entries[0] != ops.Exposure()
    assert not opened.workspace.jobs.waits(opened.document, IMAGE)
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_PageDown)
    assert opened.workspace.jobs.waits(opened.document, IMAGE)

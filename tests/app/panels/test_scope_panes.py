"""What the panes of the Scopes panel show: each keeps its own, and changes it in its menu."""

from __future__ import annotations

from typing import Any

from PySide6.QtWidgets import QApplication, QMenu

from app.panels.scopes.chromaticity_plot import ChromaticityPlot
from app.panels.scopes.pane import Pane
from app.panels.scopes.panel import SETTING
from app.panels.scopes.scatter_plot import ScatterPlot
from app.panels.scopes.scope_settings import Trace, panes_of
from app.panels.scopes.trace_slider import TraceSlider
from app.services.event_loop import turn_queue
from app.shell.main_window import MainWindow
from engine.viewing.scopes import ScopeReading
from tests.app.hands import LEFT, Key, drag
from tests.app.panels.test_scopes import new_panel, seen
from tests.typed import expect


def opened_menu(pane: Pane, qtbot: Any) -> QMenu:
    """The menu of a pane, opened by the mouse."""
    qtbot.mouseClick(pane.options, LEFT)
    qtbot.waitUntil(pane.menu.isVisible)
    return pane.menu


def sliders(menu: QMenu) -> list[TraceSlider]:
    return menu.findChildren(TraceSlider)


def test_gain_and_intensity_change_the_trace_of_one_pane_alone(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    panel.choose(panes=panes_of("luma", "luma"))
    reading_before = panel.reading
    first, second = panel.panes
    panel.drawing.finish()
    qtbot.waitUntil(lambda: not turn_queue().waits)
    before = [pane.plot.grab().toImage() for pane in panel.panes]
    menu = opened_menu(second, qtbot)
    gain, intensity = sliders(menu)
    drag(qtbot, gain, 30)
    assert panel.choices.panes[1].trace.gain > 0.0 and gain.text().startswith("Gain +")
    panel.drawing.finish()
    assert first.plot.grab().toImage() == before[0] and second.plot.grab().toImage() != before[1]
    qtbot.keyClick(intensity, Key.Key_Left)
    assert panel.choices.panes[1].trace.intensity == 95.0 and intensity.text() == "Intensity 95 %"
    assert panel.reading is reading_before  # nothing is read for it
    qtbot.keyClick(gain, Key.Key_Delete)
    menu.close()
    assert [pane.trace for pane in panel.choices.panes] == [Trace(), Trace(0.0, 95.0)]
    kept = opened.workspace.settings.get(SETTING, dict[str, Any]())
    assert [(pane["gain"], pane["intensity"]) for pane in kept["panes"]] == [(0.0, 100.0), (0.0, 95.0)]
    assert [each.number for each in sliders(opened_menu(second, qtbot))][-2:] == [0.0, 95.0]
    second.menu.close()


def test_the_sliders_of_a_menu_are_reached_by_keys(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    menu = opened_menu(panel.panes[0], qtbot)
    for _ in range(2):
        qtbot.keyClick(menu, Key.Key_Down)
        if QApplication.focusWidget() in sliders(menu):
            break
    qtbot.keyClick(sliders(menu)[0], Key.Key_Right)
    assert panel.choices.panes[0].trace.gain == 0.5
    qtbot.keyClick(sliders(menu)[0], Key.Key_Escape)
    assert not menu.isVisible()


def test_each_pane_keeps_its_own_options(opened: MainWindow, qtbot: Any):
    """Two diagrams and two solids are shown differently, and stay with their panes."""
    panel = seen(opened, qtbot)
    panel.choose(panes=panes_of("chromaticity", "chromaticity", "scatter", "scatter"))
    one, two, _, solid = panel.panes
    take(one, "CIE 1976", qtbot)
    take(solid, "HSV cone", qtbot)
    assert [pane.diagram.coordinates for pane in panel.choices.panes[:2]] == ["uv", "xy"]
    qtbot.waitUntil(lambda: panel.reading is not None and panel.reading.options == panel.choices.options)
    panel.drawing.finish()
    reading = expect(ScopeReading, panel.reading)
    assert [each.coordinates for each in reading.options.diagrams] == ["uv", "xy"]
    assert [each.space for each in reading.scatters] == ["rgb", "hsv"]
    plots = [expect(ChromaticityPlot, pane.plot) for pane in (one, two)]
    assert [plot.diagram.coordinates for plot in plots] == ["uv", "xy"]
    assert all(plot._image is not None for plot in plots)
    assert expect(ScatterPlot, solid.plot)._space == "hsv"
    again = new_panel(opened)
    qtbot.addWidget(again)
    assert again.choices == panel.choices
    qtbot.mouseClick(one.close_button, LEFT)
    assert [pane.diagram.coordinates for pane in panel.choices.panes] == ["xy"] * 3
    assert [pane.scatter.space for pane in panel.choices.panes] == ["rgb", "rgb", "hsv"]


def take(pane: Pane, text: str, qtbot: Any) -> None:
    """Take a choice in the menu of a pane."""
    menu = opened_menu(pane, qtbot)
    next(action for action in menu.actions() if action.text().startswith(text)).trigger()
    menu.close()

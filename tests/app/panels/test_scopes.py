"""The scopes panel, its choices, and when the scopes are read."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QApplication, QMenu

from app.model.percent import percent
from app.panels.scopes import display_scale
from app.panels.scopes.pane import TYPES
from app.panels.scopes.panel import OF, SCALES, SETTING, WHERE, ScopesPanel
from app.panels.scopes.scatter_plot import ScatterPlot
from app.panels.scopes.scope_settings import (
    DEFAULT_PANES,
    MOST_PANES,
    DiagramChoices,
    PaneChoices,
    ScatterChoices,
    ScopeChoices,
    Trace,
    VectorscopeMarks,
    panes_of,
)
from app.services.event_loop import turn_queue
from app.shell.main_window import MainWindow
from app.widgets.style import sheet
from engine.core.colorimetry import PRIMARIES, to_xyz
from engine.core.gamuts import EDGE, from_xyz
from engine.viewing.scopes import KINDS, ScopeReading
from tests import scopes
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key
from tests.typed import expect

# -- the choices


def test_choices_come_back_from_the_settings():
    parts = (
        VectorscopeMarks(skin=False),
        DiagramChoices("uv", "ACES", True, gamuts=("ap0",)),
        ScatterChoices("lab", -9.5),
    )
    panes = (PaneChoices("luma"), PaneChoices("luma", Trace(-2.0, 60.0), *parts))
    choices = ScopeChoices(panes, "graded", "0-4", True, "ap1")
    assert ScopeChoices.from_json(json.loads(json.dumps(choices.to_json()))) == choices


def test_settings_with_kinds_and_damaged_ones_are_read():
    old = {"kinds": ["rgb", "vectorscope", "histogram"], "values": "source", "scale": "0-16", "whole": True}
    panes = panes_of("rgb", "vectorscope", "histogram")
    assert ScopeChoices.from_json(old) == ScopeChoices(panes, "source", "0-16", True)
    shared = {"panes": ["luma", "scatter"], "gain": 2.0, "intensity": 50.0, "scatter": {"space": "lab"}}
    trace, scatter = Trace(2.0, 50.0), ScatterChoices("lab")
    panes = (PaneChoices("luma", trace, scatter=scatter), PaneChoices("scatter", trace, scatter=scatter))
    assert ScopeChoices.from_json(shared) == ScopeChoices(panes)
    assert len(ScopeChoices.from_json({"kinds": list(KINDS)}).panes) == MOST_PANES
    damaged = {
        "panes": "all",
        "values": 3,
        "scale": [],
        "whole": "yes",
        "gain": 1e9,
        "intensity": True,
        "gamut": "srgb",
    }
    damaged |= {"vectorscope": 1, "diagram": {"coordinates": "yx", "zoom": 1}, "scatter": {"yaw": 1e5, "space": None}}
    assert ScopeChoices.from_json(damaged) == ScopeChoices.from_json({"panes": ["film"]}) == ScopeChoices()
    assert ScopeChoices.from_json({"panes": [damaged, 3, {"kind": []}]}) == ScopeChoices()
    damaged["kind"] = "luma"
    assert ScopeChoices.from_json({"panes": [damaged]}) == ScopeChoices(panes_of("luma"))
    assert ScopeChoices().kinds == DEFAULT_PANES and DEFAULT_PANES[0] == "parade"


# -- the panel


def seen(window: MainWindow, qtbot: Any) -> ScopesPanel:
    """The panel, once it has shown a reading, drawn for its size."""
    with qtbot.waitSignal(window.preview.scoped, timeout=20_000):
        window.actions_by_name["panel_scopes"].trigger()
    panel = window.workspace.panel("scopes")
    assert isinstance(panel, ScopesPanel)
    qtbot.waitUntil(lambda: not turn_queue().waits)
    return panel


def new_panel(window: MainWindow) -> ScopesPanel:
    """Another panel, outside the docks."""
    workspace = window.workspace
    current, inside = workspace.open_documents.current, workspace.actions["inside_matte"]
    return ScopesPanel(current, workspace.colour, workspace.preview, workspace.settings, workspace.jobs, inside)


def choose(button: Any, text: str) -> None:
    """Take a choice of a picker's menu."""
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_each_pane_has_a_menu_of_types(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    assert [pane.kind for pane in panel.panes] == list(DEFAULT_PANES)
    pane = panel.panes[0]
    pane.types.setFocus()
    for kind, (name, _) in TYPES.items():
        choose(pane.types, name)
        assert panel.panes[0] is pane and pane.kind == kind == panel.choices.kinds[0]
        assert pane.types.whole == name and name in pane.types.toolTip() and pane.plot.accessibleName() == name
        assert pane.types.hasFocus()
        qtbot.waitUntil(lambda: pane.plot.reading is not None)
    assert [pane.kind for pane in panel.panes[1:]] == list(DEFAULT_PANES[1:])


def test_the_menu_of_a_pane_is_opened_and_used_by_keys(opened: MainWindow, qtbot: Any):
    from PySide6.QtCore import QTimer

    panel = seen(opened, qtbot)
    types = panel.panes[1].types
    types.setFocus()

    def take() -> None:
        menu = expect(QMenu, QApplication.activePopupWidget())
        for key in (Key.Key_Down, Key.Key_Return):
            qtbot.keyClick(menu, key)

    QTimer.singleShot(0, take)
    qtbot.keyClick(types, Key.Key_Space)
    qtbot.waitUntil(lambda: panel.panes[1].kind == "parade")


def test_panes_are_added_and_closed(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    qtbot.mouseClick(panel.add_button, LEFT)
    assert [pane.kind for pane in panel.panes] == [*DEFAULT_PANES, "luma"]
    assert not panel.add_button.isEnabled() and panel.panes[3].types.hasFocus()
    assert len({pane.types.accessibleName() for pane in panel.panes}) == MOST_PANES
    qtbot.mouseClick(panel.panes[1].close_button, LEFT)
    assert [pane.kind for pane in panel.panes] == ["parade", "histogram", "luma"] and panel.add_button.isEnabled()
    for _ in range(2):
        panel.panes[0].close_button.setFocus()
        qtbot.keyClick(panel.panes[0].close_button, Key.Key_Space)
    assert panel.choices.kinds == ("luma",) and not panel.panes[0].close_button.isVisible()
    assert panel.panes[0].types.hasFocus()
    kept = opened.workspace.settings.get(SETTING, dict[str, Any]())
    assert [pane["kind"] for pane in kept["panes"]] == ["luma"]
    again = new_panel(opened)
    qtbot.addWidget(again)
    assert again.choices == panel.choices and [pane.kind for pane in again.panes] == ["luma"]


def test_each_control_changes_what_is_read(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    for value, (text, _) in OF.items():
        choose(panel.of, text)
        assert panel.choices.values == value and panel.of.whole == text
    choose(panel.of, OF["graded"][0])
    for scale, (text, _) in SCALES.items():
        choose(panel.scale, text)
        assert panel.choices.scale == scale and panel.scale.isEnabled()
    with qtbot.waitSignal(
        opened.preview.scoped, timeout=20_000, check_params_cb=lambda found: found.options == panel.choices.options
    ) as answer:
        choose(panel.where, WHERE[True][0])
    assert panel.choices.whole and opened.preview.scopes == panel.choices.options
    qtbot.waitUntil(lambda: "full frame" in panel.counted.whole)
    found = answer.args[0]
    expected = scopes.histogram(opened.document.image.pixels, panel.choices.options.axis)
    assert np.array_equal(found.histogram, expected)


def test_clipping_is_said_in_words(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    panel.choose(whole=True)
    qtbot.waitUntil(lambda: "full frame" in panel.counted.whole and panel.beyond.whole.startswith("clipped low"))
    shares = expect(ScopeReading, panel.reading).beyond()
    assert shares is not None and panel.beyond.whole == f"clipped low {percent(shares[0])}, high {percent(shares[1])}"
    assert panel.beyond.property("clips") is True
    panel.beyond.setStyleSheet(sheet())
    panel.beyond.ensurePolished()
    assert panel.beyond.palette().windowText().color() == QColor("#ff8a80")
    panel.choose(values="graded")
    qtbot.waitUntil(lambda: panel.beyond.whole.startswith("below the scale"))
    assert panel.beyond.property("clips") is False


def test_the_share_outside_of_a_gamut_is_said(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    panel.choose(whole=True, values="source", panes=panes_of("chromaticity", "scatter", "vectorscope"))
    choose(panel.gamut, "P3-D65")
    qtbot.waitUntil(lambda: "outside P3-D65" in panel.beyond.whole and "full frame" in panel.counted.whole)
    reading = expect(ScopeReading, panel.reading)
    pixels = opened.document.image.pixels[..., :3].reshape(-1, 3).astype(np.float64)
    rgb = pixels @ (from_xyz(PRIMARIES["p3d65"]) @ to_xyz(PRIMARIES["rec709"])).T
    share = float((rgb.min(axis=1) < -EDGE * np.abs(rgb).max(axis=1)).mean())
    assert reading.share_outside == pytest.approx(share, abs=1e-4) and panel.beyond.whole.endswith(percent(share))
    assert "taken as Rec.709" in panel.counted.whole and reading.assumed
    assert reading.chromaticity is not None and reading.scatters
    plot = expect(ScatterPlot, panel.panes[1].plot)
    qtbot.waitUntil(lambda: plot._image is not None)
    plot.turned.emit(ScatterChoices("rgb", 12.0, 34.0))
    assert panel.choices.panes[1].scatter == ScatterChoices("rgb", 12.0, 34.0)
    choose(panel.gamut, "No gamut")
    qtbot.waitUntil(lambda: "outside" not in panel.beyond.whole)


def test_pq_and_hlg_views_have_a_scale_in_nits(opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    panel = seen(opened, qtbot)
    assert panel.scale.whole == "0 to 100 %"
    space = SimpleNamespace(name="Rec.2100-PQ - Display", aliases=(), encoding="hdr-video")
    config = SimpleNamespace(space_of_view=lambda *_: "x", space=lambda _: space)
    names: Any = SimpleNamespace(config=config)
    managed: Any = SimpleNamespace(converts=True)
    assert display_scale.transfer_shown(names, managed, ("d", "v")) == "PQ"
    managed.converts = False
    assert display_scale.transfer_shown(names, managed, ("d", "v")) == ""
    monkeypatch.setattr("app.panels.scopes.panel.transfer_shown", lambda _names, _managed, shown: shown[1])
    opened.workspace.set_view(view="PQ")
    qtbot.waitUntil(lambda: panel.scale.whole == "Nits (PQ)")  # with the reading of that view
    assert panel.panes[0].plot.transfer == "PQ" == expect(ScopeReading, panel.reading).view[1]
    choose(panel.of, OF["source"][0])
    assert panel.scale.whole == SCALES["stops"][0]


def test_compiling_for_the_scopes_is_said(opened: MainWindow, executor: FakeExecutor, qtbot: Any):
    panel = seen(opened, qtbot)
    lines: list[str] = []
    opened.preview.status.connect(lines.append)
    executor.warm = False
    panel.choose(values="graded")
    qtbot.waitUntil(lambda: "Preparing the scopes…" in lines and lines[-1] == "")


def test_what_is_drawn_follows_the_grade(opened: MainWindow, qtbot: Any):
    from engine import Grade, ops

    panel = seen(opened, qtbot)
    found: list[ScopeReading] = []
    opened.preview.scoped.connect(found.append)
    panel.choose(panes=panes_of("histogram"), values="graded", scale="0-1", whole=True)
    for gain in (1.0, 0.5):
        opened.document.edit(Grade([ops.Exposure(np.log2(gain))]), "exposure")
        expected = scopes.histogram(gain * opened.document.image.pixels, panel.choices.options.axis)
        qtbot.waitUntil(
            lambda e=expected: (
                bool(found) and np.array_equal(expect(np.ndarray, found[-1].histogram), e) and found[-1].exact
            ),
            timeout=20_000,
        )


def test_nothing_is_read_while_it_is_hidden(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    assert opened.preview.scopes == panel.choices.options
    opened.actions_by_name["panel_scopes"].trigger()
    assert opened.preview.scopes is None
    assert not panel.isVisible()


def test_panes_are_drawn_in_later_turns(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    panel.choose(panes=panes_of("luma", "rgb", "vectorscope"))
    panel.drawing.finish()
    before = expect(ScopeReading, panel.reading)
    other = replace(before, exact=not before.exact)
    panel.show_reading(other)
    assert all(pane.plot.reading is before for pane in panel.panes)
    panel.panes[1].closed.emit()
    qtbot.waitUntil(lambda: all(pane.plot.reading is panel.reading is not before for pane in panel.panes))
    panel._draw()
    opened.workspace.open_documents.close(opened.document)
    assert all(pane.plot.reading is None for pane in panel.panes) and not panel.drawing.is_active


def test_nothing_is_shown_of_an_image_that_was_closed(opened: MainWindow, tmp_path: Path, qtbot: Any):
    panel = seen(opened, qtbot)
    first = opened.document
    late = panel.reading
    other = tmp_path / "other.exr"
    other.write_bytes(b"made by the fake reader")
    opened.files.open_image(other)
    assert panel.reading is None and all(pane.plot.reading is None for pane in panel.panes)
    qtbot.waitUntil(lambda: panel.reading is not None)
    for document in (opened.document, first):
        opened.workspace.open_documents.close(document)
    assert panel.reading is None and panel.counted.whole and not panel.beyond.whole
    assert late is not None
    panel.show_reading(late)
    assert panel.reading is None and all(pane.plot.reading is None for pane in panel.panes)


def test_frames_of_a_sequence_do_not_blank_the_scopes(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    opened.preview.scoped.disconnect(panel.show_reading)
    document = opened.document
    document.set_image(document.image, document.image_path)
    assert panel.reading is not None
    panel._stale.setInterval(0)
    document.set_image(document.image, document.image_path)
    qtbot.waitUntil(lambda: panel.reading is None)  # unless no reading of it comes


def test_it_is_laid_out_for_its_shape(opened: MainWindow, qtbot: Any):
    seen(opened, qtbot)
    free = new_panel(opened)
    qtbot.addWidget(free)
    free.show()
    for width, height, across in ((900, 240, True), (300, 700, False)):
        free.resize(width, height)
        first, second = free.panes[:2]
        qtbot.waitUntil(lambda a=across, f=first, s=second: (f.x() < s.x()) == a)
        assert not first.geometry().intersects(second.geometry())
    free.choose(panes=panes_of("parade", "luma", "rgb", "histogram"))
    free.resize(800, 560)
    qtbot.waitUntil(lambda: len({pane.x() for pane in free.panes}) == len({pane.y() for pane in free.panes}) == 2)
    assert len({(pane.x(), pane.y()) for pane in free.panes}) == 4

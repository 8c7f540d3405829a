"""Probes: what is shown of pixels and areas, pins on the image, the panel, its commands and gestures."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QTreeWidgetItem

from app.canvas.pins import MOST_PINS
from app.model.view_ops import UNMANAGED
from app.model.view_state import ViewState
from app.panels.probe.formats import FORMATS, row_of
from app.panels.probe.panel import SIZES, ProbePanel
from app.panels.probe.probes import Probes
from app.render import probe_samples as samples
from app.render.probe_samples import SampleRequest, take_samples
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.grade.colour_settings import Viewing
from engine.viewing import FrameMaker, WholeLevels
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key, move
from tests.typed import expect

CTRL = Qt.KeyboardModifier.ControlModifier


def srgb(x: float) -> float:
    """IEC 61966-2-1."""
    return 12.92 * x if x <= 0.0031308 else 1.055 * x ** (1 / 2.4) - 0.055


@pytest.mark.parametrize(
    ("form", "values", "texts"),
    [
        ("float", (0.18, -1.5, 123.456, 1.0), ["0.1800", "-1.5000", "123.46", "1.0000"]),
        ("float", (1e-5, 123456.0, math.nan, math.inf), ["1.0e-05", "1.2e+05", "nan", "inf"]),
        ("8", (0.0, 0.5, 1.0, 2.0), ["0", "128", "255", "255"]),
        ("8", (-1.0, math.nan, math.inf), ["0", "nan", "255"]),
        ("10", (0.0, 0.5, 1.0, 0.25), ["0", "512", "1023", "256"]),
        ("hex", (1.0, 0.0, 0.5, 2 / 255), ["FF", "00", "80", "02"]),
        ("stops", (0.18, 0.72, 0.045, 1.0), ["+0.00", "+2.00", "-2.00", "1.0000"]),
        ("stops", (0.0, -0.1, math.inf), ["-inf", "-inf", "inf"]),
    ],
)
def test_values_are_reported(form: str, values: tuple[float, ...], texts: list[str]):
    assert row_of(values, form, True) == texts


def test_stops_are_of_light_alone():
    assert row_of((0.18, 0.36, 0.5), "stops", False) == ["0.1800", "0.3600", "0.5000"]


def taken(pixels: np.ndarray, *boxes: tuple[int, int, int, int], grade: Grade | None = None) -> list[samples.Sample]:
    executor: Any = FakeExecutor()
    maker = FrameMaker(executor, WholeLevels(pixels))
    return take_samples(maker, SampleRequest(0, boxes, grade or Grade(), UNMANAGED, Viewing()))


def test_a_sample_is_the_mean_of_each_stage():
    pixels = np.random.default_rng(2).random((60, 80, 4)).astype(np.float32)
    (found,) = taken(pixels, (10, 20, 5, 5), grade=Grade([ops.Exposure(-1.0)]))
    part = pixels[20:25, 10:15].reshape(-1, 4).astype(np.float64)
    assert found.source == pytest.approx(part.mean(axis=0), rel=1e-5)
    assert found.graded[:3] == pytest.approx(0.5 * part[:, :3].mean(axis=0), rel=1e-5)
    shown = np.vectorize(srgb)(0.5 * part[:, :3]).mean(axis=0)
    assert found.display[:3] == pytest.approx(shown, rel=1e-4)


def test_boxes_end_at_the_image():
    pixels = np.arange(12.0, dtype=np.float32).reshape(2, 2, 3)
    corner, beside = taken(pixels, (-2, -2, 5, 5), (5, 5, 1, 1)), taken(pixels, (5, 5, 1, 1))
    assert [sample.box for sample in corner] == [(-2, -2, 5, 5)] and beside == []
    assert corner[0].source == pytest.approx(pixels.reshape(-1, 3).mean(axis=0))


def test_a_large_area_is_averaged_first(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(samples, "MOST", 100)
    pixels = np.full((60, 80, 3), 0.25, np.float32)
    (found,) = taken(pixels, (0, 0, 80, 60), grade=Grade([ops.Exposure(1.0)]))
    assert found.source[:3] == pytest.approx((0.25,) * 3) and found.graded[:3] == pytest.approx((0.5,) * 3)


def test_not_a_number_is_reported():
    pixels = np.full((3, 3, 3), 0.5, np.float32)
    pixels[1, 1, 0] = np.nan
    (found,) = taken(pixels, (0, 0, 3, 3))
    assert math.isnan(found.source[0]) and found.source[1] == pytest.approx(0.5)


# -- the panel


def spot(window: MainWindow, column: int, row: int) -> QPoint:
    """Where the middle of a pixel lies on the canvas."""
    viewport = window.canvas.viewport
    assert viewport is not None
    left, top = viewport.on_screen((column + 0.5, row + 0.5, 0.0, 0.0))[:2]
    return QPoint(round(left), round(top))


@pytest.fixture
def panel(opened: MainWindow, qtbot: Any) -> ProbePanel:
    opened.actions_by_name["panel_probe"].trigger()
    found = opened.workspace.panel("probe")
    assert isinstance(found, ProbePanel)
    qtbot.waitUntil(found.isVisible)
    return found


def point(window: MainWindow, panel: ProbePanel, column: int, row: int, qtbot: Any) -> None:
    """Hold the cursor over a pixel until its values are shown."""
    move(window.canvas, spot(window, column, row))
    assert window.workspace.stage.pins.pointer == (column, row)
    half = panel.across // 2
    qtbot.waitUntil(lambda: (column - half, row - half, panel.across, panel.across) in panel.samples)


def texts(panel: ProbePanel, row: int, stage: int) -> list[str]:
    item = panel.tree.topLevelItem(row)
    assert item is not None
    child = item.child(stage)
    assert child is not None
    return [child.text(column) for column in range(1, 5)]


def test_the_pixel_under_the_cursor(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    point(opened, panel, 60, 40, qtbot)
    item = panel.tree.topLevelItem(0)
    assert item is not None and item.text(0) == "Cursor  70, 60"  # as the file counts, from 10, 20
    values = opened.document.image.pixels[40, 60].astype(float)
    assert texts(panel, 0, 0) == [f"{value:.4f}" for value in values]
    opened.document.edit(Grade([ops.Exposure(1.0)]), "exposure")
    expected = [f"{value:.4f}" for value in (*(2 * values[:3]), values[3])]
    qtbot.waitUntil(lambda: texts(panel, 0, 1) == expected)


def test_each_format_and_size(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    point(opened, panel, 60, 40, qtbot)
    pixels = opened.document.image.pixels.astype(np.float64)
    for button, form in zip(panel.forms.buttons(), FORMATS, strict=True):
        assert button.toolTip() and button.accessibleName()
        qtbot.mouseClick(button, LEFT)
        assert panel.form == form
        assert texts(panel, 0, 0) == row_of(tuple(pixels[40, 60]), form, True)
    qtbot.mouseClick(panel.forms.buttons()[0], LEFT)
    for button, size in zip(panel.sizes.buttons(), SIZES, strict=True):
        qtbot.mouseClick(button, LEFT)
        point(opened, panel, 60, 40, qtbot)
        half = size // 2
        mean = pixels[40 - half : 41 + half, 60 - half : 61 + half].reshape(-1, 4).mean(axis=0)
        assert texts(panel, 0, 0) == row_of(tuple(mean), "float", True)
    workspace = opened.workspace
    inside = workspace.actions["inside_matte"]
    again = ProbePanel(Probes(workspace.stage), workspace.settings, workspace.messages, inside)
    qtbot.addWidget(again)
    assert (again.across, again.form) == (15, "float")


def test_pins_by_key_and_by_click(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    point(opened, panel, 60, 40, qtbot)
    opened.actions_by_name["pin"].trigger()
    opened.actions_by_name["pin"].trigger()  # once is enough
    qtbot.mouseClick(opened.canvas, LEFT, CTRL, spot(opened, 100, 50))
    assert opened.workspace.stage.pins.pins == [(60, 40), (100, 50)]
    qtbot.waitUntil(lambda: len(panel.samples) == 2 or len(panel.samples) == 3)
    rows = [panel.tree.topLevelItem(n).text(0) for n in range(panel.tree.topLevelItemCount())]  # type: ignore[union-attr]
    assert rows[-2:] == ["1  70, 60", "2  110, 70"]
    point(opened, panel, 62, 41, qtbot)
    opened.actions_by_name["unpin"].trigger()
    assert opened.workspace.stage.pins.pins == [(100, 50)]
    opened.actions_by_name["no_probes"].trigger()
    assert opened.workspace.stage.pins.pins == []
    opened.actions_by_name["unpin"].trigger()


def test_keys_reach_the_commands(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    point(opened, panel, 60, 40, qtbot)
    opened.activateWindow()
    opened.canvas.setFocus()
    qtbot.keyClick(opened.canvas, Key.Key_P, Qt.KeyboardModifier.ShiftModifier)
    assert opened.workspace.stage.pins.pins == [(60, 40)]
    qtbot.keyClick(opened.canvas, Key.Key_P, CTRL | Qt.KeyboardModifier.AltModifier)
    assert opened.workspace.stage.pins.pins == []


def test_a_pin_needs_the_cursor_and_there_are_so_many(opened: MainWindow, qtbot: Any):
    with qtbot.waitSignal(opened.workspace.messages.noted):
        opened.actions_by_name["pin"].trigger()
    assert opened.workspace.stage.pins.pins == []
    opened.workspace.set_view(pins=tuple((n, n) for n in range(MOST_PINS)))
    with qtbot.waitSignal(opened.workspace.messages.noted):
        qtbot.mouseClick(opened.canvas, LEFT, CTRL, spot(opened, 100, 50))
    assert len(opened.workspace.stage.pins.pins) == MOST_PINS


def test_an_area_is_dragged(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    before = opened.canvas.viewport
    start, end = spot(opened, 30, 20), spot(opened, 70, 50)
    qtbot.mousePress(opened.canvas, LEFT, CTRL, start)
    move(opened.canvas, end, LEFT, CTRL)
    qtbot.mouseRelease(opened.canvas, LEFT, CTRL, end)
    assert opened.canvas.viewport == before  # it is not a pan
    assert opened.workspace.stage.pins.area == (30, 20, 41, 31)
    qtbot.waitUntil(lambda: (30, 20, 41, 31) in panel.samples)
    mean = opened.document.image.pixels[20:51, 30:71].astype(np.float64).reshape(-1, 4).mean(axis=0)
    assert panel.samples[(30, 20, 41, 31)].source == pytest.approx(mean, rel=1e-5)
    qtbot.mouseClick(panel.clear_button, LEFT)
    assert opened.workspace.stage.pins.area is None and not panel.clear_button.isEnabled()
    opened.workspace.set_view(area=(10**400, 0, 1, 1))  # from a session that somebody else wrote
    assert opened.workspace.stage.pins.area is None


def test_rows_are_removed_by_key(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    opened.workspace.set_view(pins=((5, 6), (7, 8)), area=(1, 2, 3, 4))
    qtbot.waitUntil(lambda: panel.tree.topLevelItemCount() == 3)
    panel.tree.setCurrentItem(expect(QTreeWidgetItem, panel.tree.topLevelItem(1)))
    qtbot.keyClick(panel.tree, Key.Key_Delete)
    assert opened.workspace.stage.pins.pins == [(7, 8)]
    panel.tree.setCurrentItem(expect(QTreeWidgetItem, panel.tree.topLevelItem(0)))
    qtbot.keyClick(panel.tree, Key.Key_Delete)
    assert opened.workspace.stage.pins.area is None


def test_all_is_copied(opened: MainWindow, panel: ProbePanel, qtbot: Any):
    opened.workspace.set_view(pins=((5, 6),), area=(1, 2, 3, 4))
    qtbot.waitUntil(panel.copy_button.isEnabled)
    for copies in (panel.copy_button.click, opened.actions_by_name["copy_probes"].trigger):
        QGuiApplication.clipboard().clear()
        with qtbot.waitSignal(opened.workspace.messages.noted):
            copies()
        lines = [line.split("\t") for line in QGuiApplication.clipboard().text().splitlines()]
        assert lines[0] == ["probe", "stage", "R", "G", "B", "A"]
        assert [line[:2] for line in lines[1:5]] == [
            ["Area  11, 22  3 × 4", "source"],
            ["Area  11, 22  3 × 4", "graded"],
            ["Area  11, 22  3 × 4", "display"],
            ["1  15, 26", "source"],
        ]
        assert lines[4][2:] == row_of(tuple(opened.document.image.pixels[6, 5].astype(float)), "float", True)


def test_pins_are_drawn_on_the_image(opened: MainWindow):
    before = opened.canvas.grab().toImage()
    opened.workspace.set_view(pins=((60, 40),), area=(90, 60, 20, 20))
    after = opened.canvas.grab().toImage()
    at = spot(opened, 60, 40)
    ring = [QPoint(at.x() + x, at.y()) for x in range(2, 7)]
    assert max(after.pixelColor(each).lightness() for each in ring) > 190
    assert max(before.pixelColor(each).lightness() for each in ring) < 190
    corner = spot(opened, 90, 60)
    size = round(20 * opened.canvas.viewport.scale)  # type: ignore[union-attr]
    box = [after.pixel(corner.x() + x, corner.y() + y) != before.pixel(corner.x() + x, corner.y() + y)
           for x in range(-8, size + 8) for y in range(-8, size + 8)]  # fmt: skip
    assert 0 < sum(box) < 20 * size  # a line, not a field


def test_pins_travel_in_sessions_and_bad_ones_are_left_out(opened: MainWindow):
    state = ViewState(pins=((1, 2), (3, 4)), area=(5, 6, 7, 8))
    assert ViewState.from_json(json.loads(json.dumps(state.to_json()))) == state
    bad = ViewState.from_json({"pins": [[1, 2], "x", [3], [1, "2"], [99999, 0], {"x": 1}], "area": [1, 2, "x", 0]})
    opened.workspace.set_view(pins=bad.pins, area=bad.area)
    assert opened.workspace.stage.pins.pins == [(1, 2)] and opened.workspace.stage.pins.area is None
    opened.canvas.grab()


def test_no_image_no_rows(window: MainWindow, qtbot: Any, tmp_path: Path):
    window.actions_by_name["panel_probe"].trigger()
    panel = window.workspace.panel("probe")
    assert isinstance(panel, ProbePanel)
    panel.ask()
    assert panel.tree.topLevelItemCount() == 0 and not panel.copy_button.isEnabled()

"""The chromaticity diagram, the marks of the vectorscope and the solid with the colours of the image, as drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QColor
from PySide6.QtWidgets import QMenu

from app.panels.scopes.chromaticity_plot import COLOURS, ChromaticityPlot
from app.panels.scopes.plots import ScopePlot, VectorscopePlot
from app.panels.scopes.scatter_plot import ScatterPlot
from app.panels.scopes.scatter_trace import projected, scatter_image
from app.panels.scopes.scope_menus import fill_options
from app.panels.scopes.scope_settings import (
    DRAWN,
    ORDER,
    DiagramChoices,
    PaneChoices,
    ScatterChoices,
    ScopeChoices,
    Trace,
    VectorscopeMarks,
)
from app.panels.scopes.trace_slider import TraceSlider
from app.services.jobs import Jobs
from engine.core.colorimetry import PRIMARIES
from engine.viewing.diagram import DIAGRAM_SIZE
from engine.viewing.scatter import Scatter
from engine.viewing.scopes import ScopeReading
from tests.app.hands import LEFT, Key


def chosen(**diagram: Any) -> ScopeChoices:
    shown = DiagramChoices(background=False, **diagram)
    return ScopeChoices(tuple(PaneChoices(kind, diagram=shown) for kind in ("chromaticity", "scatter")))


def spot(choices: ScopeChoices, chromaticity: tuple[float, float]) -> ScopeReading:
    """Of 10,000 pixels of one chromaticity."""
    (diagram,) = choices.options.diagrams
    (across, up), extent = diagram.frame
    u, v = diagram.places(chromaticity)[0]
    counts = np.zeros((DIAGRAM_SIZE, DIAGRAM_SIZE), np.uint32)
    column, row = ((1.0 + at / extent) / 2.0 * DIAGRAM_SIZE for at in (u - across, up - v))
    counts[int(row), int(column)] = 10_000
    gamuts = (("working", PRIMARIES["ap1"]), ("display", PRIMARIES["rec709"]))
    return ScopeReading(choices.options, 100, 100, 1.0, True, chromaticity=counts[None], gamuts=gamuts)


def drawn(qtbot: Any, plot: ScopePlot, shown: ScopeReading | None, choices: ScopeChoices) -> np.ndarray:
    """The plot as (height, width, 3) numbers."""
    qtbot.addWidget(plot)
    plot.resize(420, 330)
    plot.show_reading(shown, choices.panes[0], choices.gamut)
    image = plot.grab().toImage().convertToFormat(plot.grab().toImage().Format.Format_RGBX8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(int)


def near(pixels: np.ndarray, at: QPointF) -> np.ndarray:
    return pixels[round(at.y()) - 3 : round(at.y()) + 4, round(at.x()) - 3 : round(at.x()) + 4].reshape(-1, 3)


@pytest.mark.parametrize(("coordinates", "gamut"), [("xy", ""), ("uv", "rec709")])
def test_a_colour_is_drawn_at_its_chromaticity(qtbot: Any, coordinates: str, gamut: str) -> None:
    choices = replace(chosen(coordinates=coordinates, gamuts=(), zoom=True), gamut=gamut)
    plot, dark = ChromaticityPlot("", ""), ChromaticityPlot("", "")
    green = (0.30, 0.50)
    pixels = drawn(qtbot, plot, spot(choices, green), choices)
    found = np.abs(pixels - drawn(qtbot, dark, None, choices)).sum(axis=2)
    at = plot.place(plot.diagram.places(green)[0].tolist())
    brightest = near(pixels, at)[near(pixels, at).sum(axis=1).argmax()]
    assert brightest[1] > 180 and brightest[1] > brightest[2] + 40
    row, column = np.unravel_index(found.argmax(), found.shape)
    assert abs(row - at.y()) <= 3 and abs(column - at.x()) <= 3


def test_gamuts_are_drawn_from_primary_to_primary(qtbot: Any) -> None:
    choices = replace(chosen(gamuts=tuple(DRAWN)), gamut="rec709")
    plot = ChromaticityPlot("", "")
    pixels = drawn(qtbot, plot, spot(choices, (0.33, 0.33)), choices)
    shown = dict(plot.gamuts())
    assert list(shown) == list(DRAWN) and shown["rec709"] == pytest.approx(PRIMARIES["rec709"][:6])
    corners = shown["rec709"]
    red, green = (plot.place(corners[at : at + 2]) for at in (0, 2))
    tint = [COLOURS["rec709"].red(), COLOURS["rec709"].green(), COLOURS["rec709"].blue()]
    assert np.abs(near(pixels, (red + green) / 2) - tint).sum(axis=1).min() < 60
    plot.show_reading(spot(choices, (0.33, 0.33)), chosen(gamuts=("ap1",)).panes[0], "p3d65")
    assert [name for name, _ in plot.gamuts()] == ["p3d65", "ap1"]
    adapted = chosen(gamuts=tuple(DRAWN), neutral="ACES")
    plot.show_reading(spot(adapted, (0.33, 0.33)), adapted.panes[0])
    assert dict(plot.gamuts())["ap1"] == pytest.approx(PRIMARIES["ap1"][:6])


def test_a_config_without_a_conversion_is_said(qtbot: Any) -> None:
    choices = chosen()
    empty = ScopeReading(choices.options, 1, 1, 1.0, True)
    for plot in (ChromaticityPlot("", ""), ScatterPlot("", "", Jobs())):
        assert (drawn(qtbot, plot, empty, choices) != drawn(qtbot, plot, None, choices)).any()


def test_marks_of_the_vectorscope_can_be_hidden(qtbot: Any) -> None:
    counts = np.zeros((256, 256), np.uint32)
    seen = []
    for marks in (
        VectorscopeMarks(),
        VectorscopeMarks(skin=False),
        VectorscopeMarks(False),
        VectorscopeMarks(True, False),
    ):
        choices = ScopeChoices((PaneChoices("vectorscope", vectorscope=marks),))
        reading = ScopeReading(choices.options, 1, 1, 1.0, True, vectorscope=counts)
        seen.append(drawn(qtbot, VectorscopePlot("", ""), reading, choices).tobytes())
    assert len(set(seen)) == 4
    none = ScopeChoices((PaneChoices("vectorscope", vectorscope=VectorscopeMarks(False, False, False)),))
    reading = ScopeReading(ScopeChoices().options, 1, 1, 1.0, True, vectorscope=counts)
    pixels = drawn(qtbot, VectorscopePlot("", ""), reading, none)
    assert np.ptp(pixels, axis=2).max() == 0  # no coloured box is left


def test_each_choice_of_a_menu_changes_what_it_says(qtbot: Any) -> None:
    found = list[dict[str, Any]]()
    for kind in ORDER:
        choices = PaneChoices(kind)
        menu = QMenu()
        qtbot.addWidget(menu)
        fill_options(menu, choices, "", lambda **changes: found.append(changes))
        items = [action for action in menu.actions() if not action.isSeparator() and action.isCheckable()]
        assert len(menu.findChildren(TraceSlider)) == 2
        assert bool(items) == (kind in ("vectorscope", "chromaticity", "scatter"))
        assert all(action.toolTip() for action in items)
        assert [action.text() for action in items if not action.isEnabled()] == (
            ["Zoom to the gamut"] if kind == "chromaticity" else []
        )
        for action in items:
            was, count = action.isChecked(), len(found)
            action.trigger()
            if action.isEnabled():
                changed = replace(choices, **found[-1])
                assert len(found) == count + 1 and (changed != choices or was)
                assert PaneChoices.from_json(kind, changed.to_json()) == changed


# -- the solid

CORNERS = np.array([[1.0, -1.0, -1.0], [-1.0, 1.0, -1.0], [0.0, 0.0, 0.0]], np.float32)
TINTS = np.array([[255, 0, 0], [0, 255, 0], [0, 0, 0]], np.uint8)
SCATTER = Scatter("rgb", np.repeat(CORNERS, 40, axis=0), np.repeat(TINTS, 40, axis=0))


def centre_of(pixels: np.ndarray, channel: int) -> tuple[float, float]:
    others = np.delete(pixels[..., :3].astype(int), channel, axis=2).max(axis=2)
    rows, columns = np.nonzero(pixels[..., channel].astype(int) > others + 60)
    return float(columns.mean()), float(rows.mean())


def test_points_lie_where_they_are_projected_to() -> None:
    for yaw, pitch in ((0.0, 0.0), (35.0, 25.0), (-120.0, 60.0)):
        pixels = scatter_image(SCATTER, yaw, pitch, Trace(), (300, 200))
        for channel, (across, up, _) in enumerate(projected(CORNERS[:2], yaw, pitch)):
            column, row = centre_of(pixels, channel)
            scale = 0.235 * 200
            assert (column, row) == pytest.approx((150 + across * scale, 100 - up * scale), abs=1.6)
        assert pixels[100, 150, :3].min() > 40  # black is visible


def test_nearer_points_are_brighter() -> None:
    two = Scatter("rgb", np.array([[0.3, -1.0, 0.0], [-0.3, 1.0, 0.0]], np.float32), np.full((2, 3), 255, np.uint8))
    pixels = scatter_image(two, 0.0, 0.0, Trace(), (200, 200))
    nearer, farther = pixels[:, 100:, 0].max(), pixels[:, :100, 0].max()
    assert projected(two.points, 0.0, 0.0)[0, 2] < 0.0 and nearer > farther + 20


def test_a_full_turn_is_none_and_a_quarter_swaps_the_axes() -> None:
    assert np.allclose(projected(CORNERS, 370.0, 20.0), projected(CORNERS, 10.0, 20.0))
    ahead, turned = (
        projected(np.array([[0.0, -1.0, 0.0]]), 0.0, 0.0)[0],
        projected(np.array([[1.0, 0.0, 0.0]]), -90.0, 0.0)[0],
    )
    assert ahead == pytest.approx([0.0, 0.0, -1.0]) and turned[2] == pytest.approx(-1.0)


@pytest.fixture
def solid(qtbot: Any) -> ScatterPlot:
    """A shown solid, once its points are drawn."""
    jobs = Jobs()
    plot = ScatterPlot("3D", "", jobs)
    plot.setProperty("jobs", jobs)
    qtbot.addWidget(plot)
    plot.resize(300, 200)
    plot.show()
    choices = chosen()
    plot.show_reading(ScopeReading(choices.options, 1, 1, 1.0, True, scatters=(SCATTER,)), choices.panes[1])
    qtbot.waitUntil(lambda: plot._image is not None)
    return plot


def settled(plot: ScatterPlot) -> Callable[[], bool]:
    return lambda: not plot._is_drawing and plot._painted == plot.angles


def test_the_mouse_and_keys_turn_the_solid(solid: ScatterPlot, qtbot: Any) -> None:
    turned = list[ScatterChoices]()
    solid.turned.connect(turned.append)
    qtbot.mousePress(solid, LEFT, pos=QPoint(100, 100))
    for x in (110, 120, 140):
        qtbot.mouseMove(solid, QPoint(x, 110))
    assert not turned  # until it is let go
    qtbot.mouseRelease(solid, LEFT, pos=QPoint(140, 110))
    assert (turned[-1].yaw, turned[-1].pitch) == solid.angles == pytest.approx((55.0, 30.0))
    qtbot.waitUntil(settled(solid))
    qtbot.keyClick(solid, Key.Key_Right)
    qtbot.keyClick(solid, Key.Key_Down, Qt.KeyboardModifier.ShiftModifier)
    assert solid.angles == pytest.approx((65.0, 28.0)) and turned[-1].yaw == 65.0
    qtbot.keyClick(solid, Key.Key_Home)
    assert turned[-1] == ScatterChoices()
    solid.turn(175.0, 95.0)
    solid.turn(185.0, 95.0)
    assert solid.angles == pytest.approx((-175.0, 90.0))
    qtbot.waitUntil(settled(solid))  # the newest angles are drawn in the end


def test_the_image_of_a_reading_that_is_gone_is_dropped(solid: ScatterPlot, qtbot: Any) -> None:
    solid.turn(10.0, 10.0)
    solid.show_reading(None)
    qtbot.waitUntil(lambda: not solid._is_drawing)
    assert solid._image is None
    assert solid.grab().toImage().pixelColor(20, 20) == QColor("#161616")

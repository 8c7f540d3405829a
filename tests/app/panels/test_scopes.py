"""The scopes as they are drawn, and the panel that shows them."""

from __future__ import annotations

import time
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtWidgets import QMenu

from app.panels.scopes.panel import NAMES, OF, SCALES, WHERE, ScopesPanel
from app.panels.scopes.plots import (
    HistogramPlot,
    ParadePlot,
    ScopePlot,
    VectorscopePlot,
    WaveformPlot,
    marks_of,
    place_on,
)
from app.render.scope_reader import ScopeReader
from app.shell.main_window import MainWindow
from engine.viewing.scopes import COLUMNS, KINDS, VECTOR_EXTENT, VECTOR_SIZE, ScopeOptions, ScopeReading
from tests import scopes
from tests.app.hands import LEFT
from tests.typed import expect


def reading(pixels: np.ndarray, values: str = "display", scale: str = "stops") -> ScopeReading:
    """Of all pixels, counted by NumPy."""
    options = ScopeOptions(KINDS, values, scale=scale)
    height, width = pixels.shape[:2]
    return ScopeReading(
        options,
        width,
        height,
        1.0,
        True,
        scopes.waveform(pixels, min(width, COLUMNS), options.axis),
        scopes.vectorscope(pixels, VECTOR_SIZE, VECTOR_EXTENT),
        scopes.histogram(pixels, options.axis),
    )


def drawn(qtbot: Any, plot: ScopePlot, shown: ScopeReading, width: int = 338, height: int = 280) -> np.ndarray:
    """The plot as (height, width, 3) numbers."""
    qtbot.addWidget(plot)
    plot.resize(width, height)
    plot.show_reading(shown)
    image = plot.grab().toImage().convertToFormat(plot.grab().toImage().Format.Format_RGBX8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(int)


def inside(pixels: np.ndarray, field: QRectF) -> np.ndarray:
    return pixels[round(field.top()) : round(field.bottom()), round(field.left()) : round(field.right())]


@pytest.mark.parametrize("channels", [(3,), (0, 1, 2)])
def test_a_ramp_is_drawn_as_a_diagonal(qtbot: Any, channels: tuple[int, ...]):
    plot = WaveformPlot("Luma", "", channels)
    field = inside(drawn(qtbot, plot, reading(scopes.ramp())), plot.field())
    height, width = field.shape[:2]
    brightest = field.sum(axis=2).argmax(axis=0)
    expected = height - 1 - np.arange(width) * height / width
    assert np.abs(brightest - expected)[4:-4].max() <= 3
    lit = np.ptp(field[brightest, np.arange(width)], axis=1)
    assert lit.max() <= 24  # grey, whichever way it is drawn


def test_parade_has_its_channels_side_by_side(qtbot: Any):
    pixels = np.zeros((8, 30, 3), np.float32)
    pixels[...] = (0.75, 0.5, 0.25)
    plot = ParadePlot("Parade", "")
    image = drawn(qtbot, plot, reading(pixels))
    for channel, (field, value) in enumerate(zip(plot.fields(), (0.75, 0.5, 0.25), strict=True)):
        part = inside(image, field)
        row = part.sum(axis=(1, 2)).argmax()
        assert row == pytest.approx(len(part) * (1.0 - value), abs=3)
        assert part[row].mean(axis=0).argmax() == channel


def test_bars_are_drawn_in_their_targets(qtbot: Any):
    plot = VectorscopePlot("Vectorscope", "")
    image = drawn(qtbot, plot, reading(scopes.bars()), 300, 300).min(axis=2)
    for r, g, b in scopes.BAR_CODES:
        at = plot.place((r, g, b))
        assert image[round(at.y()) - 2 : round(at.y()) + 3, round(at.x()) - 2 : round(at.x()) + 3].max() > 150
    far = plot.place((0.4, 0.6, 0.3)) + QPointF(12.0, 20.0)
    assert image[round(far.y()), round(far.x())] < 90


def test_the_codes_of_video_are_where_the_targets_are(qtbot: Any):
    plot = VectorscopePlot("Vectorscope", "")
    qtbot.addWidget(plot)
    plot.resize(300, 300)
    scale = plot.field().width() / (2 * VECTOR_EXTENT)
    for rgb, (cb, cr) in scopes.BAR_CODES.items():
        away = plot.place(rgb) - plot.field().center()
        assert away.x() / scale == pytest.approx((cb - 128) / 224, abs=0.5 / 224)
        assert -away.y() / scale == pytest.approx((cr - 128) / 224, abs=0.5 / 224)


def test_a_histogram_is_drawn_as_counted(qtbot: Any):
    pixels = np.repeat(np.array([0.0, 0.0, 0.0, 0.25, 0.25, 0.75, 1.0, 1.0], np.float32), 3).reshape(1, 8, 3)
    plot = HistogramPlot("Histogram", "")
    image = drawn(qtbot, plot, reading(pixels))
    heights = plot.heights()
    assert heights is not None
    assert heights[:, 64].tolist() == [1.0] * 4 and heights[:, 191].tolist() == [0.5] * 4
    assert plot.ends() == pytest.approx((3 / 8, 2 / 8))
    field = inside(image, plot.field())
    column = field[:, round(field.shape[1] * 64.5 / 256)].sum(axis=1)
    assert (column > 300).mean() > 0.9
    assert (field[:-2, round(field.shape[1] * 0.4)].sum(axis=1) < 200).all()


def test_marks_tell_percent_codes_stops_and_light():
    shown = reading(scopes.ramp())
    assert [mark[1:] for mark in marks_of(shown)] == [
        ("0 %", "0"),
        ("25 %", "64"),
        ("50 %", "128"),
        ("75 %", "191"),
        ("100 %", "255"),
    ]
    stops = marks_of(reading(scopes.ramp(), "graded"))
    assert [mark[1] for mark in stops] == ["-8", "-6", "-4", "-2", "0", "+2", "+4", "+6", "+8"]
    assert [mark[2] for mark in stops] == [".0007", ".0028", ".011", ".045", ".18", ".72", "2.9", "12", "46"]
    assert stops[4][0] == pytest.approx(0.5)
    assert [mark[1] for mark in marks_of(reading(scopes.ramp(), "source", "0-4"))] == ["0", "1", "2", "3", "4"]
    assert place_on(shown.options.axis, 0.5) == pytest.approx(0.5)


# -- the panel


def seen(window: MainWindow, qtbot: Any) -> ScopesPanel:
    """The panel, once it has shown a reading."""
    with qtbot.waitSignal(window.preview.scoped, timeout=20_000):
        window.actions_by_name["panel_scopes"].trigger()
    panel = window.workspace.panel("scopes")
    assert isinstance(panel, ScopesPanel)
    return panel


def new_panel(window: MainWindow) -> ScopesPanel:
    """Another panel, outside the docks."""
    workspace = window.workspace
    return ScopesPanel(workspace.open_documents, workspace.preview, workspace.settings)


def choose(button: Any, text: str) -> None:
    """Take a choice of a picker's menu."""
    menu = button.menu()
    assert isinstance(menu, QMenu)
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == text).trigger()


def test_each_control_changes_what_is_read(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    for kind in KINDS:
        assert panel.buttons[kind].toolTip() and NAMES[kind] in panel.buttons[kind].accessibleName()
        before = kind in panel.options.kinds
        qtbot.mouseClick(panel.buttons[kind], LEFT)
        assert (kind in panel.options.kinds) != before
        assert panel.plots[kind].isVisible() == panel.buttons[kind].isChecked() == (not before)
    for value, (text, _) in OF.items():
        choose(panel.of, text)
        assert panel.options.values == value and panel.of.whole == text
    choose(panel.of, OF["graded"][0])
    for scale, (text, _) in SCALES.items():
        choose(panel.scale, text)
        assert panel.options.scale == scale and panel.scale.isEnabled()
    with qtbot.waitSignal(
        opened.preview.scoped, timeout=20_000, check_params_cb=lambda found: found.options == panel.options
    ) as answer:
        choose(panel.where, WHERE[True][0])
    assert panel.options.whole and opened.preview.scopes == panel.options
    qtbot.waitUntil(lambda: "full frame" in panel.counted.text())
    found = answer.args[0]
    image = opened.document.image.pixels
    expected = scopes.histogram(image, panel.options.axis)
    assert found.histogram is None or np.array_equal(found.histogram, expected)


def test_one_scope_is_always_shown(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    for kind in panel.options.kinds:
        qtbot.mouseClick(panel.buttons[kind], LEFT)
    assert len(panel.options.kinds) == 1


def test_what_is_drawn_follows_the_grade(opened: MainWindow, qtbot: Any):
    from engine import Grade, ops

    panel = seen(opened, qtbot)
    found: list[ScopeReading] = []
    opened.preview.scoped.connect(found.append)
    panel.choose(kinds=("histogram",), values="graded", scale="0-1", whole=True)
    for gain in (1.0, 0.5):
        opened.document.edit(Grade([ops.Exposure(np.log2(gain))]), "exposure")
        expected = scopes.histogram(gain * opened.document.image.pixels, panel.options.axis)
        qtbot.waitUntil(
            lambda e=expected: (
                bool(found) and np.array_equal(expect(np.ndarray, found[-1].histogram), e) and found[-1].exact
            ),
            timeout=20_000,
        )


def test_nothing_is_read_while_it_is_hidden(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    assert opened.preview.scopes == panel.options
    opened.actions_by_name["panel_scopes"].trigger()
    assert opened.preview.scopes is None
    assert not panel.isVisible()


def test_choices_are_remembered(opened: MainWindow, qtbot: Any):
    panel = seen(opened, qtbot)
    panel.choose(kinds=("parade",), values="source", scale="0-16", whole=True)
    again = new_panel(opened)
    qtbot.addWidget(again)
    assert again.options == panel.options
    opened.workspace.settings.set("scopes", {"kinds": "all", "values": 3, "scale": [], "whole": "yes"})
    other = new_panel(opened)
    qtbot.addWidget(other)
    assert other.options == ScopeOptions(("rgb", "vectorscope", "histogram"))


def test_it_is_laid_out_for_its_shape(opened: MainWindow, qtbot: Any):
    seen(opened, qtbot)
    free = new_panel(opened)
    qtbot.addWidget(free)
    free.show()
    for width, height, across in ((900, 240, True), (300, 700, False)):
        free.resize(width, height)
        qtbot.waitUntil(lambda a=across: (self_left(free, "rgb") < self_left(free, "vectorscope")) == a)
        assert not free.plots["rgb"].geometry().intersects(free.plots["vectorscope"].geometry())


def self_left(panel: ScopesPanel, kind: str) -> int:
    return panel.plots[kind].x()


# -- when they are read


@pytest.fixture
def paced(monkeypatch: pytest.MonkeyPatch) -> SimpleNamespace:
    """A reader whose readings are only noted, and the clock that it reads."""
    state = SimpleNamespace(now=100.0, busy=False, read=[])
    made = ScopeReader(SimpleNamespace(waits=lambda: state.busy, settled=lambda: not state.busy, scopes=ScopeOptions()))

    def read(_maker: Any, _request: Any, quick: bool) -> None:
        state.read.append(quick)
        made._last = state.now

    monkeypatch.setattr(made, "_read", read)
    monkeypatch.setattr(time, "monotonic", lambda: state.now)
    state.reader = made
    return state


def test_readings_are_apart_while_something_moves(paced: SimpleNamespace):
    for _ in range(10):
        paced.reader.after_quick(None, None)
        paced.now += 0.025
    assert paced.read == [True] * 4


def test_newer_frames_come_first_but_not_for_ever(paced: SimpleNamespace):
    paced.reader.after_exact(None, None)
    paced.busy = True
    for _ in range(16):
        paced.now += 0.020
        paced.reader.after_quick(None, None)
        paced.reader.after_exact(None, None)
    assert paced.read == [False, True, True]

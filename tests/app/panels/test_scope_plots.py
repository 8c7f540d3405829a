"""The scopes as they are drawn."""

from __future__ import annotations

from typing import Any
from unittest.mock import Mock

import numpy as np
import pytest
from PySide6.QtCore import QPointF, QRectF
from PySide6.QtGui import QColor

from app.model.percent import percent
from app.panels.scopes.graticule import CLIPPED, FIELD, GROUND, LINE, NAME, NUMBER, marks_of, place_on
from app.panels.scopes.plots import HistogramPlot, ParadePlot, ScopePlot, VectorscopePlot, WaveformPlot
from app.panels.scopes.scope_settings import PaneChoices, Trace
from app.panels.scopes.traces import GREY, level_table, mixed_table
from engine.viewing.scopes import COLUMNS, KINDS, VECTOR_EXTENT, VECTOR_SIZE, ScopeOptions, ScopeReading
from tests import scopes
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


def drawn(
    qtbot: Any, plot: ScopePlot, shown: ScopeReading, width: int = 338, height: int = 280, trace: Trace | None = None
) -> np.ndarray:
    """The plot as (height, width, 3) numbers."""
    qtbot.addWidget(plot)
    plot.resize(width, height)
    plot.show_reading(shown, PaneChoices("", trace or Trace()))
    image = plot.grab().toImage().convertToFormat(plot.grab().toImage().Format.Format_RGBX8888)
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), :3].astype(int)


def inside(pixels: np.ndarray, field: QRectF) -> np.ndarray:
    return pixels[round(field.top()) : round(field.bottom()), round(field.left()) : round(field.right())]


@pytest.mark.parametrize("channels", [(3,), (0, 1, 2)])
def test_a_ramp_is_drawn_as_a_diagonal(qtbot: Any, channels: tuple[int, ...]):
    plot = WaveformPlot("Luma", "", channels)
    field = inside(drawn(qtbot, plot, reading(0.004 + 0.99 * scopes.ramp())), plot.field())
    height, width = field.shape[:2]
    lines = np.all(field[:, 8:-8] >= QColor(LINE).red(), axis=(1, 2))
    brightest = np.where(lines[:, None], 0, field.sum(axis=2)).argmax(axis=0)
    expected = height - 1 - np.arange(width) * height / width
    assert 4 <= lines.sum() <= 6 and np.abs(brightest - expected)[8:-8].max() <= 3
    lit = np.ptp(field[brightest, np.arange(width)], axis=1)
    assert lit[8:-8].max() <= 24  # grey, whichever way it is drawn


def test_parade_has_its_channels_side_by_side(qtbot: Any):
    pixels = np.zeros((8, 30, 3), np.float32)
    pixels[...] = (0.7, 0.45, 0.2)
    plot = ParadePlot("Parade", "")
    image = drawn(qtbot, plot, reading(pixels))
    for channel, (field, value) in enumerate(zip(plot.fields(), (0.7, 0.45, 0.2), strict=True)):
        part = inside(image, field)
        row = part[:, :, channel].sum(axis=1).argmax()
        assert row == pytest.approx(len(part) * (1.0 - value), abs=3)
        assert part[row].mean(axis=0).argmax() == channel


@pytest.mark.parametrize("gain", [-6.0, 0.0, 6.0])
def test_dense_traces_never_become_white(qtbot: Any, gain: float):
    """Where all pixels have one value, or any values, in R, G and B alike, the trace is grey at most."""
    noise = np.repeat(np.random.default_rng(1).uniform(0.1, 0.9, (200, 60, 1)), 3, axis=2).astype(np.float32)
    flat = np.full((200, 60, 3), 0.6, np.float32)
    for pixels in (noise, flat):
        plot = WaveformPlot("RGB", "", (0, 1, 2))
        field = inside(drawn(qtbot, plot, reading(pixels), trace=Trace(gain)), plot.field())
        assert field.max() <= GREY[0] + 30
    assert mixed_table()[:, :3].min(axis=1).max() <= GREY[0]


def test_the_brightness_is_logarithmic_in_the_count():
    levels = level_table(4000, 0.0).astype(int)
    steps = levels[[4000, 400, 40, 4]] - levels[[400, 40, 4, 0]]
    assert levels[0] == 0 and levels[1] >= 1 and levels[4000] == levels.max()
    assert np.ptp(steps) <= 4  # each decade adds the same
    assert (np.diff(levels) >= 0).all()
    low, high = level_table(4000, -6.0).astype(int), level_table(4000, 6.0).astype(int)
    assert low[4] < levels[4] < high[4] and low[4000] == high[4000] == levels[4000]


def test_intensity_dims_the_trace_and_not_the_graticule(qtbot: Any):
    shown = reading(np.full((20, 60, 3), 0.4, np.float32))
    bright, dim = (
        drawn(qtbot, WaveformPlot("Luma", "", (3,)), shown, trace=Trace(intensity=each)) for each in (100.0, 30.0)
    )
    row = inside(bright, QRectF(60, 100, 200, 120)).sum(axis=(1, 2)).argmax() + 100
    assert dim[row, 100].max() < 0.6 * bright[row, 100].max()
    assert (dim == QColor(LINE).red()).sum() >= (bright == QColor(LINE).red()).sum() > 100


def contrast(one: QColor, other: QColor) -> float:
    def luminance(colour: QColor) -> float:
        linear = [
            c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in expect(tuple, colour.getRgbF())[:3]
        ]
        return float(np.dot(linear, (0.2126, 0.7152, 0.0722)))

    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def test_the_graticule_can_be_read(qtbot: Any):
    assert contrast(LINE, FIELD) >= 3.0
    for colour in (NUMBER, CLIPPED, NAME):
        assert contrast(colour, GROUND) >= 4.5 and contrast(colour, FIELD) >= 4.5
    plot = WaveformPlot("Luma", "", (3,))
    image = drawn(qtbot, plot, reading(np.full((4, 8, 3), 0.6, np.float32)))
    row = round(plot.field().bottom() - 0.25 * plot.field().height())
    lines = image[row - 1 : row + 2, 100]
    assert lines.max() == QColor(LINE).red()  # not blended with its ground


def test_bars_are_drawn_in_their_targets_and_colours(qtbot: Any):
    plot = VectorscopePlot("Vectorscope", "")
    image = drawn(qtbot, plot, reading(scopes.bars()), 300, 300)
    for r, g, b in scopes.BAR_CODES:
        at = plot.place((r, g, b))
        spot = image[round(at.y()) - 2 : round(at.y()) + 2, round(at.x()) - 2 : round(at.x()) + 2].reshape(-1, 3)
        seen = spot[spot.sum(axis=1).argmax()]
        assert seen.max() > 150
        lit = [value > 0.0 for value in (r, g, b)]
        assert min(seen[lit]) > max(seen[np.logical_not(lit)]) + 20, (r, g, b)
    far = plot.place((0.4, 0.6, 0.3)) + QPointF(12.0, 20.0)
    assert image[round(far.y()), round(far.x())].min() < 90


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
    pixels = np.repeat(np.array([0.0, 0.0, 0.0, 0.3125, 0.3125, 0.6875, 1.0, 1.0], np.float32), 3).reshape(1, 8, 3)
    plot = HistogramPlot("Histogram", "")
    image = drawn(qtbot, plot, reading(pixels))
    heights = plot.heights()
    assert heights is not None
    assert heights[:, 80].tolist() == [1.0] * 4 and heights[:, 175].tolist() == [0.5] * 4
    field = inside(image, plot.field())
    column = field[:, round(field.shape[1] * 80.5 / 256)].sum(axis=1)
    assert (column > 250).mean() > 0.9
    assert (field[:-2, round(field.shape[1] * 0.4)].sum(axis=1) < 200).all()


def red(pixels: np.ndarray) -> np.ndarray:
    return (pixels == expect(tuple, QColor(CLIPPED).getRgb())[:3]).all(axis=-1)


def test_clipped_values_are_marked_in_red_where_they_are(qtbot: Any):
    pixels = np.full((10, 40, 3), 0.5, np.float32)
    pixels[:, :10, 0], pixels[:5, 30:, 2] = 1.5, -0.2
    parade, histogram = ParadePlot("Parade", ""), HistogramPlot("Histogram", "")
    image = drawn(qtbot, parade, reading(pixels))
    marks = [red(inside(image, field)) for field in parade.fields()]
    assert not marks[1].any()
    assert marks[0][:4].any() and not marks[0][10:].any()
    across = np.flatnonzero(marks[0].any(axis=0)) / marks[0].shape[1]
    assert across.min() < 0.02 and across.max() == pytest.approx(0.25, abs=0.03)
    assert marks[2][-4:].any() and np.flatnonzero(marks[2].any(axis=0)).min() > 0.7 * marks[2].shape[1]
    seen = red(drawn(qtbot, histogram, reading(pixels)))
    assert seen[:, : seen.shape[1] // 2].any() and seen[:, seen.shape[1] // 2 :].any()
    clean = np.full((4, 4, 3), 0.5, np.float32)
    assert not red(drawn(qtbot, ParadePlot("Parade", ""), reading(clean))).any()
    assert not red(drawn(qtbot, ParadePlot("Parade", ""), reading(pixels, "graded", "0-1"))).any()  # nothing is clipped


def test_marks_tell_percent_codes_stops_nits_and_light():
    shown = reading(scopes.ramp())
    assert [mark[1:3] for mark in marks_of(shown)] == [
        ("0 %", "0"),
        ("25 %", "64"),
        ("50 %", "128"),
        ("75 %", "191"),
        ("100 %", "255"),
    ]
    stops = marks_of(reading(scopes.ramp(), "graded"), "PQ")
    assert [mark[1] for mark in stops] == ["−8", "−6", "−4", "−2", "0", "+2", "+4", "+6", "+8"]
    assert [mark[2] for mark in stops] == [".0007", ".0028", ".011", ".045", ".18", ".72", "2.9", "12", "46"]
    assert stops[4][0] == pytest.approx(0.5)
    assert [mark[1] for mark in marks_of(reading(scopes.ramp(), "source", "0-4"))] == ["0", "1", "2", "3", "4"]
    assert place_on(shown.options.axis, 0.5) == pytest.approx(0.5)
    nits = {mark[1]: mark for mark in marks_of(shown, "PQ")}
    assert nits["100"][0] == pytest.approx(0.508, abs=0.005) and nits["1000"][2] == "75 %" and "10000" in nits
    assert {mark[1]: mark[2] for mark in marks_of(shown, "HLG")}["203"] == "75 %"


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0, "0 %"), (0.011, "1.1 %"), (0.00006, "0.006 %"), (0.5, "50 %"), (0.999, "100 %"), (0.0012, "0.12 %")],
)
def test_shares_are_given_in_percent(share: float, text: str):
    assert percent(share) == text


def test_a_small_scope_is_about_as_bright_as_a_large_one(qtbot: Any):
    """Sparse traces are added up before the logarithm, not averaged after it."""
    noise = np.random.default_rng(3).uniform(0.1, 0.9, (40, 384, 3)).astype(np.float32)
    shown, means = reading(noise), []
    for width, height in ((1300, 600), (290, 160)):
        plot = ParadePlot("Parade", "")
        image = drawn(qtbot, plot, shown, width, height)
        parts = [inside(image, field)[:, :, channel] for channel, field in enumerate(plot.fields())]
        means.append(np.mean([np.percentile(part, 90) for part in parts]))
    assert means[1] >= 0.9 * means[0], means


def test_a_trace_follows_the_size_of_its_scope(monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    plot = WaveformPlot("Luma", "", (3,))
    drawn(qtbot, plot, reading(0.004 + 0.99 * scopes.ramp()), 600, 400)
    large, redrawn = plot._image, Mock(wraps=plot._drawn)
    monkeypatch.setattr(plot, "_drawn", redrawn)
    for width, height in ((400, 200), (160, 100)):
        plot.resize(width, height)
        plot.grab()
    assert plot._image is large and not redrawn.called, "it is stretched at first"
    qtbot.waitUntil(lambda: plot._image is not large)
    assert large is not None and plot._image is not None and plot._image.width() < large.width()
    assert redrawn.call_count == 1
    plot.show_reading(None)
    plot.resize(300, 200)
    plot.grab()
    assert plot._image is None

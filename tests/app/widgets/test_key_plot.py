"""The plot of the curve editor: keys are selected, moved, set and removed by mouse and keys."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QWheelEvent
from PySide6.QtWidgets import QApplication

from app.model.curve_lines import CurveLine, existing
from app.widgets.key_painting import path_of
from app.widgets.key_plot import KeyPlot
from engine.grade.curves import Curve, Key
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, move
from tests.app.hands import Key as Keys

NONE = Qt.KeyboardModifier.NoModifier
ONE = Curve([Key(10, 0.0, "linear"), Key(20, 1.0), Key(30, 0.5, "hold")])
TWO = Curve([Key(10, 0.2), Key(25, 0.8)])


class Bench:
    """A plot of two curves, which takes its own edits."""

    def __init__(self, plot: KeyPlot) -> None:
        self.plot = plot
        self.done: list[str] = []
        self.drags = 0
        plot.edited.connect(self._take)
        plot.drag_ended.connect(lambda: setattr(self, "drags", self.drags + 1))
        lines = (CurveLine("one", "one", ONE, step=0.01, low=0.0), CurveLine("two", "two", TWO, step=0.01))
        plot.show_lines(lines, (1, 40))

    def _take(self, curves: Any, what: str) -> None:
        self.done.append(what)
        curves = {line.id: curves.get(line.id, line.curve) for line in self.plot.lines}
        made = [replace(line, curve=curves[line.id]) for line in self.plot.lines if curves[line.id] is not None]
        self.plot.show_lines(made, (1, 40))

    def keys(self, name: str = "one") -> dict[int, float]:
        line = next(each for each in self.plot.lines if each.id == name)
        return {key.frame: key.value for key in line.curve.keys}

    def spot(self, frame: float, value: float) -> QPoint:
        return self.plot.axes.spot(frame, value).toPoint()

    def pull(self, qtbot: Any, start: QPoint, end: QPoint, keys: Any = NONE, button: Any = LEFT) -> None:
        qtbot.mousePress(self.plot, button, keys, start)
        for step in (1, 2, 3):
            move(self.plot, start + (end - start) * step / 3, button, keys)
        qtbot.mouseRelease(self.plot, button, keys, end)


@pytest.fixture
def bench(qtbot: Any) -> Iterator[Bench]:
    plot = KeyPlot()
    qtbot.addWidget(plot)
    plot.resize(700, 300)
    plot.show()
    plot.setFocus()
    yield Bench(plot)


def test_a_drag_moves_a_key_in_frame_and_value(bench, qtbot):
    bench.pull(qtbot, bench.spot(20, 1.0), bench.spot(24, 0.6))
    assert list(bench.keys()) == [10, 24, 30]
    assert bench.keys()[24] == pytest.approx(0.6, abs=0.02)
    assert bench.plot.selection == {("one", 24)}
    assert set(bench.done) == {"move of keys of {}"}
    assert bench.drags == 1
    assert bench.keys("two") == {10: 0.2, 25: 0.8}


def test_shift_locks_the_axis_of_a_drag(bench, qtbot):
    bench.pull(qtbot, bench.spot(20, 1.0), bench.spot(24, 0.9), SHIFT)
    assert bench.keys() == {10: 0.0, 24: 1.0, 30: 0.5}
    bench.pull(qtbot, bench.spot(24, 1.0), bench.spot(25, 0.5), SHIFT)
    assert list(bench.keys()) == [10, 24, 30]
    assert bench.keys()[24] == pytest.approx(0.5, abs=0.02)


def test_a_key_that_is_passed_over_stays(bench, qtbot):
    start = bench.spot(20, 1.0)
    qtbot.mousePress(bench.plot, LEFT, NONE, start)
    for frame, frames in ((30, [10, 30]), (34, [10, 30, 34]), (22, [10, 22, 30])):
        move(bench.plot, bench.spot(frame, 1.0), LEFT)
        assert list(bench.keys()) == frames
    qtbot.mouseRelease(bench.plot, LEFT, NONE, bench.spot(22, 1.0))
    assert bench.plot.selection == {("one", 22)}


def test_values_stay_within_their_limits(bench, qtbot):
    bench.pull(qtbot, bench.spot(20, 1.0), bench.spot(20, -0.5))
    assert bench.keys()[20] == 0.0


def test_clicks_and_a_rubber_band_select(bench, qtbot):
    qtbot.mouseClick(bench.plot, LEFT, NONE, bench.spot(20, 1.0))
    assert bench.plot.selection == {("one", 20)}
    qtbot.mouseClick(bench.plot, LEFT, CTRL, bench.spot(25, 0.8))
    assert bench.plot.selection == {("one", 20), ("two", 25)}
    qtbot.mouseClick(bench.plot, LEFT, CTRL, bench.spot(20, 1.0))
    assert bench.plot.selection == {("two", 25)}
    bench.pull(qtbot, bench.spot(7, -0.06), bench.spot(12, 0.4))
    assert bench.plot.selection == {("one", 10), ("two", 10)}
    bench.pull(qtbot, bench.spot(27, 0.3), bench.spot(33, 0.6), CTRL)
    assert bench.plot.selection == {("one", 10), ("two", 10), ("one", 30)}
    qtbot.mouseClick(bench.plot, LEFT, NONE, bench.spot(38, 0.1))
    assert not bench.plot.selection
    assert not bench.done


def test_several_keys_move_together(bench, qtbot):
    bench.plot.select(frozenset({("one", 20), ("two", 25)}))
    bench.pull(qtbot, bench.spot(20, 1.0), bench.spot(22, 1.0), SHIFT)
    assert (list(bench.keys()), list(bench.keys("two"))) == ([10, 22, 30], [10, 27])


def test_a_double_click_on_a_curve_adds_a_key(bench, qtbot):
    qtbot.mouseDClick(bench.plot, LEFT, NONE, bench.spot(15, ONE.at(15)))
    assert bench.keys()[15] == 0.5
    assert bench.plot.lines[0].curve.key_at(15).interpolation == "linear"
    assert bench.done == ["key of {} at 15"]


def test_arrow_keys_nudge(bench, qtbot):
    bench.plot.select(frozenset({("one", 20)}))
    for key, modifier in ((Keys.Key_Right, NONE), (Keys.Key_Left, SHIFT), (Keys.Key_Down, NONE), (Keys.Key_Up, SHIFT)):
        qtbot.keyClick(bench.plot, key, modifier)
    assert bench.keys() == pytest.approx({10: 0.0, 11: 0.991, 30: 0.5})


def test_keys_select_set_and_remove(bench, qtbot):
    wanted = []
    bench.plot.key_wanted.connect(lambda: wanted.append("key"))
    bench.plot.copy_wanted.connect(lambda: wanted.append("copy"))
    bench.plot.paste_wanted.connect(lambda: wanted.append("paste"))
    qtbot.keyClick(bench.plot, Keys.Key_PageUp)
    assert bench.plot.selection == {("one", 10)}
    qtbot.keyClick(bench.plot, Keys.Key_PageDown, SHIFT)
    assert bench.plot.selection == {("one", 10), ("two", 25)}
    bench.plot.select(frozenset({("two", 10)}))
    qtbot.keyClick(bench.plot, Keys.Key_PageUp)
    assert bench.plot.selection == {("two", 25)}
    for key, kind in ((Keys.Key_H, "hold"), (Keys.Key_L, "linear"), (Keys.Key_S, "smooth")):
        qtbot.keyClick(bench.plot, key)
        assert bench.plot.lines[1].curve.keys[-1].interpolation == kind or kind == "smooth"
    qtbot.keyClick(bench.plot, Keys.Key_Delete)
    assert bench.keys("two") == {10: 0.2}
    for key, modifier in ((Keys.Key_Insert, NONE), (Keys.Key_C, CTRL), (Keys.Key_V, CTRL)):
        qtbot.keyClick(bench.plot, key, modifier)
    assert wanted == ["key", "copy", "paste"]
    qtbot.keyClick(bench.plot, Keys.Key_A, CTRL)
    qtbot.keyClick(bench.plot, Keys.Key_Backspace)
    assert bench.plot.lines == ()


def test_the_wheel_zooms_at_the_pointer_and_drags_move_the_view(bench, qtbot):
    spot = bench.spot(20, 1.0)
    before = bench.plot.axes
    for modifier in (NONE, CTRL):
        place = QPointF(spot)
        none, phase = Qt.MouseButton.NoButton, Qt.ScrollPhase.NoScrollPhase
        event = QWheelEvent(place, place, QPoint(), QPoint(0, 120), none, modifier, phase, False)
        QApplication.sendEvent(bench.plot, event)
        assert (bench.spot(20, 1.0) - spot).manhattanLength() <= 1
    zoomed = bench.plot.axes
    assert zoomed.last - zoomed.first == pytest.approx((before.last - before.first) / 1.25)
    assert zoomed.high - zoomed.low == pytest.approx((before.high - before.low) / 1.25)
    bench.pull(qtbot, spot, spot + QPoint(30, 12), ALT)
    assert (bench.spot(20, 1.0) - spot - QPoint(30, 12)).manhattanLength() <= 1
    bench.pull(qtbot, spot, spot - QPoint(30, 12), button=Qt.MouseButton.MiddleButton)
    assert (bench.spot(20, 1.0) - spot).manhattanLength() <= 1
    qtbot.keyClick(bench.plot, Keys.Key_F)
    assert bench.plot.axes == before
    for key, modifier in ((Keys.Key_Right, CTRL), (Keys.Key_Up, CTRL), (Keys.Key_Plus, NONE), (Keys.Key_Minus, CTRL)):
        qtbot.keyClick(bench.plot, key, modifier)
    seen = bench.plot.axes
    assert seen.first > before.first
    assert (seen.last - seen.first) / (before.last - before.first) == pytest.approx(0.8)
    assert (seen.high - seen.low) / (before.high - before.low) == pytest.approx(1.25)
    assert not bench.done


def test_a_drag_on_the_numbers_of_frames_seeks(bench, qtbot):
    seen: list[int] = []
    bench.plot.sought.connect(seen.append)
    below = bench.plot.height() - 5
    bench.pull(qtbot, QPoint(bench.spot(10, 0).x(), below), QPoint(bench.spot(20, 0).x(), below))
    assert (seen[0], seen[-1]) == (10, 20)


def test_keys_that_are_gone_are_not_selected():
    assert existing((CurveLine("one", "one", ONE),), frozenset({("one", 20), ("one", 21)})) == {("one", 20)}


TURNS = Curve([Key(0, 1.0), Key(3, 1.2), Key(20, 9.0), Key(22, -4.0), Key(50, 0.0)])


@pytest.mark.parametrize("curve", [ONE, TWO, TURNS])
def test_a_curve_is_painted_as_it_is(curve: Curve) -> None:
    path = path_of(curve)
    spots = [path.pointAtPercent(share) for share in np.linspace(0.02, 0.98, 49)]
    between = [spot for spot in spots if not np.isclose(spot.x(), np.round(spot.x()), atol=1e-3)]  # no steps of hold
    assert [spot.y() for spot in between] == pytest.approx([curve.at(spot.x()) for spot in between], abs=1e-3)

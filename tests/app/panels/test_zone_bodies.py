"""The cards and large wheels of the ops for zones and hues, driven by mouse and keyboard."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication

from app.panels.bodies import Body
from app.panels.colour_bodies import SixVectorBody, SplitToneBody, TintScale
from app.panels.tone_curve_body import ToneCurveBody
from app.panels.wheels.panel import WheelsPanel
from app.panels.zone_body import ZoneBody
from app.shell.main_window import MainWindow
from app.widgets.zone_plot import ZonePlot
from engine import ops
from engine.kernel.op import Op
from engine.ops.hdr_wheels import BORDERS, ZONES
from tests.app.hands import LEFT, SHIFT, Key, drag
from tests.app.panels.acting import pull, show
from tests.typed import expect


def editors(body: Body) -> dict[str, Any]:
    """The editors of the fields, of whatever kind."""
    return dict(body.editors)


def first(window: MainWindow) -> Any:
    return expect(Op, window.document.grade.entries[0])


def test_a_border_is_dragged_in_the_plot_in_one_step_and_moved_by_keys(graded: MainWindow, qtbot: Any):
    body = expect(ZoneBody, show(graded, ops.HdrWheels()).body)
    plot = expect(ZonePlot, body.plot)
    assert plot.borders == tuple(BORDERS.values())
    at = QPointF(plot.place(2.0), plot.height() / 2)
    pull(plot, at, QPointF(plot.place(3.0) - plot.place(2.0), 0.0), qtbot)
    assert first(graded).highlight[5] == pytest.approx(3.0, abs=0.05)
    assert graded.document.steps == 1 and graded.document.undo_text == "HDR wheels highlight border"
    assert body.tabs["highlight"].isChecked() and plot.zone == ZONES.index("highlight")
    assert editors(body)["highlight"].rows[5].number == first(graded).highlight[5]
    qtbot.mouseClick(plot, LEFT, pos=QPoint(round(plot.place(-5.5)), plot.height() // 2))
    assert body.tabs["black"].isChecked() and plot.zone == 0 and graded.document.steps == 1
    plot.setFocus()
    qtbot.keyClick(plot, Key.Key_PageDown)
    assert body.tabs["shadow"].isChecked()
    qtbot.keyClick(plot, Key.Key_Left)
    qtbot.keyClick(plot, Key.Key_Right, SHIFT)
    assert first(graded).shadow[5] == pytest.approx(-0.09)
    graded.document.undo()
    graded.document.undo()
    assert plot.borders == tuple(BORDERS.values())


def test_each_zone_has_its_page(graded: MainWindow, qtbot: Any):
    body = expect(ZoneBody, show(graded, ops.HdrWheels()).body)
    for zone in ("overall", *ZONES):
        qtbot.mouseClick(body.tabs[zone], LEFT)
        assert [name for name, page in editors(body).items() if not page.isHidden()] == [zone]
    assert list(editors(body)["light"].rows) == [4] and list(editors(body)["black"].rows) == [4, 5, 6]
    qtbot.mouseClick(body.tabs["light"], LEFT)
    drag(qtbot, editors(body)["light"].rows[4].track, 20)
    assert first(graded).light[4] > 1.0
    editors(body)["black"].rows[6].box.setValue(0.01)
    assert first(graded).black[6] == 0.1, "the least falloff"


def test_the_plot_shows_the_shares_of_the_op():
    stops = np.linspace(-8.0, 8.0, 33)
    found = ops.HdrWheels().shares(stops)
    assert found.shape == (33, 6) and np.allclose(found.sum(axis=1), 1.0)
    assert found[0].argmax() == 0 and found[-1].argmax() == 5 and found[14].argmax() == 2


@pytest.mark.parametrize("op", [ops.HdrWheels(), ops.LogWheels()], ids=["HDR wheels", "log wheels"])
def test_large_wheels(op: Op, graded: MainWindow, qtbot: Any):
    show(graded, op)
    panel = expect(WheelsPanel, graded.docks.show("wheels"))
    QApplication.processEvents()
    while not panel.complete:
        QApplication.processEvents()
    QApplication.processEvents()
    assert panel.row is not None
    wheel = panel.row.wheels["highlight"]
    pull(wheel.wheel, QPointF(wheel.wheel.rect().center()), QPointF(0, -30), qtbot)
    assert first(graded).highlight[0] > 0.0 > first(graded).highlight[1]
    if isinstance(op, ops.HdrWheels):
        assert list(panel.row.wheels) == [*ZONES, "overall"]
        assert wheel.places is not None
        wheel.places.boxes[1].setValue(2.5)
        assert first(graded).highlight[5] == 2.5
        assert panel.row.wheels["overall"].places.boxes[0].value() == 1.0  # type: ignore[union-attr]
    else:
        high: Any = panel.row.editors["high"]
        drag(qtbot, high.row.track, 20)
        assert first(graded).high > 2.0
        assert panel.row.wheels["offset"].jog.toolTip().count("pt")
    graded.docks.docks["wheels"].hide()


def test_a_place_on_the_wheel_of_a_tint_and_back():
    scale = TintScale()
    for hue, saturation in ((0.0, 0.3), (120.0, 0.05), (359.0, 1.0)):
        assert scale.with_place((0.0, 0.0), *scale.place((hue, saturation))) == pytest.approx((hue, saturation))
    assert scale.with_place((77.0, 0.4), 0.0, 0.0) == (77.0, 0.0), "the hue stays at the centre"
    x, y = scale.place((0.0, 1.0))
    assert np.degrees(np.arctan2(y, x)) == pytest.approx(103.0), "red lies where the wheels of balance have it"


def test_a_tint_is_one_step_of_hue_and_saturation(graded: MainWindow, qtbot: Any):
    body = expect(SplitToneBody, show(graded, ops.SplitTone()).body)
    wheel = body.wheels["shadow"]
    pull(wheel, QPointF(wheel.rect().center()), QPointF(0, 30), qtbot)
    assert first(graded).shadow_saturation > 0.0 and 150.0 < first(graded).shadow_hue < 200.0
    assert graded.document.steps == 1 and graded.document.undo_text == "Split tone shadow tint"
    editors(body)["shadow_hue"].row.box.setValue(0.0)
    assert wheel.values[0] == 0.0
    wheel.setFocus()
    qtbot.keyClick(wheel, Key.Key_PageUp)
    before = first(graded).shadow_saturation
    qtbot.keyClick(wheel, Key.Key_Delete)
    assert before > 0.0 == first(graded).shadow_saturation
    qtbot.mouseClick(wheel, LEFT, pos=QPoint(2, 2))


def test_a_vector_is_typed_in_its_box(graded: MainWindow, qtbot: Any):
    body = expect(SixVectorBody, show(graded, ops.SixVector()).body)
    box = editors(body)["hue"].boxes[2]
    assert box.accessibleName() == "Six vectors hue, green"
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "-12")
    qtbot.keyClick(box, Key.Key_Return)
    assert first(graded).hue == (0.0, 0.0, -12.0, 0.0, 0.0, 0.0) and graded.document.steps == 1
    tops = [{column.boxes[row].mapTo(body, QPoint()).y() for column in editors(body).values()} for row in range(6)]
    assert [len(each) for each in tops] == [1] * 6
    graded.document.undo()
    assert box.value() == 0.0


@pytest.mark.parametrize("op", [ops.FilmicContrast(2.0), ops.Recovery()], ids=["filmic contrast", "recovery"])
def test_a_curve_of_tones_follows_the_fields(op: Op, graded: MainWindow):
    body = expect(ToneCurveBody, show(graded, op).body)
    stops = np.array([-3.0, 0.0, 2.0])
    assert body.plot._curve is not None
    factor = 2.0 if isinstance(op, ops.FilmicContrast) else 1.0
    assert np.allclose(body.plot._curve(stops), factor * stops)
    before = body.plot.grab().toImage()
    field = "contrast" if isinstance(op, ops.FilmicContrast) else "shadows"
    editors(body)[field].row.box.setValue(1.5)
    assert not np.allclose(body.plot._curve(stops), factor * stops) and body.plot.grab().toImage() != before


def test_channels_are_mixed_in_rows(graded: MainWindow):
    body = show(graded, ops.ChannelMixer()).body
    editors(body)["red"].boxes[1].setValue(0.25)
    assert first(graded).red == (1.0, 0.25, 0.0)
    assert set(body.editors) == set(ops.ChannelMixer.kinds())

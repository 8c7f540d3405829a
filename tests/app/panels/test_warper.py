"""The editor of the colour warp, by mouse and keys, and its picks on the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtWidgets import QApplication

from app.panels.warper.image_samples import ImageSamples
from app.panels.warper.panel import WarperPanel
from app.panels.warper.warp_body import HUE_PER_PIXEL, SATURATION_PER_PIXEL, WarpBody
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.shell.main_window import MainWindow
from app.widgets.key_mark import KeyState
from app.widgets.warp_disc import NEW_RADIUS, WarpDisc
from engine import Grade, ops
from engine.grade.grade import layer_of
from engine.ops import ColorWarp
from engine.ops.warp_pins import MOST, Pin, numbers_at
from engine.ops.warp_space import position_of
from engine.viewing import WholeLevels
from tests.app.hands import LEFT, SHIFT, Key, move, wheel
from tests.app.panels.acting import is_picking, pull, show
from tests.typed import expect

RED = Pin(40.0, 40.0, 0.0, 60.0, 50.0, 0.0, 20.0)
BLUE = Pin(250.0, 60.0, 0.0, 250.0, 80.0, 0.0, 20.0)


def warp(window: MainWindow, at: int = 0) -> ColorWarp:
    return expect(ColorWarp, window.document.entries[at])


def editor(window: MainWindow, *pins: Pin, mode: str = "hue_saturation") -> WarpBody:
    """The body of a new card with these pins."""
    return expect(WarpBody, show(window, ColorWarp.of(*pins, mode=mode)).body)


def target(disc: WarpDisc, number: int) -> QPointF:
    return disc.place(*disc.pins[number].target[:2])


def test_a_double_click_adds_a_pin_and_each_drag_is_one_step(opened: MainWindow, qtbot: Any):
    body = editor(opened)
    disc = body.disc
    place = disc.place(0.3, 0.2)
    qtbot.mouseDClick(disc, LEFT, pos=place.toPoint())
    pin = warp(opened).pins[1]
    assert (pin.hue, pin.saturation) == pytest.approx(numbers_at((0.3, 0.2, 0.0))[:2], abs=2.0)
    assert pin[:3] == pin[3:6]
    assert pin.radius == NEW_RADIUS
    assert opened.document.steps == 1
    pull(disc, target(disc, 1), QPointF(30, -20), qtbot)
    assert opened.document.steps == 2
    moved = warp(opened).pins[1]
    assert moved[:3] == pin[:3], "the source stays"
    there = disc.position(place + QPointF(30, -20))
    assert moved.target[:2] == pytest.approx(there, abs=0.02)
    pull(disc, disc.place(*moved.source[:2]), QPointF(-25, 0), qtbot)
    assert warp(opened).pins[1][3:6] == moved[3:6], "the target stays"
    assert warp(opened).pins[1].source[:2] == pytest.approx(disc.position(place + QPointF(-25, 0)), abs=0.02)
    assert opened.document.steps == 3
    opened.document.undo()
    assert warp(opened).pins[1] == moved
    assert disc.pins[1] == moved
    for _ in range(2):
        opened.document.undo()
    assert warp(opened).is_identity()
    assert not disc.pins


def test_radius_by_wheel_circle_and_keys(opened: MainWindow, qtbot: Any):
    disc = editor(opened, RED, BLUE).disc
    wheel(disc, QPoint(10, 10), 2)
    assert warp(opened).pins[1].radius == 20.0, "without the focus the panel scrolls"
    disc.setFocus()
    assert disc.at == 1
    wheel(disc, QPoint(10, 10), 2)
    assert warp(opened).pins[1].radius == 22.0
    qtbot.keyClick(disc, Key.Key_Plus)
    qtbot.keyClick(disc, Key.Key_Minus)
    qtbot.keyClick(disc, Key.Key_Minus)
    assert warp(opened).pins[1].radius == 21.0
    source, radius = disc.place(*RED.source[:2]), disc.place(0.0, 0.0) - disc.place(1.0, 0.0)
    whole = np.hypot(radius.x(), radius.y())
    edge = source + QPointF(0.0, 0.21 * whole)
    pull(disc, edge, QPointF(0.0, 10.0), qtbot)
    assert warp(opened).pins[1].radius == pytest.approx(21.0 + 1000.0 / whole, abs=1.0)
    assert warp(opened).pins[1][:6] == RED[:6]


def test_pins_by_keys(opened: MainWindow, qtbot: Any):
    disc = editor(opened, RED, BLUE).disc
    disc.setFocus()
    qtbot.keyClick(disc, Key.Key_Tab)
    assert disc.at == 2
    before = warp(opened).pins[2]
    qtbot.keyClick(disc, Key.Key_Left)
    after = warp(opened).pins[2]
    assert after[:3] == before[:3]
    way = disc.place(*after.target[:2]) - disc.place(*before.target[:2])
    assert way.x() < 0.0
    assert abs(way.y()) < 0.1
    qtbot.keyClick(disc, Key.Key_Left, SHIFT)
    fine = disc.place(*warp(opened).pins[2].target[:2]) - disc.place(*after.target[:2])
    assert fine.x() == pytest.approx(0.1 * way.x(), abs=0.05)
    qtbot.keyClick(disc, Key.Key_Space)
    qtbot.keyClick(disc, Key.Key_Up)
    assert warp(opened).pins[2][:2] != BLUE[:2], "now the source moves"
    qtbot.keyClick(disc, Key.Key_Backtab, SHIFT)
    assert disc.at == 1
    qtbot.keyClick(disc, Key.Key_Delete)
    assert list(warp(opened).pins) == [2]
    assert disc.at == 2
    qtbot.keyClick(disc, Key.Key_Insert)
    assert list(warp(opened).pins) == [1, 2], "the number is free again"
    assert disc.at == 1
    qtbot.keyClick(disc, Key.Key_Tab)
    qtbot.keyClick(disc, Key.Key_Tab)
    assert opened.focusWidget() is not disc, "after the last pin, Tab goes on"


def test_list_and_numbers(opened: MainWindow, qtbot: Any):
    body = editor(opened, RED, BLUE)
    qtbot.mouseClick(body.list.rows[2].button, LEFT)
    assert body.disc.at == 2
    body.numbers.boxes["to_hue"].setValue(10.0)
    assert warp(opened).pins[2].to_hue == 370.0, "by the shorter way"
    assert body.numbers.boxes["to_hue"].value() == 10.0
    body.numbers.boxes["saturation"].setValue(55.0)
    body.numbers.rows["strength"].box.setValue(50.0)
    assert warp(opened).pins[2] == BLUE._replace(to_hue=370.0, saturation=55.0, strength=50.0)
    assert "250° 55 %  →  10° 80 %" in body.list.rows[2].button.text()
    assert not body.numbers.rows["to_lightness"].isVisible()
    qtbot.mouseClick(body.modes["3d"], LEFT)
    assert warp(opened).mode == "3d"
    assert body.numbers.rows["to_lightness"].isVisible()
    body.numbers.rows["to_lightness"].box.setValue(1.5)
    assert warp(opened).pins[2].to_lightness == 1.5
    qtbot.mouseClick(body.list.rows[2].remove, LEFT)
    assert list(warp(opened).pins) == [1]
    assert opened.focusWidget() is body.disc
    steps = opened.document.steps
    qtbot.mouseClick(body.add, LEFT)
    qtbot.mouseClick(body.hold, LEFT)
    assert warp(opened).pins[3][:6] == (0.0,) * 6
    qtbot.mouseClick(body.clear, LEFT)
    assert opened.document.steps == steps + 3
    assert not warp(opened).pins
    assert not body.numbers.isVisible()


def test_it_says_where_it_folds(opened: MainWindow, qtbot: Any):
    body = editor(opened, RED)
    assert body.note.whole == ""
    pull(body.disc, target(body.disc, 1), QPointF(-110, 20), qtbot)
    assert body.disc.folds
    assert body.note.whole == "Folds here"
    assert "Widen the radius" in body.note.toolTip()
    grab = body.disc.grab().toImage()
    reds = [grab.pixelColor(x, y) for x in range(0, grab.width(), 2) for y in range(0, grab.height(), 2)]
    assert sum(c.red() > 150 and c.red() > 1.5 * c.blue() for c in reds) > 20
    opened.document.undo()
    assert body.note.whole == ""


def colour_at(window: MainWindow, at: QPoint) -> Any:
    """The hue, saturation and lightness of the image around a place of the canvas."""
    pixel = window.canvas.pixel_at(QPointF(at))
    assert pixel is not None
    column, row = pixel
    around = window.document.image.pixels[row - 2 : row + 3, column - 2 : column + 3, :3].astype(float)
    return numbers_at(position_of(2.0**0.5 * around.reshape(-1, 3).mean(axis=0)))


def test_pick_and_drag_on_the_image(opened: MainWindow, qtbot: Any):
    show(opened, ops.Exposure(0.5), ColorWarp())
    body = expect(WarpBody, opened.panel.cards[1].body)
    qtbot.mouseClick(body.pick, LEFT)
    assert is_picking(opened)
    canvas, start = opened.canvas, opened.canvas.rect().center() + QPoint(40, 10)
    qtbot.mousePress(canvas, LEFT, pos=start)
    qtbot.waitUntil(lambda: bool(warp(opened, 1).pins))
    for step in (10, 30):
        move(canvas, start + QPoint(step, -step // 2), LEFT)
    qtbot.mouseRelease(canvas, LEFT, pos=start + QPoint(30, -15))
    pin = warp(opened, 1).pins[1]
    assert pin[:3] == pytest.approx(colour_at(opened, start), abs=0.02)
    assert pin.to_hue == pytest.approx(pin.hue + 30 * HUE_PER_PIXEL, abs=0.01)
    assert pin.to_saturation == pytest.approx(pin.saturation + 15 * SATURATION_PER_PIXEL, abs=0.01)
    assert opened.document.steps == 1, "press, drag and release are one step"
    assert is_picking(opened), "until Esc"
    place = start - QPoint(90, 30)
    qtbot.mousePress(canvas, LEFT, pos=place)
    move(canvas, place + QPoint(20, 0), LEFT)
    qtbot.mouseRelease(canvas, LEFT, pos=place + QPoint(20, 0))  # maybe before the colour is there
    qtbot.waitUntil(lambda: len(warp(opened, 1).pins) == 2)
    second = warp(opened, 1).pins[2]
    assert second[:3] == pytest.approx(colour_at(opened, place), abs=0.02)
    assert second.to_hue == pytest.approx(second.hue + 20 * HUE_PER_PIXEL, abs=0.01)
    assert opened.document.steps == 2
    assert body.disc.at == 2
    qtbot.keyClick(canvas, Key.Key_Escape)
    assert not is_picking(opened)
    assert not body.pick.isChecked()
    opened.document.undo()
    opened.document.undo()
    assert warp(opened, 1) == ColorWarp()


def test_a_press_for_an_entry_that_is_gone_leaves_no_drag_open(opened: MainWindow, qtbot: Any):
    body = editor(opened, RED)
    qtbot.mouseClick(body.pick, LEFT)
    document, canvas = opened.document, opened.canvas
    document.edit(Grade([ops.Exposure(0.5)]), "another grade")
    qtbot.mouseClick(canvas, LEFT, pos=canvas.rect().center())
    steps = document.steps
    for stops in (1.0, 2.0):
        document.edit(Grade([ops.Exposure(stops)]), "exposure", key="exposure", seconds=0.0)
    assert document.steps == steps + 2


def test_return_picks_the_centre_and_a_full_warp_says_so(opened: MainWindow, qtbot: Any):
    pins = [RED._replace(hue=RED.hue + 20.0 * at) for at in range(MOST - 1)]
    body = editor(opened, *pins)
    qtbot.mouseClick(body.pick, LEFT)
    qtbot.keyClick(opened.canvas, Key.Key_Return)
    qtbot.waitUntil(lambda: len(warp(opened).pins) == MOST)
    assert warp(opened).pins[MOST][:3] == warp(opened).pins[MOST][3:6]
    assert not body.add.isEnabled()
    said: list[Any] = []
    opened.workspace.messages.warned.connect(said.append)
    qtbot.keyClick(opened.canvas, Key.Key_Return)
    qtbot.waitUntil(lambda: bool(said))
    assert "16 pins already" in said[0].text
    assert opened.document.steps == 1
    body.numbers.rows["radius"].box.setValue(33.0)
    assert opened.document.steps == 2, "no drag is left open"


def test_the_disc_shows_the_colours_that_enter_the_entry(
    opened: MainWindow, qtbot: Any, monkeypatch: pytest.MonkeyPatch
):
    show(opened, ops.Saturation(0.0), ColorWarp())
    body = expect(WarpBody, opened.panel.cards[1].body)
    shown: list[np.ndarray] = []
    real = body.disc.show_samples

    def show_samples(positions: Any) -> None:
        shown.append(positions)
        real(positions)

    monkeypatch.setattr(body.disc, "show_samples", show_samples)
    qtbot.waitUntil(lambda: bool(shown) or body.disc.has_samples)
    opened.document.edit_entry(0, ops.Saturation(1.0), "saturation")
    qtbot.waitUntil(lambda: bool(shown) and bool(np.abs(shown[-1][:, :2]).max() > 0.05))
    opened.document.edit_entry(0, ops.Saturation(0.0), "saturation")
    qtbot.waitUntil(lambda: bool(np.abs(shown[-1][:, :2]).max() < 1e-6))
    count = len(shown)
    body.disc.add_beside()
    assert not opened.workspace.jobs.waits(body, "samples")
    assert len(shown) == count


def test_the_diamond_of_a_pin_keys_all_its_numbers(opened: MainWindow, qtbot: Any):
    body = editor(opened, RED)
    (mark,) = (mark for fields, mark in body.marks.marks if fields == ("pin_1.*",))
    mark.toggled.emit()
    QApplication.processEvents()
    assert mark.state is KeyState.KEY
    assert set(layer_of(opened.document.entries[0]).keys) == {f"pin_1.{part}" for part in range(8)}


def test_the_panel_shows_the_nearest_warp_larger(opened: MainWindow, qtbot: Any):
    show(opened, ops.Exposure(0.5))
    opened.docks.show("warper")
    panel = expect(WarperPanel, opened.docks.panel("warper"))
    assert panel.body is None
    qtbot.mouseClick(panel.empty.add, LEFT)
    assert isinstance(opened.document.entries[1], ColorWarp)
    body = expect(WarpBody, panel.body)
    assert opened.focusWidget() is body.disc
    body.disc.add_beside()
    assert list(warp(opened, 1).pins) == [1]
    card = expect(WarpBody, opened.panel.cards[1].body)
    assert card.disc.pins == body.disc.pins
    pull(body.disc, target(body.disc, 1), QPointF(10, 10), qtbot)
    assert card.disc.pins == body.disc.pins == warp(opened, 1).pins
    assert opened.document.steps == 3
    opened.document.select(0)
    qtbot.mouseClick(body.pick, LEFT)
    assert is_picking(opened)
    qtbot.keyClick(opened.canvas, Key.Key_Return)
    qtbot.waitUntil(lambda: len(warp(opened, 1).pins) == 2)
    qtbot.keyClick(opened.canvas, Key.Key_Escape)
    body.disc.setFocus()
    assert opened.document.current_entry == 1, "the entry is selected once the focus enters the panel"
    opened.document.remove(1, "removal")
    assert not body.isVisible()
    assert panel.empty.isVisible()


def test_an_image_is_sampled_again_until_it_is_decoded(qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    class Decoding(WholeLevels):
        complete = False

    class Shown(WarpBody):
        def isVisible(self) -> bool:
            return True

    levels, ready = Decoding(np.zeros((4, 4, 3), np.float32)), Decoding(np.ones((4, 4, 3), np.float32))
    ready.complete, ready.generation = True, 1
    now = [levels]
    body = Shown(ColorWarp())
    qtbot.addWidget(body)
    jobs = Jobs()
    samples = ImageSamples(lambda _index, _mark: (None, ()), lambda: now[0], jobs, Messages())
    shown: list[Any] = []
    monkeypatch.setattr(body, "show_samples", shown.append)
    samples.serve(body, lambda: 0)
    qtbot.waitUntil(lambda: len(shown) == 1)
    now[0] = ready
    qtbot.waitUntil(lambda: len(shown) == 2)
    assert shown[1].min() == 1.0
    jobs.close()

"""Grading, driven by mouse and keyboard: the stack, wheels, curves, the neutral picker, versions and the history."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.main_window import MainWindow
from app.panels.card_title import CardTitle
from app.panels.cards import MixSlider, OpCard
from app.panels.curve_plot import CurvePlot
from app.panels.curve_points import AXES, added, curve_of, moved, points_of, removed, scaled
from app.panels.curves_body import CurvesBody
from app.panels.op_menu import category_of, offers
from app.panels.wheel import ColourWheel, WheelScale
from app.services import Services
from engine import FileLook, Grade, Layer, ops
from engine.grade import bare, layer_of
from engine.op import REGISTRY, Table
from tests.app.fakes import FakeExecutor
from tests.app.hands import LEFT, Key, drag, move

SHIFT = Qt.KeyboardModifier.ShiftModifier
CTRL = Qt.KeyboardModifier.ControlModifier
ALT = Qt.KeyboardModifier.AltModifier
THREE = Grade([ops.Exposure(0.5), ops.Saturation(1.2), ops.Contrast(1.3)])


def names(window: MainWindow) -> str:
    """The entries as initials, bypassed ones in brackets."""
    entries = window.document.grade.entries
    initials = [type(bare(entry)).__name__[0] for entry in entries]
    return "".join(i if layer_of(e).enabled else f"({i})" for i, e in zip(initials, entries, strict=True))


def show(window: MainWindow, *entries: Any) -> Any:
    """A grade of these entries, laid out; the card of the first."""
    window.document.open_grade(Grade(entries), None)
    while not window.panel.complete:
        QApplication.processEvents()
    return window.panel.cards[0]


def pull(
    widget: QWidget, start: QPointF, by: QPointF, qtbot: Any, modifier: Any = Qt.KeyboardModifier.NoModifier
) -> None:
    """A drag from a place of a widget, in ten steps."""
    qtbot.mousePress(widget, LEFT, modifier, start.toPoint())
    for step in range(1, 11):
        move(widget, (start + by * (step / 10)).toPoint(), LEFT, modifier)
    qtbot.mouseRelease(widget, LEFT, modifier, (start + by).toPoint())


@pytest.fixture(scope="module")
def shared(qapp: Any) -> Iterator[MainWindow]:
    """A window for all the tests that need no picture."""
    shown = MainWindow(services=Services(create_executor=lambda _name, _threads: FakeExecutor()))
    shown.show()
    yield shown
    shown.document.mark_saved(shown.document.grade, None)
    shown.close()


@pytest.fixture
def graded(shared: MainWindow, qtbot: Any) -> Iterator[MainWindow]:
    """A window with three entries, as if it were new."""
    shared.workspace.settings.set("wheels", True)
    shared.workspace.new_document()
    for document in shared.workspace.documents[:-1]:
        shared.workspace.close_document(document)
    shared.document.open_grade(THREE, None)
    shared.panel.select(-1)
    shared.bar.hide()
    shared.docks.show("grade")
    shared.activateWindow()
    qtbot.waitUntil(shared.isActiveWindow)
    QApplication.processEvents()
    yield shared
    QGuiApplication.clipboard().clear()


# -- the stack


def test_entries_are_moved_by_keys(graded: MainWindow, qtbot: Any):
    panel = graded.panel
    panel.cards[0].title.setFocus()
    qtbot.keyClick(panel.cards[0].title, Key.Key_Down)
    assert panel.cards[1].title.hasFocus()
    qtbot.keyClick(panel.cards[1].title, Key.Key_Up, ALT)
    assert names(graded) == "SEC"
    assert panel.at == 0
    qtbot.keyClick(graded, Key.Key_Down, ALT)
    qtbot.keyClick(graded, Key.Key_Down, ALT)
    qtbot.keyClick(graded, Key.Key_Down, ALT)
    assert names(graded) == "ECS", "it stays at the end"
    assert panel.cards[2].title.hasFocus()


def test_entries_are_moved_by_dragging_their_titles(graded: MainWindow, qtbot: Any):
    first, last = graded.panel.cards[0].title, graded.panel.cards[2]
    far = QPointF(last.title.mapTo(graded.panel, QPoint(0, 60)) - first.mapTo(graded.panel, QPoint(0, 0)))
    pull(first, QPointF(30, 10), QPointF(0, far.y()), qtbot)
    assert names(graded) == "SCE"
    assert graded.document.steps == 1
    title = graded.panel.cards[2].title
    qtbot.mousePress(title, LEFT, pos=QPoint(30, 10))
    move(title, QPoint(30, -200), LEFT)
    assert graded.panel._line.isVisible()
    qtbot.keyClick(title, Key.Key_Escape)
    qtbot.mouseRelease(title, LEFT, pos=QPoint(30, -200))
    assert names(graded) == "SCE", "Escape leaves it where it was"
    assert not graded.panel._line.isVisible()


def test_a_click_on_a_title_folds_the_card(graded: MainWindow, qtbot: Any):
    card = graded.panel.cards[0]
    qtbot.mouseClick(card.title, LEFT)
    assert not card.body.isVisible()
    qtbot.keyClick(card.title, Key.Key_Return)
    assert card.body.isVisible()
    assert graded.document.steps == 0


def test_bypass_solo_and_mix(graded: MainWindow, qtbot: Any):
    card = graded.panel.cards[1]
    qtbot.mouseClick(card.bypass, LEFT)
    assert names(graded) == "E(S)C"
    assert graded.document.undo_text == "bypass of Saturation"
    qtbot.keyClick(graded, Key.Key_D)
    assert names(graded) == "ESC", "the key goes to the entry that was touched"
    qtbot.mouseClick(card.solo, LEFT)
    assert graded.document.grade.effective == (ops.Saturation(1.2),)
    qtbot.keyClick(graded, Key.Key_S, SHIFT)
    assert graded.document.grade == THREE
    drag(qtbot, card.mix, -10)
    mix = layer_of(graded.document.grade.entries[1]).mix
    assert 0.5 < mix < 0.9
    assert card.mix.number == pytest.approx(100 * mix)
    card.mix.setFocus()
    qtbot.keyClick(card.mix, Key.Key_Left)
    assert layer_of(graded.document.grade.entries[1]).mix == pytest.approx(mix - 0.01)
    qtbot.mouseDClick(card.mix, LEFT)
    assert graded.document.grade == THREE


def test_editing_a_mixed_entry_keeps_its_mix(graded: MainWindow, qtbot: Any):
    graded.document.switch(0, "mix", mix=0.5)
    drag(qtbot, graded.panel.cards[0].editors["stops"].row.track, 30)
    entry = graded.document.grade.entries[0]
    assert isinstance(entry, Layer)
    assert entry.mix == 0.5
    assert entry.entry.stops > 0.6


def test_a_filter_has_no_mix(graded: MainWindow):
    graded.document.open_grade(Grade([ops.Blur(2.0), ops.Exposure()]), None)
    assert [card.mix.isVisible() for card in graded.panel.cards] == [False, True]


def test_duplicate_reset_and_remove(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    qtbot.keyClick(graded, Key.Key_D, CTRL)
    assert graded.document.grade.entries[:2] == (ops.Exposure(0.5),) * 2
    assert graded.panel.at == 1
    graded.document.switch(1, "mix", mix=0.5)
    qtbot.keyClick(graded, Key.Key_Backspace, CTRL)
    assert graded.document.grade.entries[:2] == (ops.Exposure(0.5), ops.Exposure())
    qtbot.keyClick(graded.panel.cards[1].title, Key.Key_Delete)
    assert names(graded) == "ESC"
    qtbot.keyClick(graded, Key.Key_Delete, CTRL)
    assert names(graded) == "EC"
    qtbot.mouseClick(graded.panel.cards[0].remove, LEFT)
    qtbot.keyClick(graded, Key.Key_Delete, CTRL)
    assert names(graded) == ""
    assert graded.panel._empty.isVisible()
    assert not graded.actions_by_name["entry_remove"].isEnabled()


def test_the_menu_of_an_entry_is_of_that_entry(graded: MainWindow, qtbot: Any):
    qtbot.mouseClick(graded.panel.cards[2].more, LEFT)
    (menu,) = (menu for menu in graded.panel.findChildren(QMenu) if menu.isVisible())
    next(action for action in menu.actions() if action.objectName() == "entry_up").trigger()
    menu.close()
    assert names(graded) == "ECS"


def test_an_operation_is_searched_and_added_by_keys(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    qtbot.keyClick(graded, Key.Key_A, SHIFT)
    menu = graded.panel.op_menu
    assert menu.isVisible()
    assert len(menu.titles()) == len(offers())
    qtbot.keyClicks(menu.search, "pri gra")
    assert menu.titles()[0] == "Primary grading"
    qtbot.keyClicks(menu.search, "zzz")
    assert menu.titles() == []
    assert menu._nothing.isVisible()
    qtbot.keyClick(menu.search, Key.Key_Return)
    assert menu.isVisible(), "there is nothing to add"
    menu.search.clear()
    qtbot.keyClick(menu.search, Key.Key_Down)
    qtbot.keyClick(menu.search, Key.Key_Return)
    assert not menu.isVisible()
    assert isinstance(graded.document.grade.entries[1], ops.WhiteBalance), "after the current entry"


def test_an_operation_is_added_by_a_click(graded: MainWindow, qtbot: Any):
    qtbot.mouseClick(graded.panel.add_op, LEFT)
    menu = graded.panel.op_menu
    row = next(i for i in range(menu.list.count()) if menu.list.item(i).text() == "RGB curves")
    menu.list.scrollToItem(menu.list.item(row))
    qtbot.mouseClick(menu.list.viewport(), LEFT, pos=menu.list.visualItemRect(menu.list.item(row)).center())
    assert graded.document.grade.entries[-1] == ops.GradingRgbCurve.straight()
    assert graded.document.grade.effective == THREE.entries, "a new curve changes nothing"


def test_every_op_has_a_place_in_the_menu_or_needs_a_file():
    listed = {offer.kind for offer in offers()}
    assert {name for name, op in REGISTRY.items() if op not in listed} >= {"Lut1d", "Lut3d", "InverseLut1d"}
    assert [o.title for o in offers() if o.category == "Other"] in ([], ["Resize"])
    assert category_of(ops.Aces2Jmh) == "ACES"
    assert all(offer.about for offer in offers())


def test_copy_and_paste(graded: MainWindow, qtbot: Any, cube: Path):
    clip = QGuiApplication.clipboard()
    graded.panel.select(0, focus=True)
    graded.document.switch(0, "mix", mix=0.25)
    qtbot.keyClick(graded, Key.Key_C, CTRL | ALT)
    assert '"mix": 0.25' in clip.text()
    graded.panel.select(2, focus=True)
    qtbot.keyClick(graded, Key.Key_V, CTRL)
    assert graded.document.grade.entries[3] == Layer(ops.Exposure(0.5), mix=0.25)
    whole = graded.document.grade
    qtbot.keyClick(graded, Key.Key_C, CTRL)
    graded.document.open_grade(Grade(), None)
    qtbot.keyClick(graded, Key.Key_V, CTRL)
    assert graded.document.grade == whole
    graded.document.undo()
    assert graded.document.grade == Grade()


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "no grade on the clipboard"),
        ("some words", "no grade on the clipboard"),
        ('{"tessera": "grade", "version"', "no whole grade"),
        ('{"tessera": "grade", "version": 99, "entries": []}', "update Tessera"),
        ('{"tessera": "grade", "version": 1, "entries": [{"op": "Sharpen"}]}', "there is no op named"),
    ],
)
def test_what_can_not_be_pasted_is_told(graded: MainWindow, qtbot: Any, text: str, says: str):
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(graded, Key.Key_V, CTRL)
    assert says in graded.bar.text
    assert graded.document.grade == THREE


# -- wheels


CDL_SCALE = WheelScale(ops.Cdl.kinds()["slope"], (1.0, 1.0, 1.0))  # type: ignore[arg-type]


@pytest.mark.parametrize("place", [(0.0, 0.0), (0.5, 0.2), (-0.3, 0.7), (0.0, -1.0)])
@pytest.mark.parametrize("values", [(1.1, 0.9, 1.2), (1.0, 1.0, 1.0, 2.0)])
def test_a_place_on_the_wheel_and_back(values: tuple[float, ...], place: tuple[float, float]):
    there = CDL_SCALE.with_place(values, *place)
    assert CDL_SCALE.place(there) == pytest.approx(place, abs=3e-4)
    assert sum(there[:3]) == pytest.approx(sum(values[:3]), abs=2e-4), "the mean stays"
    assert there[3:] == values[3:]


def test_towards_red_on_the_wheel_is_more_red():
    red, green, blue = CDL_SCALE.with_place((1.0, 1.0, 1.0), np.cos(np.radians(103)), np.sin(np.radians(103)))
    assert red - 1.0 == pytest.approx(CDL_SCALE.reach, abs=1e-4)
    assert green == pytest.approx(blue, abs=1e-4)
    assert green < 1.0


@pytest.fixture
def wheel(qtbot: Any) -> ColourWheel:
    made = ColourWheel(CDL_SCALE, "CDL slope", "")
    qtbot.addWidget(made)
    made.resize(100, 100)
    made.show()
    return made


def test_the_disc_by_mouse(wheel: ColourWheel, qtbot: Any):
    middle = QPointF(wheel.rect().center())
    pull(wheel, middle, QPointF(0, -20), qtbot)
    red, green, blue = wheel.values
    assert red > 1.05
    assert max(green, blue) < 1.0
    wheel.set_values((1.0, 1.0, 1.0))
    pull(wheel, middle, QPointF(0, -20), qtbot, SHIFT)
    assert wheel.values[0] - 1.0 == pytest.approx((red - 1.0) / 10, abs=2e-3)
    qtbot.mouseDClick(wheel, LEFT, pos=middle.toPoint())
    assert wheel.values == (1.0, 1.0, 1.0)
    pull(wheel, middle, QPointF(0, -4000), qtbot)
    x, y = CDL_SCALE.place(wheel.values)
    assert np.hypot(x, y) == pytest.approx(1.0, abs=1e-3), "held at the rim"


def test_the_ring_by_mouse_and_what_a_double_click_resets(wheel: ColourWheel, qtbot: Any):
    wheel.set_values((1.2, 1.0, 0.8))
    top = QPointF(wheel.width() / 2, wheel.height() / 2 - wheel._radius() + 2)
    pull(wheel, top, QPointF(20, 4), qtbot)
    red, green, blue = wheel.values
    assert green > 1.05
    assert (red - green, green - blue) == pytest.approx((0.2, 0.2), abs=1e-3)
    qtbot.mouseDClick(wheel, LEFT, pos=top.toPoint())
    assert wheel.values == pytest.approx((1.2, 1.0, 0.8), abs=1e-3), "the balance stays"


def test_a_wheel_by_keys(wheel: ColourWheel, qtbot: Any):
    wheel.setFocus()
    qtbot.keyClick(wheel, Key.Key_Up)
    coarse = wheel.values[0] - 1.0
    assert coarse > 0.0
    qtbot.keyClick(wheel, Key.Key_Down)
    qtbot.keyClick(wheel, Key.Key_Up, SHIFT)
    assert wheel.values[0] - 1.0 == pytest.approx(coarse / 10, abs=2e-4)
    qtbot.keyClick(wheel, Key.Key_PageUp)
    assert sum(wheel.values) / 3 == pytest.approx(1.0 + CDL_SCALE.step, abs=2e-4)
    qtbot.keyClick(wheel, Key.Key_Delete)
    assert wheel.values == (1.0, 1.0, 1.0)


def test_no_slope_falls_below_its_least_value(wheel: ColourWheel, qtbot: Any):
    wheel.set_values((0.1, 0.0, 0.0))
    wheel.setFocus()
    for _ in range(4):
        qtbot.keyClick(wheel, Key.Key_PageDown)
    assert wheel.values == (0.02, 0.0, 0.0) or min(wheel.values) == 0.0


def test_wheels_and_their_numbers_make_one_step_a_drag(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.Cdl())
    assert isinstance(card, OpCard)
    slope = card.editors["slope"]
    pull(slope.wheel, QPointF(slope.wheel.rect().center()), QPointF(0, -15), qtbot)  # type: ignore[attr-defined]
    cdl = graded.document.grade.entries[0]
    assert cdl.slope[0] > 1.0 > cdl.slope[1]
    assert graded.document.steps == 1
    assert graded.document.undo_text == "CDL slope"
    box = slope.boxes["M"]  # type: ignore[attr-defined]
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "1.5")
    qtbot.keyClick(box, Key.Key_Return)
    assert sum(graded.document.grade.entries[0].slope) / 3 == pytest.approx(1.5, abs=1e-3)
    box = slope.boxes["G"]  # type: ignore[attr-defined]
    box.setFocus()
    box.selectAll()
    qtbot.keyClicks(box, "0.75")
    qtbot.keyClick(box, Key.Key_Return)
    assert graded.document.grade.entries[0].slope[1] == 0.75


def test_wheels_and_sliders_are_switched_for_every_card(graded: MainWindow, qtbot: Any):
    graded.document.open_grade(Grade([ops.Cdl(), ops.GradingPrimary(), ops.GradingTone()]), None)
    qtbot.mouseClick(graded.panel.cards[0].switch, LEFT)
    qtbot.waitUntil(lambda: graded.panel.complete)
    assert all(not card.findChildren(ColourWheel) for card in graded.panel.cards)
    assert graded.workspace.settings.get("wheels", True) is False
    qtbot.mouseClick(graded.panel.cards[1].switch, LEFT)
    qtbot.waitUntil(lambda: graded.panel.complete)
    assert [len(card.findChildren(ColourWheel)) for card in graded.panel.cards] == [3, 3, 1]


def test_primary_grading_shows_what_its_style_uses(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.GradingPrimary())
    assert {"brightness", "contrast", "gamma"} < set(card.editors)
    card.editors["style"].box.setFocus()
    qtbot.keyClick(card.editors["style"].box, Key.Key_Down)
    assert graded.document.grade.entries[0].style == "linear"
    assert {"offset", "exposure", "contrast"} < set(card.editors)
    assert "gamma" not in card.editors
    clamp = card.editors["low"]
    assert not clamp.row.isEnabled()
    qtbot.mouseClick(clamp.switch, LEFT, pos=QPoint(8, clamp.switch.height() // 2))
    assert graded.document.grade.entries[0].low == 0.0
    drag(qtbot, clamp.row.track, 20)
    assert graded.document.grade.entries[0].low > 0.0
    qtbot.mouseClick(clamp.switch, LEFT, pos=QPoint(8, clamp.switch.height() // 2))
    assert graded.document.grade.entries[0].low == ops.GradingPrimary().low


def test_tone_grading_shows_one_range_at_a_time(graded: MainWindow, qtbot: Any):
    card = show(graded, ops.GradingTone())
    qtbot.mouseClick(card.body.tabs["whites"], LEFT)
    field = card.editors["whites"]
    assert field.isVisible()
    assert not card.editors["middle"].isVisible()
    pull(field.wheel, QPointF(field.wheel.rect().center()), QPointF(12, 0), qtbot)
    assert graded.document.grade.entries[0].whites[2] > 1.0, "blue lies to the right"
    drag(qtbot, field.rows[5].track, -10)
    assert graded.document.grade.entries[0].whites[5] < 0.5
    qtbot.keyClick(field.wheel, Key.Key_PageUp)
    assert graded.document.grade.entries[0].whites[3] > 1.0
    field.boxes["M"].setValue(5.0)
    assert graded.document.grade.entries[0].whites[3] == 1.99, "held within the domain"
    assert not graded.bar.isVisible()


# -- curves


def curve_card(window: MainWindow) -> CurvesBody:
    body = show(window, ops.GradingRgbCurve.straight()).body
    assert isinstance(body, CurvesBody)
    return body


def test_points_are_dragged_added_and_removed_by_mouse(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    plot = body.plot
    pull(plot, plot.place(0.5, 0.5), QPointF(0, -30), qtbot)
    points = points_of(graded.document.grade.entries[0].master)
    assert points[1][0] == pytest.approx(0.5, abs=0.01)
    assert points[1][1] > 0.6
    assert graded.document.steps == 1
    qtbot.mouseClick(plot, LEFT, pos=plot.place(0.25, 0.3).toPoint())
    assert len(points_of(graded.document.grade.entries[0].master)) == 4
    assert plot.at == 1
    assert body.boxes["x"].value() == pytest.approx(0.25, abs=0.01)
    x, y, _ = plot.points[1]
    qtbot.mouseDClick(plot, LEFT, pos=plot.place(x, y).toPoint())
    assert len(points_of(graded.document.grade.entries[0].master)) == 3
    for _ in range(3):
        graded.document.undo()
    assert graded.document.grade.entries[0] == ops.GradingRgbCurve.straight()


def test_points_by_keys_and_by_typing(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    qtbot.mouseClick(body.tabs["red"], LEFT)
    plot = body.plot
    plot.setFocus()
    qtbot.keyClick(plot, Key.Key_PageUp)
    qtbot.keyClick(plot, Key.Key_Up)
    qtbot.keyClick(plot, Key.Key_Up, SHIFT)
    op = graded.document.grade.entries[0]
    assert points_of(op.red)[1][:2] == pytest.approx((0.5, 0.511))
    assert op.curves == "all"
    assert op.master == ops.GradingRgbCurve.straight().master
    qtbot.keyClick(plot, Key.Key_Insert)
    assert len(points_of(graded.document.grade.entries[0].red)) == 4
    qtbot.keyClick(plot, Key.Key_Delete)
    assert len(points_of(graded.document.grade.entries[0].red)) == 3
    body.boxes["y"].setFocus()
    body.boxes["y"].selectAll()
    qtbot.keyClicks(body.boxes["y"], "0.9")
    qtbot.keyClick(body.boxes["y"], Key.Key_Return)
    assert points_of(graded.document.grade.entries[0].red)[plot.at][1] == pytest.approx(0.9)
    qtbot.mouseClick(body.straighten, LEFT)
    assert graded.document.grade.entries[0] == ops.GradingRgbCurve.straight()


def test_the_curve_that_is_drawn_is_the_ops_own(graded: MainWindow):
    """Against the op on grey pixels, and against OpenColorIO, whose curve it is."""
    ocio = pytest.importorskip("PyOpenColorIO")
    points = ((0.0, 0.1, 0.0), (0.4, 0.3, 0.0), (0.7, 0.9, 0.0), (1.0, 1.0, 0.0))
    xs = np.linspace(-0.1, 1.1, 50)
    curve = ocio.GradingBSplineCurve([value for x, y, _ in points for value in (x, y)])
    straight = ocio.GradingBSplineCurve([0.0, 0.0, 0.5, 0.5, 1.0, 1.0])
    transform = ocio.GradingRGBCurveTransform(
        ocio.GradingRGBCurve(straight, straight, straight, curve), ocio.GRADING_LOG
    )
    processor = ocio.Config.CreateRaw().getProcessor(transform).getDefaultCPUProcessor()
    right = [processor.applyRGB([x, x, x])[0] for x in xs]
    assert curve_of(points, xs) == pytest.approx(right, abs=2e-6)


def test_points_keep_their_order():
    points, axes = points_of(ops.GradingRgbCurve.straight().red), AXES["log"]
    assert moved(points, 1, 5.0, 5.0, axes)[1][:2] == pytest.approx((1.0 - 0.004, 1.0))
    assert moved(points, 1, -5.0, -5.0, axes)[1][:2] == pytest.approx((0.004, 0.0))
    assert moved(points, 0, -5.0, -5.0, axes)[0][:2] == pytest.approx((axes.first, axes.first))
    more, at = added(points, 0.75, 0.2, 1.0, axes)
    assert more[at] == (0.75, 0.5, 0.0), "not below the one before it"
    assert added(points, 0.5001, 0.9, 1.0, axes) == (points, 1), "no room beside another"
    assert removed(points[:2], 0) == points[:2]
    there = scaled(points, axes, AXES["linear"])
    assert there == points_of(ops.GradingRgbCurve.straight("linear").red)
    assert scaled(there, AXES["linear"], axes) == pytest.approx(np.array(points))


def test_another_style_keeps_the_shape_of_the_curves(graded: MainWindow, qtbot: Any):
    body = curve_card(graded)
    graded.document.edit_entry(0, ops.GradingRgbCurve.straight().replace(master=Table([(0, 0.1, 0), (1, 1, 0)])), "x")
    style = body.editors["style"].box  # type: ignore[attr-defined]
    style.setFocus()
    qtbot.keyClick(style, Key.Key_Down)
    op = graded.document.grade.entries[0]
    assert op.style == "linear"
    assert points_of(op.master) == pytest.approx(np.array([(-7.0, -5.6, 0.0), (7.0, 7.0, 0.0)]), abs=1e-5)
    assert "stops" in body.plot.toolTip()


# -- neutral


def test_a_picked_grey_comes_out_neutral(opened: MainWindow, qtbot: Any):
    before = ops.Cdl((1.2, 1.0, 1.3))
    opened.document.open_grade(Grade([before, ops.WhiteBalance(), ops.Contrast(1.5)]), None)
    body = opened.panel.cards[1].body
    qtbot.mouseClick(body.pick, LEFT)
    assert opened.canvas.picking
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] != ops.WhiteBalance())
    assert not opened.canvas.picking
    assert not body.pick.isChecked()
    balance = opened.document.grade.entries[1]
    height, width = opened.document.picture.pixels.shape[:2]
    colour = before.reference(opened.document.picture.pixels[height // 2, width // 2].astype(float))
    grey = balance.reference(colour)[:3]
    assert np.ptp(grey) < 0.03 * grey.mean()


def test_picking_ends_by_escape_and_a_colour_is_refused(opened: MainWindow, qtbot: Any):
    opened.document.open_grade(Grade([ops.WhiteBalance()]), None)
    pick = opened.panel.cards[0].body.pick
    qtbot.mouseClick(pick, LEFT)
    qtbot.keyClick(opened.canvas, Key.Key_Escape)
    assert not pick.isChecked()
    assert not opened.canvas.picking
    qtbot.mouseClick(pick, LEFT)
    left, top, _, _ = opened.canvas.viewport.on_screen((0.0, 0.0, 192.0, 108.0))
    qtbot.mouseClick(opened.canvas, LEFT, pos=QPoint(round(left) + 3, round(top) + 3))
    qtbot.waitUntil(lambda: opened.bar.isVisible())
    assert opened.document.grade.entries == (ops.WhiteBalance(),)


# -- versions and history


def test_versions_are_kept_shown_and_compared(graded: MainWindow, qtbot: Any):
    document = graded.document
    qtbot.keyClick(graded, Key.Key_K, CTRL)
    document.edit_entry(0, ops.Exposure(2.0), "exposure")
    panel = graded.docks.show("versions")
    qtbot.mouseClick(panel.keep, LEFT)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 2"]
    steps = document.steps
    for stops in (0.5, 2.0, 0.5):
        qtbot.keyClick(graded, Key.Key_X)
        assert document.grade.entries[0].stops == stops
    assert document.steps == steps + 1, "however often, it is one step"
    document.undo()
    assert document.grade.entries[0].stops == 2.0
    qtbot.mouseClick(panel.rows[0].show_button, LEFT)
    assert document.grade == THREE
    assert not panel.rows[0].show_button.isEnabled()


def test_going_back_loses_no_version(graded: MainWindow):
    graded.document.edit_entry(0, ops.Exposure(2.0), "exposure")
    graded.document.keep_version()
    graded.document.undo()
    graded.document.edit_entry(0, ops.Exposure(3.0), "exposure")
    assert graded.document.versions["Version 1"].grade.entries[0] == ops.Exposure(2.0)


def test_versions_are_renamed_updated_and_removed_and_all_that_is_undone(graded: MainWindow, qtbot: Any):
    document = graded.document
    for _ in range(3):
        document.keep_version()
    panel = graded.docks.show("versions")
    name = panel.rows[1].name_edit
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "warm")
    qtbot.keyClick(name, Key.Key_Return)
    assert [row.name for row in panel.rows] == ["Version 1", "warm", "Version 3"]
    assert document.versions.marks == ("Version 1", "warm")
    document.edit_entry(0, ops.Exposure(4.0), "exposure")
    qtbot.mouseClick(panel.rows[1].update_button, LEFT)
    assert document.versions["warm"].grade == document.grade
    qtbot.mouseClick(panel.rows[1].remove, LEFT)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 3"]
    assert not panel.toggle.isEnabled()
    qtbot.mouseClick(panel.rows[1].marks[1], LEFT)
    assert panel.toggle.isEnabled()
    document.undo()
    document.undo()
    assert document.versions["warm"].grade == THREE
    document.undo()
    document.undo()
    assert [row.name for row in panel.rows] == ["Version 1", "Version 2", "Version 3"]
    document.go_to(4)
    assert [row.name for row in panel.rows] == ["Version 1", "Version 3"]


def test_a_name_that_is_taken_is_refused(graded: MainWindow, qtbot: Any):
    graded.document.keep_version()
    graded.document.keep_version()
    panel = graded.docks.show("versions")
    name = panel.rows[1].name_edit
    name.setFocus()
    name.selectAll()
    qtbot.keyClicks(name, "Version 1")
    qtbot.keyClick(name, Key.Key_Return)
    assert "choose another" in graded.bar.text
    assert name.text() == "Version 2"
    assert graded.document.steps == 0


def test_the_history_lists_every_step_and_goes_there(graded: MainWindow, qtbot: Any):
    document = graded.document
    panel = graded.docks.show("history")
    document.edit_entry(0, ops.Exposure(1.0), "Exposure stops")
    document.switch(1, "bypass of Saturation", enabled=False)
    document.remove(2, "removal of Contrast")
    texts = [panel.list.item(row).text() for row in range(panel.list.count())]
    assert texts == ["Opened", "Exposure stops", "Bypass of Saturation", "Removal of Contrast"]
    assert panel.list.currentRow() == 3
    item = panel.list.item(1)
    qtbot.mouseClick(panel.list.viewport(), LEFT, pos=panel.list.visualItemRect(item).center())
    assert names(graded) == "ESC"
    assert panel.list.item(3).font().italic(), "redo would make it again"
    qtbot.keyClick(panel.list, Key.Key_Down)
    assert names(graded) == "E(S)C"
    document.add(ops.Exposure(), "adding Exposure")
    assert panel.list.count() == 4


def test_another_document_has_its_own_history_and_versions(graded: MainWindow):
    graded.document.keep_version()
    graded.docks.show("versions")
    history, versions = graded.workspace.panel("history"), graded.workspace.panel("versions")
    graded.workspace.new_document()
    assert versions.rows == []
    assert history.list.count() == 1
    graded.workspace.show_document(graded.workspace.documents[0])
    assert [row.name for row in versions.rows] == ["Version 1"]


# -- how it looks


def test_what_is_painted_here_can_be_found_named_and_reached(graded: MainWindow):
    entries = (ops.Cdl(), ops.GradingPrimary(style="linear"), ops.GradingTone(), ops.GradingRgbCurve.straight())
    show(graded, *entries)
    kinds = (ColourWheel, CurvePlot, MixSlider, CardTitle)
    painted = [w for card in graded.panel.cards for kind in kinds for w in card.findChildren(kind)]
    assert len(painted) == 3 + 3 + 1 + 1 + 2 * len(entries)
    for widget in painted:
        assert widget.accessibleName()
        assert widget.toolTip()
        assert widget.focusPolicy() & Qt.FocusPolicy.TabFocus
    wheels = graded.panel.findChildren(ColourWheel)
    assert all(", no unit." in wheel.toolTip() or ", EV." in wheel.toolTip() for wheel in wheels)
    assert all(widget.accessibleDescription() for widget in (*wheels, *graded.panel.findChildren(CurvePlot)))


@pytest.mark.parametrize("wheels", [True, False])
def test_no_card_is_wider_than_the_panel(graded: MainWindow, qtbot: Any, wheels: bool):
    graded.workspace.settings.set("wheels", wheels)
    entries = [
        offer.kind() if offer.kind is not ops.GradingRgbCurve else ops.GradingRgbCurve.straight() for offer in offers()
    ]
    graded.document.open_grade(Grade([*entries, FileLook("/looks/a_rather_long_name_of_a_look_v012.cube", ())]), None)
    qtbot.waitUntil(lambda: graded.panel.complete)
    room = graded.panel.minimumWidth() - 16 - graded.panel.area.verticalScrollBar().sizeHint().width()
    wide = {card.name: card.minimumSizeHint().width() for card in graded.panel.cards}
    assert {name: width for name, width in wide.items() if width > room} == {}

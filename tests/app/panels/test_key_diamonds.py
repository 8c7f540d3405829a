"""The diamonds beside controls: keys by the mouse, the keyboard and menus, and controls that follow the frame."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QContextMenuEvent
from PySide6.QtWidgets import QApplication, QMenu, QWidget

from app.model.comparison_target import SOURCE, VersionTarget
from app.panels.mattes.section import MatteSection
from app.shell.main_window import MainWindow
from app.widgets.key_mark import KeyMark, KeyState, mark_of
from engine import ops
from engine.grade.curves import Curve, Key
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.hands import ALT, LEFT, SHIFT, drag, row
from tests.app.hands import Key as Keys
from tests.app.panels.keyed import RISE, Layer, begin, curves, go
from tests.app.panels.matte_cards import card_matte
from tests.typed import expect


def mark(widget: QWidget) -> KeyMark:
    return expect(KeyMark, mark_of(widget))


def hover(widget: QWidget, over: bool = True) -> None:
    QApplication.sendEvent(widget, QEvent(QEvent.Type.Enter if over else QEvent.Type.Leave))


def menu_of(widget: QWidget, window: MainWindow) -> QMenu:
    """The context menu of a control."""
    where = widget.rect().center()
    QApplication.sendEvent(widget, QContextMenuEvent(QContextMenuEvent.Reason.Mouse, where, widget.mapToGlobal(where)))
    return next(each for each in window.findChildren(QMenu) if each.isVisible())


def choose(menu: QMenu, text: str, inner: str = "") -> None:
    action = next(each for each in menu.actions() if each.text().startswith(text))
    if inner:
        action = next(each for each in expect(QMenu, action.menu()).actions() if each.text() == inner)
    action.trigger()
    menu.close()


def test_a_click_on_the_diamond_sets_the_key_and_removes_it(keyed, qtbot):
    begin(keyed, ops.Exposure(0.5))
    control = row(keyed)
    assert mark(control).button is None, "the panel stays calm"
    hover(control)
    button = expect(QWidget, mark(control).button)
    assert button.isVisible()
    qtbot.mouseClick(button, LEFT)
    assert curves(keyed) == {"stops": Curve([Key(3, 0.5)])}
    assert keyed.document.undo_text == "key of Exposure stops at 3"
    hover(control, False)
    assert button.isVisible()
    assert mark(control).state is KeyState.KEY
    go(keyed, 5, qtbot)
    assert mark(control).state is KeyState.BETWEEN
    go(keyed, 3, qtbot)
    qtbot.mouseClick(button, LEFT)
    assert keyed.document.entries == (ops.Exposure(0.5),)
    assert mark(control).state is KeyState.NONE
    keyed.canvas.setFocus()
    assert not button.isVisible()
    keyed.document.undo()
    assert mark(control).state is KeyState.KEY


def test_a_drag_of_an_animated_control_sets_one_key_in_one_step(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}), ops.Saturation())
    assert row(keyed).number == 0.5
    drag(qtbot, row(keyed).track, 20)
    now = row(keyed).number
    assert now > 0.6
    assert curves(keyed)["stops"].keys == (Key(1, 0.0, "linear"), Key(3, now, "linear"), Key(5, 1.0, "linear"))
    assert keyed.document.history == ["", "key of Exposure stops at 3"]
    drag(qtbot, row(keyed, "saturation", 1).track, 20)
    assert curves(keyed, 1) == {}, "what is not animated stays so"


def test_controls_and_the_image_follow_the_frame(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE, "mix": Curve([Key(1, 1.0, "hold"), Key(2, 0.5)])}))
    for frame, stops, mix in ((1, 0.0, 100.0), (2, 0.25, 50.0), (6, 1.0, 50.0)):
        go(keyed, frame, qtbot)
        card = keyed.panel.cards[0]
        assert (row(keyed).number, card.mix.number) == (stops, mix)
        assert keyed.workspace.stage.grade.entries == keyed.document.entries_at_frame
        qtbot.waitUntil(lambda: keyed.workspace.stage.shown_request is not None)
        qtbot.waitUntil(lambda: keyed.workspace.stage.shown_request.grade == keyed.document.grade_at_frame)
    assert keyed.document.undo_text == ""


def test_a_folded_panel_catches_up(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}))
    keyed.docks.show("history")
    go(keyed, 1, qtbot)
    keyed.docks.show("grade")
    qtbot.waitUntil(lambda: row(keyed).number == 0.0)


def test_keys_by_the_keyboard(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}))
    row(keyed).track.setFocus()
    qtbot.keyClick(keyed, Keys.Key_K, ALT)
    assert curves(keyed)["stops"].frames == (1, 3, 5)
    qtbot.keyClick(keyed, Keys.Key_Comma, ALT)
    qtbot.waitUntil(lambda: keyed.document.frame == 1)
    qtbot.keyClick(keyed, Keys.Key_Period, ALT)
    qtbot.waitUntil(lambda: keyed.document.frame == 3)
    qtbot.keyClick(row(keyed).track, Keys.Key_K, ALT)
    assert curves(keyed)["stops"].frames == (1, 5)
    go(keyed, 2, qtbot)
    qtbot.keyClick(keyed, Keys.Key_K, ALT | SHIFT)
    assert curves(keyed)["stops"].key_at(2) == Key(2, 0.25, "linear")
    keyed.actions_by_name["remove_keys"].trigger()
    assert curves(keyed)["stops"] == RISE


def test_the_menu_of_a_control(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}), ops.Saturation())
    track, other = row(keyed).track, row(keyed, "saturation", 1).track
    choose(menu_of(track, keyed), "Interpolation", "Hold")
    assert [key.interpolation for key in curves(keyed)["stops"].keys] == ["hold", "hold"]
    assert keyed.document.undo_text == "hold keys of Exposure stops"
    choose(menu_of(row(keyed).box, keyed), "Copy keys")
    choose(menu_of(other, keyed), "Paste keys")
    assert curves(keyed, 1)["saturation"].keys == (Key(3, 0.0, "hold"), Key(7, 1.0, "hold"))
    choose(menu_of(track, keyed), "Set key at 3")
    choose(menu_of(track, keyed), "Delete key")
    assert curves(keyed)["stops"].frames == (1, 5)
    choose(menu_of(track, keyed), "Delete all keys")
    assert keyed.document.entries[0] == ops.Exposure(0.0)
    inner = menu_of(track, keyed)
    assert [each.text() for each in inner.actions() if each.text()][-1] == "Exposure", "the commands of the entry"
    inner.close()


def test_keys_of_a_matte(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(1.0), matte=Matte(Leaf(Ellipse()), frame=(192, 108))))
    keyed.panel.select(0)
    matte = card_matte(keyed)
    matte.open(True)
    keyed.workspace.matte_editor.select(())
    section: Any = expect(MatteSection, matte.section)
    feather, centre = section.shape.rows["feather"], section.body.editors["center"]
    for control in (feather, centre, section.tree.rows[0].keyed_opacity):
        hover(control)
        qtbot.mouseClick(expect(QWidget, mark(control).button), LEFT)
    paths = ["matte.feather", "matte.tree.0.center.0", "matte.tree.0.center.1", "matte.tree.0.opacity"]
    assert list(curves(keyed)) == paths
    go(keyed, 5, qtbot)
    keyed.workspace.matte_editor.set_fields({"center": (30.0, 40.0)}, "centre")
    keyed.workspace.matte_editor.shape("feather", feather=10.0)
    assert [len(curves(keyed)[path].keys) for path in paths] == [2, 2, 2, 1]
    go(keyed, 3, qtbot)
    assert feather.number == 0.0
    assert section.body.source.center == Ellipse().center
    assert keyed.workspace.matte_selection.source.center == Ellipse().center
    assert mark(feather).state is KeyState.KEY


def test_the_timeline_shows_the_keys_of_the_selected_entry_and_of_others(keyed):
    begin(
        keyed, Layer(ops.Exposure(), keys={"stops": RISE}), Layer(ops.Saturation(), keys={"mix": Curve([Key(2, 0.5)])})
    )
    keyed.panel.select(1)
    timeline = keyed.workspace.panel("timeline").timeline
    assert timeline._keys == (frozenset({2}), frozenset({1, 2, 5}))
    keyed.panel.select(0)
    assert timeline._keys == (frozenset({1, 5}), frozenset({1, 2, 5}))


def test_a_reset_entry_has_no_keys_but_those_of_its_matte(keyed):
    keys = {"stops": RISE, "matte.feather": RISE}
    begin(keyed, Layer(ops.Exposure(), matte=Matte(Leaf(Ellipse())), keys=keys))
    keyed.actions_by_name["entry_reset"].trigger()
    assert curves(keyed) == {"matte.feather": RISE}


@pytest.mark.parametrize("name", ["entry_duplicate", "group"])
def test_copies_and_groups_keep_keys(keyed, name):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}))
    keyed.panel.select(0)
    keyed.actions_by_name[name].trigger()
    assert curves(keyed, 1) == {"stops": RISE}


def test_a_version_is_compared_at_the_frame(keyed, qtbot):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}))
    version = keyed.document.keep_version()
    go(keyed, 5, qtbot)
    keyed.workspace.set_view(compare="wipe", against=VersionTarget(version.number))
    stage = keyed.workspace.stage
    assert stage.other.comparison(stage.grade, None).grade == version.grade.at(5)
    keyed.workspace.set_view(compare="", against=SOURCE)


def test_the_centre_of_the_diamond_lies_before_the_track(keyed):
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}))
    button = expect(QWidget, mark(row(keyed)).button)
    assert button.geometry().center().x() == pytest.approx(row(keyed).track.x() - 4, abs=1)
    assert row(keyed).rect().contains(button.mapTo(row(keyed), QPoint(0, 0)))

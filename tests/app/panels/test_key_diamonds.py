"""The diamonds beside controls: keys by the mouse, the keyboard and menus, and controls that follow the frame."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QEvent, QPoint
from PySide6.QtGui import QContextMenuEvent, QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu, QWidget

import engine
from app.model.comparison_target import SOURCE, VersionTarget
from app.panels.mattes.section import MatteSection
from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from app.widgets.key_mark import KeyMark, KeyState, mark_of
from engine import Grade, ops
from engine.grade.curves import Curve, Key
from engine.grade.keys import keys_of
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.conftest import begin_with, end, make_image
from tests.app.fakes import FakeExecutor
from tests.app.hands import ALT, LEFT, SHIFT, drag, row
from tests.app.hands import Key as Keys
from tests.app.panels.matte_cards import card_matte
from tests.typed import expect

Layer: Any = engine.Layer  # keys are also given as dictionaries
RISE = Curve([Key(1, 0.0, "linear"), Key(5, 1.0, "linear")])


@pytest.fixture(scope="module")
def sequence(qapp: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[MainWindow]:
    """A window for all of these tests that shows a sequence from 1 to 6, without 4."""
    folder = tmp_path_factory.mktemp("sequence")
    for frame in (1, 2, 3, 5, 6):
        (folder / f"s.{frame:04}.exr").touch()
    services = Services(read_image=make_image, create_executor=lambda _name, _threads: FakeExecutor(), backends=list)
    window = MainWindow(services=services)
    window.show()
    window.files.open_image(folder / "s.0003.exr")
    yield window
    end(window)


@pytest.fixture
def shot(sequence: MainWindow, qtbot: Any) -> Iterator[MainWindow]:
    """The window at frame 3."""
    qtbot.waitUntil(lambda: sequence.workspace.player.clip is not None and sequence.canvas.has_frame)
    sequence.activateWindow()
    sequence.docks.show("grade")
    go(sequence, 3, qtbot)
    yield sequence
    QGuiApplication.clipboard().clear()


def go(window: MainWindow, frame: int, qtbot: Any) -> None:
    window.workspace.player.go(frame)
    qtbot.waitUntil(lambda: window.document.frame == frame)


def mark(widget: QWidget) -> KeyMark:
    return expect(KeyMark, mark_of(widget))


def curves(window: MainWindow, at: int = 0) -> dict[str, Curve]:
    return dict(keys_of(window.document.entries[at]))


def begin(window: MainWindow, *entries: Any) -> None:
    begin_with(window.document, Grade(entries))
    while not window.panel.complete:
        QApplication.processEvents()


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


def test_a_click_on_the_diamond_sets_the_key_and_removes_it(shot, qtbot):
    begin(shot, ops.Exposure(0.5))
    control = row(shot)
    assert mark(control).button is None, "the panel stays calm"
    hover(control)
    button = expect(QWidget, mark(control).button)
    assert button.isVisible()
    qtbot.mouseClick(button, LEFT)
    assert curves(shot) == {"stops": Curve([Key(3, 0.5)])}
    assert shot.document.undo_text == "key of Exposure stops at 3"
    hover(control, False)
    assert button.isVisible()
    assert mark(control).state is KeyState.KEY
    go(shot, 5, qtbot)
    assert mark(control).state is KeyState.BETWEEN
    go(shot, 3, qtbot)
    qtbot.mouseClick(button, LEFT)
    assert shot.document.entries == (ops.Exposure(0.5),)
    assert mark(control).state is KeyState.NONE
    shot.canvas.setFocus()
    assert not button.isVisible()
    shot.document.undo()
    assert mark(control).state is KeyState.KEY


def test_a_drag_of_an_animated_control_sets_one_key_in_one_step(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}), ops.Saturation())
    assert row(shot).number == 0.5
    drag(qtbot, row(shot).track, 20)
    now = row(shot).number
    assert now > 0.6
    assert curves(shot)["stops"].keys == (Key(1, 0.0, "linear"), Key(3, now, "linear"), Key(5, 1.0, "linear"))
    assert shot.document.history == ["", "key of Exposure stops at 3"]
    drag(qtbot, row(shot, "saturation", 1).track, 20)
    assert curves(shot, 1) == {}, "what is not animated stays so"


def test_controls_and_the_image_follow_the_frame(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE, "mix": Curve([Key(1, 1.0, "hold"), Key(2, 0.5)])}))
    for frame, stops, mix in ((1, 0.0, 100.0), (2, 0.25, 50.0), (6, 1.0, 50.0)):
        go(shot, frame, qtbot)
        card = shot.panel.cards[0]
        assert (row(shot).number, card.mix.number) == (stops, mix)
        assert shot.workspace.stage.grade.entries == shot.document.entries_at_frame
        qtbot.waitUntil(lambda: shot.workspace.stage.shown_request is not None)
        qtbot.waitUntil(lambda: shot.workspace.stage.shown_request.grade == shot.document.grade_at_frame)
    assert shot.document.undo_text == ""


def test_a_folded_panel_catches_up(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}))
    shot.docks.show("history")
    go(shot, 1, qtbot)
    shot.docks.show("grade")
    qtbot.waitUntil(lambda: row(shot).number == 0.0)


def test_keys_by_the_keyboard(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}))
    row(shot).track.setFocus()
    qtbot.keyClick(shot, Keys.Key_K, ALT)
    assert curves(shot)["stops"].frames == (1, 3, 5)
    qtbot.keyClick(shot, Keys.Key_Comma, ALT)
    qtbot.waitUntil(lambda: shot.document.frame == 1)
    qtbot.keyClick(shot, Keys.Key_Period, ALT)
    qtbot.waitUntil(lambda: shot.document.frame == 3)
    qtbot.keyClick(row(shot).track, Keys.Key_K, ALT)
    assert curves(shot)["stops"].frames == (1, 5)
    go(shot, 2, qtbot)
    qtbot.keyClick(shot, Keys.Key_K, ALT | SHIFT)
    assert curves(shot)["stops"].key_at(2) == Key(2, 0.25, "linear")
    shot.actions_by_name["remove_keys"].trigger()
    assert curves(shot)["stops"] == RISE


def test_the_menu_of_a_control(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}), ops.Saturation())
    track, other = row(shot).track, row(shot, "saturation", 1).track
    choose(menu_of(track, shot), "Interpolation", "Hold")
    assert [key.interpolation for key in curves(shot)["stops"].keys] == ["hold", "hold"]
    assert shot.document.undo_text == "hold keys of Exposure stops"
    choose(menu_of(track, shot), "Copy keys")
    choose(menu_of(other, shot), "Paste keys")
    assert curves(shot, 1)["saturation"].keys == (Key(3, 0.0, "hold"), Key(7, 1.0, "hold"))
    choose(menu_of(track, shot), "Set key at 3")
    choose(menu_of(track, shot), "Delete key")
    assert curves(shot)["stops"].frames == (1, 5)
    choose(menu_of(track, shot), "Delete all keys")
    assert shot.document.entries[0] == ops.Exposure(0.0)
    inner = menu_of(track, shot)
    assert [each.text() for each in inner.actions() if each.text()][-1] == "Exposure", "the commands of the entry"
    inner.close()


def test_keys_of_a_matte(shot, qtbot):
    begin(shot, Layer(ops.Exposure(1.0), matte=Matte(Leaf(Ellipse()), frame=(192, 108))))
    shot.panel.select(0)
    matte = card_matte(shot)
    matte.open(True)
    shot.workspace.matte_editor.select(())
    section: Any = expect(MatteSection, matte.section)
    feather, centre = section.shape.rows["feather"], section.body.editors["center"]
    for control in (feather, centre, section.tree.rows[0].keyed_opacity):
        hover(control)
        qtbot.mouseClick(expect(QWidget, mark(control).button), LEFT)
    paths = ["matte.feather", "matte.tree.0.center.0", "matte.tree.0.center.1", "matte.tree.0.opacity"]
    assert list(curves(shot)) == paths
    go(shot, 5, qtbot)
    shot.workspace.matte_editor.set_fields({"center": (30.0, 40.0)}, "centre")
    shot.workspace.matte_editor.shape("feather", feather=10.0)
    assert [len(curves(shot)[path].keys) for path in paths] == [2, 2, 2, 1]
    go(shot, 3, qtbot)
    assert feather.number == 0.0
    assert section.body.source.center == Ellipse().center
    assert shot.workspace.matte_selection.source.center == Ellipse().center
    assert mark(feather).state is KeyState.KEY


def test_the_timeline_shows_the_keys_of_the_selected_entry_and_of_others(shot):
    begin(
        shot, Layer(ops.Exposure(), keys={"stops": RISE}), Layer(ops.Saturation(), keys={"mix": Curve([Key(2, 0.5)])})
    )
    shot.panel.select(1)
    timeline = shot.workspace.panel("timeline").timeline
    assert timeline._keys == (frozenset({2}), frozenset({1, 2, 5}))
    shot.panel.select(0)
    assert timeline._keys == (frozenset({1, 5}), frozenset({1, 2, 5}))


def test_a_reset_entry_has_no_keys_but_those_of_its_matte(shot):
    keys = {"stops": RISE, "matte.feather": RISE}
    begin(shot, Layer(ops.Exposure(), matte=Matte(Leaf(Ellipse())), keys=keys))
    shot.actions_by_name["entry_reset"].trigger()
    assert curves(shot) == {"matte.feather": RISE}


@pytest.mark.parametrize("name", ["entry_duplicate", "group"])
def test_copies_and_groups_keep_keys(shot, name):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}))
    shot.panel.select(0)
    shot.actions_by_name[name].trigger()
    assert curves(shot, 1) == {"stops": RISE}


def test_a_version_is_compared_at_the_frame(shot, qtbot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}))
    version = shot.document.keep_version()
    go(shot, 5, qtbot)
    shot.workspace.set_view(compare="wipe", against=VersionTarget(version.number))
    stage = shot.workspace.stage
    assert stage.other.comparison(stage.grade, None).grade == version.grade.at(5)
    shot.workspace.set_view(compare="", against=SOURCE)


def test_the_centre_of_the_diamond_lies_before_the_track(shot):
    begin(shot, Layer(ops.Exposure(), keys={"stops": RISE}))
    button = expect(QWidget, mark(row(shot)).button)
    assert button.geometry().center().x() == pytest.approx(row(shot).track.x() - 4, abs=1)
    assert row(shot).rect().contains(button.mapTo(row(shot), QPoint(0, 0)))

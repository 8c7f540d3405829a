"""The stack of a grade, driven by mouse and keyboard."""

from __future__ import annotations

import itertools
from pathlib import Path
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QApplication, QMenu

from app.model.looks import looks
from app.panels.card_title import CardTitle
from app.panels.group_card import GroupCard
from app.panels.mix_slider import MixSlider
from app.panels.op_menu import category_of, made, offers
from app.shell.main_window import MainWindow
from app.widgets.curve_plot import CurvePlot
from app.widgets.wheel import ColourWheel
from engine import FileLook, Grade, Layer, ops
from engine.grade.entries import Group
from engine.grade.grade import layer_of
from engine.kernel.op import REGISTRY
from tests.app.hands import ALT, CTRL, LEFT, SHIFT, Key, drag, move
from tests.app.panels.acting import THREE, names, pull, show
from tests.app.repainted import PaintCount
from tests.typed import expect


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
    assert graded.panel.stack.line.isVisible()
    qtbot.keyClick(title, Key.Key_Escape)
    qtbot.mouseRelease(title, LEFT, pos=QPoint(30, -200))
    assert names(graded) == "SCE", "Escape leaves it where it was"
    assert not graded.panel.stack.line.isVisible()


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
    graded.document.switch(0, "mix", 0.5)
    drag(qtbot, graded.panel.cards[0].editors["stops"].row.track, 30)
    entry = graded.document.grade.entries[0]
    assert isinstance(entry, Layer)
    assert entry.mix == 0.5
    assert expect(ops.Exposure, entry.entry).stops > 0.6


def test_an_entry_that_resizes_has_no_mix(graded: MainWindow):
    graded.document.open_grade(Grade([ops.Resize(64, 32), ops.Blur(2.0), ops.Exposure()]), None)
    assert [card.mix.isHidden() for card in graded.panel.cards] == [True, False, False]


def test_duplicate_reset_and_remove(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    qtbot.keyClick(graded, Key.Key_D, CTRL)
    assert graded.document.grade.entries[:2] == (ops.Exposure(0.5),) * 2
    assert graded.panel.at == 1
    graded.document.switch(1, "mix", 0.5)
    qtbot.keyClick(graded, Key.Key_Backspace, CTRL)
    assert graded.document.grade.entries[:2] == (ops.Exposure(0.5), ops.Exposure())
    qtbot.keyClick(graded.panel.cards[1].title, Key.Key_Delete)
    assert names(graded) == "ESC"
    qtbot.keyClick(graded, Key.Key_Delete, CTRL)
    assert names(graded) == "EC"
    qtbot.mouseClick(graded.panel.cards[0].remove, LEFT)
    qtbot.keyClick(graded, Key.Key_Delete, CTRL)
    assert names(graded) == ""
    assert graded.panel.stack.empty.isVisible()
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
    menu = graded.panel.footer.op_menu
    assert menu.isVisible()
    assert len(menu.titles()) == len(offers()) + len(looks())
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
    qtbot.mouseClick(graded.panel.footer.add_op, LEFT)
    menu = graded.panel.footer.op_menu
    row = next(i for i in range(menu.list.count()) if menu.list.item(i).text() == "RGB curves")
    menu.list.scrollToItem(menu.list.item(row))
    qtbot.mouseClick(menu.list.viewport(), LEFT, pos=menu.list.visualItemRect(menu.list.item(row)).center())
    assert graded.document.grade.entries[-1] == ops.GradingRgbCurve.straight()
    assert graded.document.grade.effective == THREE.entries, "a new curve changes nothing"


def test_a_look_is_found_and_added_as_a_group(graded: MainWindow, qtbot: Any):
    graded.panel.select(0, focus=True)
    qtbot.keyClick(graded, Key.Key_A, SHIFT)
    menu = graded.panel.footer.op_menu
    qtbot.keyClicks(menu.search, "bleach")
    assert menu.titles() == ["Bleach bypass"]
    qtbot.keyClick(menu.search, Key.Key_Return)
    group = graded.document.grade.entries[1]
    assert isinstance(group, Group)
    assert group.name == "Bleach bypass"
    assert (group,) == looks()[1].preset.grade.entries
    assert isinstance(graded.panel.cards[graded.document.current_entry], GroupCard)
    graded.document.undo()
    assert names(graded) == "ESC"


def test_every_op_has_a_place_in_the_menu_or_needs_a_file():
    listed = {offer.kind for offer in offers()}
    assert {name for name, op in REGISTRY.items() if op not in listed} >= {"Lut1d", "Lut3d", "InverseLut1d"}
    assert [o.title for o in offers() if o.category == "Other"] in ([], ["Resize"])
    assert category_of(ops.Aces2Jmh) == "ACES"
    assert all(offer.about for offer in offers())


def test_copy_and_paste(graded: MainWindow, qtbot: Any, cube: Path):
    clip = QGuiApplication.clipboard()
    graded.panel.select(0, focus=True)
    graded.document.switch(0, "mix", 0.25)
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
        ('{"tessera": "grade", "version"', "not a complete grade"),
        ('{"tessera": "grade", "version": 99, "entries": []}', "update Tessera"),
        ('{"tessera": "grade", "version": 1, "entries": [{"op": 7}]}', "there is no op named"),
    ],
)
def test_what_can_not_be_pasted_is_reported(graded: MainWindow, qtbot: Any, text: str, says: str):
    QGuiApplication.clipboard().setText(text)
    qtbot.keyClick(graded, Key.Key_V, CTRL)
    assert says in graded.bar.text
    assert graded.document.grade == THREE


def test_what_is_painted_here_can_be_found_named_and_reached(graded: MainWindow, qtbot: Any):
    curves = (ops.GradingRgbCurve.straight(), ops.GradingHueCurve.neutral())
    entries = (ops.Cdl(), ops.GradingPrimary(style="linear"), ops.GradingTone(), *curves)
    show(graded, *entries)
    graded.panel.open_all()
    qtbot.waitUntil(lambda: graded.panel.complete)
    kinds = (ColourWheel, CurvePlot, MixSlider, CardTitle)
    painted = [w for card in graded.panel.cards for kind in kinds for w in card.findChildren(kind)]
    assert len(painted) == 3 + 3 + 1 + 2 + 2 * len(entries)
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
    entries = [made(offer.kind) for offer in offers()]
    graded.document.open_grade(Grade([*entries, FileLook("/looks/a_rather_long_name_of_a_look_v012.cube", ())]), None)
    graded.panel.open_all()
    qtbot.waitUntil(lambda: graded.panel.complete)
    room = graded.panel.minimumWidth() - 16 - graded.panel.stack.area.verticalScrollBar().sizeHint().width()
    wide = {card.name: card.minimumSizeHint().width() for card in graded.panel.cards}
    assert {name: width for name, width in wide.items() if width > room} == {}


def test_a_drag_ends_where_another_image_is_shown(graded: MainWindow):
    first = graded.document
    first.begin_drag()
    graded.workspace.open_documents.new()
    graded.workspace.open_documents.show(first)
    for stops in (1.0, 2.0):
        first.edit(Grade([ops.Exposure(stops)]), "exposure", "0.stops", seconds=0.0)
    assert first.steps == 2


def test_a_drag_repaints_only_what_it_changes(graded: MainWindow, qapp: QApplication, qtbot: Any):
    card, document = graded.panel.cards[0], graded.document
    card.open(True)
    slider, stops = card.editors["stops"].row.track, itertools.count(0.01, 0.01)
    counts = [PaintCount(each) for each in (card.title, card.mix, slider)]

    def painted() -> list[int]:
        for each in counts:
            each.count = 0
        document.edit_entry(0, ops.Exposure(next(stops)), "exposure", "0.stops")
        qapp.processEvents()
        return [each.count for each in counts]

    document.begin_drag()
    qtbot.waitUntil(lambda: painted() == [0, 0, 1])  # once the open card has been laid out
    document.end_drag()

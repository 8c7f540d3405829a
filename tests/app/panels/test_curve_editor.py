"""The curve editor above the timeline: its list of animated controls, and edits of their keys."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from PySide6.QtCore import QItemSelectionModel

from app.panels.animated import animated, lines_of, taken
from app.panels.curve_editor import CurveEditor
from app.panels.parameters import parameter
from app.panels.timeline_panel import TimelinePanel
from app.shell.main_window import MainWindow
from engine import ops
from engine.grade.curves import Curve, Key
from engine.grade.keys import numbers_of
from engine.mattes import SOURCES, Ellipse, Leaf, Matte, Path
from tests.app.hands import CTRL, LEFT, SHIFT, move
from tests.app.hands import Key as Keys
from tests.app.panels.keyed import RISE, Layer, begin, curves, go
from tests.typed import expect

SINK = Curve([Key(2, 1.0, "linear"), Key(6, 0.2, "linear")])
CDL = {"slope.0": RISE, "slope.1": SINK, "mix": SINK}


@pytest.fixture
def editor(keyed: MainWindow, qtbot: Any) -> Iterator[CurveEditor]:
    """The editor, open for two entries with keys, the second of which is selected."""
    begin(keyed, Layer(ops.Exposure(), keys={"stops": RISE}), Layer(ops.Cdl(), keys=CDL))
    keyed.panel.select(1)
    action = keyed.actions_by_name["curve_editor"]
    if not action.isChecked():
        action.trigger()
    panel = expect(TimelinePanel, keyed.workspace.panel("timeline"))
    made = expect(CurveEditor, panel.editor)
    qtbot.waitUntil(made.isVisible)
    yield made


def listed(editor: CurveEditor, selected: bool = False) -> list[str]:
    return [item.text(0) for item in editor._items() if item.isSelected() or not selected]


def choose(editor: CurveEditor, name: str) -> None:
    item = next(item for item in editor._items() if item.text(0) == name)
    editor.list.setCurrentItem(item, 0, QItemSelectionModel.SelectionFlag.ClearAndSelect)


def test_the_command_opens_and_closes_it(keyed, editor, qtbot):
    holder = keyed.docks.docks["timeline"].widget()
    assert holder.height() > 56 + 100
    assert editor.plot.hasFocus()
    keyed.actions_by_name["curve_editor"].trigger()
    qtbot.waitUntil(lambda: holder.height() == 56)
    assert not editor.isVisible()


def test_it_shows_the_controls_of_the_selected_entry(keyed, editor):
    assert listed(editor) == ["Exposure", "Stops", "CDL", "Slope", "Mix"]
    assert listed(editor, selected=True) == ["CDL"]
    assert [line.name for line in editor.plot.lines] == ["CDL slope R", "CDL slope G", "CDL mix"]
    assert [line.unit for line in editor.plot.lines] == ["", "", "%"]
    assert editor.plot.lines[2].curve.keys[0].value == 100.0
    keyed.panel.select(0)
    assert [line.id for line in editor.plot.lines] == [(0, "stops")]
    choose(editor, "Mix")
    assert [line.id for line in editor.plot.lines] == [(1, "mix")]


def test_a_move_is_one_step_and_undone(keyed, editor, qtbot):
    editor.plot.select(frozenset({((1, "slope.0"), 5), ((1, "mix"), 6)}))
    editor.plot.setFocus()
    for _ in range(3):
        qtbot.keyClick(editor.plot, Keys.Key_Right)
    assert [curves(keyed, 1)[path].frames for path in ("slope.0", "slope.1", "mix")] == [(1, 8), (2, 6), (2, 9)]
    assert keyed.document.history == ["", "move of keys of 2 controls"]
    keyed.document.undo()
    assert curves(keyed, 1) == CDL
    assert editor.plot.lines[0].curve == RISE


def test_percentages_are_taken_as_fractions(keyed, editor, qtbot):
    choose(editor, "Mix")
    editor.plot.select(frozenset({((1, "mix"), 6)}))
    editor.header.value.setValue(35.0)
    assert curves(keyed, 1)["mix"].keys[1] == Key(6, 0.35, "linear")
    assert keyed.document.undo_text == "value of keys of CDL mix"
    editor.header.value.setValue(250.0)
    assert curves(keyed, 1)["mix"].keys[1].value == 1.0


def test_the_frame_field_moves_keys(keyed, editor):
    choose(editor, "Stops")
    editor.plot.select(frozenset({((0, "stops"), 5)}))
    assert editor.header.frame.frame == 5
    editor.header.frame.edited.emit(4)
    assert curves(keyed)["stops"].frames == (1, 4)
    assert editor.header.frame.frame == 4


def test_interpolation_by_the_buttons(keyed, editor, qtbot):
    choose(editor, "Stops")
    editor.plot.select_all()
    assert editor.header.interpolations["linear"].isChecked()
    qtbot.mouseClick(editor.header.interpolations["hold"], LEFT)
    assert [key.interpolation for key in curves(keyed)["stops"].keys] == ["hold", "hold"]
    assert keyed.document.undo_text == "hold keys of Exposure stops"


def test_keys_are_set_copied_pasted_and_removed(keyed, editor, qtbot):
    choose(editor, "Stops")
    editor.plot.setFocus()
    qtbot.keyClick(editor.plot, Keys.Key_Insert)
    assert curves(keyed)["stops"].key_at(3) == Key(3, 0.5, "linear")
    assert keyed.document.undo_text == "key of Exposure stops at 3"
    assert editor.plot.selection == {((0, "stops"), 3)}
    editor.plot.select(frozenset({((0, "stops"), 3), ((0, "stops"), 5)}))
    qtbot.keyClick(editor.plot, Keys.Key_C, CTRL)
    choose(editor, "Slope")
    go(keyed, 6, qtbot)
    qtbot.keyClick(editor.plot, Keys.Key_V, CTRL)
    assert curves(keyed, 1)["slope.0"].frames == (1, 5, 6, 8)
    assert curves(keyed, 1)["slope.1"].keys[1:] == (Key(6, 0.5, "linear"), Key(8, 1.0, "linear"))
    assert keyed.document.undo_text == "pasting keys of these curves"
    qtbot.keyClick(editor.plot, Keys.Key_A, CTRL)
    qtbot.keyClick(editor.plot, Keys.Key_Delete)
    assert set(curves(keyed, 1)) == {"mix"}
    assert listed(editor) == ["Exposure", "Stops", "CDL", "Mix"]


def test_steps_between_keys(keyed, editor, qtbot):
    qtbot.mouseClick(editor.header.next, LEFT)
    qtbot.waitUntil(lambda: keyed.document.frame == 5)
    assert editor.plot.frame == 5
    qtbot.mouseClick(editor.header.previous, LEFT)
    qtbot.waitUntil(lambda: keyed.document.frame == 2)


def test_a_drag_of_keys_is_one_step(keyed, editor, qtbot):
    choose(editor, "Stops")
    start, end = (editor.plot.axes.spot(frame, 1.0).toPoint() for frame in (5, 6))
    qtbot.mousePress(editor.plot, LEFT, SHIFT, start)
    for share in (0.3, 0.6, 1.0):
        move(editor.plot, start + (end - start) * share, LEFT, SHIFT)
    qtbot.mouseRelease(editor.plot, LEFT, SHIFT, end)
    assert keyed.document.history == ["", "move of keys of Exposure stops"]
    assert curves(keyed)["stops"].frames == (1, 6)


@pytest.mark.parametrize("name", sorted(SOURCES))
def test_every_number_of_an_entry_has_a_name(name):
    source = SOURCES[name].for_frame(192, 108)
    if isinstance(source, Path):
        assert source.points
    entry = Layer(ops.GradingTone(), matte=Matte(Leaf(source)))
    for path in numbers_of(entry):
        known = parameter(entry, path)
        assert known.name and path.startswith(known.control)


def test_curves_of_lines_are_those_of_the_entries():
    entry = Layer(ops.Cdl(), matte=Matte(Leaf(Ellipse())), keys=CDL | {"matte.tree.0.opacity": SINK})
    controls = animated(0, entry)[2]
    lines = lines_of(controls, [entry])
    assert taken({line.id: line.curve for line in lines}, controls) == {0: dict(entry.keys)}

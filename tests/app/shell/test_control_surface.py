"""A MIDI control surface: it moves what is selected, and its mapping is learnt in the Preferences."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast
from unittest.mock import patch

import pytest
from PySide6.QtCore import QObject, QPoint, Qt, Signal
from PySide6.QtGui import QAction

from app.model.control_surface import ABSOLUTE, OFFSET, TWOS_COMPLEMENT, Control
from app.model.document import Document
from app.model.view_state import ViewState
from app.services.jobs import Jobs
from app.services.messages import Messages
from app.services.midi import Midi
from app.services.open_documents import OpenDocuments
from app.services.settings import Settings
from app.services.tangent import Tangent
from app.shell.control_surface import ControlSurface
from app.shell.main_window import MainWindow
from app.shell.surface_page import SurfacePage
from app.shell.surface_values import Reached, reached, sliders_of
from app.widgets.late_pages import LatePages
from engine import Grade, ops
from tests.app.conftest import begin_with
from tests.app.hands import LEFT, Key
from tests.typed import expect

KNOB, FADER, BUTTON = Control("cc", 1, 7), Control("bend", 1), Control("note", 1, 60)


class FakeMidi(QObject):
    """A port without hardware."""

    moved = Signal(object, tuple)
    changed = Signal()
    ports, port, problem, connected = ("Knobs", "Faders"), "", "", False

    def choose(self, port: str) -> None:
        self.port, self.connected = port, bool(port)
        self.changed.emit()

    def refresh(self) -> None:
        self.changed.emit()


@pytest.fixture
def surface(qapp: Any, tmp_path: Path) -> Iterator[ControlSurface]:
    """A surface for a document with an exposure and a CDL, the exposure selected."""
    top, jobs = QObject(), Jobs()
    settings = Settings(tmp_path, jobs, top)
    current = OpenDocuments(jobs, ViewState(), top).current
    undo = QAction("&Undo", top)
    undo.triggered.connect(lambda: current.document.undo())
    made = ControlSurface(
        cast(Midi, FakeMidi(top)),
        Tangent(settings, jobs, "", top),
        current,
        settings,
        Messages(top),
        {"undo": undo},
        top,
    )
    begin_with(current.document, Grade([ops.Exposure(), ops.Cdl()]))
    current.document.select(0)
    yield made
    made.tangent.close()
    jobs.close()


def document(surface: ControlSurface) -> Document:
    return surface._current.document


def number(surface: ControlSurface, target: str) -> Reached | None:
    """The number that a target stands for now."""
    return reached(document(surface).grade, document(surface).current_entry, target)


def turn(surface: ControlSurface, control: Control, *raw: int) -> None:
    surface.midi.moved.emit(control, tuple(value / 127 for value in raw))


def stops(surface: ControlSurface) -> float:
    return expect(ops.Exposure, document(surface).grade.entries[0]).stops


def cdl(surface: ControlSurface) -> ops.Cdl:
    return expect(ops.Cdl, document(surface).grade.entries[1])


def test_an_absolute_control_picks_the_value_up_and_makes_one_step(surface: ControlSurface):
    surface.map("slider 1", KNOB, ABSOLUTE)
    turn(surface, KNOB, 10)
    turn(surface, KNOB, 40)
    assert stops(surface) == 0.0, "it has not reached the value"
    turn(surface, KNOB, 66)
    turn(surface, KNOB, 80)
    turn(surface, KNOB, 90, 95)
    moved = stops(surface)
    assert moved == pytest.approx(8.0 * 95 / 127 - 4.0, abs=1e-3)
    assert document(surface).steps == 1 and document(surface).undo_text == "Exposure stops"
    document(surface).undo()
    turn(surface, KNOB, 96)
    assert stops(surface) == 0.0, "undo moved the value away from the control"


def test_a_relative_control_moves_from_where_the_value_is(surface: ControlSurface):
    surface.map("slider 1", KNOB, TWOS_COMPLEMENT)
    turn(surface, KNOB, 1, 1)
    up = stops(surface)
    turn(surface, KNOB, 127)
    assert 0.0 < stops(surface) == pytest.approx(up / 2)


def test_controls_follow_the_selected_entry(surface: ControlSurface):
    surface.map("slider 1", KNOB, OFFSET)
    document(surface).select(1)
    turn(surface, KNOB, 65)
    assert stops(surface) == 0.0 and cdl(surface).saturation > 1.0
    document(surface).select(0)
    turn(surface, KNOB, 63)
    assert stops(surface) < 0.0


def test_wheels_are_those_of_the_nearest_entry_that_has_some(surface: ControlSurface):
    surface.map("wheel 1 y", KNOB, TWOS_COMPLEMENT)
    surface.map("wheel 2 master", FADER, ABSOLUTE)
    turn(surface, KNOB, 5)
    assert cdl(surface).slope[0] > 1.0 > cdl(surface).slope[2]
    surface.midi.moved.emit(FADER, (0.4,))
    surface.midi.moved.emit(FADER, (0.6,))
    assert cdl(surface).offset == pytest.approx((0.2, 0.2, 0.2))
    for _ in range(60):
        turn(surface, KNOB, 10)
    x, y = (number(surface, f"wheel 1 {part}").position * 2.0 - 1.0 for part in "xy")  # type: ignore[union-attr]
    assert x**2 + y**2 == pytest.approx(1.0, abs=1e-2), "held at the rim"


@pytest.mark.parametrize("op", [ops.Exposure(), ops.Cdl(), ops.Matrix(), ops.GradingTone(), ops.Range()])
def test_every_slider_without_a_wheel_is_reached_in_order(surface: ControlSurface, op: Any):
    begin_with(document(surface), Grade([op]))
    for place, (field, _, part) in enumerate(sliders_of(op), 1):
        found = number(surface, f"slider {place}")
        assert found is not None and found.target == ((0, type(op), field), part)
        assert 0.0 <= found.position <= 1.0
        assert found.at(found.position) == pytest.approx(found.value, abs=1e-4)
    assert number(surface, f"slider {len(sliders_of(op)) + 1}") is None


def test_a_button_gives_a_command_once(surface: ControlSurface):
    document(surface).edit_entry(0, ops.Exposure(1.0), "one")
    document(surface).edit_entry(0, ops.Exposure(2.0), "two")
    surface.map("command undo", BUTTON, ABSOLUTE)
    surface.midi.moved.emit(BUTTON, (1.0,))
    surface.midi.moved.emit(BUTTON, (1.0,))
    surface.midi.moved.emit(BUTTON, (0.0,))
    assert stops(surface) == 1.0
    surface.midi.moved.emit(BUTTON, (1.0, 0.0))
    assert stops(surface) == 0.0


def test_an_edit_that_the_op_rejects_is_a_warning(surface: ControlSurface):
    begin_with(document(surface), Grade([ops.Cdl(direction="reverse")]))
    warned: list[str] = []
    surface._messages.warned.connect(lambda each: warned.append(each.text))
    surface.map("slider 1", KNOB, TWOS_COMPLEMENT)
    for _ in range(4):
        turn(surface, KNOB, 65)
    assert warned and document(surface).grade.entries[0] == ops.Cdl(direction="reverse")


def test_a_control_is_learnt_on_the_page(surface: ControlSurface, qtbot: Any):
    page = SurfacePage(surface)
    qtbot.addWidget(page)
    page.show()
    page.port.setCurrentIndex(1)
    page.port.activated.emit(1)
    assert surface.midi.port == "Knobs" and page.state.text() == "Knobs is connected."
    qtbot.keyClicks(page.field, "slider 2")
    assert [t for t, item in page.items.items() if not item.isHidden()] == ["slider 2"]
    page.list.setCurrentItem(page.items["slider 2"])
    page.learn.setFocus()
    qtbot.keyClick(page.learn, Key.Key_Space)
    assert page.items["slider 2"].text(1) == "Move a control…"
    turn(surface, KNOB, 1)
    turn(surface, KNOB, 1, 1)
    assert surface.mapping == {KNOB: ("slider 2", TWOS_COMPLEMENT)}
    assert page.items["slider 2"].text(1) == "CC 7, channel 1" and not page.learn.isChecked()
    page.mode.setCurrentIndex(0)
    page.mode.activated.emit(0)
    assert surface.mapping == {KNOB: ("slider 2", ABSOLUTE)}
    qtbot.mouseClick(page.clear, LEFT)
    assert surface.mapping == {} and page.items["slider 2"].text(1) == ""
    page.list.setCurrentItem(page.items["command undo"])
    qtbot.mouseClick(page.learn, LEFT)
    surface.midi.moved.emit(BUTTON, (1.0,))
    assert surface.mapping == {BUTTON: ("command undo", ABSOLUTE)} and not page.mode.isEnabled()
    qtbot.mouseClick(page.learn, LEFT)
    page.hide()
    assert surface.learning == "", "learning ends with the page"


def test_a_damaged_mapping_is_left_out(surface: ControlSurface):
    entries = {"cc 1 7": ["slider 1", ABSOLUTE], "knob": ["slider 1", ABSOLUTE], "cc 1 8": ["slider 1"], "cc 1 9": 3}
    surface._settings.set("midi_controls", entries)
    assert surface.mapping == {KNOB: ("slider 1", ABSOLUTE)}


def test_tangent_panels_move_what_is_selected(surface: ControlSurface):
    tangent = surface.tangent
    with patch.object(tangent, "send_value") as sent:
        tangent.turned.emit("slider 1", 0.25)
        assert stops(surface) == pytest.approx(2.0)
        assert sent.call_args.args == ("slider 1", pytest.approx(0.75), False)
        for _ in range(4):
            tangent.turned.emit("slider 1", 3e-5)  # less than its decimals
        assert stops(surface) > 2.0
        tangent.reset.emit("slider 1")
        assert stops(surface) == 0.0
        assert sent.call_args.args == ("slider 1", 0.5, True)
        tangent.turned.emit("wheel 1 y", 0.1)
        assert cdl(surface).slope[0] > 1.0 > cdl(surface).slope[2]
        tangent.asked.emit("wheel 5 x")
        assert sent.call_args.args == ("wheel 5 x", 0.0, True), "a CDL has three"
    tangent.pressed.emit("undo")
    assert cdl(surface) == ops.Cdl()
    tangent.pressed.emit("no such command")


def test_the_hub_is_switched_on_the_page(surface: ControlSurface, qtbot: Any):
    page = SurfacePage(surface)
    qtbot.addWidget(page)
    page.show()
    assert page.hub.text() == ""
    qtbot.keyClick(page.tangent, Key.Key_Space)
    assert surface.tangent.enabled and page.hub.text() == "not running"
    qtbot.mouseClick(page.tangent, LEFT, pos=QPoint(8, page.tangent.height() // 2))
    assert not surface.tangent.enabled and page.hub.text() == ""


def test_every_control_of_the_page_is_named(surface: ControlSurface, qtbot: Any):
    page = SurfacePage(surface)
    qtbot.addWidget(page)
    for control in (page.port, page.search, page.tangent, page.field, page.list, page.learn, page.clear, page.mode):
        assert control.accessibleName() and control.toolTip()
        assert control.focusPolicy() & Qt.FocusPolicy.TabFocus


def test_the_preferences_have_the_page_of_the_surfaces(window: MainWindow):
    window.show_preferences()
    pages = window.findChild(LatePages)
    assert pages is not None and window.findChild(SurfacePage) is None  # until it is shown
    pages.setCurrentIndex(4)
    page = window.findChild(SurfacePage)
    assert isinstance(page, SurfacePage) and "command undo" in page.items
    window.document.open_grade(Grade([ops.Exposure()]), None)
    window.surface.map("slider 1", KNOB, TWOS_COMPLEMENT)
    turn(window.surface, KNOB, 3)
    assert expect(ops.Exposure, window.document.grade.entries[0]).stops > 0.0
    assert page.items["slider 1"].text(1) == "CC 7, channel 1"

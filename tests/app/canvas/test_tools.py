"""The tools of the canvas get its events first, the one on top before the others."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
from PySide6.QtCore import QPoint, QPointF, Qt
from PySide6.QtGui import QKeyEvent, QMouseEvent

from app.canvas.canvas import Canvas
from app.canvas.mattes.window_tool import WindowTool
from app.canvas.pins import PinTool
from app.canvas.tools import Tool
from app.canvas.wipe import WipeTool
from app.shell.main_window import MainWindow
from engine import Grade, ops
from tests.app.conftest import begin_with
from tests.app.hands import CTRL, LEFT, Key, move
from tests.app.panels.acting import is_picking

CENTRE = QPoint(320, 240)


class Recorder(Tool):
    """Writes what it gets into a common list."""

    def __init__(self, name: str, log: list[str], handles: bool = True, is_temporary: bool = False) -> None:
        self.name, self.log, self.handles, self.is_temporary = name, log, handles, is_temporary
        self.cursor: Qt.CursorShape | None = None

    def _note(self, what: str) -> bool:
        self.log.append(f"{self.name} {what}")
        return self.handles

    def mouse_press(self, event: QMouseEvent) -> bool:
        return self._note("press")

    def mouse_move(self, event: QMouseEvent) -> bool:
        return self._note("move")

    def mouse_release(self, event: QMouseEvent) -> bool:
        return self._note("release")

    def key_press(self, event: QKeyEvent) -> bool:
        return self._note("key")

    def cursor_at(self, position: QPointF) -> Qt.CursorShape | None:
        return self.cursor

    def removed(self) -> None:
        self._note("removed")


@pytest.fixture
def canvas(qtbot: Any) -> Canvas:
    shown = Canvas()
    qtbot.addWidget(shown)
    shown.resize(640, 480)
    shown.show()
    shown.set_image(64, 48)
    shown.zoom_to(20.0)
    return shown


EVENTS: dict[str, Callable[[Any, Canvas], object]] = {
    "press": lambda qtbot, canvas: qtbot.mousePress(canvas, LEFT, pos=CENTRE),
    "move": lambda qtbot, canvas: move(canvas, CENTRE + QPoint(9, 9), LEFT),
    "release": lambda qtbot, canvas: qtbot.mouseRelease(canvas, LEFT, pos=CENTRE + QPoint(9, 9)),
    "key": lambda qtbot, canvas: qtbot.keyClick(canvas, Key.Key_Left),
}


@pytest.mark.parametrize("made_first", [0, 1])
@pytest.mark.parametrize("event", EVENTS)
def test_the_tool_on_top_gets_an_event_first(canvas: Canvas, qtbot: Any, event: str, made_first: int):
    log: list[str] = []
    tools = {name: Recorder(name, log) for name in (("low", "top"), ("top", "low"))[made_first]}
    before = canvas.viewport
    for name in ("low", "top"):
        canvas.tools.push(tools[name])
    EVENTS[event](qtbot, canvas)
    tools["top"].handles = False
    EVENTS[event](qtbot, canvas)
    assert log == [f"top {event}", f"top {event}", f"low {event}"]
    assert canvas.viewport == before


def test_the_canvas_gets_what_no_tool_handles(canvas: Canvas, qtbot: Any):
    log: list[str] = []
    canvas.tools.push(Recorder("only", log, handles=False))
    before = canvas.viewport
    for act in EVENTS.values():
        act(qtbot, canvas)
    assert log == [f"only {event}" for event in EVENTS]
    assert canvas.viewport != before


def test_a_tool_that_is_pushed_again_is_on_top(canvas: Canvas, qtbot: Any):
    log: list[str] = []
    one, other = Recorder("one", log), Recorder("other", log)
    for tool in (one, other, one):
        canvas.tools.push(tool)
    assert list(canvas.tools) == [one, other]
    canvas.tools.remove(one)
    canvas.tools.remove(one)
    EVENTS["press"](qtbot, canvas)
    assert log == ["one removed", "other press"]


def test_escape_leaves_the_top_tool_if_it_is_temporary(canvas: Canvas, qtbot: Any):
    log: list[str] = []
    low, top = Recorder("low", log, is_temporary=True), Recorder("top", log)
    canvas.tools.push(low)
    canvas.tools.push(top)
    qtbot.keyClick(canvas, Key.Key_Escape)
    assert low in canvas.tools and log == ["top key"]
    canvas.tools.push(low)
    qtbot.keyClick(canvas, Key.Key_Escape)
    assert list(canvas.tools) == [top] and log == ["top key", "low removed"]


def test_the_cursor_is_that_of_the_topmost_tool_that_has_one(canvas: Canvas, qtbot: Any):
    low, top = Recorder("low", [], handles=False), Recorder("top", [], handles=False)
    low.cursor = Qt.CursorShape.SizeAllCursor
    for tool in (low, top):
        canvas.tools.push(tool)
    assert canvas.cursor().shape() == Qt.CursorShape.SizeAllCursor
    top.cursor = Qt.CursorShape.UpArrowCursor
    move(canvas, CENTRE)
    assert canvas.cursor().shape() == Qt.CursorShape.UpArrowCursor
    qtbot.mousePress(canvas, LEFT, pos=CENTRE)
    assert canvas.cursor().shape() == Qt.CursorShape.ClosedHandCursor
    qtbot.mouseRelease(canvas, LEFT, pos=CENTRE)
    for tool in (low, top):
        canvas.tools.remove(tool)
    assert canvas.cursor().shape() == Qt.CursorShape.CrossCursor


# -- the tools of the window


def line_of_wipe(window: MainWindow) -> QPoint:
    window.workspace.set_view(compare="wipe")
    return window.workspace.stage.wipe._frame().center().toPoint()


def test_pins_are_above_the_wipe(opened: MainWindow, qtbot: Any):
    tools = list(opened.canvas.tools)
    assert [type(tool) for tool in tools] == [WindowTool, PinTool, WipeTool]
    at = line_of_wipe(opened)
    qtbot.mouseClick(opened.canvas, LEFT, CTRL, at)
    assert len(opened.workspace.stage.pins.pins) == 1
    assert opened.workspace.view.wipe_x == 0.5


def test_the_picker_is_above_all_while_it_waits(opened: MainWindow, qtbot: Any):
    at = line_of_wipe(opened)
    begin_with(opened.document, Grade([ops.WhiteBalance()]))
    qtbot.mouseClick(opened.panel.cards[0].body.pick, LEFT)
    move(opened.canvas, at)
    assert opened.canvas.cursor().shape() == Qt.CursorShape.CrossCursor, "the line can't be grabbed now"
    qtbot.mouseClick(opened.canvas, LEFT, CTRL, at)
    qtbot.waitUntil(lambda: opened.document.steps == 1)
    assert not is_picking(opened) and opened.workspace.stage.pins.pins == []
    move(opened.canvas, at)
    assert opened.canvas.cursor().shape() == Qt.CursorShape.SizeAllCursor


def test_a_click_beside_the_image_keeps_the_picker(opened: MainWindow, qtbot: Any):
    begin_with(opened.document, Grade([ops.WhiteBalance()]))
    qtbot.mouseClick(opened.panel.cards[0].body.pick, LEFT)
    qtbot.mouseClick(opened.canvas, LEFT, pos=QPoint(2, 2))
    assert is_picking(opened)
    before = opened.canvas.viewport
    qtbot.mousePress(opened.canvas, Qt.MouseButton.MiddleButton, pos=CENTRE)
    move(opened.canvas, CENTRE + QPoint(30, 0), Qt.MouseButton.MiddleButton)
    qtbot.mouseRelease(opened.canvas, Qt.MouseButton.MiddleButton, pos=CENTRE)
    assert is_picking(opened) and opened.canvas.viewport != before

"""The line of a wipe on the canvas, by mouse."""

from __future__ import annotations

from typing import Any

import pytest
from PySide6.QtCore import QPoint, Qt

from app.shell.main_window import MainWindow
from tests.app.hands import LEFT, SHIFT, move


def test_the_line_of_a_wipe_is_dragged(halved: MainWindow, qtbot: Any):
    canvas, workspace = halved.canvas, halved.workspace
    workspace.set_view(compare="wipe")
    frame = workspace.stage.wipe._frame()
    start = QPoint(round(frame.center().x()), round(frame.center().y()))
    to = QPoint(round(frame.left() + 0.25 * frame.width()), start.y())
    before = canvas.viewport
    move(canvas, start)
    assert canvas.cursor().shape() == Qt.CursorShape.SizeAllCursor
    qtbot.mousePress(canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    move(canvas, to, LEFT)
    qtbot.mouseRelease(canvas, LEFT, Qt.KeyboardModifier.NoModifier, to)
    assert workspace.view.wipe_x == pytest.approx(0.25, abs=0.005)
    assert canvas.viewport == before  # it is not a pan
    move(canvas, QPoint(round(frame.right()) - 20, start.y()))
    assert canvas.cursor().shape() != Qt.CursorShape.SizeAllCursor


def test_with_shift_it_is_turned(halved: MainWindow, qtbot: Any):
    canvas, workspace = halved.canvas, halved.workspace
    workspace.set_view(compare="wipe")
    frame = workspace.stage.wipe._frame()
    middle = QPoint(round(frame.center().x()), round(frame.center().y()))
    start = middle + QPoint(0, -60)
    qtbot.mousePress(canvas, LEFT, SHIFT, start)
    move(canvas, middle + QPoint(60, -60), LEFT, SHIFT)
    qtbot.mouseRelease(canvas, LEFT, SHIFT, middle + QPoint(60, -60))
    assert workspace.view.wipe_angle == pytest.approx(45.0, abs=1.5)
    assert workspace.view.wipe_x == 0.5


def test_beside_the_line_the_image_is_moved(halved: MainWindow, qtbot: Any):
    canvas, workspace = halved.canvas, halved.workspace
    canvas.zoom_to(20.0)
    workspace.set_view(compare="wipe")
    before = canvas.viewport
    start = QPoint(40, 40)
    qtbot.mousePress(canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    move(canvas, start + QPoint(30, 10), LEFT)
    qtbot.mouseRelease(canvas, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(30, 10))
    assert workspace.view.wipe_x == 0.5 and canvas.viewport != before


def test_nothing_is_grabbed_without_a_wipe(halved: MainWindow, qtbot: Any):
    start = halved.canvas.rect().center()
    qtbot.mousePress(halved.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start)
    move(halved.canvas, start + QPoint(50, 0), LEFT)
    qtbot.mouseRelease(halved.canvas, LEFT, Qt.KeyboardModifier.NoModifier, start + QPoint(50, 0))
    assert halved.workspace.view.wipe_x == 0.5

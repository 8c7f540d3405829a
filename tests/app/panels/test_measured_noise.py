"""Measuring noise in an area of the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, QPointF
from PySide6.QtGui import QImage
from PySide6.QtTest import QTest

from app.canvas.canvas import Canvas
from app.panels.picking import PixelPicker
from app.shell.main_window import MainWindow
from engine import Layer, ops
from engine.compute.noise import measure_noise
from engine.core.geometry import Rect
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.hands import LEFT, Key, move
from tests.app.panels.acting import is_picking, show
from tests.typed import expect


@pytest.mark.parametrize("matted", [False, True])
def test_noise_is_measured_around_a_click(opened: MainWindow, qtbot: Any, matted: bool):
    """What enters the entry is measured, also after a matte; a step back undoes it."""
    before: Any = ops.Exposure(1.0)
    if matted:
        before = Layer(before, matte=Matte(Leaf(Ellipse(center=(96.0, 54.0), size=(300.0, 300.0)))))
    show(opened, before, ops.Denoise())
    body = opened.panel.cards[1].body
    qtbot.mouseClick(body.pick, LEFT)
    assert is_picking(opened)
    qtbot.mouseClick(opened.canvas, LEFT, pos=opened.canvas.rect().center())
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] != ops.Denoise())
    found: Any = opened.document.grade.entries[1]
    height, width = opened.document.image.pixels.shape[:2]
    rows, columns = slice(height // 2 - 20, height // 2 + 21), slice(width // 2 - 20, width // 2 + 21)
    wanted = measure_noise(2.0 * opened.document.image.pixels[rows, columns].astype(np.float64))
    assert found.dark == pytest.approx(wanted.dark, rel=0.05, abs=1e-5)
    assert found.shot == pytest.approx(wanted.shot, rel=0.05, abs=1e-5)
    assert (found.luma, found.chroma) == (1.0, 1.0)
    opened.document.undo()
    assert opened.document.grade.entries[1] == ops.Denoise()


def drag(canvas: Canvas, start: QPoint, end: QPoint) -> None:
    """Press, and move to the end; the release is left to the caller."""
    QTest.mousePress(canvas, LEFT, pos=start)
    move(canvas, (start + end) / 2, LEFT)
    move(canvas, end, LEFT)


def picker_of(window: MainWindow) -> PixelPicker:
    return expect(PixelPicker, next(iter(window.canvas.tools)))


def painted(canvas: Canvas) -> QImage:
    """The canvas as it is drawn."""
    return canvas.grab().toImage()


@pytest.mark.parametrize("matted", [False, True])
def test_a_rectangle_is_dragged_on_the_image(opened: MainWindow, qtbot: Any, matted: bool):
    """It is drawn, and its pixels are measured, whatever way it is dragged; a step back undoes it."""
    before: Any = ops.Exposure(1.0)
    if matted:
        before = Layer(before, matte=Matte(Leaf(Ellipse(center=(96.0, 54.0), size=(300.0, 300.0)))))
    show(opened, before, ops.Denoise())
    canvas, body = opened.canvas, opened.panel.cards[1].body
    qtbot.mouseClick(body.pick, LEFT)
    picker, plain = picker_of(opened), painted(canvas)
    end, start = canvas.rect().center() - QPoint(90, 60), canvas.rect().center() + QPoint(60, 90)
    drag(canvas, start, end)
    (left, top), (right, bottom) = (canvas.pixel_at(QPointF(at)) or (0, 0) for at in (end, start))
    assert picker.area == Rect(left, top, right - left + 1, bottom - top + 1)
    assert opened.document.grade.entries[1] == ops.Denoise(), "nothing is measured before the release"
    assert painted(canvas) != plain
    qtbot.mouseRelease(canvas, LEFT, pos=end)
    assert picker.area is None and not is_picking(opened) and not body.pick.isChecked()
    qtbot.waitUntil(lambda: opened.document.grade.entries[1] != ops.Denoise())
    found: Any = opened.document.grade.entries[1]
    pixels = opened.document.image.pixels[top : bottom + 1, left : right + 1]
    wanted = measure_noise(2.0 * pixels.astype(np.float64))
    assert found.dark == pytest.approx(wanted.dark, rel=0.05, abs=1e-5)
    assert found.shot == pytest.approx(wanted.shot, rel=0.05, abs=1e-5)
    opened.document.undo()
    assert opened.document.grade.entries[1] == ops.Denoise()


def test_escape_ends_a_drag_and_the_largest_side_is_kept(opened: MainWindow, qtbot: Any, monkeypatch: Any):
    show(opened, ops.Denoise())
    canvas, body = opened.canvas, opened.panel.cards[0].body
    monkeypatch.setattr(type(body), "most_side", 30)
    qtbot.mouseClick(body.pick, LEFT)
    picker, plain = picker_of(opened), painted(canvas)
    centre = canvas.rect().center()
    drag(canvas, centre, centre + QPoint(canvas.width(), -20))
    assert picker.area is not None and picker.area.width == 30 and 1 < picker.area.height < 30
    assert picker.area.x == (canvas.pixel_at(QPointF(centre)) or (0, 0))[0]
    qtbot.keyClick(canvas, Key.Key_Escape)
    assert picker.area is None and not is_picking(opened) and not body.pick.isChecked()
    assert painted(canvas) == plain
    qtbot.mouseRelease(canvas, LEFT, pos=centre)
    assert opened.document.grade.entries[0] == ops.Denoise() and not opened.workspace.jobs.waits(body, "pick")


def test_a_small_rectangle_is_said_and_one_beside_the_image_is_not_taken(opened: MainWindow, qtbot: Any):
    show(opened, ops.Denoise())
    canvas, body = opened.canvas, opened.panel.cards[0].body
    said: list[Any] = []
    opened.workspace.messages.warned.connect(said.append)
    qtbot.mouseClick(body.pick, LEFT)
    drag(canvas, QPoint(1, 1), QPoint(5, 5))
    qtbot.mouseRelease(canvas, LEFT, pos=QPoint(5, 5))
    assert is_picking(opened), "no pixel of the image"
    centre = canvas.rect().center()
    drag(canvas, centre, centre + QPoint(4, 4))
    qtbot.mouseRelease(canvas, LEFT, pos=centre + QPoint(4, 4))
    qtbot.waitUntil(lambda: bool(said))
    assert "too small to measure noise" in str(said[0])
    assert opened.document.grade.entries[0] == ops.Denoise()


def test_strengths_stay_and_keys_measure_too(opened: MainWindow, qtbot: Any):
    show(opened, ops.Denoise(0.5, 2.0))
    pick = opened.panel.cards[0].body.pick
    pick.setFocus()
    qtbot.keyClick(pick, Key.Key_Space)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Return)
    qtbot.waitUntil(lambda: opened.document.grade.entries[0] != ops.Denoise(0.5, 2.0))
    found: Any = opened.document.grade.entries[0]
    assert (found.luma, found.chroma) == (0.5, 2.0)

"""The quiet bar with more to say than one line."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from PySide6.QtGui import QImage
from PySide6.QtWidgets import QApplication

from app.canvas.canvas import Canvas
from app.shell import message_bar
from app.shell.main_window import MainWindow
from app.shell.message_bar import MOST_LINES, MessageBar
from app.widgets.style import sheet
from tests.app.hands import drop
from tests.app.repainted import PaintCount


def test_every_bad_file_of_a_drop_is_reported(
    window: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    monkeypatch.setattr(message_bar, "TOGETHER", 1e6)  # a busy machine takes its time to read them
    drop(window.canvas, tmp_path / "one.cube", tmp_path / "two.cube", tmp_path / "three.exr")
    for name in ("one.cube", "two.cube", "three.exr"):
        qtbot.waitUntil(lambda name=name: name in window.bar.text)
    assert len(window.bar.text.splitlines()) == 3
    assert window.bar.geometry().bottom() < window.canvas.height()


def test_too_many_lines_are_counted_and_a_later_one_stands_alone(window: MainWindow, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_bar, "TOGETHER", 1e6)
    for number in range(MOST_LINES + 3):
        window.workspace.messages.warn(f"line {number}")
    assert window.bar.text.splitlines()[0] == "line 3"
    assert window.bar.text.endswith("and 3 more like these")
    monkeypatch.setattr(message_bar, "TOGETHER", 0.0)
    window.workspace.messages.warn("<b>later</b>")
    assert window.bar.text == "<b>later</b>"


def test_a_line_that_holds_no_more_goes_alone(window: MainWindow, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(message_bar, "TOGETHER", 1e6)
    messages = window.workspace.messages
    first, second = messages.warn("first"), messages.warn("second")
    messages.withdraw(first)
    assert window.bar.text == "second"
    messages.withdraw(second)
    assert window.bar.text == ""


def test_warnings_that_come_together_are_placed_once(window: MainWindow, monkeypatch: pytest.MonkeyPatch, qtbot: Any):
    monkeypatch.setattr(message_bar, "TOGETHER", 1e6)
    bar, placed = window.bar, list[int]()
    place = bar._place

    def place_noted() -> None:
        place()
        placed.append(bar.height())

    monkeypatch.setattr(bar, "_place", place_noted)
    window.workspace.messages.warn("first")
    qtbot.waitUntil(lambda: bool(placed))
    placed.clear()
    for number in range(MOST_LINES):
        window.workspace.messages.warn(f"line {number}")
    qtbot.waitUntil(lambda: bool(placed))
    assert len(placed) == 1
    assert bar.label.height() >= MOST_LINES * bar.label.fontMetrics().lineSpacing()
    window.resize(window.width() - 40, window.height() - 40)
    qtbot.waitUntil(lambda: bar.geometry().bottom() == window.canvas.height() - message_bar.EDGE - 1)


def test_a_frame_is_painted_around_the_bar_and_its_corners(qtbot: Any, qapp: QApplication):
    canvas = Canvas()
    qtbot.addWidget(canvas)
    canvas.setStyleSheet(sheet())
    canvas.resize(640, 480)
    canvas.set_image(64, 48)
    bar = MessageBar(canvas)
    bar.offer("A line", "Accept", lambda: None)
    with qtbot.waitExposed(canvas):
        canvas.show()
    painted = PaintCount(bar.label)
    qapp.processEvents()
    for grey in (0x20, 0xE0):
        frame = QImage(64, 48, QImage.Format.Format_RGBX8888)
        frame.fill(0xFF000000 | grey * 0x010101)
        painted.count = 0
        with qtbot.waitSignal(canvas.painted):
            canvas.show_frame(frame, (0.0, 0.0, 64.0, 48.0))
        qapp.processEvents()
        on_screen = canvas.screen().grabWindow(canvas.winId()).toImage().convertToFormat(QImage.Format.Format_RGB32)
        assert painted.count == 0
        assert on_screen == canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    bar.hide()
    with qtbot.waitSignal(canvas.painted):
        canvas.redraw()
    shown = canvas.screen().grabWindow(canvas.winId()).toImage()
    assert shown.pixelColor(bar.geometry().center()) == shown.pixelColor(bar.geometry().center().x(), 240)

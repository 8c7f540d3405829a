"""The accuracy in the status bar: measured when the window is idle, for the frame that is shown and no other."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from app.render.requests import Request
from app.shell.accuracy_badge import brief, drag_text, text_of, tip_of
from app.shell.main_window import MainWindow
from engine import ops
from engine.color.management import Managed
from engine.grade.colour_settings import ColourSetup, InputSpace
from engine.viewing.accuracy import Accuracy
from tests.app.fakes import FakeExecutor


@pytest.fixture
def quick(opened: MainWindow) -> MainWindow:
    """A window that does not wait for long."""
    opened.accuracy._idle.setInterval(0)
    return opened


def shown(window: MainWindow) -> Request:
    request = window.workspace.stage.shown_request
    assert request is not None
    return request


@pytest.mark.parametrize(
    ("found", "text"),
    [
        (Accuracy(0.0, 3136), "exact"),
        (Accuracy(3.06e-7, 3136), "exact, 3e-7"),
        (Accuracy(1e-5, 3136), "exact, 1e-5"),
        (Accuracy(2.4e-4, 3136), "±2e-4"),
        (Accuracy(0.0123, 3136), "±0.01"),
        (Accuracy(0.0, 3136, 12), "12 of 3136 pixels differ"),
    ],
)
def test_an_accuracy_in_words(found: Accuracy, text: str):
    assert text_of(found) == text


def test_the_error_of_a_baked_view_in_words():
    assert drag_text(0.0) == "" and drag_text(0.3 / 255) == "±0.3 / 255 while dragging"
    tip = tip_of(Accuracy(3e-7, 3136, 2), "cpu", 0.3 / 255)
    assert "(cpu)" in tip and "3136 pixels" in tip and "3e-7" in tip and "0.3 of 255" in tip and "NaN" in tip
    assert brief(1.0) == "1"


def test_the_grade_is_measured_when_nothing_moves(
    quick: MainWindow, executor: FakeExecutor, monkeypatch: pytest.MonkeyPatch, qtbot: Any
):
    quick.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    qtbot.waitUntil(lambda: quick.status.accuracy.text().startswith("exact"))
    right = executor.execute_color
    monkeypatch.setattr(executor, "execute_color", lambda pixels, run: right(pixels, run) * np.float32(1.01))
    quick.document.edit_entry(0, ops.Exposure(1.5), "exposure")
    qtbot.waitUntil(lambda: quick.status.accuracy.text() == "±0.01")
    assert "(fake)" in quick.status.accuracy.toolTip() and "0.01" in quick.status.accuracy.toolTip()
    quick.workspace.open_documents.close(quick.document)
    assert quick.status.accuracy.text() == ""


def test_nothing_is_measured_while_frames_arrive(opened: MainWindow, qtbot: Any):
    badge, stage = opened.accuracy, opened.workspace.stage
    qtbot.waitUntil(lambda: stage.shown_request is not None)
    request = shown(opened)
    stage.shown.emit()
    assert badge._idle.isActive()
    stage.shown_request = replace(request, exact=False, view_error=0.4 / 255)
    stage.shown.emit()
    assert not badge._idle.isActive() and opened.status.accuracy.text() == "±0.4 / 255 while dragging"
    stage.shown_request = request
    stage.shown.emit()
    assert badge._idle.isActive() and opened.status.accuracy.text() == ""


def test_late_answers_are_dropped(opened: MainWindow, qtbot: Any):
    qtbot.waitUntil(lambda: opened.workspace.stage.shown_request is not None)
    request, found = shown(opened), Accuracy(0.5, 3136)
    for other in (
        replace(request, serial=request.serial - 1),
        replace(request, grade=request.grade.with_entries((ops.Exposure(5.0),))),
        replace(request, view=replace(request.view, managed=Managed(ColourSetup(output="ACEScg"), InputSpace()))),
    ):
        opened.preview.measured.emit(found, other)
        assert opened.status.accuracy.text() == ""
    opened.preview.measured.emit(found, request)
    assert opened.status.accuracy.text() == "±0.5"
    opened.preview.ready.emit("another")
    assert opened.status.accuracy.text() == ""


def test_a_newer_frame_replaces_a_pending_measurement(opened: MainWindow, qtbot: Any):
    preview = opened.preview
    qtbot.waitUntil(lambda: opened.workspace.stage.shown_request is not None and preview.idle)
    preview.measure()
    preview.submit(opened.document.grade, shown(opened).view)
    assert preview._measuring is None

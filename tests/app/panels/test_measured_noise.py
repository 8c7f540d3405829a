"""Measuring noise in an area of the image."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.shell.main_window import MainWindow
from engine import Layer, ops
from engine.compute.noise import measure_noise
from engine.mattes import Ellipse, Leaf, Matte
from tests.app.hands import LEFT, Key
from tests.app.panels.acting import is_picking, show


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


def test_strengths_stay_and_keys_measure_too(opened: MainWindow, qtbot: Any):
    show(opened, ops.Denoise(0.5, 2.0))
    pick = opened.panel.cards[0].body.pick
    pick.setFocus()
    qtbot.keyClick(pick, Key.Key_Space)
    qtbot.keyClick(opened.focusWidget(), Key.Key_Return)
    qtbot.waitUntil(lambda: opened.document.grade.entries[0] != ops.Denoise(0.5, 2.0))
    found: Any = opened.document.grade.entries[0]
    assert (found.luma, found.chroma) == (0.5, 2.0)

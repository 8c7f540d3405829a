"""Picking objects of the sample image, with the engine itself."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QPoint, Qt
from PySide6.QtGui import QImage

from app.shell.empty_state import SAMPLE
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.grade.entries import Layer
from engine.mattes.cryptomatte import Cryptomatte
from engine.mattes.tree import Leaf, Matte
from tests.app.conftest import end
from tests.app.hands import LEFT, move

SECONDS = 60_000


@pytest.fixture
def real(qtbot: Any) -> Iterator[MainWindow]:
    """A window that shows the sample, and picks for an entry."""
    window = MainWindow("cpu")
    qtbot.addWidget(window)
    window.resize(900, 700)
    window.show()
    window.files.open_image(SAMPLE)
    qtbot.waitUntil(lambda: window.canvas.has_frame, timeout=SECONDS)
    window.document.edit(Grade([Layer(ops.Exposure(1.0), matte=Matte(Leaf(Cryptomatte())))]), "grade")
    window.document.select(0)
    window.workspace.matte_selection.select(())
    window.workspace.matte_selection.pick(True)
    yield window
    end(window)


def test_the_object_under_the_pointer_is_named_highlighted_and_picked(real: MainWindow, qtbot: Any):
    tool = real.workspace.matte_tools.objects
    place = real.canvas.rect().center() + QPoint(10, 40)
    with qtbot.waitSignal(
        real.preview.highlighted,
        timeout=SECONDS,
        check_params_cb=lambda image, _region, matte: image is not None and matte == tool._wanted,
    ) as answer:
        move(real.canvas, place, Qt.MouseButton.NoButton)
    name = tool.lines[0]
    image, region, _ = answer.args
    pixel = real.canvas.pixel_at(place.toPointF())
    assert pixel is not None
    x = int((pixel[0] + 0.5 - region[0]) * image.width() / region[2])
    y = int((pixel[1] + 0.5 - region[1]) * image.height() / region[3])
    covered = alpha(image)
    assert covered[y, x] > 0 and 0.0 < (covered > 0).mean() < 0.9, "the object alone"
    qtbot.mouseClick(real.canvas, LEFT, pos=place)
    qtbot.waitUntil(lambda: real.workspace.matte_selection.source != Cryptomatte(), timeout=SECONDS)
    assert real.workspace.matte_selection.source == Cryptomatte(names=(name,))
    qtbot.waitUntil(lambda: tool.lines[1].endswith("in the matte"))


def alpha(image: QImage) -> np.ndarray:
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return rows[:, : image.width(), 3]

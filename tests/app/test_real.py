"""The window with the engine itself: files, kernels and the export's process."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import view_ops
from app.services.export_options import ExportOrder
from app.shell.empty_state import SAMPLE
from app.shell.main_window import MainWindow
from engine import Grade, ops
from engine.grade.colour_settings import Viewing
from engine.io import read_image
from tests.app.conftest import end
from tests.app.fakes import FakeExecutor

SECONDS = 60_000


@pytest.fixture
def real(qtbot: Any) -> Iterator[MainWindow]:
    """A window that shows the sample."""
    window = MainWindow("cpu")
    qtbot.addWidget(window)
    window.show()
    window.files.open_image(SAMPLE)
    qtbot.waitUntil(lambda: window.canvas.has_frame, timeout=SECONDS)
    yield window
    end(window)


def settled(window: MainWindow, qtbot: Any) -> np.ndarray:
    """The newest exact frame as RGB bytes."""
    wanted = window.document.grade
    with qtbot.waitSignal(
        window.preview.frame,
        timeout=SECONDS,
        check_params_cb=lambda _image, request: request.exact and request.grade is wanted,
    ) as answer:
        window.canvas.view_changed.emit()
    image = answer.args[0]
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return pixels[:, : image.width(), :3].astype(int)


def test_a_frame_is_the_reference_answer(real: MainWindow, qtbot: Any):
    grade = Grade([ops.Exposure(0.5), ops.Cdl(slope=(1.2, 1.0, 0.8), power=(1.1, 1.0, 0.9), saturation=1.3)])
    real.canvas.actual_size()
    real.document.open_grade(grade, None)
    frame = settled(real, qtbot)
    placed = real.canvas.placement()
    assert placed is not None
    x, y, width, height = (int(v) for v in placed.region)
    pixels = real.document.image.pixels[y : y + height, x : x + width]
    expected = (
        FakeExecutor()
        .display(
            FakeExecutor().upload(pixels),
            (*real.document.managed.expanded(grade), *view_ops(real.document.managed, Viewing())),
        )[..., :3]
        .astype(int)
    )
    assert abs(frame - expected).max() <= 1


def test_a_blur_is_shown_and_right_at_the_edge_of_the_view(real: MainWindow, qtbot: Any):
    real.canvas.actual_size()
    real.document.open_grade(Grade([ops.Blur(radius=12.0)]), None)
    large = settled(real, qtbot)
    real.resize(real.minimumSize())
    small = settled(real, qtbot)
    height, width = small.shape[:2]
    top, left = (large.shape[0] - height) // 2, (large.shape[1] - width) // 2
    differences = [
        abs(large[top + dy : top + dy + height, left + dx : left + dx + width] - small).max()
        for dy in (-1, 0, 1)
        for dx in (-1, 0, 1)
        if (top + dy + height <= large.shape[0]) and (left + dx + width <= large.shape[1])
    ]
    assert min(differences) <= 1


def test_export_by_the_dialog(real: MainWindow, tmp_path: Path, qtbot: Any):
    real.document.edit_entry(0, ops.Exposure(1.0), "exposure")
    real.workspace.set_view(exposure=3.0)
    real.actions_by_name["export"].trigger()
    dialog = real.export_dialog
    assert dialog is not None
    dialog.target.setText(str(tmp_path / "out.exr"))
    dialog.form.set_values({"type": "float"})
    dialog.show_header.click()
    qtbot.waitUntil(lambda: "+++" in dialog.header.text.toPlainText(), timeout=SECONDS)
    assert "tessera:grade" in dialog.header.text.toPlainText()
    assert list(tmp_path.iterdir()) == []
    dialog.buttons.export.click()
    exports = real.workspace.exports.exports
    qtbot.waitUntil(lambda: bool(exports))
    export = exports[0]
    qtbot.waitUntil(lambda: export.over, timeout=SECONDS)
    assert export.line.startswith("Wrote")
    before, after = read_image(SAMPLE).pixels, read_image(tmp_path / "out.exr").pixels
    assert after.dtype == np.float32
    np.testing.assert_allclose(after[..., :3], 2.0 * before[..., :3].astype(np.float32), rtol=1e-6)


def test_an_export_that_fails_says_why(real: MainWindow, tmp_path: Path, qtbot: Any):
    grade = real.document.grade
    export = real.workspace.exports.add(ExportOrder(SAMPLE, tmp_path / "no such folder" / "out.exr", grade))
    qtbot.waitUntil(lambda: export.over, timeout=SECONDS)
    assert "no such folder" in real.bar.text


def test_an_export_can_be_stopped(real: MainWindow, tmp_path: Path, qtbot: Any):
    real.document.add(ops.Blur(radius=150.0), "blur")
    export = real.workspace.exports.add(ExportOrder(SAMPLE, tmp_path / "out.exr", real.document.grade))
    export.cancel()
    qtbot.waitUntil(lambda: export.over, timeout=SECONDS)
    assert export.line.startswith("Stopped")
    assert list(tmp_path.iterdir()) == []

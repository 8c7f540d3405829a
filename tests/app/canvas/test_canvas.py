"""What the canvas draws over and around a frame."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from PySide6.QtGui import QImage

from app.canvas.canvas import Canvas
from app.canvas.pixel_values import short
from app.model.viewport import VALUES_SCALE, Viewport
from app.shell.main_window import MainWindow


@pytest.fixture
def canvas(qtbot: Any) -> Canvas:
    shown = Canvas()
    qtbot.addWidget(shown)
    shown.resize(640, 480)
    shown.show()
    shown.set_image(4, 3)
    return shown


def grey(width: int, height: int) -> QImage:
    image = QImage(width, height, QImage.Format.Format_RGBX8888)
    image.fill(0xFF404040)
    return image


def drawn(canvas: Canvas) -> np.ndarray:
    image = canvas.grab().toImage().convertToFormat(QImage.Format.Format_RGB32)
    pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    return pixels[:, : image.width(), :3].astype(int)


def test_values_are_written_into_pixels_that_have_room(canvas: Canvas):
    region = (0.0, 0.0, 4.0, 3.0)
    canvas.zoom_to(VALUES_SCALE + 6)
    canvas.show_frame(grey(4, 3), region)
    plain = drawn(canvas)
    canvas.show_values(np.full((3, 4, 4), 0.18, np.float32), region)
    assert (drawn(canvas) != plain).any()
    canvas.zoom_to(VALUES_SCALE - 6)
    without = drawn(canvas)
    canvas.set_image(4, 3)
    assert (drawn(canvas) == without).all()


def test_values_of_another_region_are_not_written(canvas: Canvas):
    canvas.zoom_to(VALUES_SCALE + 6)
    canvas.show_frame(grey(4, 3), (0.0, 0.0, 4.0, 3.0))
    plain = drawn(canvas)
    canvas.show_values(np.zeros((2, 2, 4), np.float32), (1.0, 1.0, 2.0, 2.0))
    assert (drawn(canvas) == plain).all()


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.18, "0.1800"),
        (-12.3456, "-12.346"),
        (65504.0, "65504"),
        (1e-7, "1e-07"),
        (float("nan"), "nan"),
        (0.0, "0.0000"),
    ],
)
def test_values_are_short(value: float, text: str):
    assert short(value) == text
    assert len(text) <= 7


def test_both_windows_are_outlined(canvas: Canvas):
    canvas.set_image(40, 30, 1.0, (-10, -5, 60, 40))
    canvas.show_frame(grey(40, 30), (0.0, 0.0, 40.0, 30.0))
    viewport = canvas.viewport
    assert viewport is not None
    pixels = drawn(canvas)
    for window in ((-10.0, -5.0, 60.0, 40.0), (0.0, 0.0, 40.0, 30.0)):
        left, top, width, _ = (round(v) for v in viewport.on_screen(window))
        row = pixels[top - 2 : top + 2, left : left + width, 0].max(axis=0)
        assert (row > 90).mean() > 0.2


def test_equal_sizes_with_other_display_windows_are_fitted_anew(canvas: Canvas):
    window = (-10, -5, 60, 40)
    canvas.set_image(40, 30, 1.0, window)
    with_window = canvas.viewport
    canvas.set_image(40, 30)
    alone = canvas.viewport
    assert with_window is not None and alone is not None
    assert alone == Viewport(640, 480, 40, 30).fit(16)
    canvas.set_image(40, 30, 1.0, window)
    assert canvas.viewport == with_window
    canvas.set_image(40, 30, 1.0, (0, 0, 60, 40))
    assert canvas.viewport is not None and canvas.viewport.on_screen((0, 0, 60, 40))[0] >= 16


def test_zoom_and_pan_stay_with_the_display_window(canvas: Canvas):
    canvas.set_image(40, 30, 1.0, (-10, -5, 60, 40))
    canvas.zoom_to(20.0)
    before = canvas.viewport
    assert before is not None
    canvas.show_frame(grey(40, 30), (0.0, 0.0, 40.0, 30.0))
    place = canvas.scene.place
    canvas.set_image(32, 24, 1.0, (-14, -8, 60, 40))  # another crop of the same display window
    after = canvas.viewport
    assert after is not None and after.scale == before.scale
    assert after.on_screen((-14, -8, 60, 40)) == before.on_screen((-10, -5, 60, 40))
    assert canvas.scene.place == place


def test_the_next_frame_of_a_sequence_leaves_the_displayed_one_as_it_is_painted(
    canvas: Canvas, monkeypatch: pytest.MonkeyPatch
):
    region, redrawn = (0.0, 0.0, 4.0, 3.0), list[bool]()
    canvas.show_frame(grey(4, 3), region)
    monkeypatch.setattr(canvas, "redraw", lambda: redrawn.append(True))
    canvas.set_image(4, 3)
    assert not redrawn and canvas.has_frame
    canvas.show_values(np.full((3, 4, 4), 0.18, np.float32), region)
    redrawn.clear()
    canvas.set_image(4, 3)
    assert redrawn, "values of the frame before are removed"
    redrawn.clear()
    canvas.set_image(5, 3)
    assert redrawn


def test_the_backdrop_is_seen_through_the_image(opened: MainWindow, qtbot: Any):
    workspace = opened.workspace
    frames: list[Any] = []
    workspace.preview.frame.connect(lambda image, request: frames.append((image, request)))

    def exact(backdrop: str) -> np.ndarray:
        workspace.set_view(backdrop=backdrop)
        qtbot.waitUntil(lambda: bool(frames) and frames[-1][1].exact and frames[-1][1].view.backdrop == backdrop)
        image = frames[-1][0]
        pixels = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.width(), 4)
        return pixels[..., :3].astype(int)

    exact("grey")
    black, over_grey, checked = exact(""), exact("grey"), exact("checker")
    added = over_grey - black
    assert added[black < 190].min() >= 58  # half of mid grey, since alpha is a half
    assert added.max() <= 60
    assert set(np.unique((checked - black)[black < 180])) == {48, 72}

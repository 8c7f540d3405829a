"""Windows of mattes are where the image is: with any pixel aspect ratio, data window, zoom, and beside another eye."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from PySide6.QtGui import QColor, QImage, QPainter

from app.model.viewport import Viewport
from app.render.comparison import Comparison
from engine import Grade
from engine.mattes.windows import Ellipse, Rectangle
from tests.app.canvas.conftest import Bench
from tests.app.canvas.matte_hands import drag, drag_handle, edit, go, press, release, source_of, spot
from tests.app.conftest import make_image
from tests.app.hands import SHIFT

BOX = Rectangle(center=(100.0, 50.0), size=(30.0, 20.0))


def show(bench: Bench, path: Path, **changes: Any) -> None:
    """Show the ramp with another header."""
    image = make_image(path)
    part = replace(image.part, **changes)
    bench.document.set_image(replace(image, part=part), path)
    bench.workspace.matte_tools.snapping.set(False)
    frame = QImage(part.width, part.height, QImage.Format.Format_RGB32)
    frame.fill(0xFF808080)
    bench.canvas.show_frame(frame, (0.0, 0.0, float(part.width), float(part.height)))


def light(bench: Bench, x: float, y: float) -> bool:
    """Whether a light line of an outline is near a position of the display window, as it is painted."""
    image, at = bench.canvas.grab().toImage(), spot(bench, x, y)
    near = [QColor(image.pixel(at.x() + dx, at.y() + dy)).lightness() for dx in (-1, 0, 1) for dy in (-1, 0, 1)]
    return max(near) > 140  # the frame has 128


def test_pixels_that_are_wide_and_a_data_window_inside_the_display_window(bench: Bench, qtbot: Any, image_file: Path):
    display = (0, 0, 299, 199)  # the data window of the ramp begins at 10, 20
    show(bench, image_file, pixel_aspect=2.0, display_window=display)
    edit(bench, BOX)
    bench.canvas.zoom_to(1.0)
    viewport = bench.canvas.viewport
    assert viewport is not None
    data_left, data_top = viewport.on_screen((0.0, 0.0, 1.0, 1.0))[:2]
    corner = spot(bench, 10.0, 20.0)
    assert (corner.x(), corner.y()) == (data_left, data_top), "10, 20 of the display window is the first pixel"
    place = bench.workspace.matte_tools.place
    assert place.pixel_of((10.5, 20.5)) == (0, 0) and place.pixel_of((9.5, 20.5)) is None
    assert place.pixel((corner.x() + 5.0, corner.y() + 3.0)) == (2, 3)
    assert light(bench, 115.0, 30.0) and light(bench, 130.0, 42.0) and not light(bench, 115.0, 36.0)
    drag(qtbot, bench, (106.0, 54.0), (116.0, 50.0))
    assert source_of(bench).center == pytest.approx((110.0, 46.0))
    bench.workspace.matte_selection.draw("Ellipse")
    drag(qtbot, bench, (20.0, 20.0), (40.0, 60.0), SHIFT)
    assert source_of(bench).size == pytest.approx((10.0, 20.0)), "round on the screen"


@pytest.mark.parametrize("scale", [0.25, 1.0, 3.0, 17.0])
def test_any_zoom(bench: Bench, qtbot: Any, image_file: Path, scale: float):
    show(bench, image_file)
    edit(bench, BOX)
    bench.canvas.zoom_to(scale)
    by = 12.0 / scale
    drag_handle(qtbot, bench, "center", by, -by)
    assert source_of(bench).center == pytest.approx((100.0 + by, 50.0 - by), abs=0.5 / scale)


def test_panning_during_a_drag_keeps_the_window_under_the_pointer(bench: Bench, qtbot: Any, image_file: Path):
    show(bench, image_file)
    edit(bench, BOX)
    press(qtbot, bench, 106.0, 54.0)
    go(bench, 110.0, 54.0)
    bench.canvas.zoom_by(2.0)
    go(bench, 116.0, 58.0)
    release(qtbot, bench, 116.0, 58.0)
    assert source_of(bench).center == pytest.approx((110.0, 54.0), abs=0.2)


@pytest.mark.parametrize("swapped", [False, True])
def test_beside_the_other_eye(bench: Bench, qtbot: Any, image_file: Path, swapped: bool, monkeypatch: Any):
    show(bench, image_file)
    edit(bench, BOX)
    bench.canvas.zoom_to(4.0)
    whole = spot(bench, 0.0, 0.0)
    comparison = Comparison("side by side", Grade(()), bench.document.managed, swapped=swapped)
    monkeypatch.setattr(
        bench.workspace.stage, "shown_request", SimpleNamespace(view=SimpleNamespace(comparison=comparison))
    )
    corner, end = spot(bench, 0.0, 0.0), spot(bench, 192.0, 108.0)
    assert end.x() - corner.x() == 192 * 2 and end.y() - corner.y() == 108 * 2
    assert corner.x() - whole.x() == (192 * 2 if swapped else 0) and corner.y() - whole.y() == 108
    drag(qtbot, bench, (104.0, 54.0), (112.0, 50.0))
    assert source_of(bench).center == pytest.approx((108.0, 46.0))
    assert bench.workspace.matte_tools.place.pixel((corner.x() + 21.0, corner.y() + 11.0)) == (10, 5)


def test_a_matte_made_for_another_frame_is_fitted(bench: Bench, qtbot: Any, image_file: Path):
    show(bench, image_file)
    edit(bench, Ellipse(center=(96.0, 54.0), size=(20.0, 20.0)))
    matte = bench.workspace.matte_selection.matte
    assert matte is not None
    twice = matte.fitted(384, 216)
    bench.workspace.document.edit_entry(0, replace(bench.document.entries[0], matte=twice), "other")  # type: ignore[type-var]
    drag(qtbot, bench, (100.0, 58.0), (110.0, 58.0))
    assert source_of(bench).center == pytest.approx((106.0, 54.0))


def test_the_overlay_keeps_its_size_at_any_density(bench: Bench, image_file: Path):
    """Painted as on a screen of 200 %, handles have twice as many pixels and are at twice the position."""
    show(bench, image_file)
    edit(bench, BOX)
    windows = bench.workspace.matte_tools.windows
    plain = bench.canvas.viewport
    assert plain is not None
    dense = replace(plain, width=plain.width * 2, height=plain.height * 2, scale=plain.scale * 2, left=plain.left * 2)
    dense = replace(dense, top=plain.top * 2)
    counts = [_painted(windows, viewport, ratio) for viewport, ratio in ((plain, 1.0), (dense, 2.0))]
    assert counts[1] == pytest.approx(4 * counts[0], rel=0.1)


def _painted(overlay: Any, viewport: Viewport, ratio: float) -> int:
    image = QImage(viewport.width, viewport.height, QImage.Format.Format_ARGB32_Premultiplied)
    image.fill(0)
    painter = QPainter(image)
    overlay.paint(painter, viewport, ratio)
    painter.end()
    return sum(bytes(image.convertToFormat(QImage.Format.Format_Alpha8).constBits())) // 255

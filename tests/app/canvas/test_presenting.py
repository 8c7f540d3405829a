"""Frames on their way to the screen: the sums of Qt's painter, who draws, and that both draw the same."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PySide6.QtCore import QRectF
from PySide6.QtGui import QImage, QPainter

import app.canvas.presenting.choice
import app.canvas.presenting.scene
from app.canvas.presenting.choice import DRAWING
from app.canvas.presenting.sampling import RUN, places
from app.canvas.presenting.scene import BACKGROUND, Scene
from app.canvas.presenting.surface import bytes_of
from app.canvas.presenting.trial import Trial
from app.model.viewport import Viewport
from app.render.delivery import Delivery
from app.render.device_frame import DeviceFrame, as_image, image_of
from app.shell.main_window import MainWindow
from engine import create_executor, detect_backends
from engine.compute.backends.base import INSIDE
from engine.compute.executor import TiledExecutor
from engine.errors import HandleError, OutOfDeviceMemory
from engine.kernel.op import ColorOp
from engine.ops import Exposure
from engine.viewing import Frame, FrameMaker, WholeLevels
from engine.viewing.presenting import AUTOMATIC, DRAWINGS, RASTER, SURFACE, composer_for
from tests.app.conftest import preferences_of

needs_wgpu = pytest.mark.skipif(
    not any(info.name == "wgpu" and info.usable for info in detect_backends()), reason="wgpu has no adapter here"
)


def noise(width: int, height: int, seed: int = 0) -> np.ndarray:
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 4), dtype=np.uint8)
    pixels[..., 3] = 255
    return pixels


def painted(pixels: np.ndarray, target: tuple[float, ...], size: tuple[int, int], smooth: bool) -> np.ndarray:
    """What Qt's painter makes of it."""
    screen = QImage(*size, QImage.Format.Format_RGB32)
    screen.fill(0)
    painter = QPainter(screen)
    painter.setRenderHint(QPainter.RenderHint.SmoothPixmapTransform, smooth)
    painter.drawImage(QRectF(*target), image_of(pixels))
    painter.end()
    return bytes_of(screen)[..., 2::-1].copy()


def summed(pixels: np.ndarray, target: tuple[float, ...], size: tuple[int, int], smooth: bool) -> np.ndarray:
    """The same by `places`, in whole numbers."""
    height, width = pixels.shape[:2]
    columns = places(target[0], target[2], width, size[0], smooth, RUN).astype(int)
    rows = places(target[1], target[3], height, size[1], smooth).astype(int)
    across, down = columns[:, 1] & 0xFFFF, (rows[:, 1] & 0xFFFF)[:, None, None]
    colours = pixels[..., :3].astype(int)
    both = (colours[rows[:, 0] & 0xFFFF] * (256 - down) + colours[rows[:, 0] >> 16] * down) >> 8
    left, right = both[:, columns[:, 0] & 0xFFFF], both[:, columns[:, 0] >> 16]
    out = (left * (256 - across[:, None]) + right * across[:, None]) >> 8
    out[~((rows[:, 1:] & columns[:, 1] & INSIDE).astype(bool))] = 0
    return out


@pytest.mark.parametrize("smooth", [False, True])
def test_places_are_those_of_qts_painter(qapp: Any, smooth: bool):
    draw = np.random.default_rng(7)
    for seed in range(24):
        width, height = draw.integers(1, 60, 2)
        scale = draw.choice([2.0, 3.0, 64.0, draw.uniform(0.4, 12.0)])
        start = draw.integers(-150, 90, 2) + draw.choice([0.0, draw.random()])
        target = (*start.tolist(), float(width * scale * draw.choice([1.0, 2.0, 0.9])), float(height * scale))
        size = (RUN + 200, 40) if seed % 6 == 0 else (230, 170)
        pixels = noise(int(width), int(height), seed)
        np.testing.assert_array_equal(
            summed(pixels, target, size, smooth), painted(pixels, target, size, smooth), str(target)
        )


class Mark:
    """A half transparent square."""

    there = True

    def drawn(self) -> bool:
        return self.there

    def paint(self, painter: QPainter, viewport: Viewport, ratio: float) -> None:
        painter.fillRect(QRectF(10, 12, 30, 20), "#80ff4000")


def scenes() -> list[Scene]:
    found = []
    for number, (width, height, scale, left, top) in enumerate(
        [(90, 60, 1.0, 15, 20), (31, 17, 6.5, -20, 11), (80, 50, 1.7, -7, -9), (150, 90, 0.8, 3, 140)]
    ):
        window = (-4.0, -3.0, width + 9.0, height + 5.0) if number == 1 else None
        viewport = Viewport(200, 150, width, height, 1.0, scale, float(left), float(top), False, window)
        scene = Scene((200, 150), 1.0, viewport, image_of(noise(width, height, number)), (0.0, 0.0, width, height))
        found.append(scene)
    return found


@pytest.fixture(scope="module")
def executor() -> TiledExecutor:
    return create_executor("wgpu")


@pytest.fixture(scope="module")
def composer(executor: TiledExecutor) -> Any:
    return composer_for(executor, SURFACE)


def by_qt(scene: Scene) -> np.ndarray:
    screen = QImage(*scene.size, QImage.Format.Format_RGB32)
    painter = QPainter(screen)
    scene.paint(painter)
    painter.end()
    return bytes_of(screen)[..., 2::-1].astype(int)


def by_device(scene: Scene, composer: Any) -> np.ndarray:
    assert scene.frame is not None
    composer.show(composer.upload(bytes_of(as_image(scene.frame))))
    composer.place(*scene.places(), (BACKGROUND.red(), BACKGROUND.green(), BACKGROUND.blue()))
    layer = QImage(*scene.size, QImage.Format.Format_RGBA8888_Premultiplied)
    layer.fill(0)
    painter = QPainter(layer)
    scene.paint_over(painter)
    painter.end()
    composer.cover(bytes_of(layer) if scene.covered else None)
    return composer.image()[..., :3].astype(int)


@needs_wgpu
@pytest.mark.parametrize("smooth", [False, True])
def test_a_device_draws_what_qt_paints(qapp: Any, composer: Any, monkeypatch: pytest.MonkeyPatch, smooth: bool):
    monkeypatch.setattr(app.canvas.presenting.scene, "SMOOTH", smooth)
    for scene in scenes():
        np.testing.assert_array_equal(by_device(scene, composer), by_qt(scene))
        assert (composer.image("rgba8unorm") == composer.image("bgra8unorm")).all()
        scene.overlays.append(Mark())
        there = by_qt(scene)
        assert abs(by_device(scene, composer) - there).max() <= 1  # blended once more, rounded once more
        scene.overlays[0].there = False  # type: ignore[attr-defined]
        assert scene.covered == (scene.display_window is not None)


@needs_wgpu
def test_what_is_no_frame_is_refused(executor: TiledExecutor, composer: Any):
    floats = executor.upload(np.zeros((4, 5, 4), np.float32))
    with pytest.raises(HandleError):
        composer.show(floats)
    composer.place(*(np.zeros((6, 2), np.uint32),) * 2, (1, 2, 3))
    with pytest.raises(HandleError):
        composer.cover(np.zeros((5, 6, 4), np.uint8))


@needs_wgpu
def test_frames_stay_on_the_device_that_draws(executor: TiledExecutor):
    pixels = np.random.default_rng(1).random((60, 80, 4), np.float32)
    maker = FrameMaker(executor, WholeLevels(pixels))
    view: tuple[ColorOp, ...] = (Exposure(-0.5),)
    where = ((0.0, 0.0, 80.0, 60.0), 80, 60)
    made = maker.exact(*where, (), view, lambda: False)
    maker.leaves = True
    left = maker.exact(*where, (), view, lambda: False)
    assert made is not None and left is not None and made.handle is None and left.handle is not None
    np.testing.assert_array_equal(left.pixels, made.pixels)
    assert maker.exact(*where, (), view, lambda: True) is None
    maker.set_backdrop("checker", 80)
    backed = maker.exact(*where, (), view, lambda: False)
    assert backed is not None and backed.handle is None


@needs_wgpu
def test_frames_are_delivered_to_whoever_draws(qtbot: Any, executor: TiledExecutor):
    delivery, chosen = Delivery(), []
    delivery.chosen.connect(lambda composer, why: chosen.append((composer, why)))
    frame = Frame(noise(8, 6), (0.0, 0.0, 8.0, 6.0), True)
    for drawing in (RASTER, AUTOMATIC) if executor.runs_on_cpu else (RASTER,):
        delivery.want(drawing)
        delivery.settle(executor)
        assert chosen == [(None, "")] and isinstance(delivery.brought(frame), QImage)
        chosen.clear()
    delivery.want(SURFACE)
    delivery.settle(executor)
    delivery.settle(executor)
    [(composer, _)] = chosen
    assert composer.primitives is executor.primitives and delivery.stays(executor)
    brought = delivery.brought(frame)
    assert isinstance(brought, DeviceFrame) and (brought.width(), brought.height()) == (8, 6)
    np.testing.assert_array_equal(executor.download(brought.handle), frame.pixels)
    own = Frame(brought.handle, frame.region, True)
    kept = delivery.brought(own)
    assert isinstance(kept, DeviceFrame) and kept.handle is brought.handle
    np.testing.assert_array_equal(bytes_of(kept.image), frame.pixels)

    def full(pixels: Any) -> Any:
        raise OutOfDeviceMemory("no room")

    composer.upload = full
    assert isinstance(delivery.brought(frame), QImage)
    delivery.refuse(composer)
    assert not delivery.stays(executor) and isinstance(delivery.brought(own), QImage)


def test_the_preference_is_kept_and_reported(qtbot: Any, opened: MainWindow, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(app.canvas.presenting.choice, "why_no_surface", lambda: "the display is on another machine")
    presenting = opened.workspace.presenting
    assert presenting.preference == AUTOMATIC and presenting.line == "Qt"
    dialog = preferences_of(opened)
    assert [dialog.drawing.itemText(n) for n in range(dialog.drawing.count())] == list(DRAWINGS)
    dialog.drawing.setCurrentText(SURFACE)
    dialog.drawing.textActivated.emit(SURFACE)
    assert opened.workspace.settings.get(DRAWING, "") == SURFACE == presenting.preference
    assert dialog.drawn.text() == "Drawn by Qt: the display is on another machine"
    presenting.set_preference(RASTER)
    assert dialog.drawn.text() == "Drawn by Qt"
    opened.workspace.settings.set(DRAWING, "something else")
    assert presenting.preference == AUTOMATIC


GONE = 2**31 - 1
"""No process has this number."""


def test_a_surface_that_ended_tessera_is_not_tried_again(
    opened: MainWindow, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr(app.canvas.presenting.choice, "why_no_surface", lambda: "")
    presenting, trial = opened.workspace.presenting, Trial(tmp_path / "settings")
    monkeypatch.setattr(presenting, "_trial", trial)
    trial.begin()
    assert not trial.failed, "its process runs"
    Trial(tmp_path / "settings", GONE).begin()
    presenting._request()
    assert trial.failed and presenting.line.startswith("Qt: Tessera ended")
    presenting.set_preference(RASTER)
    assert not trial.failed and presenting.line == "Qt"

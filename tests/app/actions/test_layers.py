"""Layers, parts and eyes by menu and keys; IDs and deep images, and what is said of them."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from app.actions.layers import LAYER_MENU
from app.services.engine_calls import Services
from app.shell.main_window import MainWindow
from engine.compute.backends.base import DISPLAY
from engine.io.id_pixels import ID_SCALE, id_pixels
from engine.io.info import ChannelInfo, ImageInfo, PartInfo
from engine.io.source import Image
from engine.viewing import FrameMaker, WholeLevels
from engine.viewing.viewer_ops import IdColours
from tests.app.conftest import end, make_image
from tests.app.fakes import FakeExecutor
from tests.app.hands import Key, move
from tests.app.panels.test_probe import spot
from tests.engine.backends import USABLE, executor_on

IDS = np.array([[0, 1, 2, 3], [255, 256, 65535, 16777215]], np.uint32)


def read(path: Path, part: int | None = None, layer: str | None = None) -> Image:
    """A stereo image, a deep one, one of IDs, or as the other tests have it."""
    image = make_image(path, part if path.name.startswith("parts") else None, layer)
    if path.name.startswith("stereo"):
        names = [("rgba_right", "right"), ("depth_left", "left"), ("rgba_left", "left"), ("depth_right", "right")]
        parts = tuple(
            replace(image.part, index=n, name=name, view=view) for n, (name, view) in enumerate((*names, ("mask", "")))
        )
        chosen = parts[part or 0]
        layers = {each.name: each for each in chosen.layers}
        return replace(image, info=replace(image.info, parts=parts), part=chosen, layer=layers[layer or ""])
    if path.name.startswith("deep"):
        deep = replace(image.part, type="deepscanline")
        return replace(image, info=replace(image.info, parts=(deep,)), part=deep)
    if path.name.startswith("ids"):
        box = (0, 0, 3, 1)
        whole = PartInfo(0, "", "scanline", (ChannelInfo("id", "uint"),), box, box, compression="zip")
        pixels = id_pixels(IDS)
        return Image(pixels, ImageInfo(path, "openexr", (whole,)), whole, whole.layers[0])
    return image


@pytest.fixture
def shown(qtbot: Any) -> Iterator[MainWindow]:
    executor = FakeExecutor()
    window = MainWindow(services=Services(read_image=read, create_executor=lambda _name, _threads: executor))
    qtbot.addWidget(window)
    window.show()
    window.activateWindow()
    yield window
    end(window)


def opened(window: MainWindow, folder: Path, name: str, qtbot: Any) -> MainWindow:
    path = folder / name
    path.write_bytes(b"made by the fake reader")
    window.files.open_image(path)
    qtbot.waitUntil(lambda: window.canvas.has_frame)
    window.canvas.setFocus()
    return window


def now(window: MainWindow) -> tuple[str, str]:
    """The names of the part and the layer that are shown."""
    image = window.document.image
    return image.part.name, image.layer.name


def test_layers_by_keys(shown: MainWindow, tmp_path: Path, qtbot: Any):
    window = opened(shown, tmp_path, "ramp.exr", qtbot)
    for key, expected in ((Key.Key_PageDown, "diffuse"), (Key.Key_PageDown, ""), (Key.Key_PageUp, "diffuse")):
        qtbot.keyClick(window.canvas, key)
        qtbot.waitUntil(lambda e=expected: now(window) == ("p0", e))
    for name in ("next_part", "previous_part", "next_view"):
        assert not window.actions_by_name[name].isEnabled()


def test_keys_that_come_fast_count_each(shown: MainWindow, tmp_path: Path, qtbot: Any):
    window = opened(shown, tmp_path, "parts.exr", qtbot)
    window.actions_by_name["next_layer"].trigger()
    window.actions_by_name["next_part"].trigger()
    qtbot.waitUntil(lambda: now(window) == ("p1", "diffuse"))
    window.actions_by_name["previous_part"].trigger()
    window.actions_by_name["previous_layer"].trigger()
    qtbot.waitUntil(lambda: now(window) == ("p0", ""))


def test_the_other_eye(shown: MainWindow, tmp_path: Path, qtbot: Any):
    window = opened(shown, tmp_path, "stereo.exr", qtbot)
    path = tmp_path / "stereo.exr"
    for start, other in (("rgba_right", "rgba_left"), ("depth_left", "depth_right")):
        part = next(each for each in window.document.image.info.parts if each.name == start)
        window.files.open_image(path, part.index, "diffuse")
        qtbot.waitUntil(lambda s=start: now(window) == (s, "diffuse"))
        for expected in (other, start):
            window.actions_by_name["next_view"].trigger()
            qtbot.waitUntil(lambda e=expected: now(window) == (e, "diffuse"))
    window.files.open_image(path, 4, "")
    qtbot.waitUntil(lambda: now(window) == ("mask", ""))
    assert not window.actions_by_name["next_view"].isEnabled()


def test_the_menu_lists_and_shows_them(shown: MainWindow, tmp_path: Path, qtbot: Any):
    menu = shown.menus.menu(LAYER_MENU)
    assert not menu.menuAction().isEnabled()
    window = opened(shown, tmp_path, "parts.exr", qtbot)
    assert menu.menuAction().isEnabled()
    menu.aboutToShow.emit()
    found = {action.text(): action for action in menu.actions() if not action.isSeparator()}
    assert list(found) == ["p0", "p1", "Main layer", "diffuse"]
    assert [text for text, action in found.items() if action.isChecked()] == ["p0", "Main layer"]
    assert all(action.toolTip() for action in found.values())
    found["diffuse"].trigger()
    qtbot.waitUntil(lambda: now(window) == ("p0", "diffuse"))
    menu.aboutToShow.emit()
    next(action for action in menu.actions() if action.text() == "p1").trigger()
    qtbot.waitUntil(lambda: now(window) == ("p1", "diffuse"))


# -- IDs


@pytest.mark.parametrize("backend", USABLE)
def test_each_id_has_a_colour_of_its_own(backend: str):
    count = 4096
    numbers = np.arange(count, dtype=np.uint32)
    pixels = np.ones((1, count, 4), np.float32)
    pixels[0, :, :3] = (numbers / np.float32(ID_SCALE))[:, None]
    colours = executor_on(backend).execute_color(pixels, [IdColours()])
    apart = np.abs(colours - IdColours().reference(pixels.astype(float))).max(axis=-1)
    assert (apart < 0.005).mean() > 0.99  # float32 keeps few digits of many turns
    assert (colours[0, 0, :3] == 0.0).all()
    rest = colours[0, 1:, :3]
    assert rest.min() >= 0.2 and rest.max() <= 0.85
    near = np.abs(np.diff(rest[:200], axis=0)).max(axis=1)
    assert (near > 0.04).all()  # neighbours are told apart
    assert len(np.unique(np.round(rest[:200], 4), axis=0)) == 200


def test_ids_are_picked_not_averaged():
    numbers = np.tile(np.array([5, 9], np.float32) / np.float32(ID_SCALE), 400)
    pixels = np.ascontiguousarray(np.broadcast_to(numbers[None, :, None], (300, 800, 3)))
    maker = FrameMaker(executor_on("cpu"), WholeLevels(pixels))
    maker.picks = True
    frame = maker.exact((0.0, 0.0, 800.0, 300.0), 101, 38, (), (IdColours(),), lambda: False)
    assert frame is not None and frame.pixels.dtype == DISPLAY
    known = executor_on("cpu").execute_color(pixels[:1, :2], [IdColours()])[0]
    allowed = {tuple(np.round(255.0 * colour).astype(int).tolist()) for colour in known}
    assert {tuple(pixel) for pixel in frame.pixels[..., :3].reshape(-1, 3).tolist()} <= allowed


def test_ids_are_shown_in_colours_and_reported_as_numbers(shown: MainWindow, tmp_path: Path, qtbot: Any):
    window = opened(shown, tmp_path, "ids.exr", qtbot)
    assert "IDs as colours, not graded" in window.status.left.text()
    image = window.canvas.grab().toImage()
    colours = {image.pixelColor(spot(window, x, y)).name() for y in range(2) for x in range(4)}
    assert len(colours) == 8 and "#000000" in colours
    window.actions_by_name["panel_probe"].trigger()
    panel = window.workspace.panel("probe")
    for y, x in np.ndindex(2, 4):
        move(window.canvas, spot(window, x, y))
        qtbot.waitUntil(lambda n=IDS[y, x]: window.status.source.text() == f"ID {n}")
        qtbot.waitUntil(lambda n=IDS[y, x]: f"\tsource\t{n}\n" in panel.text)  # type: ignore[attr-defined]


def test_a_deep_image_is_said_to_be_flattened(shown: MainWindow, tmp_path: Path, qtbot: Any):
    assert "deep, flattened" in opened(shown, tmp_path, "deep.exr", qtbot).status.left.text()

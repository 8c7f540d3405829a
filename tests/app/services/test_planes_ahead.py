"""Planes of mattes in playback: they are read before their frame is reached."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from app.services.planes_ahead import PlanesAhead
from app.shell.main_window import MainWindow
from engine import Grade, Layer, ops
from engine.core.bounded_cache import SizedCache
from engine.mattes.channels import DepthRange
from engine.mattes.planes import ChannelPlane, Plane
from engine.mattes.tree import Leaf, Matte
from engine.viewing import plane_store
from engine.viewing.levels import planes_of
from engine.viewing.plane_store import FRAME
from tests.app.conftest import end
from tests.engine.viewing.planes import with_planes

FRAMES = 5
WIDTH, HEIGHT = 64, 36
NEAR = Matte(Leaf(DepthRange(near=0.0, far=5.0)))
Z = ChannelPlane("Z")


@pytest.fixture
def sequence(qtbot: Any, tmp_path: Path) -> Iterator[MainWindow]:
    """A window that shows the first of a few frames with depth."""
    spec = oiio.ImageSpec(WIDTH, HEIGHT, 4, "half")
    spec.channelnames = ("R", "G", "B", "Z")
    pixels = np.full((HEIGHT, WIDTH, 4), 0.25, np.float32)
    for n in range(FRAMES):
        pixels[..., 3] = n
        output = oiio.ImageOutput.create(str(tmp_path / f"s.{n:04}.exr"))
        assert output is not None
        output.open(str(tmp_path / f"s.{n:04}.exr"), spec)
        output.write_image(pixels)
        output.close()
    window = MainWindow("cpu")
    qtbot.addWidget(window)
    window.show()
    window.files.open_image(tmp_path / "s.0000.exr")
    qtbot.waitUntil(lambda: window.canvas.has_frame and window.workspace.player.clip is not None)
    yield window
    end(window)


def test_frames_that_playback_reaches_have_their_planes(sequence: MainWindow, qtbot: Any):
    player, reached = sequence.workspace.player, list[bool]()

    def look() -> None:
        store = planes_of(sequence.document.image)
        assert store is not None
        reached.append(store.level_there([Z], (0.0, 0.0, float(WIDTH), float(HEIGHT)), 0) is not None)

    sequence.workspace.open_documents.current.image_changed.connect(look)
    player.set_rate(30.0)
    player.toggle()
    qtbot.waitUntil(lambda: len(reached) > FRAMES)
    assert not any(reached), "no matte reads them"
    graded = Grade([Layer(ops.Exposure(1.0), matte=NEAR)])
    with qtbot.waitSignal(sequence.preview.frame, check_params_cb=lambda _, request: request.grade is graded):
        sequence.document.edit(graded, "grade")
    player.stop()
    player.toggle()  # from here on the clock waits for them, although all frames are decoded
    reached.clear()
    qtbot.waitUntil(lambda: len(reached) > FRAMES)
    assert all(reached)
    assert player.clip is not None and player.clip.plane_bytes == 4 * WIDTH * HEIGHT


def test_needs_are_those_of_the_displayed_frame_as_far_as_they_fit(monkeypatch: pytest.MonkeyPatch):
    cache = SizedCache[Any, Any](1 << 20, lambda array: array.nbytes)
    monkeypatch.setattr(plane_store, "kept_arrays", lambda: cache)
    monkeypatch.setattr("app.services.planes_ahead.kept_arrays", lambda: cache)
    planes: dict[Plane, Any] = {Z: np.zeros((HEIGHT, WIDTH))}
    levels, _ = with_planes(np.zeros((HEIGHT, WIDTH, 3), np.float16), planes)
    store = levels.planes
    assert store is not None
    ahead = PlanesAhead().following(levels)
    assert (ahead, ahead.most, ahead.nbytes) == (PlanesAhead(), None, 0), "nothing has been requested"
    needs = tuple(store.needs([Z], (0.0, 0.0, float(WIDTH), float(HEIGHT)), 1))
    store.watch(lambda _: None)
    store.want(FRAME, needs)
    ahead = ahead.following(levels)
    assert (ahead.needs, ahead.nbytes) == (needs, WIDTH * HEIGHT)
    assert ahead.following(None) is ahead
    cache.budget = 3 * WIDTH * HEIGHT
    assert ahead.most == 2, "beside those of the displayed frame"
    cache.budget = 2 * WIDTH * HEIGHT - 1
    assert PlanesAhead().following(levels) == PlanesAhead(), "they would push each other out"
    store.rest()
    assert ahead.following(levels) is ahead, "not displayed any more"

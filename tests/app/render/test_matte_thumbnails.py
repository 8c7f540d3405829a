"""Thumbnails of mattes that can't be made at once: they are made later, once."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from app.model.view_ops import UNMANAGED
from app.render.requests import View
from engine import Grade, Layer, ops
from engine.mattes.tree import Leaf, Matte
from engine.mattes.windows import Rectangle
from engine.viewing import FrameMaker, WholeLevels
from tests.app.render.conftest import SECONDS, Start

VIEW = View((0.0, 0.0, 60.0, 40.0), 60, 40)
GREY = np.full((40, 60, 4), 0.25, np.float32)
ENTRY = Layer(ops.Exposure(1.0), matte=Matte(Leaf(Rectangle(center=(15.0, 20.0), size=(15.0, 40.0)))))
ONE = Grade([ENTRY])


class Loading(WholeLevels):
    """An image that is complete only once the test says so."""

    complete = False
    on_change: Callable[[], None]

    def watch(self, on_change: Callable[[], None], on_error: Callable[[str], None]) -> None:
        self.on_change = on_change


def test_thumbnails_that_are_requested_while_the_image_loads_come_once_it_is_there(start: Start, qtbot: Any):
    levels = Loading(GREY)
    preview = start(levels)
    found: list[Any] = []
    preview.matte_thumbnail.connect(lambda key, path, thumbnail: found.append(path))
    preview.submit(ONE, VIEW)
    preview.thumbnails("key", ONE, UNMANAGED, ((0,),), (24, 24))
    qtbot.waitUntil(lambda: preview.idle, timeout=SECONDS)
    assert not found
    levels.complete = True
    levels.on_change()
    qtbot.waitUntil(lambda: found == [(0,)], timeout=SECONDS)
    preview.submit(ONE, VIEW)
    qtbot.waitUntil(lambda: preview.idle, timeout=SECONDS)
    assert found == [(0,)], "they are made once"


def test_thumbnails_that_a_new_frame_ends_come_after_it(start: Start, qtbot: Any, monkeypatch: pytest.MonkeyPatch):
    preview = start(WholeLevels(GREY))
    grade = Grade([ENTRY, ENTRY])
    preview.submit(grade, VIEW)
    qtbot.waitUntil(lambda: preview.idle, timeout=SECONDS)
    found: list[Any] = []
    preview.matte_thumbnail.connect(lambda key, path, thumbnail: found.append(path))
    covered = FrameMaker.covered
    pans = iter([View((1.0, 0.0, 60.0, 40.0), 60, 40)])

    def panning(maker: FrameMaker, *values: Any) -> Any:
        for view in pans:
            preview.submit(grade, view)
        return covered(maker, *values)

    monkeypatch.setattr(FrameMaker, "covered", panning)
    preview.thumbnails("key", grade, UNMANAGED, ((0,), (1,)), (24, 24))
    qtbot.waitUntil(lambda: (1,) in found, timeout=SECONDS)
    assert found[:2] == [(0,), (0,)], "begun again"

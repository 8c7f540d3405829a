"""Frames of both eyes, and of data."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from app.model.data_view import ShownData
from app.model.view_ops import UNMANAGED
from app.render.comparison import Comparison
from app.render.frame_plan import FramePlan
from app.render.requests import View
from engine import Grade, ops
from engine.viewing import Frame, FrameMaker, WholeLevels
from engine.viewing.composing import anaglyph, side_by_side
from tests.app.fakes import FakeExecutor

WIDTH, HEIGHT = 8, 4
MATTE = ShownData("matte")
GRADE = Grade((ops.Exposure(1.0),))


def levels(value: float) -> WholeLevels:
    return WholeLevels(np.full((HEIGHT, WIDTH, 3), value, np.float32))


def frame_of(view: View, value: float) -> Frame:
    executor: Any = FakeExecutor()
    maker = FrameMaker(executor, levels(value))
    plan = FramePlan(view, GRADE, maker, lambda other: FrameMaker(executor, other))
    where = (view.region, view.width, view.height)
    made = plan.frame(lambda run: run.maker.exact(*run.where(*where), run.grade, run.view, lambda: False))
    assert made is not None
    return made[0]


def view_of(mode: str, swapped: bool = False, data: ShownData = MATTE) -> View:
    comparison = Comparison(mode, GRADE, UNMANAGED, levels(1.0), swapped=swapped)
    region = (0.0, 0.0, float(WIDTH), float(HEIGHT))
    return View(region, WIDTH, HEIGHT, comparison=comparison, data=data)


@pytest.mark.parametrize(("swapped", "left", "right"), [(False, 51, 255), (True, 255, 51)])
def test_side_by_side_shows_both_eyes_whole(swapped: bool, left: int, right: int):
    frame = frame_of(view_of("side by side", swapped), 0.2)
    assert frame.region == (0.0, 0.0, float(WIDTH), float(HEIGHT))
    pixels = frame.pixels
    assert pixels.shape == (HEIGHT, WIDTH, 4)
    assert pixels[1:3, :4, 0].tolist() == [[left] * 4] * 2 and pixels[1:3, 4:, 0].tolist() == [[right] * 4] * 2
    assert not pixels[[0, 3], :, :3].any() and (pixels[..., 3] == 255).all()


@pytest.mark.parametrize(("swapped", "expected"), [(False, [51, 255, 255, 255]), (True, [255, 51, 51, 255])])
def test_an_anaglyph_takes_red_from_the_left(swapped: bool, expected: list[int]):
    assert frame_of(view_of("anaglyph", swapped), 0.2).pixels[0, 0].tolist() == expected


def test_data_is_neither_graded_nor_converted():
    view = View((0.0, 0.0, float(WIDTH), float(HEIGHT)), WIDTH, HEIGHT, data=ShownData("depth", (0.0, 2.0)))
    assert frame_of(view, 0.5).pixels[0, 0].tolist() == [64, 64, 64, 255]
    graded = View(view.region, WIDTH, HEIGHT)
    assert frame_of(graded, 0.5).pixels[0, 0, 0] == 255
    assert view.grade_ops(GRADE) == () and not view.picks
    assert View(view.region, WIDTH, HEIGHT, data=ShownData("ids")).picks


def test_both_sides_of_a_difference_are_data():
    frame = frame_of(view_of("difference", data=ShownData("depth", (0.0, 2.0))), 0.5)
    assert frame.pixels[0, 0].tolist() == [64, 64, 64, 255]


def test_composed_eyes_are_contiguous():
    left = np.zeros((3, 5, 4), np.uint8)
    for frame in (side_by_side(left, left), anaglyph(left, left)):
        assert frame.flags.c_contiguous

"""Images held against others whose data windows lie elsewhere: both are seen in the same coordinates."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from app.model.view_ops import UNMANAGED
from app.render.comparison import Comparison
from app.render.frame_plan import FramePlan
from app.render.requests import View
from engine import Grade, create_executor
from engine.viewing import FrameMaker
from engine.viewing.differences import HEAT_STOPS
from engine.viewing.levels import WholeLevels

PLATE = np.random.default_rng(5).uniform(0.1, 1.0, (60, 90, 3)).astype(np.float32)
Window = tuple[int, int, int, int]


def difference(ours: Window, theirs: Window, scale: float) -> np.ndarray:
    """RGB bytes of one window of the plate against another; they are x0, y0, x1, y1, without the last."""
    first, second = (np.ascontiguousarray(PLATE[y0:y1, x0:x1]) for x0, y0, x1, y1 in (ours, theirs))
    executor = create_executor("cpu", threads=1)
    maker, beside = (FrameMaker(executor, WholeLevels(pixels)) for pixels in (first, second))
    offset = (ours[0] - theirs[0], ours[1] - theirs[1])
    against = Comparison("difference", Grade(()), UNMANAGED, beside.levels, offset=offset)
    height, width = first.shape[:2]
    region = (0.0, 0.0, float(width), float(height))
    view = View(region, round(width * scale), round(height * scale), comparison=against)
    where = (view.region, view.width, view.height)
    made = FramePlan(view, Grade(()), maker, lambda _: beside).frame(
        lambda run: run.maker.exact(*run.where(*where), run.grade, run.view, lambda: False)
    )
    assert made is not None
    return made[0].pixels[..., :3]


@pytest.mark.parametrize("scale", [1.0, 3.0, 0.5])
@pytest.mark.parametrize("theirs", [(0, 0, 90, 60), (30, 20, 70, 44), (0, 30, 34, 60), (80, 50, 90, 60)])
def test_the_same_pixel_lies_on_itself(theirs: Window, scale: float):
    ours = (12, 8, 60, 48)
    found = difference(ours, theirs, scale)
    height, width = found.shape[:2]
    columns = ours[0] + (np.arange(width) + 0.5) * 48 / width
    rows = (ours[1] + (np.arange(height) + 0.5) * 40 / height)[:, None]
    edge = max(0.0, 1.0 / scale - 1.0)  # where pixels are averaged, one lies on both sides of an edge
    x0, y0, x1, y1 = theirs
    inside = (columns > x0 + edge) & (columns < x1 - edge) & (rows > y0 + edge) & (rows < y1 - edge)
    beside = (columns < x0 - edge) | (columns > x1 + edge) | (rows < y0 - edge) | (rows > y1 + edge)
    assert (found[inside] == 0).all()
    assert (found[beside] > 0).all()  # against the black that is there
    assert inside.any() or theirs[0] == 80
    assert beside.any() or theirs == (0, 0, 90, 60)


VIEW = View((0.0, 0.0, 8.0, 6.0), 8, 6)
OURS, THEIRS = PLATE[:6, :8], PLATE[20:26, 30:38]


def composed(mode: str, gain: float, channel: str = "") -> np.ndarray:
    """RGB bytes of the difference of two images of the same size, in a mode."""
    executor = create_executor("cpu", threads=1)
    maker, beside = (FrameMaker(executor, WholeLevels(np.ascontiguousarray(each))) for each in (OURS, THEIRS))
    against = Comparison("difference", Grade(()), UNMANAGED, beside.levels, gain=gain, difference=mode)
    view = replace(VIEW, comparison=against, channel=channel)
    made = FramePlan(view, Grade(()), maker, lambda _: beside).frame(
        lambda run: run.maker.exact(*run.where(view.region, 8, 6), run.grade, run.view, lambda: False)
    )
    assert made is not None
    return made[0].pixels[..., :3].astype(int)


@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_a_signed_difference_is_numpys(gain: float):
    expected = np.round(255.0 * np.clip(0.5 + 0.5 * gain * (np.float64(OURS) - THEIRS), 0.0, 1.0))
    assert np.abs(composed("signed", gain) - expected).max() <= 1
    one = np.round(255.0 * np.clip(0.5 + 0.5 * gain * (np.float64(OURS) - THEIRS)[..., 1:2], 0.0, 1.0))
    assert np.abs(composed("signed", gain, "green") - one).max() <= 1


@pytest.mark.parametrize("gain", [1.0, 4.0])
def test_a_heat_map_is_numpys(gain: float):
    size = np.minimum(gain * np.abs(np.float64(OURS) - THEIRS).max(axis=2), 1.0)
    places, colours = zip(*HEAT_STOPS, strict=True)
    expected = np.stack([255.0 * np.interp(size, places, [rgb[n] for rgb in colours]) for n in range(3)], -1)
    assert np.abs(composed("heat", gain) - expected).max() <= 2.5


def test_an_absolute_difference_goes_through_the_view():
    light = np.clip(2.0 * np.abs(np.float64(OURS) - THEIRS), 0.0, 1.0)
    shown = np.where(light <= 0.0031308, 12.92 * light, 1.055 * light ** (1 / 2.4) - 0.055)
    assert np.abs(composed("absolute", 2.0) - np.round(255.0 * shown)).max() <= 1


def test_a_difference_of_alpha_is_shown_as_such():
    """Both images are opaque, so they are equal."""
    assert (composed("absolute", 2.0, "alpha") == 0).all() and (composed("signed", 2.0, "alpha") == 128).all()

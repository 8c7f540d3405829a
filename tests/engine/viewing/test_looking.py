"""The viewer's own ops, against NumPy on pixels with known values."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

from engine.compute.executor import TiledExecutor
from engine.core.colorimetry import MID_GREY
from engine.kernel.op import REGISTRY
from engine.viewing.backdrop import Backdrop
from engine.viewing.composing import (
    COLOURS,
    RED,
    SEAM,
    aligned,
    cut_out,
    marked,
    rubylith,
    split,
    tinted,
    wiped,
)
from engine.viewing.viewer_ops import LADDER, FalseColour, Marks

ODD = np.array(
    [
        [
            [np.nan, 0.5, 0.5, 1.0],
            [0.5, np.inf, 0.5, 1.0],
            [-0.1, 0.5, 0.5, 1.0],
            [0.5, 0.5, 1.5, 1.0],
            [0.0, 0.5, 1.0, 1.0],
        ]
    ],
    np.float32,
)


def grey(values):
    return np.repeat(np.asarray(values, np.float32)[None, :, None], 4, axis=2)


def test_false_colour_reads_stops_from_mid_grey(executor: TiledExecutor) -> None:
    stops = [-9.0, -7.0, -5.0, -3.0, -1.0, 0.0, 1.0, 1.75, 2.5, 3.5, 5.0, 7.0]
    seen = executor.execute_color(grey(MID_GREY * np.exp2(stops)), [FalseColour()])
    assert np.allclose(seen[0, :, :3], [rgb for _, rgb, _ in LADDER], atol=1e-6)
    black = executor.execute_color(grey([0.0, -1.0, np.nan]), [FalseColour()])
    assert np.allclose(black[0, :, :3], LADDER[0][1], atol=1e-6)
    brighter = executor.execute_color(grey([MID_GREY / 8.0]), [FalseColour(3.0)])
    assert np.allclose(brighter[0, 0, :3], LADDER[5][1], atol=1e-6)


def test_marks_find_what_is_wrong(executor: TiledExecutor) -> None:
    seen = executor.execute_color(ODD, [Marks()])[0, :, :3]
    assert seen.tolist() == [[1, 0, 0], [1, 0, 1], [0, 1, 0], [0, 0, 1], [0, 0, 0]]


def test_a_zebra_reads_luma(executor: TiledExecutor) -> None:
    seen = executor.execute_color(grey([0.5, 0.97, 1.2]), [Marks(0.0, 0.95, "luma")])[0, :, :3]
    assert seen.tolist() == [[0, 0, 0], [0, 0, 1], [0, 0, 1]]


def test_they_are_no_ops_of_a_grade() -> None:
    assert not {"FalseColour", "Marks"} & set(REGISTRY)


def plane(value: int, height: int = 8, width: int = 12):
    out = np.full((height, width, 4), 255, np.uint8)
    out[..., :3] = value
    return out


@pytest.mark.parametrize(
    ("angle", "first_at", "second_at"),
    [(90.0, (4, 1), (4, 10)), (270.0, (4, 10), (4, 1)), (0.0, (1, 6), (6, 6)), (45.0, (0, 0), (7, 11))],
)
def test_wipes_at_any_angle(angle, first_at, second_at):
    seen = wiped(plane(10), plane(90), 0.5, 0.5, angle)
    assert seen[first_at][0] == 10
    assert seen[second_at][0] == 90
    assert (seen[..., 0] == SEAM).any()


def test_split_shows_the_same_half_of_both():
    ramp = plane(0)
    ramp[..., 0] = np.arange(12)
    seen = split(ramp, ramp)[0, :, 0].tolist()
    assert seen == [3, 4, 5, 6, 7, 8, SEAM, 4, 5, 6, 7, 8]


def test_frames_of_other_size_and_place_are_aligned():
    seen = aligned(plane(7, 4, 2), (2.0, 0.0, 4.0, 8.0), plane(0, 4, 4), (0.0, 0.0, 4.0, 4.0))
    assert seen[..., 0].tolist() == [[0, 0, 7, 7]] * 4


def test_composed_frames_are_contiguous_at_any_size():
    """As a QImage of their bytes needs."""
    small = np.zeros((5, 6, 4), np.uint8)
    for height, width in itertools.product(range(1, 6), repeat=2):
        first = np.zeros((height, width, 4), np.uint8)
        second = aligned(small, (0, 0, 6, 5), first, (1, 1, 9, 9))
        for frame in (second, split(first, second), wiped(first, second, 0.5, 0.5, 90.0)):
            assert frame.flags.c_contiguous, (height, width)


def test_marks_are_drawn_and_counted():
    frame, marks = plane(100, 4, 4), plane(0, 4, 4)
    frame[0, 0, 1] = 255
    marks[1, :2, 0] = 255
    marks[2, 0, 1] = 255
    seen, shares = marked(frame, marks, ("nan", "negative", "clipped", "zebra"), 0.9)
    assert shares == {"nan": 2 / 16, "negative": 1 / 16, "clipped": 1 / 16, "zebra": 0.0}
    assert tuple(seen[1, 0, :3]) == COLOURS["nan"]
    assert tuple(seen[2, 0, :3]) == COLOURS["negative"]
    assert tuple(seen[0, 0, :3]) == COLOURS["clipped"]
    assert (seen[3] == frame[3]).all()
    bright, shares = marked(plane(250, 12, 12), None, ("zebra",), 0.95)
    assert shares == {"zebra": 1.0}
    assert set(np.unique(bright[..., 0])) == {20, 235}


def test_mattes_are_drawn_over_a_frame():
    rng = np.random.default_rng(4)
    frame, coverage = (rng.integers(0, 256, (70, 50, 4), dtype=np.uint8) for _ in range(2))
    frame[..., 3] = coverage[..., 3] = 255
    share = coverage[..., :1] / 255.0
    red = np.array(RED)
    assert abs(rubylith(frame, coverage)[..., :3] - (frame[..., :3] * (1 - share / 2) + red * share / 2)).max() < 1.0
    assert abs(cut_out(frame, coverage, Backdrop())[..., :3] - frame[..., :3] * share).max() <= 0.5
    grey = cut_out(frame, coverage, Backdrop("grey"))[..., :3]
    assert abs(grey - (frame[..., :3] * share + 119 * (1 - share))).max() <= 1.0
    tint = tinted(coverage)
    assert abs(tint[..., 3:] - 127.5 * share).max() <= 1.0
    assert abs(tint[..., :3] - red * share / 2).max() <= 1.0 and (tint[..., :3].max(axis=-1) <= tint[..., 3]).all()
    for shown in (rubylith(frame, coverage), cut_out(frame, coverage, Backdrop())):
        assert (shown[..., 3] == 255).all()

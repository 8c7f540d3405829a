"""The viewer's own ops, against NumPy on pixels with known values."""

from __future__ import annotations

import numpy as np
import pytest

from engine import ops
from engine.executor import TiledExecutor
from engine.op import REGISTRY
from engine.viewing.looking import LADDER, MID_GREY, Difference, FalseColour, Marks
from tests.tolerance import assert_close

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


@pytest.mark.parametrize("gain", [1.0, 8.0])
def test_difference(executor: TiledExecutor, backend: str, gain: float) -> None:
    picture = np.random.default_rng(3).random((5, 7, 4), np.float32)
    seen = executor.execute_color(picture, [Difference((ops.Exposure(0.5), ops.Saturation(0.3)), gain=gain)])
    graded = ops.Saturation(0.3).reference(ops.Exposure(0.5).reference(picture.astype(float)))
    wanted = np.concatenate([np.abs(graded - picture)[..., :3] * gain, picture[..., 3:]], axis=-1)
    assert_close(seen, wanted, backend, chain=True)
    nothing = executor.execute_color(picture, [Difference((), gain=gain)])
    assert not nothing[..., :3].any()


def test_they_are_no_ops_of_a_grade() -> None:
    assert not {"FalseColour", "Marks", "Difference"} & set(REGISTRY)

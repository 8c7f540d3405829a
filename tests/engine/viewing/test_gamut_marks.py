"""The gamut overlay: which colours it marks, and by how much, against matrices of their own."""

from __future__ import annotations

import numpy as np
import pytest

from engine.color.management import Managed, manage
from engine.compute.executor import TiledExecutor
from engine.core.colorimetry import PRIMARIES, aces_from
from engine.core.gamuts import EDGE, WORKING
from engine.grade.colour_settings import ColourSetup, InputSpace
from engine.kernel.op import REGISTRY, ColorOp, Op
from engine.viewing.composing import marked_outside
from engine.viewing.gamut_ops import BANDS, GamutBands

COLOURS = np.random.default_rng(2).normal(0.3, 0.5, (200, 3))


def run(ops: tuple[Op, ...], rgb: np.ndarray) -> np.ndarray:
    rgba = np.column_stack([rgb, np.ones(len(rgb))])
    for op in ops:
        assert isinstance(op, ColorOp)
        rgba = op.reference(rgba)
    return np.asarray(rgba[:, :3])


def matrix(source: str, target: str) -> np.ndarray:
    to_aces, from_aces = aces_from(PRIMARIES[source]), aces_from(PRIMARIES[target])
    assert to_aces is not None and from_aces is not None
    return np.asarray(np.linalg.inv(from_aces) @ to_aces)


@pytest.mark.parametrize("gamut", ["rec709", "p3d65", "rec2020", "ap1"])
def test_graded_colours_are_converted_to_the_gamut(gamut: str) -> None:
    acescg = manage(ColourSetup(input="ACEScg"))
    assert np.allclose(run(acescg.to_gamut(gamut), COLOURS), COLOURS @ matrix("ap1", gamut).T, atol=2e-5)
    unknown = Managed(ColourSetup(), InputSpace())
    assert np.allclose(run(unknown.to_gamut(gamut), COLOURS), COLOURS @ matrix("rec709", gamut).T, atol=1e-12)
    assert acescg.to_gamut(WORKING) == unknown.to_gamut(WORKING) == ()


def test_a_log_image_is_decoded_before_it_is_held_against_a_gamut() -> None:
    log = manage(ColourSetup(input="ACEScct"))
    grey = run(log.to_gamut("rec2020"), np.full((1, 3), 0.4135884))
    assert np.allclose(grey, 0.18, atol=1e-4)
    assert np.allclose(run(log.to_gamut(WORKING), np.full((1, 3), 0.4135884)), 0.18, atol=1e-4)


def test_bands_tell_how_far_a_colour_is_outside(executor: TiledExecutor) -> None:
    lows = np.array([0.0, EDGE * 0.9, EDGE * 1.1, 0.019, 0.021, 0.099, 0.101, 0.299, 0.301, 1.0])
    wanted = np.array([0, 0, 1, 1, 2, 2, 3, 3, 4, 4]) / len(BANDS)
    for gain in (1.0, 2.0**-10, 2.0**10):
        rgb = np.column_stack([np.full(10, 1.0), 0.5 * lows, -lows]) * gain
        found = executor.execute_color(rgb[None].astype(np.float32), [GamutBands()])[0]
        assert np.array_equal(found, np.repeat(wanted[:, None], 3, axis=1))
    broken = np.array([[np.nan, -1.0, 1.0], [np.inf, -1.0, 1.0], [-np.inf, 1.0, 1.0], [0.0, 0.0, 0.0]], np.float32)
    assert not executor.execute_color(broken[None], [GamutBands()]).any()
    assert "GamutBands" not in REGISTRY


def test_marks_are_drawn_in_the_colours_of_their_bands_and_counted() -> None:
    frame = np.full((2, 5, 4), 90, np.uint8)
    bands = np.zeros_like(frame)
    bands[0, :, :3] = np.round(255.0 * np.arange(5) / 4.0)[:, None]
    found, share = marked_outside(frame, bands)
    assert [tuple(pixel) for pixel in found[0, 1:, :3].tolist()] == [colour for _, colour in BANDS]
    assert share == 0.4 and (found[1] == 90).all() and (found[0, 0] == 90).all() and (found[..., 3] == 90).all()

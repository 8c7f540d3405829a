"""Ops of hues and channels, against formulas in float64 that are written apart from theirs, and what they promise."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from engine import ops
from engine.errors import GradeError
from engine.kernel.op import ColorOp
from engine.ops.opponent import FADE, HUES

Array = NDArray[np.float64]
LUMA = np.array([0.2126, 0.7152, 0.0722])
RNG = np.random.default_rng(9)
COLOURS = RNG.uniform(0.0, 1.0, (500, 3)) * 2.0 ** RNG.uniform(-8.0, 8.0, (500, 1))
GREYS = np.repeat(np.geomspace(1e-4, 300.0, 50)[:, None], 3, axis=1)


def run(op: ColorOp, rgb: Array) -> Array:
    return op.reference(np.concatenate([rgb, np.ones((*rgb.shape[:-1], 1))], axis=-1))[..., :3]


def polar(rgb: Array) -> tuple[Array, Array, Array]:
    """Hue in degrees, chroma, and its share of the sum of squares: by a complex number with three cube roots of 1."""
    place = rgb @ np.exp(2j * np.pi * np.arange(3) / 3.0)
    return np.degrees(np.angle(place)), np.abs(place), np.abs(place) ** 2 * 2.0 / 3.0 / (rgb**2).sum(axis=-1)


VECTORS = ops.SixVector(
    density=(0.5, -0.3, 0.0, 1.0, 0.2, -0.7),
    saturation=(1.5, 0.2, 1.0, 0.0, 2.0, 1.2),
    hue=(10.0, -20.0, 30.0, 0.0, -15.0, 5.0),
)


def test_six_vectors_turn_and_scale_in_the_plane() -> None:
    hue, _, share = polar(COLOURS)
    away = np.abs((hue[:, None] - 60.0 * np.arange(6) + 180.0) % 360.0 - 180.0)
    weights = np.where(away < 60.0, 0.5 + 0.5 * np.cos(np.radians(3.0 * away)), 0.0)
    assert np.allclose(weights.sum(axis=1), 1.0)
    sure = share * (1.0 + FADE) / (share + FADE)
    darker, more, turn = (
        weights @ np.array(amounts) * sure
        for amounts in (VECTORS.density, np.array(VECTORS.saturation) - 1, VECTORS.hue)
    )
    place = (COLOURS @ np.exp(2j * np.pi * np.arange(3) / 3.0)) * (1.0 + more) * np.exp(1j * np.radians(turn))
    chroma = np.real(place[:, None] * np.exp(-2j * np.pi * np.arange(3) / 3.0)) * 2.0 / 3.0
    wanted = (chroma + (COLOURS @ LUMA - chroma @ LUMA)[:, None]) * np.exp2(-darker)[:, None]
    assert np.allclose(run(VECTORS, COLOURS), wanted, rtol=1e-10, atol=1e-11)


def test_six_vectors_leave_greys_and_have_no_seam_in_hue() -> None:
    assert np.allclose(run(VECTORS, GREYS), GREYS, rtol=1e-12)
    angles = np.radians(np.linspace(0.0, 360.0, 36001))
    around = 0.5 + 0.2 * np.cos(angles[:, None] - 2.0 * np.pi / 3.0 * np.arange(3))
    slopes = np.diff(run(VECTORS, around), axis=0) / (angles[1] - angles[0])
    assert np.abs(np.diff(slopes, axis=0)).max() < 2e-3
    near = 0.18 + 1e-4 * np.cos(angles[::1000, None] - 2.0 * np.pi / 3.0 * np.arange(3))
    assert np.abs(run(VECTORS, near) - near).max() < 3e-6  # noise of greys stays


@pytest.mark.parametrize("number", range(6))
def test_each_vector_moves_its_own_hue_alone(number: int) -> None:
    op = ops.SixVector(saturation=tuple(0.0 if at == number else 1.0 for at in range(6)))
    corners = np.array([[1, 0, 0], [1, 1, 0], [0, 1, 0], [0, 1, 1], [0, 0, 1], [1, 0, 1]], np.float64)
    moved = np.abs(run(op, corners) - corners).max(axis=1)
    assert [name for name, by in zip(HUES, moved, strict=True) if by > 1e-9] == [HUES[number]]


def test_vibrance_is_its_formula() -> None:
    op = ops.Vibrance(0.8, 0.6, 20.0, 30.0)
    hue, _, share = polar(COLOURS)
    luma = COLOURS @ LUMA
    q = 1.0 / np.sqrt((COLOURS**-4.0).sum(axis=1))
    chord = np.sin(np.radians((hue - 20.0) / 2.0)) / np.sin(np.radians(15.0))
    t = np.clip(1.0 - chord**2, 0.0, 1.0)
    spared = 0.6 * (3.0 * t**2 - 2.0 * t**3) * share * (1.0 + FADE) / (share + FADE)
    factor = 1.0 + 0.8 * (np.sqrt(3.0) - 1.0) * (1.0 - share) ** 2 * q / (luma**2 - q) * (1.0 - spared)
    wanted = luma[:, None] + (COLOURS - luma[:, None]) * factor[:, None]
    assert np.allclose(run(op, COLOURS), wanted, rtol=1e-9, atol=1e-12)


def test_vibrance_works_on_weak_colours_most_spares_skin_and_makes_nothing_negative() -> None:
    green = np.array([[0.5, 0.5 + 0.5 * s, 0.5] for s in np.linspace(0.05, 1.0, 20)]) - [[0.0], *[[0.0]] * 19]
    chroma = polar(run(ops.Vibrance(1.0), green))[1] / polar(green)[1]
    assert (np.diff(chroma) < 0.0).all() and chroma[0] > 1.9
    skin = np.array([[0.539, 0.305, 0.223]])
    assert np.allclose(run(ops.Vibrance(1.0, 0.0), skin) @ LUMA, skin @ LUMA)
    gains = [(polar(run(ops.Vibrance(1.0, spare), skin))[1] / polar(skin)[1])[0] for spare in (0.0, 1.0)]
    assert gains[0] > 1.3 and 1.0 < gains[1] < 1.0 + 0.25 * (gains[0] - 1.0)
    assert abs(polar(skin)[0][0] - ops.Vibrance().skin_hue) < 1.0
    corners = np.array([[1, 0, 0], [1, 1, 0], [0, 0, 1], [1, 1e-3, 1e-3], [0.1, 0.1, 1.0]], np.float64)
    for rgb in (COLOURS, corners, RNG.random((2000, 3)) ** 4):
        assert run(ops.Vibrance(1.0, 0.0), rgb).min() >= -1e-15
    outside = np.array([[1.0, -0.2, 0.3]])
    assert np.allclose(run(ops.Vibrance(1.0), outside), outside, atol=1e-9)


MIX = ops.ChannelMixer((0.9, 0.3, 0.0), (-0.1, 1.1, 0.1), (0.0, 0.2, 0.7))


def test_channel_mixer_is_its_matrix_and_inverts() -> None:
    rows = np.array([MIX.red, MIX.green, MIX.blue])
    assert np.allclose(run(MIX, COLOURS), COLOURS @ rows.T, rtol=1e-12)
    assert np.allclose(run(MIX.inverse(), run(MIX, COLOURS)), COLOURS, rtol=1e-11)
    half = run(MIX.replace(monochrome=0.5, grey=(0.5, 0.5, 0.0)), COLOURS)
    grey = COLOURS @ [[0.5], [0.5], [0.0]]
    assert np.allclose(half, 0.5 * (COLOURS @ rows.T + grey), rtol=1e-12)
    with pytest.raises(GradeError, match="no inverse"):
        MIX.replace(monochrome=1.0).inverse()


def test_channel_mixer_keeps_neutrals_and_luminance_where_asked() -> None:
    neutral, light = MIX.replace(neutrals=1.0), MIX.replace(luminance=1.0)
    assert np.allclose(run(neutral, GREYS), GREYS, rtol=1e-12)
    assert np.allclose(run(light, COLOURS) @ LUMA, COLOURS @ LUMA, rtol=1e-12)
    both = neutral.replace(luminance=1.0)
    assert np.allclose(run(both, GREYS), GREYS, rtol=1e-12)
    assert np.allclose(run(both, COLOURS) @ LUMA, COLOURS @ LUMA, rtol=1e-12)
    assert np.abs(run(MIX, GREYS) - GREYS).max() > 1.0 and np.allclose(run(both.inverse(), run(both, COLOURS)), COLOURS)

"""Gamuts: their matrices and adapted primaries, against published numbers and colour-science."""

from __future__ import annotations

import numpy as np
import pytest

from engine.core.colorimetry import PRIMARIES
from engine.core.gamuts import GAMUTS, adapted, from_xyz, white_xyz

D65 = PRIMARIES["rec709"][6:]
ACES = PRIMARIES["ap0"][6:]


def test_the_matrix_of_rec709_is_the_published_one() -> None:
    published = [
        [3.2404542, -1.5371385, -0.4985314],
        [-0.9692660, 1.8760108, 0.0415560],
        [0.0556434, -0.2040259, 1.0572252],
    ]
    assert np.allclose(from_xyz(PRIMARIES["rec709"]), published, atol=2e-3)  # Lindbloom's white has more digits


@pytest.mark.parametrize("gamut", GAMUTS)
def test_white_is_white_and_a_primary_is_a_primary(gamut: str) -> None:
    matrix, there = from_xyz(PRIMARIES[gamut]), adapted(PRIMARIES[gamut], D65)
    assert np.allclose(matrix @ white_xyz(D65), 1.0)
    for number in range(3):
        x, y = there[2 * number : 2 * number + 2]
        rgb = matrix @ np.array([x, y, 1.0 - x - y])
        assert rgb[number] > 0.0 and np.allclose(np.delete(rgb, number), 0.0, atol=1e-12)
    assert np.allclose(adapted(there, PRIMARIES[gamut][6:]), PRIMARIES[gamut])  # and back


def test_gamuts_are_those_of_colour_science() -> None:
    colour = pytest.importorskip("colour")
    spaces = {
        "rec709": "ITU-R BT.709",
        "p3d65": "P3-D65",
        "rec2020": "ITU-R BT.2020",
        "ap1": "ACEScg",
        "ap0": "ACES2065-1",
    }
    for gamut, name in spaces.items():
        space = colour.RGB_COLOURSPACES[name]
        back = colour.XYZ_to_RGB(np.eye(3), space, D65, "Bradford", apply_cctf_encoding=False)
        assert np.allclose(from_xyz(PRIMARIES[gamut]).T, back, atol=2e-4), gamut
    white = colour.chromatic_adaptation(
        white_xyz(ACES), white_xyz(ACES), white_xyz(D65), method="Von Kries", transform="Bradford"
    )
    assert np.allclose(colour.XYZ_to_xy(white), adapted(PRIMARIES["ap0"], D65)[6:])

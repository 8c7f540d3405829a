"""Gamuts: which colours lie outside of one, and where its primaries lie under another white.

Colours are CIE XYZ with D65 as neutral, as conversions to the space of CIE_XYZ give them. Bradford adapts whites.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from engine.core.colorimetry import PRIMARIES, Matrix, adaptation, to_xyz

GAMUTS = {
    "rec709": "Rec.709",
    "p3d65": "P3-D65",
    "rec2020": "Rec.2020",
    "ap1": "AP1",
    "ap0": "AP0",
}
"""The gamuts that images are compared with, keys of PRIMARIES, and their names."""
WORKING = "working"
"""Stands for the gamut of the scene-linear space of the config, whatever its primaries are."""
EDGE = 1e-3
"""A component below minus this share of the largest one is outside of a gamut. Half floats of saturated colours in a
wider space are rounded by up to half of it."""


def white_xyz(white: Sequence[float]) -> Matrix:
    """Return XYZ (3,) of a white with luminance 1, given as x and y."""
    x, y = white
    return np.array([x / y, 1.0, (1.0 - x - y) / y])


def from_xyz(chromaticities: Sequence[float]) -> Matrix:
    """Return the matrix (3, 3) from XYZ under D65 to linear RGB with these primaries and white."""
    here, there = white_xyz(PRIMARIES["rec709"][6:]), white_xyz(chromaticities[6:])
    return np.asarray(np.linalg.inv(to_xyz(chromaticities)) @ adaptation(here, there))


def adapted(chromaticities: Sequence[float], white: Sequence[float]) -> tuple[float, ...]:
    """Return x and y of the red, green, blue and white of a gamut, adapted to another white, given as x and y."""
    matrix = adaptation(white_xyz(chromaticities[6:]), white_xyz(white)) @ to_xyz(chromaticities)
    found = matrix[:2] / matrix.sum(axis=0)
    return (*found.T.ravel().tolist(), *white)

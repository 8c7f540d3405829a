"""The patches of the ColorChecker Classic of 24 patches: their names and published colours.

Source: X-Rite, "New color specifications for ColorChecker SG and Classic Charts": L*a*b* under D50, 2 degree observer,
of charts made from November 2014 on. Patches are listed row by row, from dark skin to black.
"""

from __future__ import annotations

import numpy as np

from engine.core.colorimetry import PRIMARIES, Matrix, adaptation, to_xyz
from engine.matching.delta_e import xyz_of

ROWS, COLUMNS = 4, 6
PATCHES = (
    ("Dark skin", (37.54, 14.37, 14.92)),
    ("Light skin", (64.66, 19.27, 17.50)),
    ("Blue sky", (49.32, -3.82, -22.54)),
    ("Foliage", (43.46, -12.74, 22.72)),
    ("Blue flower", (54.94, 9.61, -24.79)),
    ("Bluish green", (70.48, -32.26, -0.37)),
    ("Orange", (62.73, 35.83, 56.50)),
    ("Purplish blue", (39.43, 10.75, -45.17)),
    ("Moderate red", (50.57, 48.64, 16.67)),
    ("Purple", (30.10, 22.54, -20.87)),
    ("Yellow green", (71.77, -24.13, 58.19)),
    ("Orange yellow", (71.51, 18.24, 67.37)),
    ("Blue", (28.37, 15.42, -49.80)),
    ("Green", (54.38, -39.72, 32.27)),
    ("Red", (42.43, 51.05, 28.62)),
    ("Yellow", (81.80, 2.67, 80.41)),
    ("Magenta", (50.63, 51.28, -14.12)),
    ("Cyan", (49.57, -29.71, -28.32)),
    ("White", (95.19, -1.03, 2.93)),
    ("Neutral 8", (81.29, -0.57, 0.44)),
    ("Neutral 6.5", (66.89, -0.75, -0.06)),
    ("Neutral 5", (50.76, -0.13, 0.14)),
    ("Neutral 3.5", (35.63, -0.46, -0.48)),
    ("Black", (20.64, 0.07, -0.46)),
)
NEUTRAL = slice(18, 24)
"""The patches of the last row."""
D50 = np.array([0.9642, 1.0, 0.8249])
"""XYZ of D50, as in ICC profiles."""
ACES_TO_XYZ = to_xyz(PRIMARIES["ap0"])
ACES_TO_D50 = adaptation(ACES_TO_XYZ.sum(axis=1), D50) @ ACES_TO_XYZ
"""The matrix from ACES2065-1 to XYZ, with the white adapted to D50."""


def published_xyz() -> Matrix:
    """Return the XYZ of the patches under D50, (24, 3), with white at 1."""
    return xyz_of([lab for _, lab in PATCHES], D50)

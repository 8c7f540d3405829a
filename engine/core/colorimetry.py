"""Primaries and whites by their chromaticities, and chromatic adaptation."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

Matrix = NDArray[np.float64]
FARTHEST = 10.0
"""Largest x or y of a primary; those of cameras lie within -1 and 2."""
WORST = 1e4
"""Largest condition number of a matrix to ACES2065-1. Nearly collinear primaries exceed it; known ones are below 20."""

PRIMARIES = {
    "rec709": (0.64, 0.33, 0.30, 0.60, 0.15, 0.06, 0.3127, 0.3290),
    "p3d65": (0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.3290),
    "adobergb": (0.64, 0.33, 0.21, 0.71, 0.15, 0.06, 0.3127, 0.3290),
    "rec2020": (0.708, 0.292, 0.170, 0.797, 0.131, 0.046, 0.3127, 0.3290),
    "ap1": (0.713, 0.293, 0.165, 0.830, 0.128, 0.044, 0.32168, 0.33767),
    "ap0": (0.7347, 0.2653, 0.0, 1.0, 0.0001, -0.077, 0.32168, 0.33767),
}
"""x and y of red, green, blue and white: ITU-R BT.709, SMPTE EG 432-1, Adobe RGB (1998), BT.2020, ACES TB-2014-004 and
SMPTE ST 2065-1."""
CIE_XYZ = (1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1.0 / 3.0, 1.0 / 3.0)
"""Chromaticities in the header of a CIE XYZ image (OpenEXR, Technical Introduction): the axes, and their sum."""
LUMA = (0.2126, 0.7152, 0.0722)
"""Weights of R, G and B in luma: ITU-R BT.709-6, item 3.2."""
MID_GREY = 0.18
"""Scene-linear reflectance of the grey card that stops are counted from."""
BRADFORD = np.array([[0.8951, 0.2664, -0.1614], [-0.7502, 1.7135, 0.0367], [0.0389, -0.0685, 1.0296]])
"""XYZ to sharpened cone responses: Lam, "Metamerism and colour constancy", University of Bradford, 1985."""


def to_xyz(chromaticities: Sequence[float]) -> Matrix:
    """Return the matrix (3, 3) from RGB to XYZ, with white at luminance 1: SMPTE RP 177.

    `chromaticities` are x and y of red, green, blue and white. Raises ValueError or LinAlgError if they are invalid.
    """
    x, y = np.asarray(chromaticities, np.float64).reshape(4, 2).T
    columns = np.stack([x, y, 1.0 - x - y])
    return np.asarray(columns[:, :3] * np.linalg.solve(columns[:, :3], columns[:, 3] / y[3]))


def aces_from(chromaticities: Sequence[float], cones: Matrix = BRADFORD) -> Matrix | None:
    """Return the matrix (3, 3) from linear RGB to ACES2065-1, with the white adapted by `cones`.

    In an image of CIE XYZ, neutral is D65, as in the XYZ spaces of configs. Returns None for invalid primaries: too far
    apart, nearly collinear, or with the white outside their triangle.
    """
    try:
        with np.errstate(all="ignore"):
            source, target = to_xyz(chromaticities), to_xyz(PRIMARIES["ap0"])
            axes = np.allclose(np.asarray(chromaticities, np.float64), CIE_XYZ, atol=1e-4)
            white = to_xyz(PRIMARIES["rec709"]).sum(axis=1) if axes else source.sum(axis=1)
            matrix = np.asarray(np.linalg.inv(target) @ adaptation(white, target.sum(axis=1), cones) @ source)
            near = np.abs(np.asarray(chromaticities, np.float64)).max() < FARTHEST
            around_white = (source.sum(axis=0) > 0.0).all()  # each is a positive share of it
            sound = near and around_white and np.isfinite(matrix).all() and np.linalg.cond(matrix) < WORST
    except (np.linalg.LinAlgError, OverflowError, TypeError, ValueError):
        return None
    return matrix if sound else None


def adaptation(source: Matrix, target: Matrix, cones: Matrix = BRADFORD) -> Matrix:
    """Return the matrix (3, 3) from XYZ under one white to XYZ under another, both given as XYZ, by von Kries' rule."""
    return np.asarray(np.linalg.inv(cones) @ np.diag((cones @ target) / (cones @ source)) @ cones)

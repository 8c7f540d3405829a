"""The image of a highlighted object: a tint with a double outline, legible on any image."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray
from PySide6.QtGui import QImage

TINT, LIGHT, DARK = (0x2E, 0x3F, 0x52, 0x58), (0x40, 0xB0, 0xFF, 0xFF), (0x0C, 0x0C, 0x0C, 0xFF)
"""Premultiplied blue, green, red and alpha: of the inside, and of both lines of the outline."""
Bools = NDArray[np.bool_]


def outlined(image: QImage, width: int) -> QImage:
    """Return the highlight of an object; the alpha of an image is proportional to its coverage.

    The outline runs where that is half of the largest one. Its lines are `width` pixels wide.
    """
    rows = np.frombuffer(image.constBits(), np.uint8).reshape(image.height(), image.bytesPerLine() // 4, 4)
    alpha = rows[:, : image.width(), 3]
    inside = alpha >= max(alpha.max(initial=0) / 2.0, 1.0)
    found = np.zeros((image.height(), image.width(), 4), np.uint8)
    found[inside] = TINT
    found[inside & near(~inside, width)] = LIGHT
    found[~inside & near(inside, width)] = DARK
    made = QImage(found.data, image.width(), image.height(), QImage.Format.Format_ARGB32_Premultiplied)
    return made.copy()  # the array goes


def near(mask: Bools, distance: int) -> Bools:
    """Return the pixels that are at most so many rows and columns away from those of a mask."""
    found = mask.copy()
    for axis in (0, 1):
        before = np.moveaxis(found, axis, 0)
        after = before.copy()
        for by in range(1, distance + 1):
            after[by:] |= before[:-by]
            after[:-by] |= before[by:]
        found = np.moveaxis(after, 0, axis)
    return found

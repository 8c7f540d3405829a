"""Backdrops, which are visible where an image is transparent."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine import ops

BACKDROPS = ("", "grey", "checker")
"""'' leaves premultiplied values unchanged, which looks like a black backdrop."""
SHADES = {"grey": (119, 119), "checker": (96, 144)}
"""Display values of the two kinds of squares; 119 is mid grey on an sRGB display."""
FIELD = 12
"""Side of a square in screen pixels."""
ALPHA_ALONE = ops.Matrix((0.0, 0.0, 0.0, 1.0) * 4)
"""Copies alpha to every channel, to download it."""


def composite_backdrop(rows: NDArray[np.uint8], alpha: NDArray[np.uint8], top: int, backdrop: str, field: int) -> None:
    """Put a backdrop behind rows (height, width, 4) of a frame, from row `top` on; `alpha` is (height, width).

    (1 - alpha) of the backdrop is added to the display values of the image, which is premultiplied. `field` is the side
    of a square in pixels of the frame.
    """
    clear = 255 - alpha.astype(np.uint32)
    if not clear.any():
        return
    height, width = alpha.shape
    odd = ((np.arange(top, top + height) // field)[:, None] + np.arange(width) // field) % 2
    shade = np.array(SHADES[backdrop], np.uint32)[odd]
    added = ((clear * shade + 127) // 255).astype(np.uint8)[..., None]
    rows[..., :3] = np.minimum(rows[..., :3], 255 - added) + added

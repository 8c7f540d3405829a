"""Backdrops, which are visible where an image is transparent."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

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


class Backdrop(NamedTuple):
    """A backdrop, one of BACKDROPS; `field` is the side of a square as a share of the width of a frame."""

    kind: str = ""
    field: float = 1.0

    def behind(self, frame: NDArray[np.uint8], alphas: Iterable[NDArray[np.uint8]]) -> NDArray[np.uint8]:
        """Return a frame (height, width, 4) with the backdrop behind it; `alphas` are its alpha in strips from the top.

        The backdrop is drawn into the frame itself if that is writeable.
        """
        frame = frame if frame.flags.writeable else frame.copy()
        field, top = max(1, round(self.field * frame.shape[1])), 0
        for alpha in alphas:
            _composite(frame[top : top + len(alpha)], alpha, top, self.kind, field)
            top += len(alpha)
        return frame


def _composite(rows: NDArray[np.uint8], alpha: NDArray[np.uint8], top: int, kind: str, field: int) -> None:
    """Put a backdrop behind rows (height, width, 4) of a frame, from row `top` on; `alpha` is (height, width).

    (1 - alpha) of the backdrop is added to the display values of the image, which is premultiplied. `field` is the side
    of a square in pixels of the frame.
    """
    clear = 255 - alpha.astype(np.uint32)
    if not clear.any():
        return
    height, width = alpha.shape
    odd = ((np.arange(top, top + height) // field)[:, None] + np.arange(width) // field) % 2
    shade = np.array(SHADES[kind], np.uint32)[odd]
    added = ((clear * shade + 127) // 255).astype(np.uint8)[..., None]
    rows[..., :3] = np.minimum(rows[..., :3], 255 - added) + added

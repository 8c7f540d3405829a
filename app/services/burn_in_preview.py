"""A preview of a burn-in over a neutral ramp."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from engine.movies.burn_drawing import burn, draw_slate
from engine.movies.burn_in import BurnIn, Overlay

WIDTH, HEIGHT = 960, 540
EXAMPLE_FRAME = 1001


def drawn(burn_in: BurnIn, slate: bool) -> bytes:
    """Return a frame with the burn-in, or its slate, as rows of RGB bytes; its texts are those of an example.

    Raises FileError if the logo can't be read.
    """
    overlay = Overlay(
        burn_in,
        shot="sc010_sh020_comp",
        date="2026-01-31",
        colour="sRGB - Display / ACES 2.0",
        codec="ProRes 422 HQ",
        rate=Fraction(24),
        timecode="01:00:00:00",
    )
    facts = overlay.facts(EXAMPLE_FRAME, 0, "sc010_sh020_comp.1001.exr", (1920, 1080))
    pixels = np.empty((HEIGHT, WIDTH, 3), np.float32)
    pixels[...] = np.linspace(0.15, 0.6, WIDTH, dtype=np.float32)[None, :, None]
    if slate:
        draw_slate(pixels, overlay, facts)
    else:
        burn(pixels, overlay, facts)
    return (np.clip(pixels, 0.0, 1.0) * 255.0 + 0.5).astype(np.uint8).tobytes()

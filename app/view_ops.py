"""How the window shows scene light: view exposure, one channel or all, sRGB. Made of the engine's ops alone."""

from __future__ import annotations

from functools import cache

from engine import ops
from engine.op import Op

CHANNELS = ("red", "green", "blue", "alpha")


@cache
def view_ops(stops: float, channel: str) -> tuple[Op, ...]:
    """The view transform: it comes after the grade, on the screen only.

    `channel` is '' for colour, one of CHANNELS, or 'luma'. Alpha is shown whatever the view exposure.
    """
    picked: tuple[Op, ...] = ()
    if channel == "luma":
        picked = (ops.Saturation(0.0),)
    elif channel:
        row = tuple(float(name == channel) for name in CHANNELS)
        picked = (ops.Matrix((*row, *row, *row, 0.0, 0.0, 0.0, 1.0)),)
    srgb = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse")
    return (ops.Exposure(stops), *picked, srgb)

"""How the window shows scene light: view exposure, one channel or all, sRGB. Made of the engine's ops alone."""

from __future__ import annotations

from functools import cache

from engine import ops
from engine.op import Op

CHANNELS = ("red", "green", "blue", "alpha")


@cache
def view_ops(stops: float, channel: str, gamma: float = 1.0) -> tuple[Op, ...]:
    """The view transform: it comes after the grade, on the screen only.

    `channel` is '' for colour, one of CHANNELS, or 'luma'. Alpha is shown whatever the view exposure.
    `gamma` is that of the viewer: above 1 it brightens what lies between black and white.
    """
    picked: tuple[Op, ...] = ()
    if channel == "luma":
        picked = (ops.Saturation(0.0),)
    elif channel:
        row = tuple(float(name == channel) for name in CHANNELS)
        picked = (ops.Matrix((*row, *row, *row, 0.0, 0.0, 0.0, 1.0)),)
    srgb = ops.ExponentWithLinear((2.4,) * 3, (0.055,) * 3, direction="reverse")
    after = (ops.Exponent((1.0 / gamma,) * 3, negative="pass"),) if gamma != 1.0 else ()
    return (ops.Exposure(stops), *picked, srgb, *after)

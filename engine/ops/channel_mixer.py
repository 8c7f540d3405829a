"""ChannelMixer."""

from __future__ import annotations

import numpy as np

from engine.core.colorimetry import LUMA
from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, derived, slider
from engine.kernel.pixel import Pixel, Value, Vec, dot

UNIT = ((1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0))
SINGULAR = 1e7
"""Condition number from which on a mix has no inverse in float32."""


def _row(channel: int, name: str) -> Numbers:
    help = f"Shares of the channels in the new {name}"
    return slider(UNIT[channel], -2.0, 2.0, help=f"{help}: red, green, blue", visible=(-1.0, 2.0))


class ChannelMixer(ColorOp):
    """Mix the channels: each new one is a sum of shares of the old ones. Scene-linear RGB in and out, unbounded.

    `monochrome` fades to a grey of the shares `grey`. At 1, `neutrals` adds the same number to the three shares of each
    row, so that they add up to 1 and greys stay as they are; `luminance` then adds the same grey to all channels, so
    that luma (BT.709 weights) stays. All of it is one matrix.
    """

    label = "Channel mixer"
    home = "scene_linear"

    red: Numbers = _row(0, "red")
    green: Numbers = _row(1, "green")
    blue: Numbers = _row(2, "blue")
    monochrome: float = slider(0.0, 0.0, 1.0, help="0 is colour, 1 is grey")
    grey: Numbers = slider(LUMA, -2.0, 2.0, help="Shares of the channels in grey: red, green, blue")
    neutrals: float = slider(0.0, 0.0, 1.0, help="1 leaves greys as they are")
    luminance: float = slider(0.0, 0.0, 1.0, help="1 leaves the luma of each colour as it is")

    @derived(9)
    def matrix(self) -> tuple[float, ...]:
        """The matrix of the mix, row by row."""
        rows = np.array((self.red, self.green, self.blue), np.float64)
        rows = rows + (np.array((self.grey,) * 3) - rows) * self.monochrome
        rows = rows + (1.0 - rows.sum(axis=1, keepdims=True)) * (self.neutrals / 3.0)
        rows = rows + (np.array(LUMA) - np.array(LUMA) @ rows) * self.luminance
        return tuple(rows.ravel().tolist())

    def pixel(self, px: Pixel) -> Value:
        return Vec(tuple(dot(tuple(self.matrix[at] for at in (row, row + 1, row + 2)), px.rgb) for row in (0, 3, 6)))

    def is_identity(self) -> bool:
        return (self.red, self.green, self.blue) == UNIT and self.monochrome == 0.0

    def inverse(self) -> ChannelMixer:
        rows = np.array(self.matrix).reshape(3, 3)
        if not np.linalg.cond(rows) < SINGULAR:
            raise GradeError("a mix that makes channels depend on each other has no inverse")
        return ChannelMixer(*(tuple(row.tolist()) for row in np.linalg.inv(rows)))

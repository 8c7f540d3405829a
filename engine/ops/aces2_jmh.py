"""Aces2Jmh."""

from __future__ import annotations

from engine.kernel.op import ColorOp, Numbers, choice, derived, slider
from engine.kernel.pixel import Pixel, Value, Vec, cos, select, sin
from engine.ops import aces2_model as model
from engine.ops import aces2_tables as tables

HMJ = Vec((360.0, 200.0, 100.0))
"""The hue in degrees, colourfulness and lightness that a value of 1 stands for."""


class Aces2Jmh(ColorOp):
    """Linear RGB of any primaries to lightness J, colourfulness M and hue h in degrees; reverse goes back.

    RGB of 1 is 100 nits. Colours without lightness become (0, 0, 0). In the order hMJ the channels are h / 360, M / 200
    and J / 100, as grading controls need them. Formulas and source: see `aces2_model`.
    """

    label = "ACES 2 JMh"

    primaries: Numbers = slider(tables.AP0, 0.0, 1.0, help="x, y of red, green, blue and white")
    order: str = choice("JMh", "hMJ", help="Order of the channels")
    direction: str = choice("forward", "reverse", help="reverse: JMh to RGB")

    def check(self) -> None:
        tables.check_primaries(self.primaries)

    @derived(36)
    def viewing(self) -> tuple[float, ...]:
        return tables.viewing_numbers(self.primaries)

    def pixel(self, px: Pixel) -> Value:
        viewing = model.Viewing(self.viewing)
        return self._forward(px.rgb, viewing) if self.direction == "forward" else self._reverse(px.rgb, viewing)

    def _forward(self, rgb: Vec, viewing: model.Viewing) -> Value:
        a, *opponent = viewing.response(rgb)
        m, hue, _, _ = model.polar(*opponent)
        j, m, hue = select(a <= 0.0, Vec((0.0, 0.0, 0.0)), Vec((model.lightness(a), m, hue)))
        if self.order == "hMJ":
            return Vec((hue / HMJ.r, m / HMJ.g, j / HMJ.b))
        return Vec((j, m, hue))

    def _reverse(self, v: Vec, viewing: model.Viewing) -> Value:
        j, m, hue = v
        if self.order == "hMJ":
            hue, m, j = v * HMJ
        turn = model.wrapped(hue) * (1.0 / model.DEGREES)
        return viewing.rgb(Vec((model.achromatic(j), m * cos(turn), m * sin(turn))))

    def inverse(self) -> Aces2Jmh:
        return self.turned()

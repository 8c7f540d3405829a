"""Aces2ToneCompress."""

from __future__ import annotations

from engine.kernel.op import ColorOp, Table, choice, derived, derived_table, slider
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, absolute, cos, select, sin
from engine.ops import aces2_model as model
from engine.ops import aces2_tables as tables
from engine.ops.aces2_model import NUMBERS, Rendering


class Aces2ToneCompress(ColorOp):
    """The tone scale and the chroma compression of ACES 2, on J, M and h in degrees of ACES2065-1.

    Hue is wrapped to 0..360. Formulas and source: see `aces2_model`.
    """

    label = "ACES 2 tone scale"

    peak: float = slider(
        100.0, 100.0, 10000.0, unit="nit", minimum=1.0, help="Luminance of the display's white", visible=(100.0, 2000.0)
    )
    direction: str = choice("forward", "reverse", help="reverse: display to scene")

    def check(self) -> None:
        tables.check_peak(self.peak)

    @derived(len(NUMBERS))
    def numbers(self) -> tuple[float, ...]:
        return (*tables.tone_numbers(self.peak), 0.0, 0.0)

    @derived_table
    def reach(self) -> Table:
        return tables.reach_table(self.peak)

    def pixel(self, px: Pixel) -> Value:
        p = Rendering(self.numbers, self.reach, None, None)
        j, m, hue = px.r, px.g, model.wrapped(px.b)
        turn = hue * (1.0 / model.DEGREES)
        norm, reach = model.chroma_norm(cos(turn), sin(turn), p), model.reach_at(hue, p)
        size = absolute(j)
        before = model.achromatic(size)
        light = model.luminance(before)
        if self.direction == "forward":
            after = model.response_to(model.toned(light, p))
            moved = self._signed(after, j)
            chroma = model.chroma_compressed(m, after / before, moved, after, reach, norm, p)
        else:
            after = model.response_to(model.untoned(light, p))
            moved = self._signed(after, j)
            chroma = model.chroma_expanded(m, before / after, j, before, reach, norm, p)
        return Vec((moved, chroma, hue))

    @staticmethod
    def _signed(a: Scalar, like: Scalar) -> Scalar:
        """Return the J of a response, with the sign of `like`."""
        j = model.lightness(a)
        return select(like < 0.0, -j, j)

    def inverse(self) -> Aces2ToneCompress:
        return self.turned()

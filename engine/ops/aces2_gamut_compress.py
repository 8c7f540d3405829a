"""Aces2GamutCompress."""

from __future__ import annotations

from engine.op import ColorOp, Numbers, Table, choice, derived, derived_table, slider
from engine.ops import aces2_model as model
from engine.ops import aces2_tables as tables
from engine.ops.aces2_model import NUMBERS, Rendering
from engine.pixel import Pixel, Value, Vec


class Aces2GamutCompress(ColorOp):
    """The gamut compression of ACES 2, on J, M and h in degrees of ACES2065-1, after the tone scale.

    Hue is brought within 0..360. Formulas and source: see `aces2_model`.
    """

    label = "ACES 2 gamut compress"

    peak: float = slider(100.0, 100.0, 10000.0, unit="nit", minimum=1.0, help="Luminance of the display's white")
    primaries: Numbers = slider(tables.REC709, 0.0, 1.0, help="x, y of the limiting red, green, blue and white")
    direction: str = choice("forward", "reverse", help="reverse expands again")

    def check(self) -> None:
        tables.check_peak(self.peak)
        tables.check_primaries(self.primaries)

    @derived(len(NUMBERS))
    def numbers(self) -> tuple[float, ...]:
        return (*tables.tone_numbers(self.peak), *tables.gamut_tables(self.peak, self.primaries)[2])

    @derived_table
    def reach(self) -> Table:
        return tables.reach_table(self.peak)

    @derived_table
    def hues(self) -> Table:
        return tables.gamut_tables(self.peak, self.primaries)[0]

    @derived_table
    def cusps(self) -> Table:
        return tables.gamut_tables(self.peak, self.primaries)[1]

    def pixel(self, px: Pixel) -> Value:
        p = Rendering(self.numbers, self.reach, self.hues, self.cusps)
        hue = model.wrapped(px.b)
        j, m = model.gamut_compressed(px.r, px.g, hue, model.reach_at(hue, p), p, expand=self.direction == "reverse")
        return Vec((j, m, hue))

    def inverse(self) -> Aces2GamutCompress:
        """Exact for what lies within the limiting gamut."""
        return self.turned()

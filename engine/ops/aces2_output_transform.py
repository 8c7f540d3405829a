"""Aces2OutputTransform."""

from __future__ import annotations

from engine.op import ColorOp, Numbers, Table, choice, derived, derived_table, slider
from engine.ops import aces2_model as model
from engine.ops import aces2_tables as tables
from engine.ops.aces2_model import NUMBERS, Rendering, Viewing
from engine.pixel import Pixel, Value, Vec, absolute, select


class Aces2OutputTransform(ColorOp):
    """Render a scene for a display: the ACES 2 output transform, without the display's encoding.

    Linear ACES2065-1 RGB in, linear RGB of the limiting primaries out, 1 for 100 nits. Tone scale, chroma compression
    and gamut compression in a colour appearance model: see `aces2_model` for formulas and source.
    """

    label = "ACES 2 output transform"

    peak: float = slider(100.0, 100.0, 10000.0, unit="nit", minimum=1.0, help="Luminance of the display's white")
    primaries: Numbers = slider(tables.REC709, 0.0, 1.0, help="x, y of the limiting red, green, blue and white")
    direction: str = choice("forward", "reverse", help="reverse: display to scene")

    def check(self) -> None:
        tables.check_peak(self.peak)
        tables.check_primaries(self.primaries)

    @derived(36)
    def scene(self) -> tuple[float, ...]:
        return tables.viewing_numbers(tables.AP0)

    @derived(36)
    def display(self) -> tuple[float, ...]:
        return tables.viewing_numbers(self.primaries)

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
        render = self._forward if self.direction == "forward" else self._reverse
        return render(px.rgb, Viewing(self.scene), Viewing(self.display), p)

    @staticmethod
    def _forward(rgb: Vec, scene: Viewing, display: Viewing, p: Rendering) -> Value:
        a, *opponent = scene.response(rgb)
        m, hue, cosine, sine = model.polar(*opponent)
        toned = model.response_to(model.toned(model.luminance(a), p))
        j, reach = model.lightness(toned), model.reach_at(hue, p)
        norm = model.chroma_norm(cosine, sine, p)
        m = model.chroma_compressed(m, toned / a, j, toned, reach, norm, p)
        j, m = model.gamut_compressed(j, m, hue, reach, p, expand=False)
        shown = display.rgb(Vec((model.achromatic(j), m * cosine, m * sine)))
        return select(a <= 0.0, Vec((0.0, 0.0, 0.0)), shown)

    @staticmethod
    def _reverse(rgb: Vec, scene: Viewing, display: Viewing, p: Rendering) -> Value:
        a, *opponent = display.response(rgb)
        m, hue, cosine, sine = model.polar(*opponent)
        reach = model.reach_at(hue, p)
        j, m = model.gamut_compressed(model.lightness(a), m, hue, reach, p, expand=True)
        toned = model.achromatic(absolute(j))
        before = model.response_to(model.untoned(model.luminance(toned), p))
        m = model.chroma_expanded(m, toned / before, j, toned, reach, model.chroma_norm(cosine, sine, p), p)
        light = scene.rgb(Vec((before, m * cosine, m * sine)))
        return select(a <= 0.0, Vec((0.0, 0.0, 0.0)), light)

    def inverse(self) -> Aces2OutputTransform:
        """Exact for what lies within the limiting gamut and was not clipped."""
        return self.turned()

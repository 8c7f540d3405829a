"""Aces2OutputTransform."""

from __future__ import annotations

from engine.kernel.op import derived
from engine.kernel.pixel import Pixel, Value, Vec, absolute, select
from engine.ops import aces2_model as model
from engine.ops import aces2_tables as tables
from engine.ops.aces2_model import Rendering, Viewing
from engine.ops.aces2_rendering import Aces2Display


class Aces2OutputTransform(Aces2Display):
    """Render a scene for a display: the ACES 2 output transform, without the display's encoding.

    Linear ACES2065-1 RGB in, linear RGB of the limiting primaries out, 1 for 100 nits. Tone scale, chroma compression
    and gamut compression in a colour appearance model: see `aces2_model` for formulas and source.
    """

    label = "ACES 2 output transform"

    @derived(36)
    def scene(self) -> tuple[float, ...]:
        return tables.viewing_numbers(tables.AP0)

    @derived(36)
    def display(self) -> tuple[float, ...]:
        return tables.viewing_numbers(self.primaries)

    def pixel(self, px: Pixel) -> Value:
        p = self.rendering()
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
        """Exact for colours within the limiting gamut that were not clipped."""
        return self.turned()

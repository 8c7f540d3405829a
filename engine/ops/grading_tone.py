"""GradingTone."""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property
from typing import Any

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, choice, derived, derived_table, slider
from engine.kernel.pixel import HALF_MAX, Pixel, Value, Vec, minimum
from engine.ops import grading_log, tone_curves
from engine.ops.tone_curves import Curve

RANGES = {"log": (0.0, 1.0, 1.0, 0.4), "linear": (-5.5, 7.5, 6.5, 0.0), "video": (0.0, 1.0, 1.0, 0.4)}
"""Bottom and top of the middle tones, top of the contrast, and its pivot."""
PLACES = {
    "log": {
        "blacks": (0.4, 0.4),
        "shadows": (0.5, 0.0),
        "middle": (0.4, 0.6),
        "highlights": (0.3, 1.0),
        "whites": (0.4, 0.5),
    },
    "linear": {
        "blacks": (0.0, 4.0),
        "shadows": (2.0, -7.0),
        "middle": (0.0, 8.0),
        "highlights": (-2.0, 9.0),
        "whites": (0.0, 8.0),
    },
    "video": {
        "blacks": (0.4, 0.4),
        "shadows": (0.6, 0.0),
        "middle": (0.4, 0.7),
        "highlights": (0.2, 1.0),
        "whites": (0.5, 0.5),
    },
}
"""Default range of each tone control: its start or centre, and its width (for shadows and highlights, its end)."""
WIDTHS = ("blacks", "middle", "whites")
CURVES = 21
"""Middle, highlights, whites, shadows and blacks of red, green, blue and all, and the contrast."""


class GradingTone(ColorOp):
    """Blacks, shadows, middle tones, highlights, whites and S contrast of a grading desk. RGB in and out.

    Each control has red, green, blue, a master value, where it starts and its width (or, for shadows and highlights,
    where the range ends). 1 changes nothing. Style linear works on stops about mid grey. Results are clamped to 65504.
    Source: OpenColorIO, GradingToneTransform; its curves are those of `tone_curves`.
    """

    label = "Tone grading"

    blacks: Numbers = slider((1.0, 1.0, 1.0, 1.0, 0.4, 0.4), 0.1, 1.9, help="Red, green, blue, master, start, width")
    shadows: Numbers = slider((1.0, 1.0, 1.0, 1.0, 0.5, 0.0), 0.2, 1.8, help="Red, green, blue, master, start, end")
    middle: Numbers = slider((1.0, 1.0, 1.0, 1.0, 0.4, 0.6), 0.1, 1.9, help="Red, green, blue, master, centre, width")
    highlights: Numbers = slider((1.0, 1.0, 1.0, 1.0, 0.3, 1.0), 0.2, 1.8, help="Red, green, blue, master, start, end")
    whites: Numbers = slider((1.0, 1.0, 1.0, 1.0, 0.4, 0.5), 0.1, 1.9, help="Red, green, blue, master, start, width")
    contrast: float = slider(1.0, 0.01, 1.99, minimum=0.0, help="S contrast")
    style: str = choice("log", "linear", "video", help="Encoding of the image's values")
    direction: str = choice("forward", "reverse", help="reverse undoes it")

    def check(self) -> None:
        if min(self.blacks[5], self.middle[5], self.whites[5]) < 0.0099:
            raise GradeError("the width of a tone control must be at least 0.01")
        controls = (self.blacks, self.shadows, self.middle, self.highlights, self.whites)
        if not all(0.0 < x < 2.0 for control in controls for x in control[:4]) or self.contrast >= 2.0:
            raise GradeError("a tone control must lie between 0 and 2")

    def in_style(self, style: str) -> GradingTone:
        """Return a copy in another style; default ranges become its defaults, others keep their proportions."""
        (bottom, top), (to_bottom, to_top) = RANGES[self.style][:2], RANGES[style][:2]
        factor = (to_top - to_bottom) / (top - bottom)
        values = {}
        for tone, places in PLACES[style].items():
            control = getattr(self, tone)
            if control[4:] != PLACES[self.style][tone]:
                first, second = control[4:]
                size = second * factor if tone in WIDTHS else (second - bottom) * factor + to_bottom
                places = ((first - bottom) * factor + to_bottom, size)
            values[tone] = (*control[:4], *places)
        return self.replace(style=style, **values)

    @cached_property
    def packed(self) -> tuple[Table, Table, tuple[float, ...], tuple[float, ...]]:
        curves = self._curves()
        return tone_curves.packed(curves if self.direction == "forward" else [tone_curves.reverse(c) for c in curves])

    def _curves(self) -> list[Curve]:
        bottom, top, top_contrast, pivot = RANGES[self.style]
        start, end = min(self.highlights[4], self.highlights[5] - 0.01), self.highlights[5]
        dark_end, dark_start = self.shadows[5], max(self.shadows[4], self.shadows[5] + 0.01)

        def light(amount: float) -> Curve:
            return tone_curves.bend(2.0 - amount, start, end, at_low=False)

        def dark(amount: float) -> Curve:
            return tone_curves.bend(amount, dark_end, dark_start, at_low=True)

        white = [tone_curves.value(light(self.highlights[3]), self.whites[4] + x) for x in (0.0, self.whites[5])]
        black = [tone_curves.value(dark(self.shadows[3]), self.blacks[4] - x) for x in (0.0, self.blacks[5])]
        shapes: list[tuple[Callable[..., Curve], Any, tuple[float, ...]]] = [
            (tone_curves.middle, self.middle, (self.middle[4], self.middle[5], bottom, top)),
            (light, self.highlights, ()),
            (tone_curves.whites, self.whites, (white[0], white[1] - white[0])),
            (dark, self.shadows, ()),
            (tone_curves.blacks, self.blacks, (black[0], black[0] - black[1])),
        ]
        curves = [shape(amount, *rest) for shape, control, rest in shapes for amount in control[:4]]
        return [*curves, tone_curves.contrast(self.contrast, bottom, top_contrast, pivot)]

    @derived_table
    def knots(self) -> Table:
        return self.packed[0]

    @derived_table
    def pieces(self) -> Table:
        return self.packed[1]

    @derived(CURVES)
    def first(self) -> tuple[float, ...]:
        return self.packed[2]

    @derived(CURVES)
    def last(self) -> tuple[float, ...]:
        return self.packed[3]

    def pixel(self, px: Pixel) -> Value:
        rgb = grading_log.encoded(px.rgb) if self.style == "linear" else px.rgb
        stages = [range(4 * i, 4 * i + 4) for i in range(5)]
        if self.direction == "forward":
            for r, g, b, master in stages:
                rgb = self._each(self._each(rgb, (r, g, b)), (master,) * 3)
            rgb = self._each(rgb, (CURVES - 1,) * 3)
        else:
            rgb = self._each(rgb, (CURVES - 1,) * 3)
            for r, g, b, master in reversed(stages):
                rgb = self._each(self._each(rgb, (master,) * 3), (r, g, b))
        return minimum(HALF_MAX, grading_log.linear(rgb) if self.style == "linear" else rgb)

    def _each(self, rgb: Vec, curves: tuple[int, ...]) -> Vec:
        ends = [(self.first[i], self.last[i]) for i in curves]
        return Vec(
            tuple(tone_curves.evaluate(self.knots, self.pieces, *end, x) for end, x in zip(ends, rgb, strict=True))
        )

    def is_identity(self) -> bool:
        controls = (self.blacks, self.shadows, self.middle, self.highlights, self.whites)
        return self.contrast == 1.0 and all(x == 1.0 for control in controls for x in control[:4])

    def inverse(self) -> GradingTone:
        """Exact below 65504."""
        return self.turned()

"""Qualifiers: sources that select colours of the image.

They are given scene-linear RGB, of the image before the grade (`source`) or of what their entry is given (`entry`).
Pixels with NaN are not covered.
"""

from __future__ import annotations

import math
from typing import Any, Self

import numpy as np

from engine.core.colorimetry import LUMA
from engine.kernel.op import Numbers, choice, derived, derived_choice, slider
from engine.kernel.pixel import HALF_MAX, Pixel, Scalar, Value, Vec, absolute, atan2, clamp, dot, maximum, minimum, sqrt
from engine.mattes import checks, encodings, falloffs
from engine.mattes.source import MatteSource

MOST_DENOISE = 64.0
SQRT_3 = math.sqrt(3.0)
DEGREES = 180.0 / math.pi
LEAST_HUE_SOFTNESS = 1.0
"""The least softness of a hue, in degrees."""
LEAST_SOFTNESS = 0.01
"""The least softness of a saturation, a luma and a 3D key: without it, noise would flicker."""
NEUTRAL = 0.02
"""The saturation below which hues fade out: that of a neutral colour is not defined."""
DARKEST = 1e-4
"""The least largest channel that a saturation is relative to."""
MOST_SAMPLES = 32
"""Samples of a 3D key, added and removed together."""
SLOTS = (0, 4, 8, 16, 32)
"""Numbers of samples with a kernel of their own."""
GREY = 1.0 / SQRT_3

Sample = tuple[float, float, float]


def _input() -> Any:
    return choice("source", "entry", help="source: the image before the grade; entry: after the ops above this one")


def _encoding() -> Any:
    return choice("log", "linear", help="log: the ACEScct curve of scene-linear values; linear: the values as they are")


def _denoise() -> Any:
    text = "How far the blur that cleans the key reaches; 0 is none"
    return slider(0.0, 0.0, MOST_DENOISE, "px", 0.0, text, (0.0, 16.0))


class HslQualifier(MatteSource):
    """A range of hues, saturations and lumas with soft ends; the coverages of all three are multiplied.

    Hue is the angle of the colour around the grey axis: 0 red, 120 green, 240 blue. Neutral colours have the least
    coverage of any hue, and fade to it. Saturation is (largest - smallest) / largest channel. Both are those of the
    encoded channels. Luma has Rec.709 weights and is always in ACEScct units, from 0.07 (black) over 0.41 (grey of
    18 %) and 0.55 (1.0) to 1.47 (the largest half). An end at the end of its slider is unlimited.
    """

    family = "Qualifiers"
    label = "HSL qualifier"

    input: str = _input()
    encoding: str = _encoding()
    hue: Numbers = slider((0.0, 360.0, 30.0), 0.0, 360.0, "°", None, "Hue: centre, width, softness on either side")
    saturation: Numbers = slider(
        (0.0, 1.0, 0.1, 0.1), 0.0, 1.0, "", None, "Saturation: low end, high end, softness below, softness above"
    )
    luma: Numbers = slider(
        (0.0, 1.5, 0.1, 0.1), 0.0, 1.5, "", None, "Luma in ACEScct: low end, high end, softness below, softness above"
    )
    denoise: float = _denoise()

    def check(self) -> None:
        checks.within(self, checks.FARTHEST, "hue", "saturation", "luma")
        checks.within(self, MOST_DENOISE, "denoise")

    @property
    def reads(self) -> str:
        return self.input

    @derived(4)
    def turn(self) -> tuple[float, ...]:
        """Cosine and sine of the central hue, the angle at which the coverage is 0, and the slope, in radians."""
        center, width, soft = self.hue
        soft = max(soft, LEAST_HUE_SOFTNESS)
        end = max(width, 0.0) / 2.0 + soft
        return (math.cos(center / DEGREES), math.sin(center / DEGREES), end / DEGREES, DEGREES / soft)

    @derived(4)
    def saturations(self) -> tuple[float, ...]:
        """The range of saturations."""
        return _soft_span(self.saturation, 0.0, 1.0)

    @derived(4)
    def lumas(self) -> tuple[float, ...]:
        """The range of lumas."""
        return _soft_span(self.luma, 0.0, 1.5)

    def coverage(self, px: Pixel) -> Scalar:
        linear = encodings.bounded(px.rgb)
        rgb = encodings.encoded(linear, self.encoding)
        most = encodings.largest(rgb)
        saturation = minimum((most - encodings.smallest(rgb)) / maximum(most, DARKEST), 1.0)
        luma = dot(LUMA, rgb) if self.encoding == "log" else encodings.encoded(dot(LUMA, linear), "log")
        return (
            self._of_hue(rgb, saturation)
            * falloffs.in_span(saturation, self.saturations, "between", "smooth")
            * falloffs.in_span(luma, self.lumas, "between", "smooth")
        )

    def _of_hue(self, rgb: Vec, saturation: Scalar) -> Scalar:
        cos, sin, end, slope = self.turn
        across, up = 2.0 * rgb.r - (rgb.g + rgb.b), SQRT_3 * (rgb.g - rgb.b)
        angle = absolute(atan2(up * cos - across * sin, across * cos + up * sin))
        least = falloffs.smooth((end - math.pi) * slope)
        chosen = falloffs.smooth((end - angle) * slope)
        return least + (chosen - least) * falloffs.smooth(saturation / NEUTRAL)

    def scaled(self, x: float, y: float) -> Self:
        return self.replace(denoise=_scaled_denoise(self.denoise, x, y))


class Key3d(MatteSource):
    """A 3D key: colours within a tolerance of any of the samples `added`, without those of the samples `removed`.

    Distances are those of the encoded channels. Along the grey axis they count less by the factor `reach`, so that each
    sample has an ellipsoid of colours that are lit more or less. Samples are scene-linear RGB.
    """

    family = "Qualifiers"
    label = "3D key"

    added: tuple[Sample, ...] = ()
    removed: tuple[Sample, ...] = ()
    tolerance: float = slider(
        0.05, 0.0, 1.0, minimum=0.0, help="Distance up to which a colour is covered", visible=(0.0, 0.3)
    )
    softness: float = slider(
        0.05,
        0.0,
        1.0,
        minimum=0.0,
        help="Distance beyond the tolerance in which the coverage falls to 0",
        visible=(0.0, 0.3),
    )
    reach: float = slider(
        2.0,
        1.0,
        8.0,
        minimum=1.0,
        help="How much farther the key reaches from dark to bright than from colour to colour",
    )
    input: str = _input()
    encoding: str = _encoding()
    denoise: float = _denoise()

    def check(self) -> None:
        checks.rows(self, "added", 3, HALF_MAX, MOST_SAMPLES)
        checks.rows(self, "removed", 3, HALF_MAX, MOST_SAMPLES - len(self.added))
        checks.within(self, checks.FARTHEST, "tolerance", "softness", "reach")
        checks.within(self, MOST_DENOISE, "denoise")

    @property
    def reads(self) -> str:
        return self.input

    @derived_choice
    def slots(self) -> str:
        """How many samples the kernel compares with: added and removed."""
        counts = (next(slots for slots in SLOTS if slots >= len(each)) for each in (self.added, self.removed))
        return "+".join(map(str, counts))

    @derived(3 * MOST_SAMPLES)
    def wanted(self) -> tuple[float, ...]:
        """The added samples, encoded, the last repeated."""
        return self._slotted(self.added)

    @derived(3 * MOST_SAMPLES)
    def unwanted(self) -> tuple[float, ...]:
        """The removed samples, encoded, the last repeated."""
        return self._slotted(self.removed)

    @derived(2)
    def ramp(self) -> tuple[float, float]:
        """The distance at which the coverage is 0, and the slope."""
        soft = max(self.softness, LEAST_SOFTNESS)
        return self.tolerance + soft, 1.0 / soft

    def coverage(self, px: Pixel) -> Scalar:
        wanted, unwanted = (int(slots) for slots in self.slots.split("+"))
        if not wanted:
            return clamp(px.r, 0.0, 0.0)
        rgb = _shortened(encodings.encoded(encodings.bounded(px.rgb), self.encoding), 1.0 / self.reach)
        covered = self._near(rgb, self.wanted, wanted)
        return minimum(covered, 1.0 - self._near(rgb, self.unwanted, unwanted)) if unwanted else covered

    def _near(self, rgb: Vec, samples: Vec, count: int) -> Scalar:
        squares = [_square(rgb - Vec(samples.items[3 * n : 3 * n + 3])) for n in range(count)]
        nearest = squares[0]
        for square in squares[1:]:
            nearest = minimum(nearest, square)
        return falloffs.smooth((self.ramp[0] - sqrt(nearest)) * self.ramp[1])

    def _slotted(self, samples: tuple[Sample, ...]) -> tuple[float, ...]:
        found = [[encodings.encoded_number(x, self.encoding) for x in sample] for sample in samples]
        found = (found + [found[-1]] * MOST_SAMPLES)[:MOST_SAMPLES] if found else [[0.0] * 3] * MOST_SAMPLES
        shortened = [_shortened(Vec(tuple(sample)), 1.0 / self.reach) for sample in found]
        return tuple(float(x) for sample in shortened for x in sample)

    def scaled(self, x: float, y: float) -> Self:
        return self.replace(denoise=_scaled_denoise(self.denoise, x, y))


def spread(colours: Any, most: int) -> tuple[Sample, ...]:
    """Return at most `most` of the colours (n, 3) of a stroke, each as far from those before it as there is one.

    Distances are measured in ACEScct. Colours that are not finite are left out. Source: T. F. Gonzalez, "Clustering to
    minimize the maximum intercluster distance", Theoretical Computer Science 38, 1985.
    """
    linear = np.asarray(colours, np.float64).reshape(-1, 3)
    linear = linear[np.isfinite(linear).all(axis=1) & (np.abs(linear) <= HALF_MAX).all(axis=1)]
    if not len(linear) or most < 1:
        return ()
    coded = np.stack(list(encodings.encoded(Vec(tuple(linear.T)), "log")), axis=1)
    chosen = [int(np.argmin(((coded - coded.mean(axis=0)) ** 2).sum(axis=1)))]
    away = np.full(len(coded), np.inf)
    while len(chosen) < most:
        away = np.minimum(away, ((coded - coded[chosen[-1]]) ** 2).sum(axis=1))
        if away.max() <= 0.0:
            break
        chosen.append(int(away.argmax()))
    return tuple((float(r), float(g), float(b)) for r, g, b in linear[chosen])


def _shortened(rgb: Value, share: Scalar) -> Any:
    """Return RGB with what lies along the grey axis multiplied by `share`."""
    along = dot((GREY, GREY, GREY), rgb) * GREY
    return rgb + along * (share - 1.0)


def _square(rgb: Vec) -> Scalar:
    return dot(rgb, rgb)


def _soft_span(ends: Any, lowest: float, highest: float) -> tuple[float, ...]:
    """Return the numbers of a range; an end at the end of its scale is far beyond it."""
    low, high, soft_low, soft_high = ends
    low, high = (-checks.FARTHEST if low <= lowest else low), (checks.FARTHEST if high >= highest else high)
    return falloffs.span(low, high, max(soft_low, LEAST_SOFTNESS), max(soft_high, LEAST_SOFTNESS))


def _scaled_denoise(denoise: float, x: float, y: float) -> float:
    return min(denoise * math.sqrt(x * y), MOST_DENOISE)

"""GradingHueCurve."""

from __future__ import annotations

from functools import cache, cached_property

import numpy as np
from numpy.typing import ArrayLike, NDArray

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Table, choice, derived, derived_choice, derived_table, table
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, floor, maximum, minimum, select
from engine.ops import grading_log
from engine.ops.hue_splines import curve
from engine.ops.quadratic_splines import MOST_PIECES, Pieces, Splines, backward, forward, packed, straight
from engine.ops.rgb_hsy import RgbHsy, to_hsy, to_rgb

CURVES = ("hue_hue", "hue_sat", "hue_lum", "lum_sat", "sat_sat", "lum_lum", "sat_lum", "hue_fx")
RISING = ("hue_hue", "sat_sat", "lum_lum")
BACKWARDS = (*RISING, "hue_fx")
"""Curves that are also searched by their values; hue_fx with hue added."""
NEUTRAL = {name: (1.0, 0.0) if name in RISING else (0.0, 0.0 if name == "hue_fx" else 1.0) for name in CURVES}
"""Slope and value at 0 of the neutral curve."""
LUMA_STEP = 0.1
"""Luma that a gain of 2 adds in the log style; in the other styles the gain multiplies."""


class GradingHueCurve(ColorOp):
    """Eight curves of hue, saturation and luma against each other. RGB in and out, or HSY as in `RgbHsy`.

    A curve is given by points (x, y, slope); if all slopes are 0, they are estimated. Hue is 0..1 for a whole turn from
    magenta; hue_hue, sat_sat and lum_lum give the new value, hue_fx an offset for hue, the others gains. In style
    linear, luma is in stops about mid grey. Source: OpenColorIO, GradingHueCurveTransform.
    """

    label = "Hue curves"

    hue_hue: Table = table("curve", help="(points, 3): x, y, slope")
    hue_sat: Table = table("curve", help="(points, 3): x, y, slope")
    hue_lum: Table = table("curve", help="(points, 3): x, y, slope")
    lum_sat: Table = table("curve", help="(points, 3): x, y, slope")
    sat_sat: Table = table("curve", help="(points, 3): x, y, slope")
    lum_lum: Table = table("curve", help="(points, 3): x, y, slope")
    sat_lum: Table = table("curve", help="(points, 3): x, y, slope")
    hue_fx: Table = table("curve", help="(points, 3): x, y, slope")
    style: str = choice("log", "linear", "video", help="Encoding of the image's values")
    direction: str = choice("forward", "reverse", help="reverse undoes the curves")
    takes: str = choice("hsy", "rgb", help="Channels in and out; RGB is converted to HSY and back")

    @classmethod
    def neutral(cls, style: str = "log") -> GradingHueCurve:
        """Return neutral curves for RGB: with points at six hues, and at the ends and the middle."""
        return cls(*(_neutral_points(name, style) for name in CURVES), style=style, takes="rgb")

    def check(self) -> None:
        for name in CURVES:
            if getattr(self, name).channels != 3:
                raise GradeError(f"the {name} curve must be points of x, y and slope")
            if not np.isfinite(getattr(self, name).array).all():
                raise GradeError(f"the {name} curve has points that are not finite")
        if 2 * sum(getattr(self, name).size + 3 for name in CURVES) + 16 > MOST_PIECES:
            raise GradeError("the hue curves have too many points")

    @cached_property
    def splines(self) -> Splines:
        """All curves, then the rising ones and hue_fx plus hue for searches by value."""
        curves = [_fitted(name, getattr(self, name)) for name in CURVES]
        rising = [curves[CURVES.index(name)] for name in RISING]
        return packed([*curves, *rising, curves[-1].with_diagonal()], reverse=False, backwards=len(BACKWARDS))

    @derived_table
    def knots(self) -> Table:
        return self.splines.knots

    @derived_table
    def pieces(self) -> Table:
        return self.splines.pieces

    @derived(len(CURVES) + len(BACKWARDS))
    def first(self) -> tuple[float, ...]:
        return self.splines.first

    @derived(len(CURVES) + len(BACKWARDS))
    def last(self) -> tuple[float, ...]:
        return self.splines.last

    @derived_choice
    def steps(self) -> str:
        """Bisection steps that find a piece."""
        return str(self.splines.steps)

    @derived_choice
    def bent(self) -> str:
        """The names of the curves that are not neutral; the others cost nothing."""
        return " ".join(name for name in CURVES if not is_neutral(name, getattr(self, name)))

    @derived(4)
    def hue_ends(self) -> tuple[float, ...]:
        """Smallest and largest value over the points of hue_hue, and of hue_fx plus hue."""
        curves = [_fitted("hue_hue", self.hue_hue), _fitted("hue_fx", self.hue_fx).with_diagonal()]
        return tuple(float(y) for c in curves for y in (c.c[0], c.at_end()[0]))

    def is_identity(self) -> bool:
        """Return whether all curves are neutral: then RGB is not even converted to HSY and back, as in OpenColorIO."""
        return all(is_neutral(name, getattr(self, name)) for name in CURVES)

    def in_style(self, style: str) -> GradingHueCurve:
        tables = {name: getattr(self, name) for name in ("lum_sat", "lum_lum")}
        moved = {n: grading_log.carried(t, self.style, style, y=n == "lum_lum") for n, t in tables.items()}
        return self.replace(style=style, **moved)

    def sampled(self, name: str, x: ArrayLike) -> NDArray[np.float64]:
        """Evaluate the curve `name` at `x` (any shape) in float64, as in `pixel`: hue beyond 0..1 is not wrapped."""
        places = np.asarray(x, np.float64)
        return np.asarray(self.exact()._curve(name, places) + np.zeros_like(places))

    def positions_of(self, colour: tuple[float, float, float]) -> dict[str, float]:
        """Return the x of a colour (in the op's input space) on each curve. Luma is in stops in style linear."""
        rgba = np.array([*colour, 1.0])
        if self.takes == "rgb":
            rgba = RgbHsy(self.style).reference(rgba)
        inside = self.replace(takes="hsy")
        before, after = (
            (rgba, inside.reference(rgba)) if self.direction == "forward" else (inside.reference(rgba), rgba)
        )
        hue, luma = float(before[0]), float(self._encoded(before[2]))
        moved = float(self.sampled("hue_hue", hue)) % 1.0
        met = {"hue": hue, "lum": luma, "sat": float(before[1])}
        return {name: met[name[:3]] for name in CURVES} | {"hue_fx": moved, "sat_lum": float(after[1])}

    def pixel(self, px: Pixel) -> Value:
        hsy = to_hsy(px.rgb, self.style) if self.takes == "rgb" else px.rgb
        hsy = self._forward(*hsy) if self.direction == "forward" else self._reverse(*hsy)
        return to_rgb(hsy, self.style) if self.takes == "rgb" else hsy

    def _forward(self, hue: Scalar, saturation: Scalar, luma: Scalar) -> Vec:
        coded = self._encoded(luma)
        hue_gain, luma_gain = self._gain("hue_sat", hue), self._gain("hue_lum", hue)
        hue = self._curve("hue_hue", hue)
        saturation = maximum(self._curve("sat_sat", saturation), 0.0) * (self._gain("lum_sat", coded) * hue_gain)
        luma = self._linear(self._curve("lum_lum", coded)) if self._bends("lum_lum") else luma
        gain, added = self._luma_gain(luma_gain, saturation)
        luma = luma + added if self.style == "log" else luma * gain
        hue = hue - floor(hue)
        return Vec((hue + self._curve("hue_fx", hue), saturation, luma))

    def _reverse(self, hue: Scalar, saturation: Scalar, luma: Scalar) -> Vec:
        hue = self._hue_before("hue_fx", self.hue_ends[2], self.hue_ends[3], hue)
        hue = self._hue_before("hue_hue", self.hue_ends[0], self.hue_ends[1], hue)
        hue = hue - floor(hue)
        hue_gain, luma_gain = self._gain("hue_sat", hue), self._gain("hue_lum", hue)
        saturation = maximum(saturation, 0.0)
        gain, added = self._luma_gain(luma_gain, saturation)
        luma = luma - added if self.style == "log" else luma / maximum(gain, 0.01)
        coded = self._before("lum_lum", self._encoded(luma))
        luma = self._linear(coded) if self._bends("lum_lum") else luma
        gain = self._gain("lum_sat", coded) * hue_gain
        saturation = maximum(self._before("sat_sat", saturation / maximum(gain, 0.01)), 0.0)
        return Vec((hue, saturation, luma))

    def _luma_gain(self, by_hue: Scalar, saturation: Scalar) -> tuple[Scalar, Scalar]:
        """Return the factor for luma and, in style log, the offset."""
        by_saturation = self._gain("sat_lum", saturation)
        if self._bends("hue_lum"):
            by_hue = 1.0 - (1.0 - by_hue) * minimum(saturation, 1.0)
        return by_hue * by_saturation, (by_hue + by_saturation - 2.0) * LUMA_STEP

    def _bends(self, name: str) -> bool:
        return name in self.bent.split()

    def _curve(self, name: str, x: Scalar) -> Scalar:
        if not self._bends(name):
            slope, start = NEUTRAL[name]
            return x if slope else start
        at = CURVES.index(name)
        return forward(self.knots, self.pieces, self.first[at], self.last[at], int(self.steps), x)

    def _gain(self, name: str, x: Scalar) -> Scalar:
        return maximum(self._curve(name, x), 0.0) if self._bends(name) else 1.0

    def _before(self, name: str, y: Scalar) -> Scalar:
        if not self._bends(name):
            return y
        at = len(CURVES) + BACKWARDS.index(name)
        return backward(self.knots, self.pieces, self.first[at], self.last[at], int(self.steps), y)

    def _hue_before(self, name: str, low: Scalar, high: Scalar, hue: Scalar) -> Scalar:
        """Invert a hue curve, with hue wrapped to the range of the curve."""
        if not self._bends(name):
            return hue
        up, down = -floor(hue - low), -floor(high - hue)
        hue = select(hue < low, hue + up, select(hue > high, hue - down, hue))
        return self._before(name, hue)

    def _encoded(self, luma: Scalar) -> Scalar:
        return grading_log.encoded(luma) if self.style == "linear" else luma

    def _linear(self, luma: Scalar) -> Scalar:
        return grading_log.linear(luma) if self.style == "linear" else luma

    def inverse(self) -> GradingHueCurve:
        """Exact where no gain is 0 and the rising curves rise."""
        return self.turned()


def is_neutral(name: str, points: Table) -> bool:
    """Return whether the curve `name` changes nothing."""
    slope, start = NEUTRAL[name]
    x, y, slopes = points.array.T
    return bool(not slopes.any() and (y == slope * x + start).all())


@cache
def _neutral_points(name: str, style: str) -> Table:
    slope, start = NEUTRAL[name]
    low, high = grading_log.ENDS[style] if name.startswith("lum") else (0.0, 1.0)
    xs = np.arange(6) / 6.0 if name.startswith("hue") else np.linspace(low, high, 3)
    xs = xs.astype(np.float32)
    return Table(np.column_stack([xs, slope * xs + start, np.zeros_like(xs)]))


def _fitted(name: str, points: Table) -> Pieces:
    if is_neutral(name, points):
        return straight(*NEUTRAL[name])
    xy, slopes = points.array[:, :2], points.array[:, 2]
    periodic, rising = name.startswith("hue"), name in RISING
    return curve(xy, slopes if slopes.any() else None, periodic, rising, harmonic=periodic or not rising)

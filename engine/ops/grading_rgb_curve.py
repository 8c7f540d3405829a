"""GradingRgbCurve."""

from __future__ import annotations

from functools import cached_property

import numpy as np

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Table, choice, derived, derived_choice, derived_table, table
from engine.kernel.pixel import Pixel, Scalar, Value, Vec
from engine.ops import grading_log
from engine.ops.cdl import REC709_LUMA
from engine.ops.quadratic_splines import MOST_PIECES, Pieces, Splines, backward, forward, packed, rising_curve, straight

IDENTITY = Table([[0.0, 0.0, 0.0], [1.0, 1.0, 0.0]])
CURVES = ("red", "green", "blue", "master")


class GradingRgbCurve(ColorOp):
    """A curve for each channel, then one for all three. RGB in and out; straight beyond the end points.

    A curve is given by points (x, y, slope), rising in x and y; if all slopes are 0, they are estimated. Style linear
    converts scene-linear RGB to stops about mid grey and back; style log works on the values as they are. Source:
    OpenColorIO, GradingRGBCurveTransform; its splines are those of `quadratic_splines`.
    """

    label = "RGB curves"

    red: Table = table("curve", help="(points, 3): x, y, slope")
    green: Table = table("curve", help="(points, 3): x, y, slope")
    blue: Table = table("curve", help="(points, 3): x, y, slope")
    master: Table = table("curve", help="(points, 3): x, y, slope")
    style: str = choice("log", "linear", help="linear: curves of the logarithm of scene-linear values")
    curves: str = choice("all", "master", help="master: the channels' own curves change nothing")
    direction: str = choice("forward", "reverse", help="reverse undoes the curves")

    def check(self) -> None:
        for name in CURVES:
            points = getattr(self, name).array
            if points.shape[1] != 3:
                raise GradeError(f"the {name} curve must be points of x, y and slope")
            if not np.isfinite(points).all():
                raise GradeError(f"the {name} curve has points that are not finite")
            if (np.diff(points[:, 0]) <= 0.0).any():
                raise GradeError(f"the points of the {name} curve must rise in x")
            if self.curves == "master" and name != "master" and not _is_identity(points):
                raise GradeError(f"the {name} curve is not a straight diagonal")
        if 2 * sum(getattr(self, name).size for name in CURVES) + 8 > MOST_PIECES:
            raise GradeError("the RGB curves have too many points")

    @classmethod
    def of(cls, red: Table, green: Table, blue: Table, master: Table, style: str = "log") -> GradingRgbCurve:
        """Return the op for these curves, without the curves of single channels if they change nothing."""
        alone = all(_is_identity(curve.array) for curve in (red, green, blue))
        return cls(red, green, blue, master, style, "master" if alone else "all")

    @classmethod
    def straight(cls, style: str = "log") -> GradingRgbCurve:
        """Return curves that change nothing, with one point in the middle."""
        low, high = grading_log.ENDS[style]
        points = Table([(x, x, 0.0) for x in (low, 0.5 * (low + high), high)])
        return cls.of(points, points, points, points, style)

    @cached_property
    def splines(self) -> Splines:
        return packed([_fitted(getattr(self, name)) for name in CURVES], self.direction == "reverse")

    @derived_table
    def knots(self) -> Table:
        return self.splines.knots

    @derived_table
    def pieces(self) -> Table:
        return self.splines.pieces

    @derived(4)
    def first(self) -> tuple[float, ...]:
        return self.splines.first

    @derived(4)
    def last(self) -> tuple[float, ...]:
        return self.splines.last

    @derived_choice
    def steps(self) -> str:
        """Bisection steps that find a piece."""
        return str(self.splines.steps)

    def is_identity(self) -> bool:
        return all(_is_identity(getattr(self, name).array) for name in CURVES)

    def in_style(self, style: str) -> GradingRgbCurve:
        moved = {name: grading_log.carried(getattr(self, name), self.style, style) for name in CURVES}
        return self.replace(style=style, **moved)

    def positions_of(self, colour: tuple[float, float, float]) -> dict[str, float]:
        """Return the x of a colour on each curve; on the master curve, that of its luma after the other curves."""
        ahead = self.replace(direction="forward")
        rgba = np.array([*colour, 1.0])
        rgba = rgba if self == ahead else self.reference(rgba)
        own = ahead.replace(master=IDENTITY, style="log")
        values = grading_log.encoded(rgba[:3]) if self.style == "linear" else rgba[:3]
        after = own.reference(np.array([*values, 1.0]))[:3]
        luma = sum(float(weight * value) for weight, value in zip(REC709_LUMA, after, strict=True))
        return {"red": float(values[0]), "green": float(values[1]), "blue": float(values[2]), "master": luma}

    def pixel(self, px: Pixel) -> Value:
        rgb = grading_log.encoded(px.rgb) if self.style == "linear" else px.rgb
        order = (self._own, self._master) if self.direction == "forward" else (self._master, self._own)
        for curves in order:
            rgb = curves(rgb)
        return grading_log.linear(rgb) if self.style == "linear" else rgb

    def _own(self, rgb: Vec) -> Vec:
        return rgb if self.curves == "master" else Vec(tuple(self._curve(i, x) for i, x in enumerate(rgb)))

    def _master(self, rgb: Vec) -> Vec:
        return Vec(tuple(self._curve(3, x) for x in rgb))

    def _curve(self, which: int, x: Scalar) -> Scalar:
        evaluate = forward if self.direction == "forward" else backward
        return evaluate(self.knots, self.pieces, self.first[which], self.last[which], int(self.steps), x)

    def inverse(self) -> GradingRgbCurve:
        """Exact where the curves rise throughout."""
        return self.turned()


def _is_identity(points: np.ndarray) -> bool:
    return bool((points[:, 0] == points[:, 1]).all() and not points[:, 2].any())


def _fitted(curve: Table) -> Pieces:
    points = curve.array
    if _is_identity(points):
        return straight(1.0, 0.0)
    return rising_curve(points[:, :2], points[:, 2] if points[:, 2].any() else None)

"""Range."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, choice, slider
from engine.kernel.pixel import Pixel, Value, Vec, maximum, minimum


class Range(ColorOp):
    """Map `min_in`..`max_in` onto `min_out`..`max_out`, with or without a clamp. RGB in and out.

    With `bounds` low or high, only that end is used: the values are shifted by its difference and clamped on its side.
    Source: SMPTE ST 2136-1 (Common LUT Format), Range.
    """

    min_in: float = slider(0.0, -1.0, 2.0)
    max_in: float = slider(1.0, -1.0, 2.0)
    min_out: float = slider(0.0, -1.0, 2.0)
    max_out: float = slider(1.0, -1.0, 2.0)
    bounds: str = choice("both", "low", "high", help="Which ends are used")
    style: str = choice("clamp", "noclamp", help="noclamp only scales")

    def check(self) -> None:
        if self.bounds == "both" and self.min_in >= self.max_in:
            raise GradeError(f"a range must rise, not go from {self.min_in:g} to {self.max_in:g}")

    def pixel(self, px: Pixel) -> Value:
        rgb = self._moved(px.rgb)
        if self.style == "clamp" and self.bounds != "high":
            rgb = maximum(rgb, self.min_out)
        if self.style == "clamp" and self.bounds != "low":
            rgb = minimum(rgb, self.max_out)
        return rgb

    def _moved(self, rgb: Vec) -> Value:
        if self.bounds == "low":
            return rgb + (self.min_out - self.min_in)
        if self.bounds == "high":
            return rgb + (self.max_out - self.max_in)
        scale = (self.max_out - self.min_out) / (self.max_in - self.min_in)
        return rgb * scale + (self.min_out - self.min_in * scale)

    def is_identity(self) -> bool:
        return self.style == "noclamp" and (self.min_in, self.max_in) == (self.min_out, self.max_out)

    def inverse(self) -> Range:
        """Exact for values that were not clamped."""
        if self.bounds == "both" and self.min_out >= self.max_out:
            raise GradeError("a range onto a single value has no inverse")
        return self.replace(min_in=self.min_out, max_in=self.max_out, min_out=self.min_in, max_out=self.max_in)

"""Lut1d."""

from __future__ import annotations

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, choice, slider, table
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, clamp, floor, half_code, half_value, lookup, minimum, select
from engine.ops.hue_adjust import with_hue_of
from engine.ops.inverse_lut1d import InverseLut1d


class Lut1d(ColorOp):
    """A 1D LUT per channel (or one for all), linear between entries, constant beyond its ends. RGB in and out.

    With `index` uniform, the entries are spread evenly over `domain`. With `index` half, the LUT has 65536 entries, one
    for each half-precision bit pattern, and the domain is not used. With `hue` kept, the middle channel is moved so
    that the hue does not change.
    """

    label = "1D LUT"

    curve: Table = table("curve", help="(size, 1|3) values")
    domain: Numbers = slider((0.0, 1.0), -1.0, 2.0, help="Input of the first and the last entry")
    index: str = choice("uniform", "half", help="How inputs are mapped to entries")
    hue: str = choice("free", "kept", help="kept moves the middle channel so that the hue stays")

    def check(self) -> None:
        if self.index == "half" and self.curve.size != 65536:
            raise GradeError(f"a 1D LUT indexed by half floats needs 65536 entries, not {self.curve.size}")
        if self.domain[0] >= self.domain[1]:
            raise GradeError(f"the domain of a 1D LUT must rise, not go from {self.domain[0]:g} to {self.domain[1]:g}")

    def pixel(self, px: Pixel) -> Value:
        find = self._half if self.index == "half" else self._uniform
        curved = Vec(tuple(lookup(self.curve, channel, *find(x)) for channel, x in enumerate(px.rgb)))
        return with_hue_of(px.rgb, curved) if self.hue == "kept" else curved

    def _uniform(self, x: Scalar) -> tuple[Scalar, Scalar]:
        last = self.curve.size - 1.0
        low, high = self.domain
        position = clamp(x * (1.0 / (high - low)) - low / (high - low), 0.0, 1.0) * last
        entry = floor(position)
        return entry, position - entry

    def _half(self, x: Scalar) -> tuple[Scalar, Scalar]:
        code = half_code(x)
        near, far = half_value(code), half_value(code + 1.0)
        inside = minimum(far, -far) > -65505.0
        return code, select(inside, (x - near) / (far - near), 0.0)

    def inverse(self) -> InverseLut1d:
        """Exact where the LUT rises or falls throughout."""
        low, high = self.domain
        return InverseLut1d.of(self.curve, (low, high), self.index, self.hue)

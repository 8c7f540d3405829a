"""InverseLut1d."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.kernel.op import ColorOp, Numbers, Table, choice, derived, derived_table, slider, table
from engine.kernel.pixel import Pixel, Scalar, Value, Vec, half_value, lookup, maximum, minimum, search, select
from engine.ops.hue_adjust import with_hue_of

STEPS = {"4096": 12, "65536": 16, "1048576": 20}
"""Bisection steps that find an entry, by the number of entries."""
NEGATIVE_ZERO, INFINITY, ONE = 0x8000, 0x7C00, 0x3C00
"""Half-precision bit patterns; the largest finite number comes right before Inf."""


class Span(NamedTuple):
    """Entries `first` to `last` of a channel, between which it is invertible; `sign` is -1 if they were negated."""

    first: int
    last: int
    sign: float


class InverseLut1d(ColorOp):
    """The exact inverse of the `Lut1d` with the same entries. RGB in and out.

    Values outside the range of the LUT map to its nearest end. Where the LUT reverses, it is treated as constant; where
    it is constant, the smallest entry is used, and at constant ends the inner one. With `index` half, positive and
    negative inputs are searched separately, each from zero outwards. Source: OpenColorIO's documentation of
    Lut1DTransform, inverse.
    """

    label = "1D LUT, inverse"

    curve: Table = table("curve", help="(size, 1|3) values of the forward LUT")
    domain: Numbers = slider((0.0, 1.0), -1.0, 2.0, help="Input of the forward LUT's first and last entry")
    index: str = choice("uniform", "half", help="How the forward LUT is indexed")
    hue: str = choice("free", "kept", help="kept moves the middle channel so that the hue stays")
    entries: str = choice("4096", "65536", "1048576", help="At least as many as the LUT has")

    def check(self) -> None:
        if self.index == "half" and self.curve.size != 65536:
            raise GradeError(f"a 1D LUT indexed by half floats needs 65536 entries, not {self.curve.size}")
        if self.curve.size > int(self.entries):
            raise GradeError(f"a 1D LUT of {self.curve.size} entries is larger than {self.entries}")

    @classmethod
    def of(cls, curve: Table, domain: tuple[float, float], index: str, hue: str) -> InverseLut1d:
        """Return the inverse for a 1D LUT of any size."""
        sizes = [size for size in STEPS if int(size) >= curve.size]
        return cls(curve, domain, index, hue, sizes[0] if sizes else max(STEPS, key=int))

    @derived_table
    def rising(self) -> Table:
        """The LUT without reversals, negated where it falls (and again where half indices run backwards)."""
        return _rising(self.curve, self.index)[0]

    @derived(3)
    def first(self) -> tuple[float, ...]:
        return self._of_spans(0, "first")

    @derived(3)
    def last(self) -> tuple[float, ...]:
        return self._of_spans(0, "last")

    @derived(3)
    def sign(self) -> tuple[float, ...]:
        return self._of_spans(0, "sign")

    @derived(3)
    def negative_first(self) -> tuple[float, ...]:
        return self._of_spans(1, "first")

    @derived(3)
    def negative_last(self) -> tuple[float, ...]:
        return self._of_spans(1, "last")

    @derived(3)
    def at_zero(self) -> tuple[float, ...]:
        """The output of the forward LUT at 0."""
        return tuple(float(x) for x in np.broadcast_to(self.curve.array[0], 3))

    def _of_spans(self, half: int, name: str) -> tuple[float, ...]:
        spans = _rising(self.curve, self.index)[1]
        return tuple(float(getattr(spans[channel][half], name)) for channel in range(3))

    def pixel(self, px: Pixel) -> Value:
        find = self._half if self.index == "half" else self._uniform
        found = Vec(tuple(find(channel, x) for channel, x in enumerate(px.rgb)))
        return with_hue_of(px.rgb, found) if self.hue == "kept" else found

    def _uniform(self, channel: int, x: Scalar) -> Scalar:
        low, high = self.domain
        entry, _, share = self._entry(channel, x * self.sign[channel], self.first[channel], self.last[channel])
        return (entry + share) * ((high - low) / (self.rising.size - 1.0)) + low

    def _half(self, channel: int, x: Scalar) -> Scalar:
        sign, rises = self.sign[channel], self.sign[channel] > 0.0
        above = select(x >= self.at_zero[channel], 1.0, 0.0)
        positive = select(rises, above, 1.0 - above) > 0.5
        first = select(positive, self.first[channel], self.negative_first[channel])
        last = select(positive, self.last[channel], self.negative_last[channel])
        entry, after, share = self._entry(channel, x * select(positive, sign, -sign), first, last)
        near = half_value(entry)
        return near + share * (half_value(after) - near)

    def _entry(self, channel: int, x: Scalar, first: Scalar, last: Scalar) -> tuple[Scalar, Scalar, Scalar]:
        """Return the entry at or before `x`, the next entry, and the position of `x` between them, 0..1."""
        low, high = (lookup(self.rising, channel, end, 0.0) for end in (first, last))
        clamped = minimum(high, maximum(low, x))
        entry = search(self.rising, channel, clamped, first, last, STEPS[self.entries])
        entry = minimum(entry, maximum(last - 1.0, first))
        after = minimum(entry + 1.0, last)
        here, there = (lookup(self.rising, channel, at, 0.0) for at in (entry, after))
        return entry, after, select(there > here, (clamped - here) / (there - here), 0.0)


def _rising(curve: Table, index: str) -> tuple[Table, tuple[tuple[Span, Span], ...]]:
    """Return the prepared LUT, and the spans of each of three channels from zero: upwards, and for halves downwards."""
    prepared = curve.array.copy()
    spans = []
    for channel in range(curve.channels):
        values = prepared[:, channel]
        if index == "half":
            rises = bool(values[0] < values[ONE])
            zero = values[0]
            upwards = _span(values, 0, INFINITY - 1, rises, zero)
            downwards = _span(values, NEGATIVE_ZERO, NEGATIVE_ZERO + INFINITY - 1, not rises, zero)
        else:
            rises = bool(values[0] < values[-1])
            upwards = downwards = _span(values, 0, len(values) - 1, rises, values[0])
        spans.append((upwards, downwards))
    return Table(prepared), tuple(spans[min(channel, len(spans) - 1)] for channel in range(3))


def _span(values: NDArray[np.float32], first: int, last: int, rises: bool, start: np.float32) -> Span:
    """Make `values` from `first` to `last` rise, in place: constant where they reverse, negated where they fall."""
    sign = 1.0 if rises else -1.0
    part = values[first : last + 1]
    part *= np.float32(sign)
    np.maximum.accumulate(np.maximum(part, np.float32(sign) * start), out=part)
    steps = np.flatnonzero(np.diff(part) > 0.0)
    if not len(steps):
        return Span(first, first, sign)
    return Span(first + int(steps[0]), first + int(steps[-1]) + 1, sign)

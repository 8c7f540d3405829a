"""Blending of colour ops with their input: the op of a grade's entry with a mix below 100 %."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import field
from functools import cached_property
from typing import Any, Self

from engine.core.records import dataclass
from engine.kernel.op import ColorOp, Kind, slider
from engine.kernel.pixel import Pixel, Scalar, Vec, completed, select


@dataclass(frozen=True)
class Mix(ColorOp, abstract=True):
    """px * (1 - amount) + ops(px) * amount, RGBA in and out (alpha only if the ops change it), as one fused op.

    Created by `Layer`; not an entry of a grade itself, and not in the registry. The sliders and tables of the inner ops
    are exposed under names such as `0.stops`, so that they and `amount` change without a recompilation. NaN in the
    input or in the result of the inner ops gives NaN. One that is `kept`, since the amount has keys, runs whatever the
    amount is: it is exactly the input at 0, and exactly the result of the inner ops at 1.
    """

    ops: tuple[ColorOp, ...]
    amount: float = slider(1.0, 0.0, 1.0, help="0 leaves the image as it is, 1 is the inner ops alone")
    kept: bool = field(default=False, repr=False)

    @cached_property
    def structure(self) -> tuple[Any, ...]:
        return ("Mix", self.kept, *(op.structure for op in self.ops))

    def __getattr__(self, name: str) -> Any:
        number, dot, field = name.partition(".")
        if not dot or not number.isdecimal():
            raise AttributeError(name)
        return getattr(self.ops[int(number)], field)

    def bound(self, leaf: Callable[[str, int, Kind, Any], Any]) -> Self:
        def inner(number: int) -> Callable[[str, int, Kind, Any], Any]:
            return lambda name, index, kind, value: leaf(f"{number}.{name}", index, kind, value)

        twin = object.__new__(type(self))
        twin.__dict__["ops"] = tuple(op.bound(inner(number)) for number, op in enumerate(self.ops))
        twin.__dict__["kept"] = self.kept
        twin.__dict__["amount"] = leaf("amount", 0, self.kinds()["amount"], self.amount)
        return twin

    def stages(self, px: Pixel) -> Iterator[Vec]:
        within = px
        for op in self.ops:
            *before, last = op.stages(within)
            yield from (*before, last)
            within = within.with_rgba(last)
        if self.kept:
            yield weighted(px.rgba, within.rgba, self.amount)
            return
        mixed = px.rgb * (1.0 - self.amount) + within.rgb * self.amount
        if within.a is px.a:  # unchanged, bit for bit
            yield completed(mixed, px)
        else:
            yield Vec((*mixed, px.a * (1.0 - self.amount) + within.a * self.amount))

    def pixel(self, px: Pixel) -> Vec:
        *_, last = self.stages(px)
        return last

    def is_identity(self) -> bool:
        return (self.amount == 0.0 and not self.kept) or all(op.is_identity() for op in self.ops)

    def halo(self) -> int:
        return sum(op.halo() for op in self.ops)

    def at_scale(self, scale: float) -> Self:
        ops = tuple(op.at_scale(scale) for op in self.ops)
        return self if ops == self.ops else self.replace(ops=ops)


def weighted(before: Vec, after: Vec, weight: Scalar) -> Vec:
    """Return a weighted mean, channel by channel; exactly `before` up to a weight of 0, exactly `after` from 1 on.

    A channel that is the same in both is not computed.
    """

    def of(one: Scalar, other: Scalar) -> Scalar:
        if one is other:
            return one
        mixed = one * (1.0 - weight) + other * weight
        return select(weight <= 0.0, one, select(weight >= 1.0, other, mixed))

    return Vec(tuple(of(one, other) for one, other in zip(before, after, strict=True)))

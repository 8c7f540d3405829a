"""The numbers of a grade that a control surface reaches: sliders of the selected entry, and wheels."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Hashable
from typing import Any

from app.model.grade_rows import entries_of
from app.panels.wheel_field import limits_of
from app.panels.wheels.panel import shown_entry
from app.panels.wheels.row import wheels_of
from app.widgets.slider import decimals_of, limited, range_for, step_of
from app.widgets.wheel import KEY_STEP, WheelScale
from app.widgets.wheel_face import LARGE
from engine import Grade
from engine.core.records import dataclass
from engine.grade.entries import bare
from engine.kernel.op import Op, Slider


@dataclass(frozen=True)
class Reached(ABC):
    """A number of a field of an entry, as a position from 0 to 1 on its control."""

    index: int
    op: Op
    field: str

    @property
    def value(self) -> Any:
        """The value of the field."""
        return getattr(self.op, self.field)

    @property
    def target(self) -> Hashable:
        """A key that is equal for the same number of the same entry."""
        return self.index, type(self.op), self.field

    @property
    @abstractmethod
    def position(self) -> float:
        """The position of the number."""

    @abstractmethod
    def at(self, position: float) -> Any:
        """Return the value of the field with the number at a position."""

    @abstractmethod
    def moved(self, steps: float) -> Any:
        """Return the value of the field with the number moved by steps."""

    @abstractmethod
    def reset(self) -> Any:
        """Return the value of the field with the number at its default."""


@dataclass(frozen=True)
class ReachedSlider(Reached):
    """A number of a slider; `part` is its index in a slider of several, or -1."""

    kind: Slider
    part: int

    @property
    def target(self) -> Hashable:
        return *(super().target,), self.part

    @property
    def number(self) -> float:
        """The number itself."""
        return float(self.value if self.part < 0 else self.value[self.part])

    @property
    def position(self) -> float:
        low, high = range_for(self.kind, self.number)
        return (self.number - low) / (high - low)

    def at(self, position: float) -> Any:
        low, high = range_for(self.kind, self.number)
        return self._with(low + position * (high - low))

    def moved(self, steps: float) -> Any:
        return self._with(limited(self.kind, self.number + steps * step_of(self.kind), self.number))

    def reset(self) -> Any:
        return self._with(self.kind.default if self.part < 0 else self.kind.default[self.part])

    def _with(self, number: float) -> Any:
        number = round(number, decimals_of(self.kind) + 1)
        if self.part < 0:
            return number
        return (*self.value[: self.part], number, *self.value[self.part + 1 :])


@dataclass(frozen=True)
class ReachedWheel(Reached):
    """The handle of a wheel along `x` or `y`, or its `master`."""

    scale: WheelScale
    part: str

    @property
    def target(self) -> Hashable:
        return *(super().target,), self.part

    @property
    def position(self) -> float:
        if self.part == "master":
            away = (self.scale.master(self._numbers) - self._middle) / self.scale.span
        else:
            away = self.scale.place(self._numbers)["xy".index(self.part)]
        return 0.5 + 0.5 * away

    def at(self, position: float) -> Any:
        away = 2.0 * position - 1.0
        if self.part == "master":
            return self._with(self.scale.with_master(self._numbers, self._middle + away * self.scale.span))
        return self._placed(away)

    def moved(self, steps: float) -> Any:
        if self.part == "master":
            return self._with(self.scale.moved(self._numbers, steps * self.scale.step))
        return self._placed(self.scale.place(self._numbers)["xy".index(self.part)] + steps * KEY_STEP)

    def reset(self) -> Any:
        if self.part == "master":
            return self._with(self.scale.with_master(self._numbers, self._middle))
        return self._placed(0.0)

    @property
    def _numbers(self) -> tuple[float, ...]:
        return tuple(self.value[:4])

    @property
    def _middle(self) -> float:
        return self.scale.master(self.scale.default)

    def _placed(self, away: float) -> Any:
        """Return the value with the handle moved along its axis, within the disc."""
        place = list(self.scale.place(self._numbers))
        axis = "xy".index(self.part)
        most = max(math.sqrt(max(1.0 - place[1 - axis] ** 2, 0.0)), abs(place[axis]))
        place[axis] = min(max(away, -most), most)
        return self._with(self.scale.with_place(self._numbers, *place))

    def _with(self, numbers: tuple[float, ...]) -> Any:
        return (*numbers, *self.value[4:])


def reached(grade: Grade, current: int, target: str) -> Reached | None:
    """Return the number that a target, such as `slider 2` or `wheel 1 x`, stands for now; None if there is none.

    `current` is the index of the current entry of the grade.

    Sliders are those of the current entry, in order and without those that have wheels. Wheels are those of the
    Wheels panel: of the current entry, or of the nearest that has some.
    """
    what, number, *rest = target.split(" ")
    at = int(number) - 1
    index = shown_entry(grade, current) if what == "wheel" else current
    op = bare(entries_of(grade)[index]) if index >= 0 else None
    if not isinstance(op, Op):
        return None
    if what == "wheel":
        fields = wheels_of(op)
        return _wheel(index, op, fields[at], rest[0]) if at < len(fields) else None
    sliders = sliders_of(op)
    return ReachedSlider(index, op, *sliders[at]) if at < len(sliders) else None


def sliders_of(op: Op) -> list[tuple[str, Slider, int]]:
    """Return field, kind and part of each number of an op that has no wheel, in order."""
    kinds = {
        field: kind for field, kind in op.kinds().items() if isinstance(kind, Slider) and field not in wheels_of(op)
    }
    return [(field, kind, part) for field, kind in kinds.items() for part in (range(kind.size) if kind.size else (-1,))]


def _wheel(index: int, op: Op, field: str, part: str) -> ReachedWheel:
    kind = op.kinds()[field]
    assert isinstance(kind, Slider)
    scale = WheelScale(kind, kind.default[:4], limits_of(type(op), field), LARGE.bend)
    return ReachedWheel(index, op, field, scale, part)

"""Curves of a parameter over the frames: keys with a value each, and how values between them follow."""

from __future__ import annotations

import json
import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from functools import cached_property
from itertools import pairwise
from typing import Any
from weakref import WeakValueDictionary

from engine.core.records import dataclass
from engine.errors import GradeError, shown

INTERPOLATIONS = ("linear", "smooth", "hold")
MOST_FRAME = 10**15
"""The largest frame number of a key, before or after 0."""
MOST_VALUE = 1e300
MOST_KEYS = 1 << 17
"""Keys of one curve: those of each frame of 90 minutes."""
MOST_LISTED = 100
"""Keys of a curve that a saved grade lists; those of a longer one are a text."""
MOST_KEYS_OF_ENTRY = 1 << 20


@dataclass(frozen=True)
class Key:
    """The value of a parameter at a frame, and how the values up to the next key follow."""

    frame: int
    value: float
    interpolation: str = "smooth"

    def __post_init__(self) -> None:
        if type(self.frame) is not int or abs(self.frame) > MOST_FRAME:
            raise GradeError(f"the frame of a key must be a whole number, not {shown(self.frame)}")
        if isinstance(self.value, bool) or not isinstance(self.value, int | float) or not abs(self.value) <= MOST_VALUE:
            raise GradeError(f"the value of the key at frame {self.frame} must be a number, not {shown(self.value)}")
        if self.interpolation not in INTERPOLATIONS:
            options = ", ".join(INTERPOLATIONS)
            raise GradeError(f"the interpolation of a key must be one of {options}, not {shown(self.interpolation)}")
        object.__setattr__(self, "value", float(self.value))


@dataclass(frozen=True)
class Curve:
    """The keys of a parameter, in the order of their frames, one at a frame.

    Before the first key and after the last one the value is constant. Between two keys it is linear, held, or a
    monotone cubic, which never leaves the range of the two values. The slope of cubics at a key is the three-point
    difference; 0 where the values turn, at the ends and beside a held part; that of a linear part beside it. Both
    slopes of a cubic are shortened to the circle of radius 3 secants around 0. Source: F. N. Fritsch and R. E. Carlson,
    "Monotone Piecewise Cubic Interpolation", SIAM Journal on Numerical Analysis 17(2), 1980.
    """

    keys: tuple[Key, ...]

    def __init__(self, keys: Iterable[Key]) -> None:
        ordered = sorted(keys, key=lambda key: key.frame)
        if not ordered:
            raise GradeError("a curve must have a key")
        if len(ordered) > MOST_KEYS:
            raise GradeError(f"a curve has {len(ordered)} keys; {MOST_KEYS} is the most")
        for key, after in pairwise(ordered):
            if key.frame == after.frame:
                raise GradeError(f"a curve has two keys at frame {key.frame}", "remove one of them")
        object.__setattr__(self, "keys", tuple(ordered))

    @cached_property
    def frames(self) -> tuple[int, ...]:
        """The frames that have a key."""
        return tuple(key.frame for key in self.keys)

    @cached_property
    def extremes(self) -> tuple[Key, Key]:
        """A key of the least value and one of the largest: no value lies beyond them."""
        return min(self.keys, key=_value), max(self.keys, key=_value)

    def key_at(self, frame: int) -> Key | None:
        """Return the key at a frame, None if it has none."""
        place = bisect_left(self.frames, frame)
        return self.keys[place] if place < len(self.keys) and self.frames[place] == frame else None

    def at(self, frame: float) -> float:
        """Return the value at a frame."""
        number = bisect_right(self.frames, frame) - 1
        key = self.keys[max(number, 0)]
        if number < 0 or number == len(self.keys) - 1 or key.interpolation == "hold" or frame == key.frame:
            return key.value
        after = self.keys[number + 1]
        if key.value == after.value:
            return key.value
        share = (frame - key.frame) / (after.frame - key.frame)
        value = key.value * (1.0 - share) + after.value * share
        if key.interpolation == "smooth":
            value = self._cubic(number, share)
        low, high = sorted((key.value, after.value))
        return min(max(value, low), high)

    def with_key(self, key: Key) -> Curve:
        """Return the curve with a key, in place of the one that its frame has."""
        return Curve([*(each for each in self.keys if each.frame != key.frame), key])

    def without(self, frame: int) -> Curve | None:
        """Return the curve without the key at a frame, None if no key is left."""
        keys = [each for each in self.keys if each.frame != frame]
        return Curve(keys) if keys else None

    def moved(self, frames: Mapping[int, int]) -> Curve:
        """Return the curve with the keys at some frames moved to others, in place of keys that stay there."""
        taken = {frames[key.frame] for key in self.keys if key.frame in frames}
        staying = [key for key in self.keys if key.frame not in frames and key.frame not in taken]
        return Curve([*staying, *(replace(key, frame=frames[key.frame]) for key in self.keys if key.frame in frames)])

    @property
    def rows(self) -> list[list[Any]]:
        """Frame, value and interpolation of each key."""
        return [[key.frame, key.value, key.interpolation] for key in self.keys]

    def to_json(self) -> list[list[Any]] | str:
        """Return the rows; those of a long curve as one text, which the next steps of an undo history share."""
        return self.rows if len(self.keys) <= MOST_LISTED else self._text

    @cached_property
    def _text(self) -> str:
        return json.dumps(self.rows, separators=(",", ":"))

    @classmethod
    def from_json(cls, data: Any) -> Curve:
        """Return the curve that `to_json` described. Raises GradeError if the data are invalid."""
        if isinstance(data, str):
            return _READ.get(data) or _READ.setdefault(data, cls.from_json(_listed(data)))
        if not isinstance(data, list) or not all(isinstance(key, list) and len(key) == 3 for key in data[:MOST_KEYS]):
            raise GradeError(f"keys must be a list of [frame, value, interpolation], not {shown(data)}")
        if len(data) > MOST_KEYS:
            raise GradeError(f"a curve has {len(data)} keys; {MOST_KEYS} is the most")
        return cls(Key(*key) for key in data)

    def _cubic(self, number: int, share: float) -> float:
        """Return the value of the cubic after a key, at a share of the distance to the next one."""
        key, after = self.keys[number], self.keys[number + 1]
        length = after.frame - key.frame
        rise, fall = self._limited(number) * length, self._limited(number + 1) * length
        rest = 1.0 - share
        ends = key.value * (rest * rest * (1.0 + 2.0 * share)) + after.value * (share * share * (3.0 - 2.0 * share))
        return ends + (rise * rest - fall * share) * (share * rest)

    @cached_property
    def _slopes(self) -> dict[int, float]:
        """The slopes of cubics at keys, as far as they are known."""
        return {}

    def _limited(self, number: int) -> float:
        """Return the slope at a key with which the parts on both sides are monotone."""
        known = self._slopes.get(number)
        if known is None:
            slope = self._slope(number)
            known = slope * min(self._limit(number - 1), self._limit(number)) if slope else 0.0
            self._slopes[number] = known
        return known

    def _limit(self, part: int) -> float:
        """Return the factor for the slopes at both ends of a part, 1 for one that is not a cubic."""
        if self._kind(part) != "smooth":
            return 1.0
        secant = self._secant(part)
        away = math.hypot(self._slope(part) / secant, self._slope(part + 1) / secant) if secant else 0.0
        return 3.0 / away if away > 3.0 else 1.0

    def _slope(self, number: int) -> float:
        """Return the slope at a key before it is limited."""
        kinds = self._kind(number - 1), self._kind(number)
        if not all(kinds) or "hold" in kinds:
            return 0.0
        before, after = self._secant(number - 1), self._secant(number)
        if not (before > 0.0 and after > 0.0) and not (before < 0.0 and after < 0.0):
            return 0.0
        if "linear" in kinds:
            return before if kinds[0] == "linear" else after
        left, right = (self.frames[number] - self.frames[number - 1]), (self.frames[number + 1] - self.frames[number])
        return before * (right / (left + right)) + after * (left / (left + right))

    def _secant(self, part: int) -> float:
        key, after = self.keys[part], self.keys[part + 1]
        return (after.value - key.value) / (after.frame - key.frame)

    def _kind(self, part: int) -> str:
        """Return the interpolation from a key to the next; '' before the first key and after the last one."""
        return self.keys[part].interpolation if 0 <= part < len(self.keys) - 1 else ""


def _listed(text: str) -> list[Any]:
    """Return the rows that a text holds. Raises GradeError if it holds something else."""
    with suppress(ValueError, RecursionError):
        found = json.loads(text)
        if isinstance(found, list):
            return found
    raise GradeError(f"keys must be a list of [frame, value, interpolation], not {shown(text)}")


_READ: WeakValueDictionary[str, Curve] = WeakValueDictionary()
"""Long curves in use, by their texts."""


class Keys(Mapping[str, Curve]):
    """The curves of the parameters of an entry that have keys, by their paths. Immutable, in the order of the paths.

    `checked` are the op and the matte whose numbers were last found to have these values.
    """

    checked: tuple[Any, Any] | None = None

    def __init__(self, curves: Mapping[str, Curve] | Iterable[tuple[str, Curve]] = ()) -> None:
        given = dict(curves)
        if not all(isinstance(path, str) and isinstance(curve, Curve) for path, curve in given.items()):
            raise GradeError("keys of an entry must be curves by the paths of parameters")
        if sum(len(curve.keys) for curve in given.values()) > MOST_KEYS_OF_ENTRY:
            raise GradeError(f"an entry has at most {MOST_KEYS_OF_ENTRY} keys", "remove some")
        self._curves = {path: given[path] for path in sorted(given)}

    def __getitem__(self, path: str) -> Curve:
        return self._curves[path]

    def __iter__(self) -> Iterator[str]:
        return iter(self._curves)

    def __len__(self) -> int:
        return len(self._curves)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keys) and (self is other or self._curves == other._curves)

    def __hash__(self) -> int:
        return hash(tuple(self._curves.items()))

    def __repr__(self) -> str:
        return f"Keys({self._curves!r})"

    def with_curve(self, path: str, curve: Curve | None) -> Keys:
        """Return the keys with another curve at a path; None removes it."""
        rest = {each: known for each, known in self._curves.items() if each != path}
        return Keys(rest if curve is None else rest | {path: curve})

    def to_json(self) -> dict[str, Any]:
        return {path: curve.to_json() for path, curve in self._curves.items()}

    @classmethod
    def from_json(cls, data: Any) -> Keys:
        """Return the keys that `to_json` described. Raises GradeError if the data are invalid."""
        if not isinstance(data, dict):
            raise GradeError(f"the keys of an entry must be lists by the paths of parameters, not {shown(data)}")
        found = dict[str, Curve]()
        for path, keys in data.items():
            try:
                found[path] = Curve.from_json(keys)
            except GradeError as error:
                raise GradeError(f"keys of {path}: {error.what}", error.do) from None
        return cls(found)


NO_KEYS = Keys()


def _value(key: Key) -> float:
    return key.value

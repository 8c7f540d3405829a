"""Curves of animated parameters as a curve editor shows them, and what it does with their keys."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import replace

from engine.core.records import dataclass
from engine.grade.curves import Curve, Key

Selection = frozenset[tuple[Hashable, int]]
"""Selected keys: the id of the line and the frame of each."""
Curves = dict[Hashable, Curve | None]
"""Other curves for lines, by their ids; None for a curve that has no keys left."""


@dataclass(frozen=True)
class CurveLine:
    """The curve of a parameter. Values are limited to `low`..`high`; an arrow key changes them by `step`."""

    id: Hashable
    name: str
    curve: Curve
    unit: str = ""
    component: str = ""
    low: float = float("-inf")
    high: float = float("inf")
    step: float = 0.01

    def limited(self, value: float) -> float:
        """Return a value within the limits."""
        return min(max(value, self.low), self.high)


def keys_of(lines: Iterable[CurveLine], selection: Selection) -> list[tuple[CurveLine, Key]]:
    """Return the selected keys that exist, in the order of the lines and frames."""
    frames: dict[Hashable, list[int]] = {}
    for each, frame in selection:
        frames.setdefault(each, []).append(frame)
    found = ((line, line.curve.key_at(frame)) for line in lines for frame in sorted(frames.get(line.id, ())))
    return [(line, key) for line, key in found if key is not None]


def existing(lines: Iterable[CurveLine], selection: Selection) -> Selection:
    """Return the selection without keys that are gone."""
    return frozenset((line.id, key.frame) for line, key in keys_of(lines, selection)) if selection else selection


def moved(lines: Sequence[CurveLine], selection: Selection, frames: int, values: float) -> tuple[Curves, Selection]:
    """Return the curves with the selected keys moved by some frames and by a value, and the keys as they are then.

    A key that another one is moved onto is replaced.
    """
    changed: Curves = {}
    for line in lines:
        chosen = {key.frame: key.frame + frames for key in line.curve.keys if (line.id, key.frame) in selection}
        if chosen:
            curve = line.curve
            if values:
                curve = Curve(_lifted(line, key, values) if key.frame in chosen else key for key in curve.keys)
            changed[line.id] = curve.moved(chosen) if frames else curve
    return changed, frozenset((each, frame + frames) for each, frame in selection)


def with_values(lines: Iterable[CurveLine], selection: Selection, value: float) -> Curves:
    """Return the curves with a value for all selected keys."""
    return _changed(lines, selection, lambda line, key: replace(key, value=line.limited(value)))


def interpolated(lines: Iterable[CurveLine], selection: Selection, interpolation: str) -> Curves:
    """Return the curves with an interpolation for all selected keys."""
    return _changed(lines, selection, lambda line, key: replace(key, interpolation=interpolation))


def without(lines: Iterable[CurveLine], selection: Selection) -> Curves:
    """Return the curves without the selected keys."""
    changed: Curves = {}
    for line in lines:
        kept = [key for key in line.curve.keys if (line.id, key.frame) not in selection]
        if len(kept) < len(line.curve.keys):
            changed[line.id] = Curve(kept) if kept else None
    return changed


def inserted(line: CurveLine, frame: int) -> Curve:
    """Return the curve of a line with a key on it at a frame; the interpolation is that of the key before."""
    before = [key for key in line.curve.keys if key.frame <= frame] or list(line.curve.keys[:1])
    return line.curve.with_key(Key(frame, line.curve.at(frame), before[-1].interpolation))


def copied(lines: Iterable[CurveLine], selection: Selection) -> dict[Hashable, tuple[Key, ...]]:
    """Return the selected keys by the ids of their lines."""
    found: dict[Hashable, tuple[Key, ...]] = {}
    for line, key in keys_of(lines, selection):
        found[line.id] = (*found.get(line.id, ()), key)
    return found


def pasted(curve: Curve | None, keys: Iterable[Key], by: int) -> Curve:
    """Return a curve with keys, `by` frames later, in place of those that it has at their frames."""
    added = [replace(key, frame=key.frame + by) for key in keys]
    taken = {key.frame for key in added}
    return Curve([*(key for key in (curve.keys if curve else ()) if key.frame not in taken), *added])


def between(curve: Curve, first: float, last: float) -> tuple[Key, ...]:
    """Return the keys of a curve from a frame to another."""
    return curve.keys[bisect_left(curve.frames, first) : bisect_right(curve.frames, last)]


def _lifted(line: CurveLine, key: Key, by: float) -> Key:
    return replace(key, value=line.limited(key.value + by))


def _changed(lines: Iterable[CurveLine], selection: Selection, change: object) -> Curves:
    assert callable(change)
    changed: Curves = {}
    for line in lines:
        keys = [change(line, key) if (line.id, key.frame) in selection else key for key in line.curve.keys]
        if tuple(keys) != line.curve.keys:
            changed[line.id] = Curve(keys)
    return changed


def frames_with_keys(curves: Mapping[str, Curve]) -> frozenset[int]:
    """Return the frames at which one of the curves has a key."""
    return frozenset(frame for curve in curves.values() for frame in curve.frames)

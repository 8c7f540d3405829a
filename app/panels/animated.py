"""The animated controls of a grade, and their curves as a curve editor shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from app.model.curve_lines import CurveLine
from app.model.entries import name_of
from app.panels.parameters import Parameter, parameter
from engine.grade.curves import Curve
from engine.grade.entries import Entry
from engine.grade.keys import keys_of, numbers_of


@dataclass(frozen=True)
class AnimatedControl:
    """A control with keys: index and title of its entry, its own path and name, and its parameters that have keys."""

    entry: int
    title: str
    path: str
    name: str
    parameters: tuple[tuple[str, Parameter], ...]

    def is_in(self, curves: Mapping[int, Mapping[str, Curve | None]]) -> bool:
        """Return whether one of these curves, by the index of the entry and the path, is of this control."""
        return any(path in curves.get(self.entry, {}) for path, _ in self.parameters)


def animated(entries: Sequence[Entry]) -> list[tuple[int, str, list[AnimatedControl]]]:
    """Return the index and name of each entry that has keys, and its animated controls."""
    found = []
    for index, entry in enumerate(entries):
        controls: dict[str, list[tuple[str, Parameter]]] = {}
        curves = keys_of(entry)
        for path in numbers_of(entry) if curves else ():
            if path not in curves:
                continue
            known = parameter(entry, path)
            controls.setdefault(known.control, []).append((path, known))
        if controls:
            title, each = name_of(entry), controls.items()
            made = [AnimatedControl(index, title, path, known[0][1].name, tuple(known)) for path, known in each]
            found.append((index, title, made))
    return found


def lines_of(controls: Iterable[AnimatedControl], entries: Sequence[Entry]) -> list[CurveLine]:
    """Return the curves of controls; their ids are the index of the entry and the path."""
    found = []
    for control in controls:
        curves = keys_of(entries[control.entry]) if control.entry < len(entries) else {}
        for path, known in control.parameters:
            if path in curves:
                name = f"{control.title} {control.name.lower()} {known.component}".rstrip()
                curve = _times(curves[path], known.factor)
                limits = known.low, known.high, known.step
                found.append(CurveLine((control.entry, path), name, curve, known.unit, known.component, *limits))
    return found


def taken(
    changes: Mapping[object, Curve | None], controls: Iterable[AnimatedControl]
) -> dict[int, dict[str, Curve | None]]:
    """Return curves of a curve editor, by the ids of their lines, as those of entries."""
    factors = {(each.entry, path): known.factor for each in controls for path, known in each.parameters}
    found: dict[int, dict[str, Curve | None]] = {}
    for (index, path), factor in factors.items():
        if (index, path) in changes:
            curve = changes[index, path]
            found.setdefault(index, {})[path] = curve and divided(curve, factor)
    return found


def divided(curve: Curve, factor: float) -> Curve:
    """Return a curve with its values divided."""
    if factor == 1.0:
        return curve
    return Curve(replace(key, value=round(key.value / factor, 12)) for key in curve.keys)


@lru_cache(maxsize=256)
def _times(curve: Curve, factor: float) -> Curve:
    if factor == 1.0:
        return curve
    return Curve(replace(key, value=round(key.value * factor, 10)) for key in curve.keys)

"""The animated controls of a grade, and their curves as a curve editor shows them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import lru_cache

from app.model.curve_lines import CurveLine
from app.model.entries import name_of
from app.panels.parameters import Parameter, parameter
from engine.core.records import dataclass
from engine.grade.curves import Curve
from engine.grade.entries import Entry, layer_of
from engine.grade.keys import keys_of, numbers_of
from engine.mattes.tree import Leaf, nodes


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


Animated = tuple[int, str, list[AnimatedControl]]
"""The index and the name of an entry that has keys, and its animated controls."""


class AnimatedControls:
    """Finds the animated controls of a grade; those of entries that have the same ones as before are kept."""

    def __init__(self) -> None:
        self._known: dict[int, tuple[object, Animated]] = {}

    def of(self, entries: Sequence[Entry]) -> list[Animated]:
        """Return the entries that have keys, with their animated controls."""
        before, self._known = self._known, {}
        for index, entry in enumerate(entries):
            if keys_of(entry):
                shape = _shape(entry)
                known = before.get(index)
                self._known[index] = (shape, animated(index, entry)) if known is None or known[0] != shape else known
        return [known for _, known in self._known.values()]


def _shape(entry: Entry) -> object:
    """Return what the names of the animated controls of an entry depend on."""
    layer = layer_of(entry)
    sources = [type(node.source) for node in nodes(layer.matte.root) if isinstance(node, Leaf)] if layer.matte else []
    return name_of(entry), type(layer.entry), sources, tuple(layer.keys)


def animated(index: int, entry: Entry) -> Animated:
    """Return the name of an entry, and its animated controls in the order of its numbers."""
    controls: dict[str, list[tuple[str, Parameter]]] = {}
    curves, title = keys_of(entry), name_of(entry)
    for path in numbers_of(entry):
        if path in curves:
            known = parameter(entry, path)
            controls.setdefault(known.control, []).append((path, known))
    each = controls.items()
    return index, title, [AnimatedControl(index, title, path, known[0][1].name, tuple(known)) for path, known in each]


def lines_of(controls: Iterable[AnimatedControl], entries: Sequence[Entry]) -> list[CurveLine]:
    """Return the curves of controls; their ids are the index of the entry and the path."""
    found = []
    for control in controls:
        curves = keys_of(entries[control.entry]) if control.entry < len(entries) else {}
        for path, known in control.parameters:
            if path in curves:
                name = f"{control.title} {control.name.lower()} {known.component}".rstrip()
                curve = curves[path] if known.factor == 1.0 else _times(curves[path], known.factor)
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
    return Curve(replace(key, value=round(key.value * factor, 10)) for key in curve.keys)

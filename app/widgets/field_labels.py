"""The names of fields and of their components, as they are shown."""

from __future__ import annotations

from engine.kernel.op import Slider

_COMPONENTS = {2: ("First", "Last"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}
_SHORT = {"red": "R", "green": "G", "blue": "B"}
_AXES = ("x", "y", "z")
_SPELT = {"center": "Centre", "ids": "IDs"}
"""Labels that are spelt in another way than their fields."""
_LONGEST = 14
"""The most characters of a component that is named by more than its first word."""


def label_of(field: str) -> str:
    """Return the label of a field: min_in -> Min in."""
    return _SPELT.get(field, field.replace("_", " ").capitalize())


def components_of(kind: Slider) -> tuple[str, ...]:
    """Return short names of a slider's components, from its help text or by their number; () if there are none."""
    before, _, listed = kind.help.rpartition(": ")
    names = [each.strip() for each in listed.partition(";")[0].split(", ")]
    if len(names) == kind.size and names[0].lower() == "red":
        return tuple(_SHORT.get(name.lower(), name.capitalize()) for name in names)
    if len(names) == kind.size and before:
        return tuple(_short(name) for name in names)
    return _COMPONENTS.get(kind.size, ())


def _short(name: str) -> str:
    """Return an axis as a letter, a short name as it is, and the first word of others."""
    first = name.split()[0]
    if first in _AXES:
        return first.upper()
    return (name if len(name) <= _LONGEST else first).capitalize()

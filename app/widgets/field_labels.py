"""The names of fields and of their components, as they are shown."""

from __future__ import annotations

from engine.kernel.op import Slider

_COMPONENTS = {2: ("First", "Last"), 3: ("R", "G", "B"), 4: ("R", "G", "B", "A")}
_SHORT = {"red": "R", "green": "G", "blue": "B"}


def label_of(field: str) -> str:
    """Return the label of a field: min_in -> Min in."""
    return field.replace("_", " ").capitalize()


def components_of(kind: Slider) -> tuple[str, ...]:
    """Return short names of a slider's components, from its help text or by their number; () if there are none."""
    listed = kind.help.rpartition(": ")[2].split(", ")
    if len(listed) == kind.size and listed[0].lower() == "red":
        return tuple(_SHORT.get(name.lower(), name.capitalize()) for name in listed)
    return _COMPONENTS.get(kind.size, ())

"""Options of an op: choices that are in the menu of its entry."""

from __future__ import annotations

from typing import Any

from engine.kernel.op import Choice, Op

OPTIONS = ("style", "direction", "interpolation")
"""Choices that are in the menu of an entry; its body shows them only while they are not at their default."""


def options_of(op: Op) -> dict[str, Choice]:
    """Return the choices of an op that are in its menu; {} if it has nothing else."""
    kinds = op.kinds()
    found = {name: kind for name, kind in kinds.items() if name in OPTIONS and isinstance(kind, Choice)}
    return found if len(found) < len(kinds) else {}


def changes_of(op: Op, field: str, value: Any) -> dict[str, Any]:
    """Return the fields that change with a field: the style also changes the fields on its scale."""
    if field != "style":
        return {field: value}
    new = op.in_style(value)
    return {name: getattr(new, name) for name in new.kinds() if getattr(new, name) != getattr(op, name)}

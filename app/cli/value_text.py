"""Values as JSON for programs and as text for one line of a terminal."""

from __future__ import annotations

import math
from typing import Any

Data = dict[str, Any]
LONGEST_VALUE = 100
"""Greatest length of a metadata value, in characters; longer ones are cut."""


def said(value: Any) -> str:
    """Format a value for one line of a terminal."""
    text = "".join(c if c.isprintable() else " " for c in value if c) if isinstance(value, str) else str(plain(value))
    return text if len(text) <= LONGEST_VALUE else f"{text[:LONGEST_VALUE]} ..."


def value_text(value: Any) -> str:
    """Format a value, a list of values or named values."""
    if isinstance(value, dict):
        return "(" + ", ".join(f"{name} {value_text(part)}" for name, part in value.items()) + ")"
    if isinstance(value, list | tuple):
        return "(" + ", ".join(value_text(part) for part in value) + ")"
    return f"{value:.6g}" if isinstance(value, float) else said(str(value))


def plain(value: Any) -> Any:
    """Convert a value to plain JSON types; NaN, Inf and other types become strings."""
    if isinstance(value, dict):
        return {str(key): plain(part) for key, part in value.items()}
    if isinstance(value, list | tuple):
        return [plain(part) for part in value]
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    return value if isinstance(value, bool | int | str) or value is None else str(value)

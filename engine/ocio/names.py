"""Names given by the user: looked up in a config regardless of case, or an error that lists similar names."""

from __future__ import annotations

import re
from collections.abc import Iterable

from engine.errors import GradeError

NO_LOOKS = "none"
"""Given instead of looks: no looks at all, not even the view's own."""


def spelled(name: str, known: Iterable[str], what: str) -> str:
    """Return the one of `known` that equals `name` regardless of case. Raises GradeError if there is none."""
    by_letters = {word.lower(): word for word in known}
    if name.lower() in by_letters:
        return by_letters[name.lower()]
    raise unknown(name, by_letters.values(), what)


def unknown(name: str, known: Iterable[str], what: str) -> GradeError:
    """Return the error for an unknown name, with similar names."""
    import difflib  # few names are unknown

    by_letters = {word.lower(): word for word in known if word.lower() != NO_LOOKS}  # "none" would read as no names
    near = [by_letters[word] for word in difflib.get_close_matches(name.lower(), by_letters, 4, 0.5)]
    within = [word for low, word in by_letters.items() if name and name.lower() in low]
    listed = list(dict.fromkeys([*within[:4], *near]))[:5] or list(by_letters.values())[:8]
    return GradeError(f"{what} {name!r}", f"available: {', '.join(listed)}" if listed else "it has none")


def parse_looks(looks: str) -> list[str]:
    """Return the names in a list of looks such as `A, -B | +C`: separated by , or : and alternatives by |."""
    words = (word.strip() for word in re.split(r"[,:|]", looks))
    return [name for word in words if (name := word[1:] if word[:1] in ("+", "-") else word)]

"""Names that a person gives: as a config spells them, or the error that lists those near them."""

from __future__ import annotations

import difflib
import re
from collections.abc import Iterable

from engine.errors import GradeError

NO_LOOKS = "none"
"""Instead of names of looks: none at all, not even the view's own."""


def spelled(name: str, known: Iterable[str], what: str) -> str:
    """`name` as one of `known` is spelled, whatever the case of its letters; GradeError where there is none such."""
    by_letters = {word.lower(): word for word in known}
    if name.lower() in by_letters:
        return by_letters[name.lower()]
    raise unknown(name, by_letters.values(), what)


def unknown(name: str, known: Iterable[str], what: str) -> GradeError:
    """The error for a name that is not there, with those that are near it."""
    by_letters = {word.lower(): word for word in known if word.lower() != NO_LOOKS}  # as a name it reads as no names
    near = [by_letters[word] for word in difflib.get_close_matches(name.lower(), by_letters, 4, 0.5)]
    within = [word for low, word in by_letters.items() if name and name.lower() in low]
    listed = list(dict.fromkeys([*within[:4], *near]))[:5] or list(by_letters.values())[:8]
    return GradeError(f"{what} {name!r}", f"there are {', '.join(listed)}" if listed else "it has none")


def names_of_looks(looks: str) -> list[str]:
    """The names in what a view or a person says of looks: `A, -B | +C`, separated by , or : and options by |."""
    words = (word.strip() for word in re.split(r"[,:|]", looks))
    return [name for word in words if (name := word[1:] if word[:1] in ("+", "-") else word)]

"""Search in long lists of names with the wildcards `*` (any text) and `?` (one character).

A backslash takes the meaning of the character after it away: `\\*` is an asterisk. Other characters stand for
themselves, brackets too: many programs put them into the names of objects.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

_SPECIAL = re.compile(r"[*?\\]")
_TOKEN = re.compile(r"\\([*?\\])|([*?])|([^*?\\]+|\\)", re.DOTALL)


def has_wildcards(pattern: str) -> bool:
    """Return whether a pattern has a wildcard that no backslash escapes."""
    if "*" not in pattern and "?" not in pattern:  # as most of the many names of a matte
        return False
    return any(match[2] for match in _TOKEN.finditer(pattern))


def escaped_name(name: str) -> str:
    """Return the pattern that matches only this name."""
    return _SPECIAL.sub(lambda match: f"\\{match[0]}", name)


def unescaped(pattern: str) -> str:
    """Return the name that a pattern without wildcards stands for."""
    if "\\" not in pattern:
        return pattern
    return "".join(match[1] or match[3] for match in _TOKEN.finditer(pattern))


class NameList:
    """Names to search in. With `fold`, case does not matter."""

    def __init__(self, names: Sequence[str], fold: bool = False) -> None:
        self._fold = fold
        names = [name.casefold() for name in names] if fold else names
        self._characters = _characters("".join(names))
        self._ends = np.cumsum(np.fromiter(map(len, names), np.int64, len(names)))

    def matching(self, pattern: str) -> NDArray[np.intp]:
        """Return the indices of the names that match a pattern as a whole, in order."""
        from engine.compute.backends.cpu.kernels import function  # with a manifest, most programs search for nothing

        codes = _codes(pattern.casefold() if self._fold else pattern)
        found = np.zeros(len(self._ends), np.int64)
        function("name_matching", "match_names", 6)(
            *(self._characters.ctypes.data, self._ends.ctypes.data, len(self._ends)),
            *(codes.ctypes.data, len(codes), found.ctypes.data),
        )
        return np.flatnonzero(found)


def _characters(text: str) -> NDArray[np.int32]:
    return np.frombuffer(text.encode("utf-32-le", "surrogatepass"), "<i4").astype(np.int32, copy=False)


def _codes(pattern: str) -> NDArray[np.int32]:
    """Return the characters of a pattern, with ANY_TEXT and ANY_CHARACTER; several `*` in a row are one."""
    from engine.compute.backends.cpu.layout import ANY_CHARACTER, ANY_TEXT  # as above

    codes: list[int] = []
    for match in _TOKEN.finditer(pattern):
        if match[2] == "*" and codes[-1:] == [ANY_TEXT]:
            continue
        wildcard = {"*": ANY_TEXT, "?": ANY_CHARACTER}.get(match[2] or "")
        codes += [wildcard] if wildcard is not None else map(ord, match[1] or match[3])
    return np.array(codes, np.int32)

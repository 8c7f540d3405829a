"""Frame numbers in the names of files."""

from __future__ import annotations

import re
from pathlib import Path

MOST_DIGITS = 64
"""The most digits of a frame number in a name."""
_LAST_NUMBER = re.compile(r"(|.*?[._]|.*?[^\d._-]-?)(-?[0-9]+)(\D*?\.[^.]*)")


def around_number(name: str) -> tuple[str, str, str] | None:
    """Return the text before the last number in the name of a file, the number, and the text after it; None without.

    A minus sign is part of the number if a dot, an underscore or nothing precedes it.
    """
    match = _LAST_NUMBER.fullmatch(name)
    if match is None or len(match[2]) > MOST_DIGITS:
        return None
    head, number, tail = match.groups()
    return head, number, tail


def frame_number_of(path: str | Path) -> int:
    """Return the frame of an image by itself: the last number in its name, 0 without one."""
    found = around_number(Path(path).name)
    return int(found[1]) if found is not None else 0

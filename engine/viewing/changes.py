"""What changes from frame to frame, such as the slider of a drag: it decides how much of a frame is made again."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from engine.grade.kept import plain
from engine.kernel.op import Op
from engine.viewing.requests import Region

Change: TypeAlias = tuple[int, str]
"""The number of an op and the name of its field; "" for all of the op, and -1 for all of the frame."""
EVERYTHING: tuple[Change, ...] = ((-1, ""),)


class Changes:
    """Remembers the last frame, to compare the next one with it."""

    def __init__(self) -> None:
        self._last: tuple[Region, int, int, tuple[Op, ...]] | None = None
        self._found: tuple[Change, ...] = EVERYTHING

    def of(self, region: Region, width: int, height: int, grade: Sequence[Op]) -> tuple[Change, ...]:
        """Return what the last frame that was another one had otherwise; the quick and the exact frame are one."""
        frame = region, width, height, tuple(grade)
        if frame != self._last:
            last, self._last = self._last, frame
            self._found = EVERYTHING if last is None or last[:3] != frame[:3] else _changes(last[3], frame[3])
        return self._found


def _changes(before: tuple[Op, ...], after: tuple[Op, ...]) -> tuple[Change, ...]:
    if [op.structure for op in before] != [op.structure for op in after]:
        return EVERYTHING
    found: list[Change] = []
    for number, (old, new) in enumerate(zip(map(plain, before), map(plain, after), strict=True)):
        names = [name for name in old.kinds() if getattr(old, name) != getattr(new, name)]
        found += [(number, name) for name in names] if names else [(number, "")] if old != new else []
    return tuple(found)

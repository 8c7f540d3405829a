"""Regions of a damaged file that could not be read, and their description for messages."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from engine.core.geometry import Rect


class MissingRegions:
    """A set of regions without pixels. Regions of the same x and width that touch or overlap vertically are merged.

    The cost of adding a region does not depend on how many there are; adding a region twice changes nothing.
    """

    def __init__(self) -> None:
        self._columns = dict[tuple[int, int], tuple[list[int], list[int]]]()  # (x, width): first rows, and ends

    def add(self, rect: Rect) -> None:
        """Add a region."""
        firsts, ends = self._columns.setdefault((rect.x, rect.width), ([], []))
        before = bisect_left(ends, rect.y)  # the first run that ends at the region or below its top
        after = bisect_right(firsts, rect.bottom)
        first = min([rect.y, *firsts[before : min(before + 1, after)]])
        end = max([rect.bottom, *ends[max(before, after - 1) : after]])
        firsts[before:after], ends[before:after] = [first], [end]

    def __iter__(self) -> Iterator[Rect]:
        """Iterate over the regions from top to bottom, then from left to right."""
        found = (
            Rect(x, first, width, end - first)
            for (x, width), runs in self._columns.items()
            for first, end in zip(*runs, strict=True)
        )
        return iter(sorted(found, key=lambda rect: (rect.y, rect.x)))

    def __bool__(self) -> bool:
        return bool(self._columns)

    @property
    def pixels(self) -> int:
        return sum(hole.pixels for hole in self)


def describe_regions(holes: MissingRegions, width: int, left: int, top: int) -> str:
    """Describe the regions in the file's coordinates: as scanlines if they span the image, else by their corners.

    `width` is that of the image, `left` and `top` are the corner of its data window.
    """
    runs = [f"scanlines {hole.y + top} - {hole.bottom + top - 1}" for hole in holes if hole.width == width]
    corners = [
        f"({hole.x + left}, {hole.y + top}) - ({hole.right + left - 1}, {hole.bottom + top - 1})"
        for hole in holes
        if hole.width < width
    ]
    return "; ".join([*runs, *corners])


def shortened(text: str, attribute: str) -> str:
    """Return `text`, or if it is too long for a message its beginning and the attribute that has the full list."""
    pieces = text.split("; ")
    return text if len(pieces) <= 4 else f"{'; '.join(pieces[:4])}; see {attribute} for the full list"

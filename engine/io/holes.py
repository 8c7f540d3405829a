"""What could not be read of a damaged file: where it is, and as words."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator

from engine.core.geometry import Rect


class Holes:
    """Regions without pixels. Those that lie one below the other, equally wide, become one.

    Adding one costs the same however many there are; what is added again changes nothing.
    """

    def __init__(self) -> None:
        self._columns = dict[tuple[int, int], tuple[list[int], list[int]]]()  # x and width: first lines, and ends

    def add(self, rect: Rect) -> None:
        """One more region."""
        firsts, ends = self._columns.setdefault((rect.x, rect.width), ([], []))
        before = bisect_left(ends, rect.y)  # the first run that ends at the region or below its top
        after = bisect_right(firsts, rect.bottom)
        first = min([rect.y, *firsts[before : min(before + 1, after)]])
        end = max([rect.bottom, *ends[max(before, after - 1) : after]])
        firsts[before:after], ends[before:after] = [first], [end]

    def __iter__(self) -> Iterator[Rect]:
        """From the top, and from the left."""
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


def hole_text(holes: Holes, width: int, left: int, top: int) -> str:
    """Regions in the file's coordinates: runs of lines where they are as wide as the image, else corners."""
    runs = [f"lines {hole.y + top} - {hole.bottom + top - 1}" for hole in holes if hole.width == width]
    corners = [
        f"({hole.x + left}, {hole.y + top}) - ({hole.right + left - 1}, {hole.bottom + top - 1})"
        for hole in holes
        if hole.width < width
    ]
    return "; ".join([*runs, *corners])


def shortened(text: str, attribute: str) -> str:
    """`text` if a message can hold it, else its beginning and where the rest is."""
    pieces = text.split("; ")
    return text if len(pieces) <= 4 else f"{'; '.join(pieces[:4])}; all of it is named in {attribute}"

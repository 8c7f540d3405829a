"""What could not be read of a damaged file, as words."""

from __future__ import annotations

from engine.tiling import Rect


def hole_text(holes: list[Rect], width: int, left: int, top: int) -> str:
    """Regions in the file's coordinates: runs of lines where they are as wide as the picture, else corners."""
    runs: list[list[int]] = []
    corners = []
    for hole in sorted(holes, key=lambda rect: (rect.y, rect.x)):
        if hole.width < width:
            corners.append(f"({hole.x + left}, {hole.y + top}) - ({hole.right + left - 1}, {hole.bottom + top - 1})")
        elif runs and runs[-1][1] == hole.y:
            runs[-1][1] = hole.bottom
        else:
            runs.append([hole.y, hole.bottom])
    return "; ".join([*(f"lines {first + top} - {end + top - 1}" for first, end in runs), *corners])


def shortened(text: str, attribute: str) -> str:
    """`text` if a message can hold it, else its beginning and where the rest is."""
    pieces = text.split("; ")
    return text if len(pieces) <= 4 else f"{'; '.join(pieces[:4])}; all of it is named in {attribute}"

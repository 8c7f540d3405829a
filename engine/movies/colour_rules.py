"""The colour of movies: matrix, range and siting of Y'CbCr, and the colour space of the R'G'B' that comes of it.

Tags come first: code points of ITU-T H.273, as in NCLC and CICP. Where a movie has none, these rules apply:

| not tagged | rule |
|---|---|
| matrix | BT.709 from a height of 720 on, else BT.601; none for R'G'B' and grey |
| range | video range; full range for formats of JPEG (yuvj...) and for R'G'B' |
| siting of 4:2:0 | centre for JPEG and MPEG-1, top left for primaries of BT.2020, else left |
| colour space | unknown: the window asks, and the command line takes --input-space |
"""

from __future__ import annotations

from engine.core.records import dataclass
from engine.io.colour_tags import spaces_of_code_points

UNSPECIFIED = 2
"""The code point of ITU-T H.273 for a property that is not stated; 0 is reserved for primaries and curves."""
HD_HEIGHT = 720
"""From this height on, frames without a tag have the matrix of BT.709."""
_MATRICES = {0: "identity", 1: "bt709", 5: "bt601", 6: "bt601", 7: "smpte240m", 9: "bt2020ncl"}
_RANGES = {1: False, 2: True}
"""FFmpeg's numbers for ranges: 1 is video range, 2 full range, 0 not stated."""
_CENTRED = ("mjpeg", "mpeg1video", "ljpeg")
_BT2020 = 9


@dataclass(frozen=True)
class ColourTags:
    """Code points of a movie, 2 for what it does not state, and FFmpeg's number for its range."""

    primaries: int = UNSPECIFIED
    transfer: int = UNSPECIFIED
    matrix: int = UNSPECIFIED
    range: int = 0


def matrix_of(tags: ColourTags, is_rgb: bool, height: int) -> str:
    """Return the matrix of a movie, a matrix of PlanarFormat; '' if its tag names one that Tessera does not know."""
    if is_rgb:
        return "identity"
    if tags.matrix in (0, UNSPECIFIED):  # 0 means R'G'B', which these planes are not
        return "bt709" if height >= HD_HEIGHT else "bt601"
    return _MATRICES.get(tags.matrix, "")


def is_full_range(tags: ColourTags, is_rgb: bool, pixel_format: str) -> bool:
    """Return whether black and white are the smallest and the largest code."""
    return _RANGES.get(tags.range, is_rgb or pixel_format.startswith("yuvj"))


def siting_of(tags: ColourTags, codec: str, pixel_format: str) -> str:
    """Return where the chroma samples of 4:2:0 lie."""
    if codec in _CENTRED or pixel_format.startswith("yuvj"):
        return "center"
    return "topleft" if tags.primaries == _BT2020 else "left"


def colour_tag(tags: ColourTags) -> tuple[str, tuple[str, ...]] | None:
    """Return a description of the tags and the colorInteropIDs that they may mean; None if they state no space."""
    stated = [point for point in (tags.primaries, tags.transfer) if point not in (0, UNSPECIFIED)]
    if len(stated) < 2:
        return None
    spaces = spaces_of_code_points(tags.primaries, tags.transfer)
    return f"code points {tags.primaries}/{tags.transfer}/{tags.matrix} of the movie", spaces

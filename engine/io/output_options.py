"""Options of an output file, checked."""

from __future__ import annotations

import math
import re
from pathlib import Path

from engine.core.geometry import Rect
from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.io.exr.header import COMPRESSIONS
from engine.io.info import Box, PartInfo

PIXEL_TYPES = ("source", "half", "float")
LOSSY = ("b44", "b44a", "dwaa", "dwab", "lj2k", "pxr24")
DEFAULT_TILE = 64
LEVELS: dict[str, tuple[float, float]] = {"zstd": (1, 22), "lj2k": (1, 100), "jpeg": (1, 100)}
LEVELS |= {"zip": (1, 9), "zips": (1, 9), "dwaa": (1e-6, 1e9), "dwab": (1e-6, 1e9)}
"""Compressions that have a level, with its minimum and maximum."""
_TIFF = ("none", "lzw", "zip", "packbits")
PLAIN_COMPRESSIONS = {".tif": _TIFF, ".tiff": _TIFF, ".jpg": ("jpeg",), ".jpeg": ("jpeg",)}
"""Compressions of formats other than EXR, for those that have a choice or a level."""


@dataclass(frozen=True)
class Frame:
    """The result of a crop: the region `part`, relative to the data window's top left, and the display window."""

    part: Rect
    display: Box


@dataclass(frozen=True)
class OutputOptions:
    """Options of an output file. Raises UnsupportedFile for values that are not valid.

    `type` and `compression` (default: same as the source) apply to the graded channels. `storage` is scanline, tiled or
    tiled:N (default: same as the source); `crop` is data, display or x,y,w,h in the file's coordinates. `only_graded`
    leaves out everything that is not graded. `graded` says whether pixels change, `alpha` whether alpha changes too.
    `mattes` are the names of channels that are added: each is the first component of another image of the source.
    `record` are text attributes that describe the grade. `output_space` is None if the colour space stays the same,
    else the colorInteropID of the new one, 'unknown', or '' to write none. `result_space` is the colorInteropID of the
    result in either case.
    """

    target: Path
    type: str = "source"
    compression: str | None = None
    graded: bool = True
    alpha: bool = True
    only_graded: bool = False
    storage: str | None = None
    crop: str | None = None
    record: tuple[tuple[str, str], ...] = ()
    mattes: tuple[str, ...] = ()
    output_space: str | None = None
    result_space: str = "unknown"

    def __post_init__(self) -> None:
        if self.type not in PIXEL_TYPES:
            raise UnsupportedFile(self.target, f"'{self.type}' is not a valid pixel type", "use source, half or float")
        self.tile_side()
        if self.crop not in (None, "data", "display"):
            self._crop_box()

    @property
    def keeps_pixels_and_layout(self) -> bool:
        """Whether only the compression can differ from the source."""
        plain = self.type == "source" and self.storage is None and self.crop is None and not self.only_graded
        return plain and not self.graded and not self.mattes and self.output_space is None

    def exr_compression(self) -> str | None:
        """Return the compression for an EXR, or None. Raises UnsupportedFile if EXR has no such compression."""
        if self.compression is None:
            return None
        return self._checked_compression("EXR", COMPRESSIONS)

    def plain_compression(self) -> str | None:
        """Return the compression for another format, or None. Raises UnsupportedFile if it can't be chosen."""
        if self.compression is None:
            return None
        suffix = self.target.suffix.lower()
        kind, known = suffix[1:].upper(), PLAIN_COMPRESSIONS.get(suffix)
        if known is None:
            raise UnsupportedFile(
                self.target, f"is {kind}, whose compression can't be chosen", "write an EXR or a TIFF"
            )
        return self._checked_compression(kind, known)

    def _checked_compression(self, kind: str, known: tuple[str, ...]) -> str:
        name, colon, level = (self.compression or "").lower().partition(":")
        if name not in known:
            raise UnsupportedFile(
                self.target, f"'{name}' is not a valid {kind} compression", f"use one of {', '.join(known)}"
            )
        if colon and not _is_level(name, level):
            if name not in LEVELS:
                raise UnsupportedFile(self.target, f"can't use '{self.compression}'", f"{name} has no level")
            least, most = LEVELS[name]
            span = f"from {least:g} to {most:g}" if least >= 1 else "above 0"
            raise UnsupportedFile(self.target, f"can't use '{self.compression}'", f"the level of {name} is {span}")
        return f"{name}:{level}" if level else name

    def tile_side(self) -> int | None:
        """Return the side of the tiles; 0 for scanlines, None for the source's storage."""
        if self.storage is None:
            return None
        match = re.fullmatch(r"(scanline)|tiled(?::(\d{1,5}))?", self.storage)
        side = int(match[2] or DEFAULT_TILE) if match else 0
        if not match or (not match[1] and side < 1):
            what = f"'{self.storage}' is not a valid storage"
            raise UnsupportedFile(self.target, what, "use scanline, tiled or tiled:64")
        return 0 if match[1] else side

    def _crop_box(self) -> Box:
        match = re.fullmatch(r"(-?\d{1,9}),(-?\d{1,9}),(\d{1,9}),(\d{1,9})", self.crop or "")
        if not match or min(int(match[3]), int(match[4])) < 1:
            raise UnsupportedFile(self.target, f"can't be cropped to '{self.crop}'", "use data, display or x,y,w,h")
        x, y, w, h = (int(number) for number in match.groups())
        return x, y, x + w - 1, y + h - 1

    def frame(self, part: PartInfo) -> Frame | None:
        """Return the result of cropping a part, or None without a crop. Raises UnsupportedFile if nothing is left."""
        if self.crop is None:
            return None
        data = part.data_window
        box = {"data": data, "display": part.display_window}.get(self.crop) or self._crop_box()
        x0, y0 = max(box[0], data[0]), max(box[1], data[1])
        x1, y1 = min(box[2], data[2]), min(box[3], data[3])
        if x1 < x0 or y1 < y0:
            window = f"({data[0]}, {data[1]}) - ({data[2]}, {data[3]})"
            raise UnsupportedFile(self.target, "would have no pixels after the crop", f"the data window is {window}")
        return Frame(Rect(x0 - data[0], y0 - data[1], x1 - x0 + 1, y1 - y0 + 1), box)


def _is_level(name: str, text: str) -> bool:
    least, most = LEVELS.get(name, (math.inf, -math.inf))
    try:
        value = float(text)
    except ValueError:
        return False
    whole = name.startswith("dwa") or value == int(value if math.isfinite(value) else 0)
    return whole and least <= value <= most

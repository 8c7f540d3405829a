"""What an export is asked to do, and what it reports."""

from __future__ import annotations

from dataclasses import asdict, dataclass, field
from typing import Any

from engine.grade.colour_settings import ColourSetup, Viewing


@dataclass(frozen=True)
class ExportOptions:
    """How an image is written and computed.

    `type` is that of the graded channels: source, half or float. `compression` is `NAME[:LEVEL]`, or None for the
    source's. `threads` 0 is one per core. `max_memory` is what the process may hold, in bytes. `tile` is the side of a
    tile, or the rows of a band, in pixels. `part` and `layer` say which image of the file is graded, `layer` perhaps
    several; None is the main one. `only_graded` leaves all else out. `crop` is data, display or x,y,w,h in the file's
    coordinates; `resize` the size of what is left then. `storage` is scanline, tiled or tiled:N; None the source's.
    `salvage` writes what can be read of a damaged file. What `colour` says counts before the grade's own setup.
    `viewing` puts a display and view behind the grade; the result is then in the display's colour space.
    """

    type: str = "source"
    compression: str | None = None
    backend: str = "auto"
    threads: int = 0
    max_memory: int | None = None
    tile: int | None = None
    part: int | str | None = None
    layer: str | tuple[str, ...] | None = None
    force: bool = False
    only_graded: bool = False
    crop: str | None = None
    resize: tuple[int, int] | None = None
    filter: str = "lanczos3"
    storage: str | None = None
    salvage: bool = False
    colour: ColourSetup = field(default_factory=ColourSetup)
    viewing: Viewing | None = None


@dataclass(frozen=True)
class ExportReport:
    """What an export did. Times in seconds; they overlap, so that they need not add up to the total.

    `strategy` is `copy` where there was nothing to grade. `peak_memory` is the most main memory, in bytes, that this
    process has held so far. `colour` names the colour spaces on the way. `notes` are sentences for the user about what
    could not be kept.
    """

    backend: str
    device: str
    strategy: str
    tile: int
    tiles: int
    pixels: int
    seconds_read: float
    seconds_compute: float
    seconds_write: float
    seconds_total: float
    peak_memory: int
    colour: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"notes": list(self.notes)}


@dataclass(frozen=True)
class ExportPreview:
    """What an export would write: the lines of the headers before and after, its notes, and the colour spaces on the
    way, '' where nothing is converted."""

    before: list[str]
    after: list[str]
    notes: tuple[str, ...]
    colour: str = ""

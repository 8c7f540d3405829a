"""Options and reports of exports."""

from __future__ import annotations

from dataclasses import asdict, field
from typing import Any

from engine.core.records import dataclass
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.movies.movie_options import FramePlanes, MovieOptions

WITHOUT = "go on without it (--skip-missing)"
"""What else can be done where an op is missing."""
ENCODERS = ("auto", "gpu", "cpu")
"""Where EXRs are decoded and encoded: on the device that computes, if it can, or always on the CPU. `gpu` is an error
on devices that can't, and notes why if one frame is encoded on the CPU."""


@dataclass(frozen=True)
class ExportOptions:
    """Options for computing and writing an image.

    `type` is that of the graded channels: source, half or float. `compression` is `NAME[:LEVEL]` (default: same as the
    source). `threads` 0 is one per core. `max_memory` limits the memory of the process and its workers, in bytes.
    `tile` is the side of a tile, or the rows of a band, in pixels. `part` and `layer` choose the image to grade,
    `layer` one or several; None is the main one. `only_graded` leaves everything else out. `crop` is data, display or
    x,y,w,h in the file's coordinates; `resize` is the size after the crop. `storage` is scanline, tiled or tiled:N
    (default: same as the source). `salvage` writes the intact regions of a damaged file. `colour` takes precedence over
    the grade's own setup. `viewing` applies a display and view after the grade; the result is then in the display's
    colour space. `encoder` says where EXRs are decoded and encoded: see ENCODERS. `alpha` says whether colours are
    graded as they are `stored`, or `unpremultiplied`: divided by alpha before the grade, and multiplied by it after.
    `skip_missing` bypasses entries whose matte reads a channel, object or file that is missing, and those whose op is,
    instead of stopping.
    `matte_channels` are mattes to write as channels of the EXR: the name of each channel and the number of the entry,
    from 1; the first entry in a group that is the second one is 2.1. `attributes` are texts by name to write to the
    header of an EXR. `movie` are the options of a movie, `planes` those of a frame of one, which its export sets.
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
    encoder: str = "auto"
    alpha: str = "stored"
    skip_missing: bool = False
    matte_channels: tuple[tuple[str, str], ...] = ()
    attributes: tuple[tuple[str, str], ...] = ()
    movie: MovieOptions = field(default_factory=MovieOptions)
    planes: FramePlanes | None = None


@dataclass(frozen=True)
class ExportReport:
    """The report of an export. Times are in seconds; they overlap, so they need not add up to the total.

    `strategy` is `copy` if there was nothing to grade. `peak_memory` is the peak main memory of this process so far, in
    bytes. `decoder` and `encoder` are gpu or cpu, or none for a copy; `file_size` is that of the result in bytes.
    `colour` describes the colour space conversions. `notes` are sentences for the user about what could not be kept.
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
    decoder: str
    encoder: str
    file_size: int
    colour: str = ""
    notes: tuple[str, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return asdict(self) | {"notes": list(self.notes)}


@dataclass(frozen=True)
class ExportPreview:
    """The preview of an export: the lines of the headers before and after, its notes, and a description of the colour
    space conversions, '' if there are none."""

    before: list[str]
    after: list[str]
    notes: tuple[str, ...]
    colour: str = ""

"""Descriptions of the part to write: its header, and where the samples of its channels come from."""

from __future__ import annotations

import struct
from dataclasses import replace
from typing import Any, Self

from engine.core.attribute_names import ACES_FLAG, CHROMATICITIES, INTEROP_ID, PREFIX
from engine.core.records import dataclass
from engine.io.exr.attributes import timing
from engine.io.exr.header import Attribute, RawChannel, RawHeader
from engine.io.exr.part_channels import GradedChannel
from engine.io.info import PartInfo
from engine.io.output_options import Frame, OutputOptions

COLOUR_METADATA = (CHROMATICITIES, "whiteLuminance", "adoptedNeutral", ACES_FLAG, INTEROP_ID)
"""Attributes that are stale in another colour space, by the Color Interop Forum's recommendation for OpenEXR."""
REQUIRED = {
    "lineOrder": Attribute("lineOrder", b"\0"),
    "pixelAspectRatio": Attribute("float", struct.pack("<f", 1)),
    "screenWindowCenter": Attribute("v2f", struct.pack("<2f", 0, 0)),
    "screenWindowWidth": Attribute("float", struct.pack("<f", 1)),
}
"""Required attributes and their defaults; a damaged part may lack them."""


@dataclass(frozen=True)
class PartSpec:
    """The part to write.

    `graded` are the channels with graded pixels; `carried` are copied unchanged from the source, pixel by pixel;
    `subsampled` are copied too, as planes with fewer samples than pixels. `frame` is the result of a crop.
    `single_part` says that the source's other parts are left out. `notes` tell the user what is not kept.
    """

    header: RawHeader
    compression: str = ""
    graded: tuple[GradedChannel, ...] = ()
    carried: tuple[str, ...] = ()
    subsampled: tuple[str, ...] = ()
    frame: Frame | None = None
    single_part: bool = False
    notes: tuple[str, ...] = ()

    def changed(self, *notes: str, **fields: Any) -> Self:
        """Return a copy with other fields, and notes about what is lost by that."""
        return replace(self, notes=(*self.notes, *notes), **fields)

    def without_channels(self, names: tuple[str, ...]) -> Self:
        """Return a copy without these carried or subsampled channels."""
        return self.changed(
            subsampled=tuple(name for name in self.subsampled if name not in names),
            carried=tuple(name for name in self.carried if name not in names),
            header=self.header.with_channels(c for c in self.header.channels if c.name not in names),
        )


def fresh_spec(
    options: OutputOptions, size: tuple[int, int], channels: int, sample: str, source: PartInfo | None = None
) -> PartSpec:
    """Return the spec of a new single-part EXR with RGB or RGBA and mattes, all of the type `sample`.

    It has the pixel aspect, the timecode and the rate of its source.
    """
    names = tuple("RGBA"[:channels])
    compression = options.exr_compression() or "zip"
    header = RawHeader().with_channels(RawChannel(name, sample) for name in (*names, *options.mattes))
    header = header.with_compression(compression.partition(":")[0])
    for window in ("dataWindow", "displayWindow"):
        header = header.with_box(window, (0, 0, size[0] - 1, size[1] - 1))
    aspect = source.pixel_aspect if source is not None else 1.0
    kept = {"pixelAspectRatio": Attribute("float", struct.pack("<f", aspect))}
    kept |= timing(source.metadata) if source is not None else {}
    graded = tuple(GradedChannel(name, 0, n) for n, name in enumerate(names))
    graded += tuple(GradedChannel(name, image, 0) for image, name in enumerate(options.mattes, 1))
    spec = PartSpec(header.with_attributes(REQUIRED | kept), compression, graded)
    known = options.output_space is None and options.result_space != "unknown"
    tagged = replace(options, output_space=options.result_space) if known else options
    return with_metadata(with_storage(spec, options, multipart=False), tagged)


def with_storage(spec: PartSpec, options: OutputOptions, multipart: bool) -> PartSpec:
    """Return the spec with scanline or tiled storage; scanlines have no mip levels."""
    header, side = spec.header, options.tile_side()
    tiles = header.tiles
    if side is None:
        return spec
    notes = ["The mip levels are left out: scanline images have none."] if side == 0 and tiles and tiles[2] else []
    if side == 0 and tiles:
        header = header.without("tiles")
    elif side:
        header = header.with_tiles((side, side, *(tiles[2:] if tiles else (0, 0))))
    if side or tiles:
        header = header.with_attributes({"lineOrder": REQUIRED["lineOrder"]})
    if multipart or "type" in header.attributes or side:
        header = header.with_text("type", "tiledimage" if side else "scanlineimage")
    return spec.changed(*notes, header=header)


def with_metadata(spec: PartSpec, options: OutputOptions) -> PartSpec:
    """Return the spec with the colour metadata that the Color Interop Forum recommends, and the record of the grade."""
    header = spec.header
    if options.output_space is not None:
        header = header.without(*COLOUR_METADATA)
        if options.output_space:
            header = header.with_text(INTEROP_ID, options.output_space)
    if options.graded:
        header = header.without(*(name for name in header.attributes if name.startswith(PREFIX)))
    for name, text in options.record:
        header = header.with_text(name, text)
    return spec.changed(header=header)

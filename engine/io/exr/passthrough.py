"""The source's part with graded channels: its header and channels, changed only where the grade requires it."""

from __future__ import annotations

import struct

from engine.core.attribute_names import ACES_FLAG, CHROMATICITIES, INTEROP_ID
from engine.io.exr.header import Attribute, RawFile, RawHeader
from engine.io.exr.part_channels import part_channels
from engine.io.exr.part_spec import REQUIRED, PartSpec, with_metadata, with_storage
from engine.io.exr.subsampled import CODED
from engine.io.info import LayerInfo, PartInfo
from engine.io.output_options import LOSSY, OutputOptions

ACES_ID = "lin_ap0_scene"
DWA_LEVEL = "dwaCompressionLevel"


def passthrough_spec(
    options: OutputOptions,
    raw: RawFile,
    part: PartInfo,
    layers: tuple[LayerInfo, ...],
    size: tuple[int, int],
    components: list[int],
) -> PartSpec:
    """Return the spec of the source's part with graded channels.

    `size` is that of the result; `components` are the numbers of channels of the layers' images.
    """
    before = raw.headers[part.index]
    required = {name: value for name, value in REQUIRED.items() if name not in before.attributes}
    channels = part_channels(options, before.channels, layers, components)
    spec = PartSpec(
        before.with_attributes(required).with_channels(channels.entries),
        graded=channels.graded,
        carried=channels.carried,
        subsampled=channels.subsampled,
        frame=options.frame(part),
        notes=channels.notes,
    )
    if options.only_graded and len(raw.headers) > 1:
        spec = spec.changed(single_part=True)
    spec = _cropped(spec)
    if size != spec.header.size:
        spec = _without_other_parts(_resized(spec, size), raw, part.index)
    spec = with_storage(_with_compression(spec, options, part), options, raw.is_multipart)
    spec = _with_levels(spec, before)
    if options.graded and "preview" in spec.header.attributes:
        note = "The preview image in the header is left out: it shows the ungraded image."
        spec = spec.changed(note, header=spec.header.without("preview"))
    spec = _with_container_flag(with_metadata(spec, options), before)
    if options.output_space is not None and len(raw.headers) > 1 and not spec.single_part:
        spec = spec.changed("The other parts stay in their colour space; this part is tagged with its own.")
    return spec.changed(header=spec.header.with_chunk_count())


# -- windows


def _cropped(spec: PartSpec) -> PartSpec:
    """Return the spec with the windows of its crop, without subsampled channels that are not aligned with it."""
    frame, header = spec.frame, spec.header
    if frame is None:
        return spec
    left, top = header.box("dataWindow")[:2]
    x, y = left + frame.part.x, top + frame.part.y
    header = header.with_box("dataWindow", (x, y, x + frame.part.width - 1, y + frame.part.height - 1))
    spec = spec.changed(header=header.with_box("displayWindow", frame.display))
    spacing = {c.name: (c.x_sampling, c.y_sampling) for c in header.channels}
    size = frame.part.width, frame.part.height
    off = tuple(n for n in spec.subsampled if any(v % s for v, s in zip((x, y, *size), spacing[n] * 2, strict=True)))
    if not off:
        return spec
    note = f"The crop is not aligned with subsampled channels; left out: {', '.join(off)}."
    return spec.without_channels(off).changed(note)


def _resized(spec: PartSpec, size: tuple[int, int]) -> PartSpec:
    """Return the spec with scaled windows, without the channels that still have the old size."""
    header = spec.header
    old, data, display = header.size, header.box("dataWindow"), header.box("displayWindow")

    def scaled(value: int, axis: int) -> int:
        return round(value * size[axis] / old[axis])

    x, y = scaled(data[0], 0), scaled(data[1], 1)
    header = header.with_box("dataWindow", (x, y, x + size[0] - 1, y + size[1] - 1))
    left, top = scaled(display[0], 0), scaled(display[1], 1)
    wide, high = scaled(display[2] - display[0] + 1, 0), scaled(display[3] - display[1] + 1, 1)
    header = header.with_box("displayWindow", (left, top, left + max(wide, 1) - 1, top + max(high, 1) - 1))
    spec = spec.changed(header=header)
    lost = (*spec.carried, *spec.subsampled)
    if not lost:
        return spec
    return spec.without_channels(lost).changed(f"The size of the image has changed; left out: {', '.join(lost)}.")


def _without_other_parts(spec: PartSpec, raw: RawFile, graded: int) -> PartSpec:
    """Return the spec without the other parts, which still have the old size."""
    others = [header.text("name") or str(n) for n, header in enumerate(raw.headers) if n != graded]
    if not others or spec.single_part:
        return spec
    note = f"The size of the image has changed; left out: the parts {', '.join(others)}."
    return spec.changed(note, single_part=True)


# -- compression, levels, metadata


def _with_compression(spec: PartSpec, options: OutputOptions, part: PartInfo) -> PartSpec:
    asked = options.exr_compression()
    compression, notes = asked or part.compression, list[str]()
    name, _, level = compression.partition(":")
    if spec.subsampled and name not in CODED:
        notes.append(f"Subsampled channels can't be written with {name} compression: the image is written with zip.")
        compression = name = "zip"
    header = spec.header.with_compression(name)
    if DWA_LEVEL in header.attributes:
        header = header.without(DWA_LEVEL)
        if name.startswith("dwa"):
            value = struct.pack("<f", float(level or 45))
            header = header.with_attributes({DWA_LEVEL: Attribute("float", value)})
    if (spec.carried or spec.subsampled) and name in LOSSY and (asked or name != "pxr24"):
        notes.append(f"The compression {name} is lossy, also for the channels that are not graded.")
    return spec.changed(*notes, header=header, compression=compression)


def _with_levels(spec: PartSpec, before: RawHeader) -> PartSpec:
    """Return the spec without the smaller levels, if the source has no matching levels of the carried channels."""
    tiles = spec.header.tiles
    if not tiles or not tiles[2] or not spec.carried:
        return spec
    if tiles[2] == 1 and spec.header.size == before.size and not spec.frame:
        return spec
    why = "is cropped" if spec.frame else "has rip levels"
    return with_full_level_only(spec, f"The image {why} and has channels that are not graded")


def with_full_level_only(spec: PartSpec, why: str) -> PartSpec:
    """Return the spec without smaller levels, with a note that begins with the reason `why`."""
    tiles = spec.header.tiles
    if not tiles or not tiles[2]:
        return spec
    header = spec.header.with_tiles((tiles[0], tiles[1], 0, tiles[3]))
    return spec.changed(f"{why}: only the full level is written.", header=header)


def _with_container_flag(spec: PartSpec, before: RawHeader) -> PartSpec:
    """Return the spec without the container flag if the file is no longer an ACES container; its colours still are."""
    header = spec.header
    if ACES_FLAG not in header.attributes or _is_container(header) or not _is_container(before):
        return spec
    header = header.without(ACES_FLAG)
    if not {CHROMATICITIES, INTEROP_ID} & set(header.attributes):
        header = header.with_text(INTEROP_ID, ACES_ID)
    note = "The file is no longer an ACES container: those have half channels in uncompressed scanlines."
    return spec.changed(note, header=header)


def _is_container(header: RawHeader) -> bool:
    """Check the requirements of SMPTE ST 2065-4 that grading can change."""
    plain = header.compression == "none" and header.tiles is None
    return plain and all(channel.type == "half" for channel in header.channels)

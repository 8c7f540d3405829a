"""Plans of the part to write: the source's header, changed only where the grade requires it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

from engine.errors import UnsupportedFile
from engine.io.exr.header import Attribute, RawChannel, RawFile, RawHeader
from engine.io.exr.subsampled import CODED
from engine.io.info import LayerInfo, PartInfo
from engine.io.output_options import LOSSY, Frame, OutputOptions

COLOUR_METADATA = (
    *("chromaticities", "whiteLuminance", "adoptedNeutral"),
    *("acesImageContainerFlag", "colorInteropID"),
)
"""Attributes that are stale in another colour space, by the Color Interop Forum's recommendation for OpenEXR."""
CONTAINER, ACES_ID = "acesImageContainerFlag", "lin_ap0_scene"
OURS = "tessera:"
MISSING = f"{OURS}missing"
"""The attribute that lists the regions of a damaged file that could not be read."""


@dataclass(frozen=True)
class GradedChannel:
    """Maps the component `place` of the image number `image` to the channel `name`."""

    name: str
    image: int
    place: int


@dataclass
class Plan:
    """The plan of one part to write.

    `header` is the final one. `graded` are the channels with graded pixels; `carried` are copied unchanged from the
    source, pixel by pixel; `subsampled` are copied too, as planes with fewer samples than pixels. `frame` is the result
    of a crop. `single_part` says that the source's other parts are left out. `notes` tell the user what is not kept.
    """

    header: RawHeader
    compression: str
    graded: tuple[GradedChannel, ...] = ()
    carried: tuple[str, ...] = ()
    subsampled: tuple[str, ...] = ()
    frame: Frame | None = None
    single_part: bool = False
    notes: list[str] = field(default_factory=list)


REQUIRED = {
    "lineOrder": Attribute("lineOrder", b"\0"),
    "pixelAspectRatio": Attribute("float", struct.pack("<f", 1)),
    "screenWindowCenter": Attribute("v2f", struct.pack("<2f", 0, 0)),
    "screenWindowWidth": Attribute("float", struct.pack("<f", 1)),
}
"""Required attributes and their defaults; a damaged part may lack them."""


def fresh_plan(options: OutputOptions, size: tuple[int, int], channels: int, sample: str, aspect: float = 1.0) -> Plan:
    """Return the plan of a new single-part EXR with RGB or RGBA of the type `sample`."""
    header = RawHeader()
    names = tuple("RGBA"[:channels])
    header.set_channels(tuple(RawChannel(name, sample) for name in names))
    compression = options.exr_compression() or "zip"
    header.set_compression(compression.partition(":")[0])
    for window in ("dataWindow", "displayWindow"):
        header.set_box(window, (0, 0, size[0] - 1, size[1] - 1))
    header.attributes |= REQUIRED | {"pixelAspectRatio": Attribute("float", struct.pack("<f", aspect))}
    plan = Plan(header, compression, tuple(GradedChannel(name, 0, n) for n, name in enumerate(names)))
    _plan_storage(plan, options, False)
    known = options.output_space is None and options.result_space != "unknown"
    _plan_metadata(plan, replace(options, output_space=options.result_space) if known else options)
    return plan


def carrying_plan(
    options: OutputOptions,
    raw: RawFile,
    part: PartInfo,
    layers: tuple[LayerInfo, ...],
    size: tuple[int, int],
    channels: list[int],
) -> Plan:
    """Return the plan of the source's part with graded channels.

    `size` is that of the result; `channels` are the numbers of components of the layers' images.
    """
    header = raw.headers[part.index].copy()
    header.attributes |= {name: value for name, value in REQUIRED.items() if name not in header.attributes}
    plan = Plan(header, "", frame=options.frame(part))
    _plan_channels(plan, options, part, layers, channels)
    if options.only_graded and len(raw.headers) > 1:
        plan.single_part = True
    _plan_crop(plan)
    if size != header.size:
        _plan_size(plan, size)
        _leave_parts(plan, raw, part.index)
    _plan_compression(plan, options, part)
    _plan_storage(plan, options, raw.is_multipart)
    _plan_levels(plan, raw.headers[part.index])
    if options.graded and "preview" in header.attributes:
        del header.attributes["preview"]
        plan.notes.append("The preview image in the header is left out: it shows the ungraded image.")
    _plan_metadata(plan, options)
    _plan_container(plan, raw.headers[part.index])
    if options.output_space is not None and len(raw.headers) > 1 and not plan.single_part:
        plan.notes.append("The other parts stay in their colour space; this part is tagged with its own.")
    count_chunks(header)
    return plan


def count_chunks(header: RawHeader) -> None:
    """Update the attribute `chunkCount` of a header that has it."""
    if "chunkCount" in header.attributes:
        header.attributes["chunkCount"] = Attribute("int", struct.pack("<i", header.chunk_count()))


def check_gradable(options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...]) -> None:
    """Raise UnsupportedFile for parts and layers that can't be graded."""
    target = options.target
    if part.is_deep and not options.graded:
        raise UnsupportedFile(
            target, "would hold re-encoded deep pixels", "copy them with their type and compression unchanged"
        )
    if part.is_deep:
        raise UnsupportedFile(target, "would hold a graded deep image", "flatten it first; deep pixels can't be graded")
    if not options.graded:
        return
    alone = len(part.channels) == 1 and part.channels[0].type != "uint"
    for layer in layers:
        if layer.is_grey and layer.channels[0].rpartition(".")[2] != "Y" and not alone:
            what = f"would hold a graded '{layer.name}', which is data"
            raise UnsupportedFile(target, what, "choose a colour layer")


def _plan_channels(
    plan: Plan, options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...], channels: list[int]
) -> None:
    known = {channel.name: channel for channel in plan.header.channels}
    if not options.graded:
        _plan_copied(plan, options, known, layers)
        return
    graded: dict[str, GradedChannel] = {}
    colours, replaced = [], set[str]()
    for image, (layer, count) in enumerate(zip(layers, channels, strict=True)):
        names, stood = _graded_names(layer, count)
        replaced.update(stood)
        if stood:
            old = "luminance and chroma" if layer.is_luminance_chroma else f"the channel {stood[0]}"
            plan.notes.append(f"The graded image is written as {', '.join(names[:3])} in place of {old}.")
        for place, name in enumerate(names):
            if name not in graded:
                graded[name] = GradedChannel(name, image, place)
                colours.append(_coloured(plan, options, known.get(name) or known[layer.channels[0]], name))
    kept = [c for c in known.values() if c.name not in graded and c.name not in replaced and not options.only_graded]
    plan.subsampled = tuple(c.name for c in kept if c.x_sampling > 1 or c.y_sampling > 1)
    plan.carried = tuple(c.name for c in kept if c.name not in plan.subsampled)
    if plan.carried and not options.alpha:  # the source's alpha is at hand, to the bit
        alphas = tuple(
            name for name, c in graded.items() if c.place == 3 and name in known and options.type == "source"
        )
        plan.carried += alphas
        graded = {name: c for name, c in graded.items() if name not in alphas}
    plan.header.set_channels((*colours, *kept))
    plan.graded = tuple(graded.values())


def _coloured(plan: Plan, options: OutputOptions, like: RawChannel, name: str) -> RawChannel:
    """Return the channel list entry of a graded channel that is made from `like`."""
    kind = like.type if options.type == "source" else options.type
    if kind == "uint":
        kind = "float"
        note = "The graded channels are written as float: integers can't hold them."
        plan.notes += [] if note in plan.notes else [note]
    return RawChannel(name, kind, linear=like.linear if like.name == name else 0)


def _plan_copied(
    plan: Plan, options: OutputOptions, known: dict[str, RawChannel], layers: tuple[LayerInfo, ...]
) -> None:
    """Plan the channels of an export without a grade, which has the source's own samples."""
    chosen = {name for layer in layers for name in layer.channels}
    kept = [c for c in known.values() if c.name in chosen or not options.only_graded]
    types = {name: options.type for name in chosen if options.type != "source" and known[name].type != "uint"}
    plan.header.set_channels(tuple(replace(c, type=types.get(c.name, c.type)) for c in kept))
    plan.subsampled = tuple(c.name for c in kept if c.x_sampling > 1 or c.y_sampling > 1)
    plan.carried = tuple(c.name for c in kept if c.name not in plan.subsampled)


def _graded_names(layer: LayerInfo, channels: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of 3 or 4 graded channels, and the channels of the source that they replace."""
    prefix = layer.channels[0].rpartition(".")[0]
    dot = f"{prefix}." if prefix else ""
    if layer.is_colour:
        names, replaced = layer.channels[:3], tuple[str, ...]()
    else:
        names = tuple(f"{dot}{c}" for c in "RGB")
        last = len(layer.channels) - layer.has_alpha
        replaced = layer.channels[:last]
    alpha = layer.channels[-1] if layer.has_alpha else f"{dot}A"
    return names + ((alpha,) if channels == 4 else ()), replaced


def _plan_crop(plan: Plan) -> None:
    """Set the windows of a crop. Subsampled channels are kept if the crop is aligned with their samples."""
    frame, header = plan.frame, plan.header
    if frame is None:
        return
    left, top = header.box("dataWindow")[:2]
    x, y = left + frame.part.x, top + frame.part.y
    header.set_box("dataWindow", (x, y, x + frame.part.width - 1, y + frame.part.height - 1))
    header.set_box("displayWindow", frame.display)
    spacing = {c.name: (c.x_sampling, c.y_sampling) for c in header.channels}
    size = frame.part.width, frame.part.height
    off = [n for n in plan.subsampled if any(v % s for v, s in zip((x, y, *size), spacing[n] * 2, strict=True))]
    if off:
        plan.notes.append(f"The crop is not aligned with subsampled channels; left out: {', '.join(off)}.")
        _drop(plan, off)


def _drop(plan: Plan, names: list[str]) -> None:
    plan.subsampled = tuple(name for name in plan.subsampled if name not in names)
    plan.carried = tuple(name for name in plan.carried if name not in names)
    plan.header.set_channels(tuple(c for c in plan.header.channels if c.name not in names))


def _plan_size(plan: Plan, size: tuple[int, int]) -> None:
    """Set the windows of a resized image: the corner of the data window and the display window are scaled."""
    header = plan.header
    old, data, display = header.size, header.box("dataWindow"), header.box("displayWindow")

    def scaled(value: int, axis: int) -> int:
        return round(value * size[axis] / old[axis])

    x, y = scaled(data[0], 0), scaled(data[1], 1)
    header.set_box("dataWindow", (x, y, x + size[0] - 1, y + size[1] - 1))
    left, top = scaled(display[0], 0), scaled(display[1], 1)
    wide, high = scaled(display[2] - display[0] + 1, 0), scaled(display[3] - display[1] + 1, 1)
    header.set_box("displayWindow", (left, top, left + max(wide, 1) - 1, top + max(high, 1) - 1))
    lost = [*plan.carried, *plan.subsampled]
    if lost:
        plan.notes.append(f"The size of the image has changed; left out: {', '.join(lost)}.")
        _drop(plan, lost)


def _leave_parts(plan: Plan, raw: RawFile, graded: int) -> None:
    """Leave out the other parts, which still have the old size."""
    others = [header.text("name") or str(n) for n, header in enumerate(raw.headers) if n != graded]
    if others and not plan.single_part:
        plan.notes.append(f"The size of the image has changed; left out: the parts {', '.join(others)}.")
        plan.single_part = True


def _plan_compression(plan: Plan, options: OutputOptions, part: PartInfo) -> None:
    asked = options.exr_compression()
    plan.compression = asked or part.compression
    name, _, level = plan.compression.partition(":")
    if plan.subsampled and name not in CODED:
        plan.notes.append(
            f"Subsampled channels can't be written with {name} compression: the image is written with zip."
        )
        plan.compression = name = "zip"
    plan.header.set_compression(name)
    if "dwaCompressionLevel" in plan.header.attributes:
        del plan.header.attributes["dwaCompressionLevel"]
        if name.startswith("dwa"):
            value = struct.pack("<f", float(level or 45))
            plan.header.attributes["dwaCompressionLevel"] = Attribute("float", value)
    if (plan.carried or plan.subsampled) and name in LOSSY and (asked or name != "pxr24"):
        plan.notes.append(f"The compression {name} is lossy, also for the channels that are not graded.")


def _plan_storage(plan: Plan, options: OutputOptions, multipart: bool) -> None:
    """Set scanline or tiled storage; scanlines have no mip levels."""
    header, side = plan.header, options.tile_side()
    tiles = header.tiles
    if side is None:
        return
    if side == 0 and tiles:
        del header.attributes["tiles"]
        if tiles[2]:
            plan.notes.append("The mip levels are left out: scanline images have none.")
    elif side:
        header.set_tiles((side, side, *(tiles[2:] if tiles else (0, 0))))
    if side or tiles:
        header.attributes["lineOrder"] = Attribute("lineOrder", b"\0")
    if multipart or "type" in header.attributes or side:
        header.set_text("type", "tiledimage" if side else "scanlineimage")


def _plan_levels(plan: Plan, before: RawHeader) -> None:
    """Drop the smaller levels where the source has no matching levels of the carried channels."""
    tiles = plan.header.tiles
    if not tiles or not tiles[2] or not plan.carried:
        return
    if tiles[2] == 1 and plan.header.size == before.size and not plan.frame:
        return
    why = "is cropped" if plan.frame else "has rip levels"
    keep_full_level(plan, f"The image {why} and has channels that are not graded")


def keep_full_level(plan: Plan, why: str) -> None:
    """Plan to write only the full level, with a note that begins with the reason `why`."""
    tiles = plan.header.tiles
    if tiles and tiles[2]:
        plan.header.set_tiles((tiles[0], tiles[1], 0, tiles[3]))
        plan.notes.append(f"{why}: only the full level is written.")


def _plan_metadata(plan: Plan, options: OutputOptions) -> None:
    """Set the colour metadata as the Color Interop Forum recommends, and the record of the grade."""
    attributes = plan.header.attributes
    if options.output_space is not None:
        for name in COLOUR_METADATA:
            attributes.pop(name, None)
        if options.output_space:
            plan.header.set_text("colorInteropID", options.output_space)
    if options.graded:
        for name in [name for name in attributes if name.startswith(OURS)]:
            del attributes[name]
    for name, text in options.record:
        plan.header.set_text(name, text)


def _plan_container(plan: Plan, before: RawHeader) -> None:
    """Remove the container flag of a file that is no longer an ACES container. Its colours are still ACES."""
    attributes = plan.header.attributes
    if CONTAINER not in attributes or _is_container(plan.header) or not _is_container(before):
        return
    del attributes[CONTAINER]
    if not {"chromaticities", "colorInteropID"} & set(attributes):
        plan.header.set_text("colorInteropID", ACES_ID)
    plan.notes.append("The file is no longer an ACES container: those have half channels in uncompressed scanlines.")


def _is_container(header: RawHeader) -> bool:
    """Check the requirements of SMPTE ST 2065-4 that grading can change."""
    plain = header.compression == "none" and header.tiles is None
    return plain and all(channel.type == "half" for channel in header.channels)

"""What the written part looks like: the source's header, changed only where the grade asks for it."""

from __future__ import annotations

import struct
from dataclasses import dataclass, field, replace

from engine.errors import UnsupportedFile
from engine.io.exr.header import Attribute, RawChannel, RawFile, RawHeader
from engine.io.exr.subsampled import CODED
from engine.io.info import LayerInfo, PartInfo
from engine.io.output_options import LOSSY, Frame, Wish

COLOUR_METADATA = (
    *("chromaticities", "whiteLuminance", "adoptedNeutral"),
    *("acesImageContainerFlag", "colorInteropID"),
)
"""What the Color Interop Forum's recommendation for OpenEXR calls stale once pixels are in another colour space."""
CONTAINER, ACES_ID = "acesImageContainerFlag", "lin_ap0_scene"
OURS = "tessera:"
MISSING = f"{OURS}missing"
"""The attribute that names the regions of a damaged file that could not be read."""


@dataclass(frozen=True)
class GradedChannel:
    """The channel `name` gets the component `place` of the picture number `picture`."""

    name: str
    picture: int
    place: int


@dataclass
class Plan:
    """One part to write.

    `header` is final. `graded` are the channels of graded pixels; `carried` those taken from the source as they are,
    pixel by pixel, and `thinned` those that have fewer samples than pixels. `frame` is what a crop leaves. `lonely`
    says that the source's other parts are left out. `notes` says what could not be kept.
    """

    header: RawHeader
    compression: str
    graded: tuple[GradedChannel, ...] = ()
    carried: tuple[str, ...] = ()
    thinned: tuple[str, ...] = ()
    frame: Frame | None = None
    lonely: bool = False
    notes: list[str] = field(default_factory=list)


REQUIRED = {
    "lineOrder": Attribute("lineOrder", b"\0"),
    "pixelAspectRatio": Attribute("float", struct.pack("<f", 1)),
    "screenWindowCenter": Attribute("v2f", struct.pack("<2f", 0, 0)),
    "screenWindowWidth": Attribute("float", struct.pack("<f", 1)),
}
"""Attributes that every part has, and their defaults; a damaged part may lack them."""


def fresh_plan(wish: Wish, size: tuple[int, int], channels: int, sample: str, aspect: float = 1.0) -> Plan:
    """A new EXR of one part: RGB or RGBA of the type `sample`."""
    header = RawHeader()
    names = tuple("RGBA"[:channels])
    header.set_channels(tuple(RawChannel(name, sample) for name in names))
    compression = wish.exr_compression() or "zip"
    header.set_compression(compression.partition(":")[0])
    for window in ("dataWindow", "displayWindow"):
        header.set_box(window, (0, 0, size[0] - 1, size[1] - 1))
    header.attributes |= REQUIRED | {"pixelAspectRatio": Attribute("float", struct.pack("<f", aspect))}
    plan = Plan(header, compression, tuple(GradedChannel(name, 0, n) for n, name in enumerate(names)))
    _plan_storage(plan, wish, False)
    known = wish.output_space is None and wish.result_space != "unknown"
    _plan_metadata(plan, replace(wish, output_space=wish.result_space) if known else wish)
    return plan


def carrying_plan(
    wish: Wish, raw: RawFile, part: PartInfo, layers: tuple[LayerInfo, ...], size: tuple[int, int], channels: list[int]
) -> Plan:
    """The source's part with its graded channels in place.

    `size` is that of the result, and `channels` the number of components of each layer's picture.
    """
    header = raw.headers[part.index].copy()
    header.attributes |= {name: value for name, value in REQUIRED.items() if name not in header.attributes}
    plan = Plan(header, "", frame=wish.frame(part))
    _plan_channels(plan, wish, part, layers, channels)
    if wish.only_graded and len(raw.headers) > 1:
        plan.lonely = True
    _plan_crop(plan)
    if size != header.size:
        _plan_size(plan, size)
        _leave_parts(plan, raw, part.index)
    _plan_compression(plan, wish, part)
    _plan_storage(plan, wish, raw.is_multipart)
    _plan_levels(plan, raw.headers[part.index])
    if wish.graded and "preview" in header.attributes:
        del header.attributes["preview"]
        plan.notes.append("The preview picture in the header is left out: it shows the ungraded picture.")
    _plan_metadata(plan, wish)
    _plan_container(plan, raw.headers[part.index])
    if wish.output_space is not None and len(raw.headers) > 1 and not plan.lonely:
        plan.notes.append("The other parts stay in their colour space; this one says its own.")
    count_chunks(header)
    return plan


def count_chunks(header: RawHeader) -> None:
    """Bring the number of chunks that a header tells up to date."""
    if "chunkCount" in header.attributes:
        header.attributes["chunkCount"] = Attribute("int", struct.pack("<i", header.chunk_count()))


def check_gradable(wish: Wish, part: PartInfo, layers: tuple[LayerInfo, ...]) -> None:
    """UnsupportedFile for parts and layers whose grade has no meaning."""
    target = wish.target
    if part.is_deep and not wish.graded:
        raise UnsupportedFile(
            target, "would hold deep pixels coded anew", "copy them as they are, type and compression"
        )
    if part.is_deep:
        raise UnsupportedFile(target, "would hold a graded deep picture", "flatten it first; deep pixels aren't graded")
    if not wish.graded:
        return
    alone = len(part.channels) == 1 and part.channels[0].type != "uint"
    for layer in layers:
        if layer.is_grey and layer.channels[0].rpartition(".")[2] != "Y" and not alone:
            what = f"would hold a graded '{layer.name}', which is data"
            raise UnsupportedFile(target, what, "choose a colour layer")


def _plan_channels(plan: Plan, wish: Wish, part: PartInfo, layers: tuple[LayerInfo, ...], channels: list[int]) -> None:
    known = {channel.name: channel for channel in plan.header.channels}
    if not wish.graded:
        _plan_copied(plan, wish, known, layers)
        return
    graded: dict[str, GradedChannel] = {}
    colours, replaced = [], set[str]()
    for picture, (layer, count) in enumerate(zip(layers, channels, strict=True)):
        names, stood = _graded_names(layer, count)
        replaced.update(stood)
        if stood:
            old = "luminance and chroma" if layer.is_luminance_chroma else f"the channel {stood[0]}"
            plan.notes.append(f"The graded picture is written as {', '.join(names[:3])} in place of {old}.")
        for place, name in enumerate(names):
            if name not in graded:
                graded[name] = GradedChannel(name, picture, place)
                colours.append(_coloured(plan, wish, known.get(name) or known[layer.channels[0]], name))
    kept = [c for c in known.values() if c.name not in graded and c.name not in replaced and not wish.only_graded]
    plan.thinned = tuple(c.name for c in kept if c.x_sampling > 1 or c.y_sampling > 1)
    plan.carried = tuple(c.name for c in kept if c.name not in plan.thinned)
    if plan.carried and not wish.alpha:  # the source's alpha is at hand, to the bit
        alphas = tuple(name for name, c in graded.items() if c.place == 3 and name in known and wish.type == "source")
        plan.carried += alphas
        graded = {name: c for name, c in graded.items() if name not in alphas}
    plan.header.set_channels((*colours, *kept))
    plan.graded = tuple(graded.values())


def _coloured(plan: Plan, wish: Wish, like: RawChannel, name: str) -> RawChannel:
    """The entry of a graded channel that is made from one like `like`."""
    kind = like.type if wish.type == "source" else wish.type
    if kind == "uint":
        kind = "float"
        note = "The graded channels are written as float: whole numbers can't hold them."
        plan.notes += [] if note in plan.notes else [note]
    return RawChannel(name, kind, linear=like.linear if like.name == name else 0)


def _plan_copied(plan: Plan, wish: Wish, known: dict[str, RawChannel], layers: tuple[LayerInfo, ...]) -> None:
    """Nothing is graded: the source's own samples."""
    chosen = {name for layer in layers for name in layer.channels}
    kept = [c for c in known.values() if c.name in chosen or not wish.only_graded]
    types = {name: wish.type for name in chosen if wish.type != "source" and known[name].type != "uint"}
    plan.header.set_channels(tuple(replace(c, type=types.get(c.name, c.type)) for c in kept))
    plan.thinned = tuple(c.name for c in kept if c.x_sampling > 1 or c.y_sampling > 1)
    plan.carried = tuple(c.name for c in kept if c.name not in plan.thinned)


def _graded_names(layer: LayerInfo, channels: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Names for 3 or 4 channels of pixels, and the channels of the source that they stand in for."""
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
    """Windows of what a crop leaves. Thinned channels stay where its corner falls on one of their samples."""
    frame, header = plan.frame, plan.header
    if frame is None:
        return
    left, top = header.box("dataWindow")[:2]
    x, y = left + frame.part.x, top + frame.part.y
    header.set_box("dataWindow", (x, y, x + frame.part.width - 1, y + frame.part.height - 1))
    header.set_box("displayWindow", frame.display)
    spacing = {c.name: (c.x_sampling, c.y_sampling) for c in header.channels}
    size = frame.part.width, frame.part.height
    off = [n for n in plan.thinned if any(v % s for v, s in zip((x, y, *size), spacing[n] * 2, strict=True))]
    if off:
        plan.notes.append(f"The crop does not fall on samples of these channels; left out: {', '.join(off)}.")
        _drop(plan, off)


def _drop(plan: Plan, names: list[str]) -> None:
    plan.thinned = tuple(name for name in plan.thinned if name not in names)
    plan.carried = tuple(name for name in plan.carried if name not in names)
    plan.header.set_channels(tuple(c for c in plan.header.channels if c.name not in names))


def _plan_size(plan: Plan, size: tuple[int, int]) -> None:
    """Windows for a picture of another size: the data window keeps its corner's place, the display window is scaled."""
    header = plan.header
    old, data, display = header.size, header.box("dataWindow"), header.box("displayWindow")

    def scaled(value: int, axis: int) -> int:
        return round(value * size[axis] / old[axis])

    x, y = scaled(data[0], 0), scaled(data[1], 1)
    header.set_box("dataWindow", (x, y, x + size[0] - 1, y + size[1] - 1))
    left, top = scaled(display[0], 0), scaled(display[1], 1)
    wide, high = scaled(display[2] - display[0] + 1, 0), scaled(display[3] - display[1] + 1, 1)
    header.set_box("displayWindow", (left, top, left + max(wide, 1) - 1, top + max(high, 1) - 1))
    lost = [*plan.carried, *plan.thinned]
    if lost:
        plan.notes.append(f"The picture has another size now; left out: {', '.join(lost)}.")
        _drop(plan, lost)


def _leave_parts(plan: Plan, raw: RawFile, graded: int) -> None:
    """Parts of the old size don't go with a picture of a new one."""
    others = [header.text("name") or str(n) for n, header in enumerate(raw.headers) if n != graded]
    if others and not plan.lonely:
        plan.notes.append(f"The picture has another size now; left out: the parts {', '.join(others)}.")
        plan.lonely = True


def _plan_compression(plan: Plan, wish: Wish, part: PartInfo) -> None:
    asked = wish.exr_compression()
    plan.compression = asked or part.compression
    name, _, level = plan.compression.partition(":")
    if plan.thinned and name not in CODED:
        plan.notes.append(
            f"Channels with fewer samples than pixels can't be written as {name}: they are written as zip."
        )
        plan.compression = name = "zip"
    plan.header.set_compression(name)
    if "dwaCompressionLevel" in plan.header.attributes:
        del plan.header.attributes["dwaCompressionLevel"]
        if name.startswith("dwa"):
            value = struct.pack("<f", float(level or 45))
            plan.header.attributes["dwaCompressionLevel"] = Attribute("float", value)
    if (plan.carried or plan.thinned) and name in LOSSY and (asked or name != "pxr24"):
        plan.notes.append(f"The compression {name} loses a little, also of the channels that are not graded.")


def _plan_storage(plan: Plan, wish: Wish, multipart: bool) -> None:
    """Lines, or tiles of a size; levels of detail go with the tiles."""
    header, side = plan.header, wish.tile_side()
    tiles = header.tiles
    if side is None:
        return
    if side == 0 and tiles:
        del header.attributes["tiles"]
        if tiles[2]:
            plan.notes.append("The levels of detail are left out: lines have none.")
    elif side:
        header.set_tiles((side, side, *(tiles[2:] if tiles else (0, 0))))
    if side or tiles:
        header.attributes["lineOrder"] = Attribute("lineOrder", b"\0")
    if multipart or "type" in header.attributes or side:
        header.set_text("type", "tiledimage" if side else "scanlineimage")


def _plan_levels(plan: Plan, before: RawHeader) -> None:
    """Levels of what is carried are the source's own, where it can give them."""
    tiles = plan.header.tiles
    if not tiles or not tiles[2] or not plan.carried:
        return
    if tiles[2] == 1 and plan.header.size == before.size and not plan.frame:
        return
    why = "is cropped" if plan.frame else "has levels by width and height"
    keep_full_level(plan, f"The picture {why} and has channels that are not graded")


def keep_full_level(plan: Plan, why: str) -> None:
    """Write no smaller levels, and say why."""
    tiles = plan.header.tiles
    if tiles and tiles[2]:
        plan.header.set_tiles((tiles[0], tiles[1], 0, tiles[3]))
        plan.notes.append(f"{why}: only the full level is written.")


def _plan_metadata(plan: Plan, wish: Wish) -> None:
    """Colour metadata by the Color Interop Forum's rule, and the record of the grade."""
    attributes = plan.header.attributes
    if wish.output_space is not None:
        for name in COLOUR_METADATA:
            attributes.pop(name, None)
        if wish.output_space:
            plan.header.set_text("colorInteropID", wish.output_space)
    if wish.graded:
        for name in [name for name in attributes if name.startswith(OURS)]:
            del attributes[name]
    for name, text in wish.record:
        plan.header.set_text(name, text)


def _plan_container(plan: Plan, before: RawHeader) -> None:
    """What is no ACES container any more does not say that it is one. Its colours stay those of ACES."""
    attributes = plan.header.attributes
    if CONTAINER not in attributes or _is_container(plan.header) or not _is_container(before):
        return
    del attributes[CONTAINER]
    if not {"chromaticities", "colorInteropID"} & set(attributes):
        plan.header.set_text("colorInteropID", ACES_ID)
    plan.notes.append("It is no ACES container any more: those hold half channels in lines, not compressed.")


def _is_container(header: RawHeader) -> bool:
    """SMPTE ST 2065-4, as far as grading changes it."""
    plain = header.compression == "none" and header.tiles is None
    return plain and all(channel.type == "half" for channel in header.channels)

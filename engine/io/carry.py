"""What the written part looks like: the source's header, changed only where the grade asks for it."""

from __future__ import annotations

import math
import struct
from dataclasses import dataclass, field, replace
from pathlib import Path

from engine.errors import UnsupportedFile
from engine.io.exr_header import COMPRESSIONS, Attribute, RawChannel, RawFile, RawHeader
from engine.io.info import LayerInfo, PartInfo

PIXEL_TYPES = ("source", "half", "float")
LOSSY = ("b44", "b44a", "dwaa", "dwab", "lj2k", "pxr24")


@dataclass
class Plan:
    """One part to write.

    `header` is final. `graded` are the names of the pixels' channels, in order, or () where the pixels are the source's
    own; `carried` those taken from the source as they are. `notes` says what could not be kept.
    """

    header: RawHeader
    compression: str
    graded: tuple[str, ...]
    carried: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)


@dataclass(frozen=True)
class Wish:
    """What the user asked of the output; `compression` None keeps the source's."""

    target: Path
    type: str = "source"
    compression: str | None = None
    graded: bool = True

    def __post_init__(self) -> None:
        if self.type not in PIXEL_TYPES:
            raise UnsupportedFile(self.target, f"knows no pixel type '{self.type}'", "use source, half or float")

    def exr_compression(self) -> str | None:
        """The compression, checked; UnsupportedFile if EXR has none of that name."""
        if self.compression is None:
            return None
        name, _, level = self.compression.lower().partition(":")
        if name not in COMPRESSIONS:
            raise UnsupportedFile(
                self.target, f"knows no EXR compression '{name}'", f"use one of {', '.join(COMPRESSIONS)}"
            )
        if level and not (name.startswith(("zip", "dwa")) and _is_level(level)):
            raise UnsupportedFile(self.target, f"can't use '{self.compression}'", "use dwaa:45 or zip:4, for instance")
        return f"{name}:{level}" if level else name


def _is_level(text: str) -> bool:
    try:
        return 0 <= float(text) < math.inf
    except ValueError:
        return False


def fresh_plan(wish: Wish, size: tuple[int, int], channels: int, sample: str, aspect: float = 1.0) -> Plan:
    """A new EXR of one part: RGB or RGBA of the type `sample`."""
    header = RawHeader()
    names = tuple("RGBA"[:channels])
    header.set_channels(tuple(RawChannel(name, sample) for name in names))
    compression = wish.exr_compression() or "zip"
    header.set_compression(compression.partition(":")[0])
    for window in ("dataWindow", "displayWindow"):
        header.set_box(window, (0, 0, size[0] - 1, size[1] - 1))
    header.attributes["lineOrder"] = Attribute("lineOrder", b"\0")
    header.attributes["pixelAspectRatio"] = Attribute("float", struct.pack("<f", aspect))
    header.attributes["screenWindowCenter"] = Attribute("v2f", struct.pack("<2f", 0, 0))
    header.attributes["screenWindowWidth"] = Attribute("float", struct.pack("<f", 1))
    return Plan(header, compression, names)


def carrying_plan(
    wish: Wish, raw: RawFile, part: PartInfo, layer: LayerInfo, size: tuple[int, int], channels: int
) -> Plan:
    """The source's part with its graded channels in place. UnsupportedFile for a layer that is not colour."""
    header = raw.headers[part.index].copy()
    plan = Plan(header, "", ())
    _plan_channels(plan, wish, part, layer, channels)
    if size != (part.width, part.height):
        _plan_size(plan, size)
    _plan_compression(plan, wish, part)
    tiles = header.tiles
    if tiles and tiles[2]:
        header.set_tiles((tiles[0], tiles[1], 0, tiles[3]))
        plan.notes.append(f"The picture has {part.levels} levels of detail; only the full one is written.")
    if wish.graded and "preview" in header.attributes:
        del header.attributes["preview"]
        plan.notes.append("The preview picture in the header is left out: it shows the ungraded picture.")
    if "chunkCount" in header.attributes:
        header.attributes["chunkCount"] = Attribute("int", struct.pack("<i", header.chunk_count()))
    return plan


def check_gradable(wish: Wish, part: PartInfo, layer: LayerInfo) -> None:
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
    if layer.is_grey and layer.channels[0].rpartition(".")[2] != "Y" and not alone:
        raise UnsupportedFile(target, f"would hold a graded '{layer.name}', which is data", "choose a colour layer")


def _plan_channels(plan: Plan, wish: Wish, part: PartInfo, layer: LayerInfo, channels: int) -> None:
    known = {channel.name: channel for channel in plan.header.channels}
    if not wish.graded and not part.is_subsampled:
        types = {name: wish.type for name in layer.channels if wish.type != "source" and known[name].type != "uint"}
        plan.header.set_channels(tuple(replace(c, type=types.get(c.name, c.type)) for c in known.values()))
        plan.carried = tuple(known)
        return
    names, replaced = _graded_names(layer, channels)
    kept = [c for c in known.values() if c.name not in names and c.name not in replaced]
    thinned = [c.name for c in kept if c.x_sampling > 1 or c.y_sampling > 1]
    if thinned:
        plan.notes.append(f"Channels with fewer samples than pixels are left out: {', '.join(thinned)}.")
        kept = [c for c in kept if c.name not in thinned]
    if replaced:
        old = "luminance and chroma" if layer.is_luminance_chroma else f"the channel {replaced[0]}"
        plan.notes.append(f"The graded picture is written as {', '.join(names[:3])} in place of {old}.")
    colours = []
    for n, name in enumerate(names):
        like = known.get(name) or known[layer.channels[0]]
        like = replace(like, name=name, x_sampling=1, y_sampling=1, linear=like.linear if name in known else 0)
        kind = like.type if wish.type == "source" else wish.type
        if kind == "uint":
            kind = "float"
            plan.notes += [] if n else ["The graded channels are written as float: whole numbers can't hold them."]
        colours.append(replace(like, type=kind))
    plan.header.set_channels((*colours, *kept))
    plan.graded, plan.carried = names, tuple(c.name for c in kept)


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
    if plan.carried:
        plan.notes.append(f"The picture has another size now; left out: {', '.join(plan.carried)}.")
        header.set_channels(tuple(c for c in header.channels if c.name in plan.graded))
        plan.carried = ()


def _plan_compression(plan: Plan, wish: Wish, part: PartInfo) -> None:
    asked = wish.exr_compression()
    plan.compression = asked or part.compression
    name, _, level = plan.compression.partition(":")
    plan.header.set_compression(name)
    if "dwaCompressionLevel" in plan.header.attributes:
        del plan.header.attributes["dwaCompressionLevel"]
        if name.startswith("dwa"):
            value = struct.pack("<f", float(level or 45))
            plan.header.attributes["dwaCompressionLevel"] = Attribute("float", value)
    if plan.carried and name in LOSSY and (asked or name != "pxr24"):
        plan.notes.append(f"The compression {name} loses a little, also of the channels that are not graded.")

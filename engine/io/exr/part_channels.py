"""Channels of the part to write: which are graded, and which are copied from the source."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from engine.core.records import dataclass
from engine.errors import UnsupportedFile
from engine.io.exr.header import RawChannel
from engine.io.info import LayerInfo, PartInfo
from engine.io.output_options import OutputOptions


@dataclass(frozen=True)
class GradedChannel:
    """Maps the component `place` of the image number `image` to the channel `name`."""

    name: str
    image: int
    place: int


@dataclass(frozen=True)
class PartChannels:
    """The channel list of the part to write, and where its samples come from, as in a PartSpec."""

    entries: tuple[RawChannel, ...]
    graded: tuple[GradedChannel, ...]
    carried: tuple[str, ...]
    subsampled: tuple[str, ...]
    notes: tuple[str, ...] = ()


def check_gradable(options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...]) -> None:
    """Raise UnsupportedFile for parts and layers that can't be graded."""
    target = options.target
    if part.is_deep:
        raise UnsupportedFile(target, "would hold deep pixels, which are not written in rows", "use export_image")
    if not options.graded:
        return
    alone = len(part.channels) == 1 and part.channels[0].type != "uint"
    for layer in layers:
        if layer.is_grey and layer.channels[0].rpartition(".")[2] != "Y" and not alone:
            what = f"would hold a graded '{layer.name}', which is data"
            raise UnsupportedFile(target, what, "choose a colour layer")


def carries_channels(
    options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...], size: tuple[int, int]
) -> bool:
    """Return whether an output of `size` copies channels of the source pixel by pixel."""
    frame = options.frame(part)
    if size != ((frame.part.width, frame.part.height) if frame else (part.width, part.height)):
        return False
    return bool(_channels_of(options, part, layers).carried)


def channel_names(options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...]) -> set[str]:
    """Return the names of the channels that an output of a part of an EXR has, those of mattes left out."""
    return {entry.name for entry in _channels_of(replace(options, mattes=()), part, layers).entries}


def _channels_of(options: OutputOptions, part: PartInfo, layers: tuple[LayerInfo, ...]) -> PartChannels:
    known = [RawChannel(c.name, c.type, c.x_sampling, c.y_sampling) for c in part.channels]
    components = [4 if layer.has_alpha else 3 for layer in layers]
    return part_channels(options, known, layers, components)


def part_channels(
    options: OutputOptions, before: Sequence[RawChannel], layers: tuple[LayerInfo, ...], components: list[int]
) -> PartChannels:
    """Return the channels of an output of a part that has the channels `before`.

    `components` are the numbers of channels of the layers' images. Images after these are those of mattes.
    """
    known = {channel.name: channel for channel in before}
    found = _graded_channels if options.graded else _copied_channels
    channels, like = found(options, known, layers, components), known[layers[0].channels[0]]
    mattes = tuple(GradedChannel(name, image, 0) for image, name in enumerate(options.mattes, len(layers)))
    entries = tuple(_graded_entry(name, like, options) for name in options.mattes)
    return replace(channels, entries=(*channels.entries, *entries), graded=(*channels.graded, *mattes))


def _graded_channels(
    options: OutputOptions, known: dict[str, RawChannel], layers: tuple[LayerInfo, ...], components: list[int]
) -> PartChannels:
    graded, replaced, notes = dict[str, GradedChannel](), set[str](), list[str]()
    for image, (layer, count) in enumerate(zip(layers, components, strict=False)):
        names, old = _graded_names(layer, count)
        for place, name in enumerate(names):
            graded.setdefault(name, GradedChannel(name, image, place))
        replaced.update(old)
        if old:
            what = "luminance and chroma" if layer.is_luminance_chroma else f"the channel {old[0]}"
            notes.append(f"The graded image is written as {', '.join(names[:3])} in place of {what}.")
    like = {name: known.get(name) or known[layers[each.image].channels[0]] for name, each in graded.items()}
    if options.type == "source" and any(channel.type == "uint" for channel in like.values()):
        notes.append("The graded channels are written as float: integers can't hold them.")
    entries = [_graded_entry(name, channel, options) for name, channel in like.items()]
    kept = [c for c in known.values() if c.name not in graded and c.name not in replaced and not options.only_graded]
    carried, subsampled = _by_sampling(kept)
    if carried and not options.alpha and options.type == "source":  # the source's alpha is at hand, to the bit
        alphas = tuple(name for name, each in graded.items() if each.place == 3 and name in known)
        carried += alphas
        graded = {name: each for name, each in graded.items() if name not in alphas}
    return PartChannels((*entries, *kept), tuple(graded.values()), carried, subsampled, tuple(notes))


def _copied_channels(
    options: OutputOptions, known: dict[str, RawChannel], layers: tuple[LayerInfo, ...], components: list[int]
) -> PartChannels:
    """Return the channels of an export without a grade, which has the source's own samples."""
    chosen = {name for layer in layers for name in layer.channels}
    kept = [c for c in known.values() if c.name in chosen or not options.only_graded]
    types = {name: options.type for name in chosen if options.type != "source" and known[name].type != "uint"}
    entries = tuple(c._replace(type=types.get(c.name, c.type)) for c in kept)
    return PartChannels(entries, (), *_by_sampling(kept))


def _graded_names(layer: LayerInfo, components: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
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
    return names + ((alpha,) if components == 4 else ()), replaced


def _graded_entry(name: str, like: RawChannel, options: OutputOptions) -> RawChannel:
    """Return the channel list entry of a graded channel that is made from `like`."""
    kind = like.type if options.type == "source" else options.type
    return RawChannel(name, "float" if kind == "uint" else kind, linear=like.linear if like.name == name else 0)


def _by_sampling(channels: list[RawChannel]) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the names of the channels with a sample for every pixel, and of those with fewer."""
    subsampled = tuple(c.name for c in channels if c.x_sampling > 1 or c.y_sampling > 1)
    return tuple(c.name for c in channels if c.name not in subsampled), subsampled

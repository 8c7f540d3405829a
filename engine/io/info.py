"""Descriptions of image files: parts, channels, layers, windows and metadata. Nothing here reads pixels."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import field
from functools import cached_property
from pathlib import Path
from typing import Any

from engine.core.file_watch import State
from engine.core.records import dataclass

Box = tuple[int, int, int, int]
"""x0, y0, x1, y1 of a window's first and last pixel."""

_COLOURS = {"r": "R", "g": "G", "b": "B", "a": "A", "y": "Y", "red": "R", "green": "G", "blue": "B", "alpha": "A"}
_VECTORS = (("x", "y", "z"), ("u", "v", "w"), ("x", "y"), ("u", "v"), ("s", "t"))
"""The components of vectors, in lower case."""


@dataclass(frozen=True)
class ChannelInfo:
    """A channel: its full name, sample type ('half', 'float', 'uint', 'uint8', 'uint16') and sampling in pixels."""

    name: str
    type: str
    x_sampling: int = 1
    y_sampling: int = 1


@dataclass(frozen=True)
class LayerInfo:
    """Channels that form one image: R, G, B[, A] or Y[, A] or Y, RY, BY[, A], or any single channel.

    `name` is '' for the main layer; `channels` are full names, in that order.
    """

    name: str
    channels: tuple[str, ...]

    @property
    def is_colour(self) -> bool:
        """Whether the layer has R, G and B channels."""
        return tuple(colour_of(name) for name in self.channels[:3]) == ("R", "G", "B")

    @property
    def is_luminance_chroma(self) -> bool:
        return tuple(name.rpartition(".")[2] for name in self.channels[:3]) == ("Y", "RY", "BY")

    @property
    def is_grey(self) -> bool:
        """Whether the layer is one channel, shown as R = G = B, with or without alpha."""
        return not self.is_colour and not self.is_luminance_chroma

    @property
    def has_alpha(self) -> bool:
        return len(self.channels) > 1 and colour_of(self.channels[-1]) == "A"

    @property
    def is_vector(self) -> bool:
        """Whether the channels are the two or three components of a vector, shown as R, G[, B]."""
        return len(self.channels) in (2, 3) and self.is_grey and not self.has_alpha


@dataclass(frozen=True)
class PartInfo:
    """One image of a file. Windows are (x0, y0, x1, y1), inclusive; `tile_size` is (width, height) or None.

    `type` is 'scanline', 'tiled', 'deepscanline', 'deeptile', or 'image' for formats other than EXR. `compression` is
    followed by a colon and the level if the file states one. `levels` is the number of mip or rip levels, 1 without.
    """

    index: int
    name: str
    type: str
    channels: tuple[ChannelInfo, ...]
    data_window: Box
    display_window: Box
    pixel_aspect: float = 1.0
    compression: str = ""
    tile_size: tuple[int, int] | None = None
    levels: int = 1
    line_order: str = "increasing"
    view: str = ""
    metadata: dict[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return self.data_window[2] - self.data_window[0] + 1

    @property
    def height(self) -> int:
        return self.data_window[3] - self.data_window[1] + 1

    @property
    def is_deep(self) -> bool:
        return self.type.startswith("deep")

    @property
    def is_luminance_chroma(self) -> bool:
        """Whether the main layer is stored as luminance and chroma."""
        return any(layer.name == "" and layer.is_luminance_chroma for layer in self.layers)

    @property
    def is_subsampled(self) -> bool:
        """Whether a channel has fewer samples than the image has pixels."""
        return any(channel.x_sampling > 1 or channel.y_sampling > 1 for channel in self.channels)

    @cached_property
    def layers(self) -> tuple[LayerInfo, ...]:
        """The main layer, then named colour layers, then each remaining channel as a layer of its own."""
        return find_layers(tuple(channel.name for channel in self.channels))

    @cached_property
    def vectors(self) -> tuple[LayerInfo, ...]:
        """Vectors, such as motion and normals, whose components are layers of their own in `layers`."""
        taken = {layer.name for layer in self.layers}
        single = tuple(layer.name for layer in self.layers if layer.channels == (layer.name,))
        floats = tuple(name for name in single if self.channel(name).type != "uint")
        return tuple(vector for vector in find_vectors(floats) if vector.name not in taken)

    def channel(self, name: str) -> ChannelInfo:
        """Return the channel with this full name. Raises KeyError if there is none."""
        return self._named[name]

    @cached_property
    def _named(self) -> dict[str, ChannelInfo]:
        return {channel.name: channel for channel in reversed(self.channels)}  # the first of the same name counts


@dataclass(frozen=True)
class ImageInfo:
    """An image file; `format` is OpenImageIO's name for its format ('openexr', 'tiff', 'png', ...).

    `stamp` is the state of the file before it was opened, to detect later changes. `frame` is the number of a frame of
    a movie; None for other files.
    """

    path: Path
    format: str
    parts: tuple[PartInfo, ...]
    stamp: State = field(default=None, compare=False)
    frame: int | None = None


@dataclass(frozen=True)
class Channels:
    """Channels of one part of a file."""

    info: ImageInfo
    part: PartInfo
    names: tuple[str, ...]

    @property
    def key(self) -> tuple[Any, ...]:
        """What the channels are known by: the file and its state, the frame, the part, and the names."""
        return self.info.path, self.info.stamp, self.info.frame, self.part.index, self.names


def colour_of(name: str) -> str:
    """Return 'R', 'G', 'B', 'A' or 'Y' for a channel of that name, in any case and layer; '' for others."""
    return _COLOURS.get(name.rpartition(".")[2].lower(), "")


def find_layers(names: tuple[str, ...]) -> tuple[LayerInfo, ...]:
    """Group channel names into layers."""
    groups: dict[str, list[str]] = {}
    for name in names:
        groups.setdefault(name.rpartition(".")[0], []).append(name)
    colour: list[LayerInfo] = []
    grey: list[LayerInfo] = []
    used: set[str] = set()
    for prefix in sorted(groups):
        members = _colour_members(prefix, groups[prefix])
        if members:
            (colour if len(members) > 2 else grey).append(LayerInfo(prefix, members))
            used.update(members)
    single = [LayerInfo(name, (name,)) for name in names if name not in used]
    return tuple(colour + grey + single)


def find_vectors(names: tuple[str, ...]) -> tuple[LayerInfo, ...]:
    """Group channel names whose last parts are the components of a vector, such as N.X, N.Y, N.Z."""
    groups: dict[str, dict[str, str]] = {}
    for name in names:
        prefix, _, last = name.rpartition(".")
        groups.setdefault(prefix, {}).setdefault(last.lower(), name)
    found = ((prefix, group, _components(group)) for prefix, group in groups.items())
    return tuple(LayerInfo(prefix, tuple(group[c] for c in parts)) for prefix, group, parts in found if parts)


def _components(names: Iterable[str]) -> tuple[str, ...]:
    """Return the components of the vector that these names contain, () if they contain none."""
    there = set(names)
    return next((components for components in _VECTORS if there.issuperset(components)), ())


def _colour_members(prefix: str, names: list[str]) -> tuple[str, ...]:
    """Return the channels of one layer in the order they are read; () if they are not a colour."""
    by_colour: dict[str, str] = {}
    for name in names:
        by_colour.setdefault(colour_of(name), name)
    alpha = (by_colour["A"],) if "A" in by_colour else ()
    if all(c in by_colour for c in "RGB"):
        return (by_colour["R"], by_colour["G"], by_colour["B"], *alpha)
    dot = f"{prefix}." if prefix else ""
    if f"{dot}Y" not in names or f"{dot}X" in names:
        return ()
    if f"{dot}RY" in names and f"{dot}BY" in names:
        return (f"{dot}Y", f"{dot}RY", f"{dot}BY", *alpha)
    return (f"{dot}Y", *alpha)

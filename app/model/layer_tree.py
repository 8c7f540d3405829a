"""The parts, layers and channels of an image file, as the Layers panel and the menu list them."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from engine.core.records import dataclass
from engine.io.views import view_of
from engine.viewing.data_kinds import IMAGE, KINDS, kind_of

if TYPE_CHECKING:
    from engine.io.info import ChannelInfo, ImageInfo, LayerInfo, PartInfo

MAIN = "Main layer"


@dataclass(frozen=True)
class LayerNode:
    """A layer with its channels, its kind (IMAGE or one of KINDS) and its view, '' without one."""

    part: PartInfo
    layer: LayerInfo
    kind: str
    view: str
    channels: tuple[ChannelInfo, ...]

    @property
    def label(self) -> str:
        """The name shown to users."""
        return self.layer.name or MAIN

    @property
    def type(self) -> str:
        """The sample types of the channels: half, float, uint, or several of them."""
        return ", ".join(dict.fromkeys(channel.type for channel in self.channels))

    @property
    def facts(self) -> str:
        """The type, the kind of data, and the view, for one line."""
        kind = "" if self.kind == IMAGE else KINDS[self.kind].label
        return "  ·  ".join(fact for fact in (self.type, kind, self.view) if fact)

    @property
    def words(self) -> str:
        """The text that a filter searches, in lower case."""
        names = (self.part.name, self.label, self.facts, *(channel.name for channel in self.channels))
        return " ".join(names).lower()


@dataclass(frozen=True)
class PartNode:
    """A part with its layers."""

    part: PartInfo
    layers: tuple[LayerNode, ...]

    @property
    def label(self) -> str:
        """The name shown to users."""
        return part_label(self.part)


def part_label(part: PartInfo) -> str:
    """Return the name of a part for users."""
    return part.name or f"Part {part.index + 1}"


def layer_tree(info: ImageInfo) -> tuple[PartNode, ...]:
    """Return all parts with their layers."""
    return tuple(PartNode(part, tuple(_node(part, layer) for layer in layers_of(part))) for part in info.parts)


@lru_cache(maxsize=64)
def _ordered(layers: tuple[LayerInfo, ...], vectors: tuple[LayerInfo, ...]) -> tuple[LayerInfo, ...]:
    """Return the layers with each vector in place of its components."""
    owner = {channel: vector for vector in vectors for channel in vector.channels}
    return tuple(dict.fromkeys(owner.get(layer.name, layer) for layer in layers))


def layers_of(part: PartInfo) -> tuple[LayerInfo, ...]:
    """Return the layers of a part that are stepped through: those of its channels that form a vector are one."""
    return _ordered(part.layers, part.vectors)


def layer_holding(part: PartInfo, name: str) -> LayerInfo:
    """Return the layer of this name, or the one that has the channel of this name; the first if there is neither."""
    layers = layers_of(part)
    named = next((layer for layer in layers if layer.name == name), None)
    return named or next((layer for layer in layers if name in layer.channels), layers[0])


def has_layer(part: PartInfo, name: str) -> bool:
    """Return whether a part has a layer or a channel of this name."""
    known = (*part.layers, *part.vectors)
    return any(name == layer.name for layer in known) or any(name == channel.name for channel in part.channels)


def _node(part: PartInfo, layer: LayerInfo) -> LayerNode:
    channels = tuple(part.channel(name) for name in layer.channels)
    return LayerNode(part, layer, kind_of(part, layer), view_of(part, layer), channels)

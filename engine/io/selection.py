"""Choice of a part and a layer of a file."""

from __future__ import annotations

from engine.errors import UnsupportedFile
from engine.io.info import ImageInfo, LayerInfo, PartInfo


def choose_part(info: ImageInfo, part: int | str | None) -> PartInfo:
    """Return the part with this index or name; by default the first part that is not deep and has RGB.

    Raises UnsupportedFile, which lists the parts, if there is none.
    """
    if part is None:
        flat = (p for p in info.parts if not p.is_deep and any(_is_rgb(layer) for layer in p.layers))
        return next(flat, info.parts[0])
    for candidate in info.parts:
        if part in (candidate.index, candidate.name) or str(part) == str(candidate.index):
            return candidate
    there = ", ".join(f"{p.index} {p.name}".strip() for p in info.parts)
    raise UnsupportedFile(info.path, f"has no part '{part}'", f"its parts are: {there}")


def choose_layer(info: ImageInfo, part: PartInfo, layer: str | None) -> LayerInfo:
    """Return the layer or vector with this name, or the channel of this name as a layer; by default the first layer
    with RGB.

    Raises UnsupportedFile, which lists the layers, if there is none.
    """
    if layer is None:
        return next((found for found in part.layers if _is_rgb(found)), part.layers[0])
    for candidate in (*part.layers, *part.vectors):
        if layer == candidate.name:
            return candidate
    for channel in part.channels:
        if layer == channel.name:
            return LayerInfo(channel.name, (channel.name,))
    there = ", ".join(found.name or "'' (the main one)" for found in part.layers)
    raise UnsupportedFile(info.path, f"has no layer '{layer}'", f"its layers are: {there}")


def choose_layers(info: ImageInfo, part: PartInfo, layer: str | tuple[str, ...] | None) -> tuple[LayerInfo, ...]:
    """Return one or several layers, each once, as `choose_layer` does."""
    names = layer or (None,) if isinstance(layer, tuple) else (layer,)
    return tuple(dict.fromkeys(choose_layer(info, part, name) for name in names))


def _is_rgb(layer: LayerInfo) -> bool:
    return layer.is_colour or layer.is_luminance_chroma

"""Opening of EXRs for a device that decodes their chunks."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import numpy as np

from engine.compute.chunks import ChunkCodec, LineLayout, Place
from engine.compute.handles import ImageHandle
from engine.core.file_errors import reading
from engine.core.file_watch import state_of
from engine.core.records import dataclass
from engine.errors import BackendError, UnreadableFile
from engine.io.description import check_unchanged
from engine.io.exr.header import parse
from engine.io.exr.packed_chunks import packed_layout, read_packed
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.source import FileSource, SourceOptions, open_source
from engine.viewing.device_levels import DeviceLevels
from engine.viewing.device_room import room_of

LEAST_SAMPLES = 1 << 20
"""Images with fewer samples are read through main memory, which takes no longer."""


@dataclass(frozen=True)
class DeviceImage:
    """An image that is decoded on the device; `levels` has its pixels."""

    levels: DeviceLevels
    info: ImageInfo
    part: PartInfo
    layer: LayerInfo
    device_room: int
    """Bytes that images decoded ahead may take on the device."""
    damage: str = ""

    @property
    def device_bytes(self) -> int:
        """Bytes of the pixels on the device."""
        return self.levels.device_bytes


def open_on_device(
    path: str | Path, part: int | str | None, layer: str | None, codec: ChunkCodec
) -> DeviceImage | None:
    """Open and decode one layer on a device; None if the image is small, or the device does not decode it.

    A damaged file, and any failure of the device, also gives None: reading through main memory says what is wrong.
    Other errors are those of `open_source`.
    """
    if not codec.prepared:
        return None
    source = open_source(path, part, layer, SourceOptions(as_ids=True))
    source.close()
    info, chosen, found = source.info, source.part, source.layer
    shape, dtype = (source.height, source.width, source.channels), source.dtype
    places = _places(chosen, found) if info.format == "openexr" else None
    if places is None or shape[0] * shape[1] * len(chosen.channels) < LEAST_SAMPLES:
        return None
    with reading(info.path):
        if not _may_decode(codec, info.path, chosen, len(places)):
            return None

    def opened() -> FileSource:
        if state_of(info.path) != info.stamp:
            raise UnreadableFile(info.path, "has changed since it was opened", "open it again")
        with reading(info.path):
            return FileSource(info, chosen, (found,), SourceOptions(threads=0, salvage=True, as_ids=True))

    levels = DeviceLevels(opened, partial(_decoded, info, chosen, places, dtype), shape, dtype)
    ahead = levels.decode_ahead(codec)
    return DeviceImage(levels, info, chosen, found, room_of(codec).limit) if ahead else None


def _places(part: PartInfo, layer: LayerInfo) -> tuple[str | None, ...] | None:
    """Return the channel of each component of a layer, None where it has none; None for layers that need the host."""
    unusual = layer.is_luminance_chroma or any(part.channel(name).type == "uint" for name in layer.channels)
    if unusual or part.is_deep or part.is_subsampled:
        return None
    if layer.is_vector:
        return (*layer.channels, None)[:3]
    return (layer.channels[0],) * 3 + layer.channels[1:] if layer.is_grey else layer.channels


def _may_decode(codec: ChunkCodec, path: Path, part: PartInfo, components: int) -> bool:
    """Return whether the device decodes a part, and has the memory for an image of it."""
    headers = parse(path).headers
    layout = packed_layout(headers[part.index]) if part.index < len(headers) else None
    if layout is None or not _fits(layout, part):
        return False
    return _decoding_bytes(codec, layout, path.stat().st_size, components) <= room_of(codec).decoding.memory


def _decoding_bytes(codec: ChunkCodec, layout: LineLayout, packed: int, components: int) -> int:
    """Return the most device memory that an image takes while it is decoded."""
    return codec.decoding_bytes(layout, packed) + 4 * components * layout.width * layout.height


def _fits(layout: LineLayout, part: PartInfo) -> bool:
    """Return whether the chunks are those of the part that was described."""
    described = sorted((channel.name, channel.type) for channel in part.channels)
    return (layout.width, layout.height) == (part.width, part.height) and sorted(layout.channels) == described


def _decoded(
    info: ImageInfo, part: PartInfo, names: tuple[str | None, ...], dtype: np.dtype[np.generic], codec: ChunkCodec
) -> ImageHandle | None:
    """Read, decode and arrange an image on a device. Waits until other images leave it the memory for that."""
    try:
        packed = read_packed(info.path, part.index, buffer=codec.host_buffer)
        check_unchanged(info)
        if packed is None or not _fits(packed.layout, part):
            return None
        places: tuple[Place, ...] = tuple(None if name is None else packed.layout.place(name) for name in names)
        with room_of(codec).decoding.taken(_decoding_bytes(codec, packed.layout, packed.data.size, len(names))):
            decoded = codec.decode(packed.data, packed.table, packed.layout)
            return codec.image(decoded.lines, places, dtype) if decoded.good else None
    except (UnreadableFile, BackendError):
        return None

"""Opening of images for viewing."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from engine.core.file_errors import reading
from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.io.exr.chunks import SALVAGE
from engine.io.exr.header import parse
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.source import FileSource, Image, SourceOptions, open_source, read_whole
from engine.movies.movie_files import is_movie
from engine.viewing.levels import default_budget

if TYPE_CHECKING:
    from engine.compute.chunks import ChunkCodec
    from engine.viewing.device_opening import DeviceImage
    from engine.viewing.large import LargeLevels
    from engine.viewing.movie_frames import MovieImage

DIRECT_SAMPLES = 1 << 26
"""An image of up to so many samples is read when it is opened, a larger one while it is viewed."""
MIPMAP = 1
"""The level mode of tiles with mip levels."""


@dataclass(frozen=True)
class LargeImage:
    """An image that is decoded while it is viewed; `levels` has its pixels."""

    levels: LargeLevels
    info: ImageInfo
    part: PartInfo
    layer: LayerInfo
    damage: str = ""


def open_image(
    path: str | Path,
    part: int | str | None = None,
    layer: str | None = None,
    budget: int | None = None,
    codec: ChunkCodec | None = None,
    frame: int | None = None,
) -> Image | LargeImage | DeviceImage | MovieImage:
    """Open one layer for viewing: a small image is read at once, a large one while it is viewed.

    `budget` is the number of bytes that the pixels of a large image may take. IDs are returned as ID pixels
    (`engine.io.id_pixels`). Other arguments and errors are those of `read_image`, except that the intact regions of a
    damaged image are returned, with the reason in `damage`. With the `codec` of a device, images that it decodes stay
    there. `frame` is that of a movie, by default the first; other files have none.
    """
    if is_movie(path):
        from engine.viewing.movie_frames import open_frame

        return open_frame(path, part, layer, frame)
    try:
        if codec is not None:
            from engine.viewing.device_opening import open_on_device

            if on_device := open_on_device(path, part, layer, codec):
                return on_device
        return _opened(path, part, layer, budget)
    except UnreadableFile as error:
        if error.do != SALVAGE:
            raise
        return _opened(path, part, layer, budget, error)


def _opened(
    path: str | Path, part: int | str | None, layer: str | None, budget: int | None, error: UnreadableFile | None = None
) -> Image | LargeImage:
    """Open an image; after an `error`, salvage its intact regions. Raises `error` if there are none."""
    damage = f"{error.what}; only its intact regions are shown" if error else ""
    source = open_source(path, part, layer, SourceOptions(salvage=error is not None, as_ids=True))
    try:
        if source.is_whole or source.width * source.height * source.samples_per_pixel <= DIRECT_SAMPLES:
            image = read_whole(source)
            if error is not None and source.holes.pixels >= source.width * source.height:
                raise error
            return replace(image, damage=damage)
        info, found, chosen = source.info, source.part, source.layer
    finally:
        source.close()
    from engine.io.exr.mip_levels import level_part
    from engine.viewing.large import LargeLevels

    budget = default_budget() if budget is None else budget
    sizes = mip_sizes(info.path, found)

    def open_level(level: int) -> FileSource:
        at_level = level_part(found, sizes[level]) if level else found
        with reading(info.path):
            return FileSource(info, at_level, (chosen,), SourceOptions(threads=1, level=level, as_ids=True))

    return LargeImage(LargeLevels(open_level, sizes, budget), info, found, chosen, damage)


def mip_sizes(path: Path, part: PartInfo) -> list[tuple[int, int]]:
    """Return width and height of the mip levels; empty if there are none."""
    if part.type != "tiled" or part.levels == 1:
        return []
    header = parse(path).headers[part.index]
    return header.level_sizes() if header.tiles and header.tiles[2] == MIPMAP else []

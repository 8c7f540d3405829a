"""Opening an image for viewing."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path

from engine.core.file_errors import reading
from engine.errors import UnreadableFile
from engine.io.exr.chunks import SALVAGE
from engine.io.exr.header import parse
from engine.io.exr.mip_levels import level_part
from engine.io.info import ImageInfo, LayerInfo, PartInfo
from engine.io.source import DIRECT_SAMPLES, FileSource, Image, open_source, read_whole
from engine.viewing.large import LargeLevels
from engine.viewing.levels import default_budget

MIPMAP = 1
"""The mode of tiles with levels that halve both sides."""


@dataclass(frozen=True)
class LargeImage:
    """An image that is decoded while it is looked at; `levels` are its pixels."""

    levels: LargeLevels
    info: ImageInfo
    part: PartInfo
    layer: LayerInfo
    damage: str = ""


def open_image(
    path: str | Path, part: int | str | None = None, layer: str | None = None, budget: int | None = None
) -> Image | LargeImage:
    """Open one layer for viewing: an image that is decoded at once is read, a large one is read as it is looked at.

    `budget` are the bytes of pixels that a large one may take. IDs are as in `engine.io.id_pixels`. Arguments and
    errors else as for `read_image`; but what is left of a damaged image is shown, with the reason in `damage`.
    """
    try:
        return _opened(path, part, layer, budget)
    except UnreadableFile as error:
        if error.do != SALVAGE:
            raise
        return _opened(path, part, layer, budget, error)


def _opened(
    path: str | Path, part: int | str | None, layer: str | None, budget: int | None, error: UnreadableFile | None = None
) -> Image | LargeImage:
    """As `open_image`; after an error what is left. It is raised again where that is nothing."""
    damage = f"{error.what}; what is left of it is shown" if error else ""
    source = open_source(path, part, layer, salvage=error is not None)
    try:
        if source.is_whole or source.width * source.height * source.samples_per_pixel <= DIRECT_SAMPLES:
            source.tell_ids()
            image = read_whole(source)
            if error is not None and source.holes.pixels >= source.width * source.height:
                raise error
            return replace(image, damage=damage)
        info, found, chosen = source.info, source.part, source.layer
    finally:
        source.close()
    budget = default_budget() if budget is None else budget
    sizes = _mip_sizes(info.path, found)

    def open_level(level: int) -> FileSource:
        at_level = level_part(found, sizes[level]) if level else found
        with reading(info.path):
            source = FileSource(info, at_level, chosen, 1, level=level)
            source.tell_ids()
            return source

    return LargeImage(LargeLevels(open_level, sizes, budget), info, found, chosen, damage)


def _mip_sizes(path: Path, part: PartInfo) -> list[tuple[int, int]]:
    """Width and height of the levels of a mip-map; none of anything else."""
    if part.type != "tiled" or part.levels == 1:
        return []
    header = parse(path).headers[part.index]
    return header.level_sizes() if header.tiles and header.tiles[2] == MIPMAP else []

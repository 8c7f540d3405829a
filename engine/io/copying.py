"""The export of an empty grade: the file as it is."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.io import carry, exr_header
from engine.io.describe import describe
from engine.io.exr_chunks import check_complete
from engine.io.info import PictureInfo
from engine.io.output import SUFFIXES, open_output
from engine.io.problems import reading, writing
from engine.io.source import FileSource, choose_layer, choose_part
from engine.io.temporary import TemporaryFile
from engine.tiling import Rect

BAND_BYTES = 1 << 25
"""Samples read and written at once, about."""


def copy_picture(
    source_path: str | Path,
    out_path: str | Path,
    *,
    type: str = "source",
    compression: str | None = None,
    force: bool = False,
    threads: int = 0,
    part: int | str | None = None,
    layer: str | None = None,
) -> list[str]:
    """Export a picture that nothing was done to; the sentences to tell the user.

    Where format, type and compression stay, the file is copied byte for byte, so that every part, level, deep sample
    and attribute is the same. Otherwise the layer goes through `open_output`, which carries the rest. Errors as there.
    """
    target = Path(out_path)
    info = describe(source_path)
    wish = carry.Wish(target, type, compression, graded=False)
    if _stays(info, wish):
        _copy_bytes(info, target, force)
        return []
    chosen = choose_part(info, part)
    source = FileSource(info, chosen, choose_layer(info, chosen, layer), threads)
    try:
        return _recode(source, wish, force, threads)
    finally:
        source.close()


def _stays(info: PictureInfo, wish: carry.Wish) -> bool:
    """Whether the copy differs from the file in nothing."""
    suffix = wish.target.suffix.lower()
    if suffix not in SUFFIXES or (suffix == ".exr") != (info.format == "openexr"):
        return False
    if info.format != "openexr":
        same = suffix == info.path.suffix.lower()
        return same and wish.type == "source" and wish.compression is None
    asked = wish.exr_compression()
    return wish.type == "source" and all(asked in (None, part.compression) for part in info.parts)


def _copy_bytes(info: PictureInfo, target: Path, force: bool) -> None:
    temporary = TemporaryFile(target, force)
    try:
        if info.format == "openexr":
            with reading(info.path):
                check_complete(exr_header.parse(info.path))
        with writing(target):
            shutil.copyfile(info.path, temporary.path)
        temporary.commit()
    finally:
        temporary.discard()


def _recode(source: FileSource, wish: carry.Wish, force: bool, threads: int) -> list[str]:
    output = open_output(
        wish.target,
        source,
        type=wish.type,
        compression=wish.compression,
        force=force,
        threads=threads,
        graded=False,
    )
    try:
        output.init(source.width, source.height, source.channels)
        for rect in bands(source):
            output.write_region(rect, source.read_region(rect))
        output.finish()
    except BaseException:
        output.abort()
        raise
    return output.notes


def bands(source: FileSource) -> list[Rect]:
    """Full-width bands of whole chunks, of about BAND_BYTES samples."""
    row = source.width * 4 * len(source.part.channels)
    chunk = source.chunk_rows
    high = max(BAND_BYTES // row // chunk, 1) * chunk
    return [Rect(0, y, source.width, min(high, source.height - y)) for y in range(0, source.height, high)]

"""The export of an empty grade where nothing else was asked for: the file as it is."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from engine.errors import Cancelled
from engine.io import exr_header
from engine.io.exr_chunks import check_complete
from engine.io.info import PictureInfo
from engine.io.output import SUFFIXES
from engine.io.problems import reading, writing
from engine.io.room import check_room
from engine.io.temporary import TemporaryFile
from engine.io.wish import Wish

PIECE = 8 * 1024**2
"""Bytes that are copied before the user is asked again."""


def stays(info: PictureInfo, wish: Wish) -> bool:
    """Whether what is wished differs from the file in nothing, so that its bytes can be copied."""
    suffix = wish.target.suffix.lower()
    if suffix not in SUFFIXES or (suffix == ".exr") != (info.format == "openexr") or not wish.keeps_pixels_and_layout:
        return False
    if info.format != "openexr":
        return suffix == info.path.suffix.lower() and wish.compression is None
    asked = wish.exr_compression()
    return all(asked in (None, part.compression) for part in info.parts)


def copy_bytes(info: PictureInfo, target: Path, force: bool, cancelled: Callable[[], bool] | None = None) -> None:
    """Copy the file: every part, level, deep sample and attribute. UnreadableFile if it is cut off.

    Cancelled where `cancelled()`, asked before each piece, says so.
    """
    temporary = TemporaryFile(target, force)
    temporary.clean()
    try:
        if info.format == "openexr":
            with reading(info.path):
                check_complete(exr_header.parse(info.path))
        with writing(target):
            check_room(target, temporary.target.parent, info.path.stat().st_size)
            _copy(info.path, temporary.path, cancelled)
        temporary.commit()
    finally:
        temporary.discard()


def _copy(source: Path, target: Path, cancelled: Callable[[], bool] | None) -> None:
    with source.open("rb") as original, target.open("wb") as copy:
        while piece := original.read(PIECE):
            if cancelled is not None and cancelled():
                raise Cancelled()
            copy.write(piece)

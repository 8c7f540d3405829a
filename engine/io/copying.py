"""Byte-for-byte copies, for exports of an empty grade with no other changes."""

from __future__ import annotations

import shutil
from pathlib import Path

from engine.core.atomic import TemporaryFile
from engine.core.file_errors import reading, writing
from engine.io.description import check_unchanged
from engine.io.disk_space import check_disk_space
from engine.io.exr import header as exr_header
from engine.io.exr.chunks import check_complete
from engine.io.info import ImageInfo
from engine.io.output import SUFFIXES
from engine.io.output_options import OutputOptions


def can_copy(info: ImageInfo, options: OutputOptions) -> bool:
    """Return whether the options change nothing in the file, so that its bytes can be copied."""
    suffix = options.target.suffix.lower()
    if (
        suffix not in SUFFIXES
        or (suffix == ".exr") != (info.format == "openexr")
        or not options.keeps_pixels_and_layout
    ):
        return False
    if info.format != "openexr":
        return suffix == info.path.suffix.lower() and options.compression is None
    compression = options.exr_compression()
    return all(compression in (None, part.compression) for part in info.parts)


def copy_bytes(info: ImageInfo, target: Path, force: bool) -> None:
    """Copy the file: every part, mip level, deep sample and attribute.

    Raises UnreadableFile if the file is cut off.
    """
    temporary = TemporaryFile(target, force)
    temporary.clean()
    try:
        if info.format == "openexr":
            with reading(info.path):
                check_complete(exr_header.parse(info.path))
        with writing(target):
            check_disk_space(target, temporary.target.parent, info.path.stat().st_size)
            shutil.copyfile(info.path, temporary.path)
            check_unchanged(info)
        temporary.commit()
    finally:
        temporary.discard()

"""The choice of a reader for channels of a part."""

from __future__ import annotations

from pathlib import Path

from engine.io.chunk_reader import open_chunk_reader
from engine.io.holes import MissingRegions
from engine.io.info import PartInfo
from engine.io.reader import Reader


def open_reader(
    path: Path,
    part: PartInfo,
    names: tuple[str, ...],
    raw_uint: bool = False,
    holes: MissingRegions | None = None,
    level: int = 0,
    threads: int = 0,
) -> Reader:
    """Return a reader of these channels; it may read others too, see its `names`.

    With `holes`, pieces that can't be read are 0 and added to it, for files that are read in pieces. `threads` 0 is one
    per core.
    """

    def library() -> Reader:
        from engine.io.library_readers import open_library_reader  # takes a twentieth of the window's start

        return open_library_reader(path, part, names, raw_uint, holes, level, threads)

    if holes is None and level == 0:
        return open_chunk_reader(path, part, names, raw_uint, threads, library) or library()
    return library()

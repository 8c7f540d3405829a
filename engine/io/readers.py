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
        from engine.io import library_readers as libraries  # take a twentieth of the window's start

        libraries.set_threads(threads)
        if part.is_deep:
            return libraries.DeepReader(path, part, names)
        if part.is_subsampled:
            return libraries.SubsampledReader(path, part, names, raw_uint)
        return libraries.OiioReader(path, part, names, raw_uint, holes, level)

    if holes is None and level == 0:
        return open_chunk_reader(path, part, names, raw_uint, threads, library) or library()
    return library()

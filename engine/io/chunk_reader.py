"""A reader of EXR parts that are compressed by ZIP or not at all, whose chunks are decoded here, on all cores.

It takes a third of the library's time; the library reads what is damaged or unusual, and says what is wrong with it.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.cpu.threads import Threads
from engine.core.geometry import Rect
from engine.core.system import usable_cores
from engine.errors import UnreadableFile
from engine.io.exr.chunk_samples import ChunkSamples, compiled_in_time, is_decodable, open_samples
from engine.io.info import PartInfo
from engine.io.reader import Reader, aligned

Array = NDArray[Any]


def open_chunk_reader(
    path: Path, part: PartInfo, names: tuple[str, ...], raw_uint: bool, threads: int, library: Callable[[], Reader]
) -> Reader | None:
    """Return a reader of these channels, or None if only the library can read them.

    `library` opens the library's reader, for chunks that can't be decoded.
    """
    kinds = {part.channel(name).type for name in names}
    if not is_decodable(part) or ("uint" in kinds and not raw_uint) or not compiled_in_time():
        return None
    try:
        samples = open_samples(path, part, names)
    except (UnreadableFile, OSError):
        return None
    return None if samples is None else ChunkReader(part, names, samples, threads, library)


class ChunkReader(Reader):
    """Reads scanlines or tiles of the full level of a part; keeps only the file open, no pixels."""

    in_bands = False

    def __init__(
        self, part: PartInfo, names: tuple[str, ...], samples: ChunkSamples, threads: int, library: Callable[[], Reader]
    ) -> None:
        self.names, self._part, self._samples = names, part, samples
        halves = all(part.channel(name).type == "half" for name in names)
        self.dtype = np.dtype(np.float16 if halves else np.float32)
        self._threads = threads or usable_cores()
        self._open_library = library
        self._library: Reader | None = None

    def align(self, rect: Rect) -> Rect:
        return aligned(self._part, rect)

    def read(self, rect: Rect) -> Array:
        if self._library is None:
            pixels = np.empty((rect.height, rect.width, len(self.names)), self.dtype)
            try:
                self._samples.read(rect, pixels, self._run)
            except (UnreadableFile, OSError):
                self._library = self._open_library()
            else:
                return pixels
        found = self._library.read(rect)
        if self._library.names == self.names:
            return found
        return np.ascontiguousarray(found[..., [self._library.names.index(name) for name in self.names]])

    def _run(self, work: Callable[[int], None], numbers: range) -> None:
        _pool(self._threads).share(work, numbers)

    def close(self) -> None:
        self._samples.packed.close()
        if self._library is not None:
            self._library.close()


@cache
def _pool(threads: int) -> Threads:
    return Threads(threads)

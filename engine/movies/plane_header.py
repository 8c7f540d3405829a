"""The header of a file with the planes of a frame, and its samples as memory. The encoder loads it without NumPy."""

from __future__ import annotations

import json
import mmap
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from engine.core.records import dataclass
from engine.errors import UnreadableFile
from engine.movies.codecs import Pixels

PAGE = 4096
"""The bytes of a header."""
MAGIC = "tessera planes 1"


@dataclass(frozen=True)
class PlaneHeader:
    """The format of a frame, a digest of how it was made, and its light: the highest and the mean luminance of the
    largest component, in candelas per square metre; zeros if it was not measured."""

    chroma: str
    depth: int
    width: int
    height: int
    digest: str = ""
    highest: float = 0.0
    mean: float = 0.0
    alpha: bool = False

    @property
    def pixels(self) -> Pixels:
        return Pixels(self.chroma, self.depth, self.alpha)

    @property
    def sample_bytes(self) -> int:
        return 1 if self.depth == 8 else 2

    @property
    def shapes(self) -> tuple[tuple[int, int], ...]:
        """The rows and columns of each plane."""
        return self.pixels.planes(self.width, self.height)


def read_header(path: Path) -> PlaneHeader:
    """Return the header of a frame. Raises UnreadableFile if the file is missing, damaged or cut off."""
    try:
        with path.open("rb") as file:
            about = json.loads(file.read(PAGE))
        if about.pop("magic") != MAGIC:
            raise ValueError("of another kind")
        header = PlaneHeader(**about)
        if path.stat().st_size != PAGE + _samples(header.shapes) * header.sample_bytes:
            raise ValueError("cut off")
    except OSError as problem:
        raise UnreadableFile(path, problem.strerror or "can't be read", "export again") from problem
    except (ValueError, TypeError, KeyError, AttributeError) as problem:
        raise UnreadableFile(path, "is not a complete frame", "delete it and export again") from problem
    return header


@contextmanager
def plane_memory(path: Path) -> Iterator[tuple[PlaneHeader, list[memoryview]]]:
    """Provide the header and the bytes of each plane, mapped into memory. Raises the same errors as `read_header`."""
    header, views, at = read_header(path), list[memoryview](), PAGE
    with path.open("rb") as file, mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ) as mapped:
        whole = memoryview(mapped)
        try:
            for rows, columns in header.shapes:
                size = rows * columns * header.sample_bytes
                views.append(whole[at : at + size])
                at += size
            yield header, views
        finally:
            for view in (*views, whole):
                view.release()


def frame_bytes(pixels: Pixels, width: int, height: int) -> int:
    """Return the size of the file of a frame."""
    return PAGE + _samples(pixels.planes(width, height)) * (1 if pixels.depth == 8 else 2)


def _samples(shapes: tuple[tuple[int, int], ...]) -> int:
    return sum(rows * columns for rows, columns in shapes)

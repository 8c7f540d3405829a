"""Writing of deep parts, chunk by chunk, beside the other parts of their file, which are copied."""

from __future__ import annotations

import struct
from array import array
from pathlib import Path

from engine.core.atomic import TemporaryFile, create
from engine.core.file_errors import writing
from engine.errors import WriteFailed
from engine.io.encoders import INCOMPLETE, final_preamble
from engine.io.exr.chunks import PartSource, assemble
from engine.io.exr.header import RawFile, RawHeader
from engine.io.exr.writer import check_written


class DeepWriter:
    """Writes one deep part with `header` in place of the part `index` of `raw`; with `single_part`, without the others.

    Error messages name `target`, the file the user asked for.
    """

    def __init__(
        self, target: Path, temporary: TemporaryFile, header: RawHeader, raw: RawFile, index: int, single_part: bool
    ) -> None:
        self._target, self._temporary, self._header = target, temporary, header
        self._raw, self._index, self._single = raw, index, single_part
        temporary.clean()
        self._places = array("Q", bytes(8 * header.chunk_count()))
        preamble = final_preamble(header)
        self._table = len(preamble)
        with writing(target):
            self._file = create(temporary.path)
            self._file.write(preamble + bytes(8 * len(self._places)))

    def write(self, number: int, chunk: bytes) -> None:
        """Append a chunk, as it is stored in a single-part file."""
        with writing(self._target):
            self._places[number] = self._file.tell()
            self._file.write(chunk)

    def close(self) -> None:
        """Complete the part, and add the other parts of the file."""
        if 0 in self._places:
            raise WriteFailed(self._target, *INCOMPLETE)
        if struct.pack("=H", 1) != struct.pack("<H", 1):
            self._places.byteswap()
        with writing(self._target):
            self._file.seek(self._table)
            self._file.write(self._places.tobytes())
            self._file.close()
            check_written(self._target, self._temporary.path)
            if self._raw.is_multipart:
                self._assemble()

    def _assemble(self) -> None:
        path, raw = self._temporary.path, self._raw
        parts = [PartSource(raw.path, n, header) for n, header in enumerate(raw.headers)]
        parts[self._index] = PartSource(path, 0, self._header)
        self._temporary.path = self._temporary.another()
        assemble(self._temporary.path, raw.flags, parts[self._index : self._index + 1] if self._single else parts)

    def abandon(self) -> None:
        """Close the file, complete or not."""
        self._file.close()

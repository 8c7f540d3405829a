"""Changes of text attributes in the header of an EXR. Everything else in the file keeps its bytes."""

from __future__ import annotations

import shutil
import struct
from collections.abc import Mapping
from pathlib import Path

from engine.core.atomic import TemporaryFile, create
from engine.core.file_errors import reading, writing
from engine.io.exr.header import LARGEST_HEADER, MAGIC, RawFile, parse


def write_texts(path: Path, texts: Mapping[str, str], part: int = 0) -> None:
    """Set text attributes of a part, whole or not at all. Raises UnreadableFile or WriteFailed."""
    with reading(path):
        raw = parse(path)
        rows = [_offsets(raw, n) for n in range(len(raw.headers))]
    header = raw.headers[part]
    for name, text in texts.items():
        header = header.with_text(name, text)
    raw.headers[part] = header
    temporary = TemporaryFile(path, force=True)
    temporary.clean()
    try:
        with writing(path), path.open("rb") as source, create(temporary.path) as target:
            start = _beginning(raw)
            moved = len(start) - raw.tables[0]
            target.write(start)
            for offsets in rows:
                target.write(struct.pack(f"<{len(offsets)}Q", *(each and each + moved for each in offsets)))
            source.seek(raw.tables[-1] + 8 * len(rows[-1]))
            shutil.copyfileobj(source, target, LARGEST_HEADER)
        temporary.commit()
    finally:
        temporary.discard()


def _beginning(raw: RawFile) -> bytes:
    """Return everything before the tables of chunk offsets."""
    headers = b"".join(header.to_bytes() for header in raw.headers)
    return MAGIC + struct.pack("<I", 2 | raw.flags) + headers + (b"\0" if raw.is_multipart else b"")


def _offsets(raw: RawFile, part: int) -> tuple[int, ...]:
    """Return the chunk offsets of a part; 0 for a chunk that was never written."""
    count = raw.headers[part].chunk_count()
    with raw.path.open("rb") as file:
        file.seek(raw.tables[part])
        return struct.unpack(f"<{count}Q", file.read(8 * count))

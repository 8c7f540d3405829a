"""Memory that the library takes to encode and decode EXR chunks, measured with OpenEXR 3.5 on grain, half and float.

Bands and tiles take memory in addition to this. See `engine.compute.pipeline`.
"""

from __future__ import annotations

from engine.core.system import usable_cores
from engine.io.exr import header as exr_header
from engine.io.info import PartInfo

DECODING = {"dwaa": 6.0, "dwab": 6.0, "htj2k32": 10.0, "htj2k256": 7.0, "lj2k": 7.0}
"""Memory per decoding thread, in uncompressed chunk sizes; PLAIN for compressions not listed."""
ENCODING = {"piz": 3.5, "dwaa": 4.0, "dwab": 4.0, "htj2k32": 7.5, "htj2k256": 4.0, "lj2k": 4.0, "zstd": 6.5}
"""Memory per chunk being encoded, in uncompressed chunk sizes; SIMPLE for compressions not listed."""
PLAIN, SIMPLE = 4.0, 3.0
DWA_BYTES = 14_000_000
"""Additional bytes that DWA takes per chunk, whatever its size."""


def decoding_bytes(part: PartInfo, threads: int) -> int:
    """Return the bytes of memory that decoding a part takes; `threads` 0 is one per core."""
    name = _compression(part)
    return int(DECODING.get(name, PLAIN) * (threads or usable_cores()) * _chunk_bytes(part, name))


def encoding_bytes(part: PartInfo, threads: int) -> int:
    """Return the bytes of memory that encoding a part takes: for two chunks per thread, or one with one thread."""
    name, threads = _compression(part), threads or usable_cores()
    least = DWA_BYTES if name.startswith("dwa") else 0
    return int((ENCODING.get(name, SIMPLE) * _chunk_bytes(part, name) + least) * (2 * threads if threads > 1 else 1))


def _compression(part: PartInfo) -> str:
    return part.compression.partition(":")[0]


def _chunk_bytes(part: PartInfo, compression: str) -> int:
    size = sum(exr_header.TYPE_SIZE.get(channel.type, 4) for channel in part.channels)
    rows = min(exr_header.CHUNK_ROWS.get(compression, 1), part.height)
    wide, high = part.tile_size or (part.width, rows)
    return size * wide * high

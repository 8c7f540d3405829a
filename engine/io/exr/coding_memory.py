"""Memory in which the library codes chunks of an EXR; measured with OpenEXR 3.5 on grain, half and float.

A band or a tile takes its own memory beside this. See `engine.compute.pipeline`.
"""

from __future__ import annotations

from engine.core.system import usable_cores
from engine.io.exr import header as exr_header
from engine.io.info import PartInfo

DECODING = {"dwaa": 6.0, "dwab": 6.0, "htj2k32": 10.0, "htj2k256": 7.0, "lj2k": 7.0}
"""Of a chunk, how many times its plain size a thread takes that decodes it; PLAIN where not named."""
ENCODING = {"piz": 3.5, "dwaa": 4.0, "dwab": 4.0, "htj2k32": 7.5, "htj2k256": 4.0, "lj2k": 4.0, "zstd": 6.5}
"""Of a chunk, how many times its plain size is taken to encode it; SIMPLE where not named."""
PLAIN, SIMPLE = 4.0, 3.0
DWA_BYTES = 14_000_000
"""What DWA takes for each chunk besides, however small that is."""


def decoding_bytes(part: PartInfo, threads: int) -> int:
    """Memory that a part's chunks take while they are decoded; `threads` 0 is one per core."""
    name = _compression(part)
    return int(DECODING.get(name, PLAIN) * (threads or usable_cores()) * _chunk_bytes(part, name))


def encoding_bytes(part: PartInfo, threads: int) -> int:
    """Memory that a part's chunks take while they are encoded: two for each thread are, or one by a single thread."""
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

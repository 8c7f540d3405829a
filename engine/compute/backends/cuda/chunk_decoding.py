"""Decoding of EXR chunks on a CUDA device: inflate or run lengths, then the checksum, then the layout as lines."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.chunks import LARGEST_CHUNK, ChunkTable, LineLayout, Verdict
from engine.errors import HandleError

if TYPE_CHECKING:
    from engine.compute.backends.cuda.chunk_queues import Queue

CHUNK = np.dtype(
    [("source", "<u8"), ("planes", "<u8"), ("packed", "<u4"), ("size", "<u4")]
    + [(name, "<i4") for name in ("x", "y", "width", "height")]
)
"""A chunk as the kernels know it, see `chunk.cu`."""
BATCH_BYTES = 1 << 30
"""The most unpacked bytes of chunks that are decoded at a time, unless one has more; a share of the device's memory if
that is less."""
BATCH_SHARE = 8
SLACK = 64
"""Bytes behind a buffer that kernels may read, because they read words."""
INFLATE_HEAD = {"PIECE": 256, "STAGED": 4096}
WARP, THREADS, SEGMENT = 32, 256, 4096
"""Threads of a warp and of a block, and the bytes of a segment, as in `exr_lines.cu`."""
Module = Callable[[str, dict[str, Any], str], Any]
"""Returns a compiled module of a name, definitions and a text."""


class ChunkDecoder:
    """Decodes batches of chunks on queues. Thread-safe; `module` compiles and keeps modules."""

    def __init__(self, module: Module, available: int) -> None:
        self._module = module
        self.batch_bytes = min(BATCH_BYTES, max(available // BATCH_SHARE, 1))

    def prepare(self) -> None:
        """Compile all kernels."""
        for name, head in (("rle.cu", {}), ("inflate.cu", INFLATE_HEAD), ("exr_lines.cu", {})):
            self._compiled(name, head)

    def _compiled(self, name: str, head: dict[str, Any]) -> Any:
        return self._module(name, head, shaders.text("chunk.cu") + shaders.text(name))

    def decode(
        self, queue: Queue, packed: NDArray[np.uint8], table: ChunkTable, layout: LineLayout, lines: Any
    ) -> NDArray[np.int32]:
        """Decode chunks of host bytes into device memory for lines; return their verdicts."""
        check(packed, table, layout)
        sizes = table.places.sizes(layout)
        verdicts = first_verdicts(table, sizes)
        for chosen in batches(table, sizes, self.batch_bytes):
            verdicts[chosen] = self._batch(queue, packed, table.part(chosen), layout, lines, verdicts[chosen])
        return verdicts

    def _batch(
        self,
        queue: Queue,
        packed: NDArray[np.uint8],
        table: ChunkTable,
        layout: LineLayout,
        lines: Any,
        verdicts: NDArray[np.int32],
    ) -> NDArray[np.int32]:
        first, end = int(table.offsets.min()), int((table.offsets + table.packed_sizes).max())
        source = queue.empty(end - first + SLACK)
        queue.copy(source.data.ptr, packed.ctypes.data + first, end - first)
        chunks, plane_bytes = described(table, table.places.sizes(layout), first)
        planes = queue.empty(plane_bytes + SLACK)
        found, about = queue.sent(verdicts), queue.sent(chunks)
        most = max(1, -(-int(chunks["size"].max()) // (2 * SEGMENT)))
        sums, expected = queue.empty(16 * most * len(table)), queue.empty(4 * len(table))
        if plane_bytes:
            self._unpack(queue, table.compression, len(table), source, about, planes, found, expected)
            run, numbers = self._lines(queue), np.uint32(most)
            run("sum_segments", len(table) * most, THREADS, (about, found, planes, numbers, sums))
            checked = np.int32(table.compression != "rle")
            run("finish_sums", len(table), WARP, (about, found, numbers, sums, expected, checked))
        before = queue.sent(np.cumsum([0, *layout.sample_bytes], dtype=np.uint32))
        pixels = (np.uint32(len(layout.channels)), np.uint32(layout.width))
        arguments = (about, found, source, planes, np.uint32(most), sums, before, *pixels, lines)
        self._lines(queue)("lay_out", len(table) * most, THREADS, arguments)
        return queue.received(found, len(table), np.int32)

    def _unpack(self, queue: Queue, compression: str, count: int, source: Any, about: Any, *targets: Any) -> None:
        """Run the kernel of a compression: a warp for each chunk."""
        planes, found, expected = targets
        if compression == "rle":
            kernel = self._compiled("rle.cu", {}).get_function("unpack")
            arguments: tuple[Any, ...] = (source, about, planes, found)
        else:
            kernel = self._compiled("inflate.cu", INFLATE_HEAD).get_function("inflate")
            arguments = (source, about, planes, found, expected)
        kernel((count,), (WARP,), arguments, stream=queue.stream)

    def _lines(self, queue: Queue) -> Callable[[str, int, int, tuple[Any, ...]], None]:
        module = self._compiled("exr_lines.cu", {})

        def run(name: str, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
            module.get_function(name)((blocks,), (threads,), arguments, stream=queue.stream)

        return run


def check(packed: NDArray[np.uint8], table: ChunkTable, layout: LineLayout) -> None:
    """Raise HandleError unless the chunks lie in the packed bytes and their pixels in the lines."""
    starts, sizes = table.offsets, table.packed_sizes
    lies_inside = bool((starts >= 0).all() and (sizes >= 0).all() and (starts + sizes <= packed.size).all())
    contiguous = packed.ndim == 1 and packed.dtype == np.uint8 and packed.flags.c_contiguous
    if not len(table) or not contiguous or not lies_inside or not table.places.inside(layout):
        raise HandleError("a table of chunks does not fit its bytes or its image")
    largest = max(int(table.places.sizes(layout).max()), int(sizes.max()))
    if largest > LARGEST_CHUNK:
        raise HandleError(f"a chunk of {largest >> 20} MB can't be decoded on this device")


def first_verdicts(table: ChunkTable, sizes: NDArray[np.int64]) -> NDArray[np.int32]:
    """Return what the sizes of chunks say: those that are empty, or larger than unpacked, are damaged."""
    wrong = (table.packed_sizes > sizes) | (table.packed_sizes == 0)
    if table.compression == "none":
        wrong |= table.packed_sizes != sizes
    return np.where(wrong, np.int32(Verdict.DAMAGED), np.int32(Verdict.GOOD))


def batches(table: ChunkTable, sizes: NDArray[np.int64], most: int) -> Iterator[NDArray[np.int64]]:
    """Yield the numbers of chunks in the order of their bytes, in groups of at most `most` unpacked bytes or of one."""
    order = np.argsort(table.offsets, kind="stable")
    groups = (np.cumsum(sizes[order]) - 1) // most
    yield from np.split(order, np.flatnonzero(np.diff(groups)) + 1)


def described(table: ChunkTable, sizes: NDArray[np.int64], first: int) -> tuple[NDArray[Any], int]:
    """Return the chunks as the kernels know them, in bytes that begin with `first`, and the bytes of all planes."""
    chunks = np.zeros(len(table), CHUNK)
    coded = np.where(table.packed_sizes == sizes, 0, -(-sizes // 16) * 16)
    ends = np.cumsum(coded)
    chunks["source"], chunks["planes"] = table.offsets - first, ends - coded
    chunks["packed"], chunks["size"] = table.packed_sizes, sizes
    for name in ("x", "y", "width", "height"):
        chunks[name] = getattr(table.places, name)
    return chunks, int(ends[-1])

"""A CUDA stream as a device that encodes EXR chunks."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import cupy
import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.backends.cuda.chunk_queues import Queue
from engine.compute.chunk_encoding import PIECE_BYTES, EncodingDevice

WARPS_PER_PROCESSOR = 15
"""Warps that deflate at the same time on a multiprocessor: as many as its shared memory holds."""
Module = Callable[[str, dict[str, Any], str], Any]
"""Returns a compiled module of a name, definitions and a text."""


class StreamEncoder(EncodingDevice):
    """Encodes in the order of one stream; `host` allocates pinned memory."""

    def __init__(self, queue: Queue, module: Module, processors: int, host: Callable[[int], NDArray[np.uint8]]) -> None:
        self._queue, self._module, self._host = queue, module, host
        self.deflating_blocks = deflating_blocks(processors)

    def empty(self, nbytes: int) -> Any:
        return self._queue.empty(nbytes)

    def zeros(self, nbytes: int) -> Any:
        buffer = self._queue.empty(nbytes)
        cupy.cuda.runtime.memsetAsync(buffer.data.ptr, 0, nbytes, self._queue.stream.ptr)
        return buffer

    def sent(self, array: NDArray[Any]) -> Any:
        return self._queue.sent(array)

    def receive(self, buffer: Any, into: NDArray[Any]) -> None:
        self._queue.finish()  # a copy to memory that is not pinned would keep other threads waiting meanwhile
        self._queue.copy(into.ctypes.data, buffer.data.ptr, into.nbytes)
        self._queue.finish()

    def run(self, file: str, kernel: str, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
        function = self._module(file, {"PIECE_BYTES": PIECE_BYTES}, shaders.text(file)).get_function(kernel)
        function((blocks,), (threads,), arguments, stream=self._queue.stream)

    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        return self._host(nbytes)


def deflating_blocks(processors: int) -> int:
    """Return the useful number of concurrent warps that deflate."""
    return WARPS_PER_PROCESSOR * processors

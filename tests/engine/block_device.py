"""A device for encoding EXR chunks whose kernels run on the processor."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

import shaders
from engine.compute.chunk_encoding import PIECE_BYTES, EncodingDevice
from tests.engine.cuda_on_host import HostBuffer, HostQueue, modules


class BlockDevice(EncodingDevice):
    """Runs the kernels on the processor, and checks that none writes outside of its buffers."""

    deflating_blocks = 2

    def __init__(self, folder: Path) -> None:
        self._module = modules(folder)
        self._memory = HostQueue()

    def empty(self, nbytes: int) -> HostBuffer:
        return self._memory.empty(nbytes)

    def zeros(self, nbytes: int) -> HostBuffer:
        made = self.empty(nbytes)
        made.bytes[:] = 0
        return made

    def sent(self, array: NDArray[Any]) -> HostBuffer:
        return self._memory.sent(array)

    def receive(self, buffer: HostBuffer, into: NDArray[Any]) -> None:
        into.reshape(-1).view(np.uint8)[:] = buffer.bytes[: into.nbytes]

    def run(self, file: str, kernel: str, blocks: int, threads: int, arguments: tuple[Any, ...]) -> None:
        module = self._module(file, {"PIECE_BYTES": PIECE_BYTES}, shaders.text(file))
        module.get_function(kernel)((blocks,), (threads,), arguments)
        assert self._memory.intact, f"{kernel} wrote outside of its buffers"

    def host_buffer(self, nbytes: int) -> NDArray[np.uint8]:
        return np.empty(nbytes, np.uint8)

    def forget(self) -> None:
        """Free all buffers."""
        self._memory = HostQueue()

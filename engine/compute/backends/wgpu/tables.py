"""A cache of look-up tables and filter weights in device memory."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable, Hashable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.compute.backends.wgpu.device import Device
from engine.core.records import dataclass
from engine.errors import OutOfDeviceMemory
from engine.kernel.op import Table
from engine.kernel.table_layout import packed
from engine.kernel.taps import Taps

KEPT = 32
"""The number of sets of tables, and of weights, that are kept, the most recently used last."""
ENTRY = 4
"""Floats per entry of a 3D LUT, and the alignment of every table."""


@dataclass(frozen=True)
class Tables:
    """All tables of a run in one buffer, and their offsets in floats."""

    buffer: Any
    offsets: tuple[int, ...]


@dataclass(frozen=True)
class Weights:
    """The distinct sets of weights of Taps, and the index of each result's set. `origin` keeps the host array alive."""

    buffer: Any
    sets: int
    which: NDArray[np.int32]
    origin: NDArray[np.float32]

    def spans(self, taps: Taps) -> NDArray[np.int32]:
        """Return first, count, set and 0 for each result."""
        return np.stack([taps.first, taps.count, self.which, np.zeros_like(taps.first)], axis=1)


class Kept:
    """A cache of uploaded tables and weights. Thread-safe."""

    def __init__(self, device: Device) -> None:
        self._device = device
        self._kept: OrderedDict[Hashable, Any] = OrderedDict()
        self._lock = threading.Lock()

    def tables(self, tables: list[Table]) -> Tables:
        """Return the tables of a run, uploaded on first use."""
        found: Tables = self._get(tuple(table.name for table in tables), lambda: self._upload(tables))
        return found

    def weights(self, taps: Taps) -> Weights:
        """Return the weights of some taps, uploaded on first use; equal neighbouring sets are stored once."""
        array = taps.weights
        key = (array.ctypes.data, array.shape, array.strides)
        found: Weights = self._get(key, lambda: self._upload_weights(array))
        return found

    def clear(self) -> None:
        with self._lock:
            self._kept.clear()

    def _get(self, key: Hashable, make: Callable[[], Any]) -> Any:
        with self._lock:
            if key not in self._kept:
                self._kept[key] = make()
                while len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            self._kept.move_to_end(key)
            return self._kept[key]

    def _upload(self, tables: list[Table]) -> Tables:
        flat = [packed(table).ravel() for table in tables]
        padded = [np.pad(array, (0, -len(array) % ENTRY)) for array in flat]
        ends = np.cumsum([0, *(len(array) for array in padded)])
        content = np.concatenate([*padded, np.zeros(0 if padded else ENTRY, np.float32)])
        return Tables(self._filled(content), tuple(ends[:-1].tolist()))

    def _upload_weights(self, array: NDArray[np.float32]) -> Weights:
        new = np.ones(len(array), bool)
        new[1:] = (array[1:] != array[:-1]).any(axis=1)
        different = np.ascontiguousarray(array[new].T)
        return Weights(self._filled(different), different.shape[1], np.cumsum(new, dtype=np.int32) - 1, array)

    def _filled(self, content: NDArray[np.float32]) -> Any:
        if content.nbytes > self._device.binding_limit:
            size, limit = content.nbytes >> 20, self._device.binding_limit >> 20
            raise OutOfDeviceMemory(f"{self._device.name} takes tables of up to {limit} MB, not {size} MB")
        return self._device.filled(content)

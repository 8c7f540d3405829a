"""The memory of devices for images that are decoded there."""

from __future__ import annotations

import threading
import weakref
from typing import TYPE_CHECKING, Protocol

from engine.compute.memory_budget import MemoryBudget

if TYPE_CHECKING:
    from engine.compute.chunks import ChunkCodec

DEVICE_SHARE = 2
"""Images that were decoded ahead, or shown before, take at most 1 / DEVICE_SHARE of the device's memory."""


class Tenant(Protocol):
    """An image that may lie on a device."""

    resting: bool

    def leave_device(self) -> None: ...


class DeviceRoom:
    """The memory of one device for decoded images, `limit` bytes, and for `decoding` at the same time.

    Images that are not shown any more make room for others, the oldest first.
    """

    def __init__(self, limit: int, decoding: int = 0) -> None:
        self.limit = limit
        self.decoding = MemoryBudget(decoding, 1, 1)
        self._lock = threading.Lock()
        self._held: dict[int, tuple[weakref.ref[Tenant], int]] = {}

    def admit(self, levels: Tenant, size: int) -> bool:
        """Return whether the pixels of an image may stay on the device; images at rest may have to leave."""
        with self._lock:
            self._held = {key: held for key, held in self._held.items() if held[0]() is not None}
            self._held.pop(id(levels), None)
            resting = [key for key, (each, _) in self._held.items() if (found := each()) is not None and found.resting]
            while resting and self._used + size > self.limit:
                leaving = self._held.pop(resting.pop(0))[0]()
                if leaving is not None:
                    leaving.leave_device()
            fits = self._used + size <= self.limit
            if fits:
                self._held[id(levels)] = weakref.ref(levels), size
            return fits

    def clear(self) -> None:
        """Let all images leave the device."""
        with self._lock:
            held, self._held = self._held, {}
        for each, _ in held.values():
            levels = each()
            if levels is not None:
                levels.leave_device()

    @property
    def _used(self) -> int:
        return sum(size for _, size in self._held.values())


_ROOMS: weakref.WeakKeyDictionary[ChunkCodec, DeviceRoom] = weakref.WeakKeyDictionary()
_ROOMS_LOCK = threading.Lock()


def room_of(codec: ChunkCodec) -> DeviceRoom:
    """Return the room for images on a codec's device."""
    with _ROOMS_LOCK:
        limit = codec.room.memory // DEVICE_SHARE
        return _ROOMS.setdefault(codec, DeviceRoom(limit, codec.room.memory - limit))

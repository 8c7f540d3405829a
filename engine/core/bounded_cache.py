"""Caches that drop the values that were used longest ago, beyond a number of bytes or of entries."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Callable
from typing import Generic, TypeVar

Key = TypeVar("Key")
Value = TypeVar("Value")


class SizedCache(Generic[Key, Value]):
    """Values by key, of at most `budget` bytes together; the least recently used are dropped first. Thread-safe.

    The newest value always stays. `size` gives the bytes of a value.
    """

    def __init__(self, budget: int, size: Callable[[Value], int]) -> None:
        self.budget = budget
        self._size = size
        self._values: OrderedDict[Key, Value] = OrderedDict()
        self._used = 0
        self._lock = threading.RLock()  # a finalizer may drop values while the thread that it runs on is in here

    @property
    def used(self) -> int:
        """The bytes of all values."""
        return self._used

    def get(self, key: Key) -> Value | None:
        """Return the value of a key and mark it as used; None if there is none."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: Key, value: Value) -> None:
        """Store a value, and drop the least recently used ones beyond the budget."""
        with self._lock:
            self._take(key)
            self._values[key] = value
            self._used += self._size(value)
            self._shrink()

    def limit(self, budget: int) -> None:
        """Set the budget, and drop the least recently used values beyond it."""
        with self._lock:
            self.budget = budget
            self._shrink()

    def of(self, key: Key, make: Callable[[], Value]) -> Value:
        """Return the value of a key, made first if there is none. Two threads may both make it if they ask at once."""
        found = self.get(key)
        if found is None:
            found = make()
            self.put(key, found)
        return found

    def drop(self, wanted: Callable[[Key], bool] = lambda key: True) -> None:
        """Drop the values of these keys; by default of all."""
        with self._lock:
            for key in [key for key in self._values if wanted(key)]:
                self._take(key)

    def _shrink(self) -> None:
        while self._used > self.budget and len(self._values) > 1:
            self._take(next(iter(self._values)))

    def _take(self, key: Key) -> None:
        if key in self._values:
            self._used -= self._size(self._values.pop(key))


class BoundedCache(SizedCache[Key, Value]):
    """At most `most` values by key; the least recently used are dropped first. Thread-safe."""

    def __init__(self, most: int) -> None:
        super().__init__(most, lambda value: 1)
        self.most = most

    def __len__(self) -> int:
        return len(self._values)

    def __contains__(self, key: Key) -> bool:
        return key in self._values

    def clear(self) -> None:
        self.drop()

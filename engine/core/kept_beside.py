"""Values that are made from objects and kept for as long as these live."""

from __future__ import annotations

import threading
import weakref
from collections.abc import Callable
from functools import partial
from typing import Any, Generic, TypeVar

T = TypeVar("T")


class KeptBeside(Generic[T]):
    """The value of each object, by its identity: the same one each time. The value must not refer to the object.

    Thread-safe.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        """`make` makes the value of an object when it is first asked for."""
        self._make = make
        self._known: dict[int, tuple[weakref.ref[Any], T]] = {}
        self._lock = threading.Lock()

    def get(self, owner: Any) -> T:
        """Return the value of an object."""
        with self._lock:
            known = self._known.get(id(owner))
            if known is None or known[0]() is not owner:
                value = self._make(owner)
                known = self._known[id(owner)] = weakref.ref(owner, partial(self._forget, id(owner))), value
            return known[1]

    def _forget(self, number: int, gone: weakref.ref[Any]) -> None:
        known = self._known.get(number)  # without the lock: the collector may run while this thread holds it
        if known is not None and known[0] is gone:
            self._known.pop(number, None)

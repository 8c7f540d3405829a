"""How threads that compute behind an interface leave the cores to it."""

from __future__ import annotations

import os
import sys
import threading
import time
from contextlib import suppress

NICENESS = 10
"""How much lower: enough that a thread of the interface does not wait for a core while all of them compute."""
LONG_TURN, LONGEST_WAIT = 0.008, 0.050
"""Seconds that a turn computes before others give way to it, and for how long at most: it may wait for them."""
_THREAD = threading.local()


def lower_priority() -> None:
    """Let the calling thread, and those that it starts, leave the cores to threads of the interface when they need one.

    Its bands on the CPU backend give way to long turns as well. Only Linux has a priority of a thread: Windows favours
    the window in front, and macOS the thread of its interface.
    """
    _THREAD.is_lowered = True
    if sys.platform.startswith("linux"):
        with suppress(OSError):  # a sandbox may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)


def is_lowered() -> bool:
    """Return whether the calling thread has lowered its priority."""
    return getattr(_THREAD, "is_lowered", False)


class InterfaceTurn:
    """The current turn of the event loop, to which threads that compute give way once it has become long.

    Cores that share their arithmetic units and threads that share Python's lock make a turn up to twice as long. None
    is long where the system does not say what another thread computes (it does on Linux).
    """

    def __init__(self) -> None:
        self._clock: int | None = None
        self._began = 0.0
        self._over = threading.Event()
        self._awaited_by = set[int]()
        self._waited_in_vain = False

    def begin(self) -> None:
        """Begin the next turn of the calling thread, whose event loop it is."""
        if self._clock is None and sys.platform.startswith("linux"):
            self._clock = time.pthread_getcpuclockid(threading.get_ident())
        self._began, self._waited_in_vain = time.thread_time(), False
        if self._awaited_by:
            self._over.set()
            self._over.clear()

    @property
    def is_long(self) -> bool:
        """Whether the turn has computed for a while."""
        return self._clock is not None and time.clock_gettime(self._clock) - self._began > LONG_TURN

    def give_way(self) -> None:
        """Wait for the end of the turn if it is long, at most once in vain in a turn."""
        if self.is_long and not self._waited_in_vain:
            self._awaited_by.add(threading.get_ident())
            self._waited_in_vain = not self._over.wait(LONGEST_WAIT)
            self._awaited_by.discard(threading.get_ident())


INTERFACE_TURN = InterfaceTurn()

"""The priority of threads that compute behind an interface."""

from __future__ import annotations

import os
import sys
import threading
from contextlib import suppress

NICENESS = 10
"""How much lower: enough that a thread of the interface does not wait for a core while all of them compute."""


def lower_priority() -> None:
    """Let the calling thread, and those that it starts, leave the cores to threads of the interface when they need one.

    Only Linux has such a value for a thread. Elsewhere this does nothing: Windows favours the window in front, and
    macOS the thread of its interface.
    """
    if sys.platform.startswith("linux"):
        with suppress(OSError):  # a sandbox may forbid it
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), NICENESS)

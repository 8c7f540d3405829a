"""The turns of an event loop, made busy."""

from __future__ import annotations

import time


def compute(seconds: float) -> None:
    """Occupy this thread until it has computed for so long."""
    end = time.thread_time() + seconds
    while time.thread_time() < end:
        pass

"""Polling of a device, so that other threads can submit work meanwhile."""

from __future__ import annotations

import time
from typing import Any

EAGER, PAUSE = 50, 0.0002
"""The number of immediate polls, which take a few tenths of a millisecond in all; then the pause between polls in
seconds."""


def poll_instead_of_wait(device: Any) -> None:
    """Make wgpu-py's thread poll a device repeatedly instead of blocking in the native library.

    While one thread blocks in the native library no other can submit to the same device. wgpu-py has no setting for
    this; if its internals have changed, nothing is done.
    """
    try:
        poller = device._poller
        poll = poller._poll_func
    except AttributeError:
        return
    if getattr(poll, "__module__", "") == __name__:
        return  # already replaced
    asked = 0

    def ask(block: bool) -> None:
        nonlocal asked
        asked = asked + 1 if block else 0
        poll(False)
        if asked > EAGER:
            time.sleep(PAUSE)

    poller._poll_func = ask

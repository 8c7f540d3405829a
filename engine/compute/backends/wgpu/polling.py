"""Waiting for a device so that others can give it work meanwhile."""

from __future__ import annotations

import time
from typing import Any

EAGER, PAUSE = 50, 0.0002
"""So often the device is asked at once, a few tenths of a millisecond in all; then again after so many seconds."""


def ask_not_wait(device: Any) -> None:
    """Have wgpu-py's thread ask a device again and again whether it is done, instead of waiting within it.

    While one thread waits in the native library no other can submit to the same device. wgpu-py has no setting for
    this; where its thread has another form than today, it stays as it is.
    """
    try:
        poller = device._poller
        poll = poller._poll_func
    except AttributeError:
        return
    if getattr(poll, "__module__", "") == __name__:
        return  # it does so already
    asked = 0

    def ask(block: bool) -> None:
        nonlocal asked
        asked = asked + 1 if block else 0
        poll(False)
        if asked > EAGER:
            time.sleep(PAUSE)

    poller._poll_func = ask

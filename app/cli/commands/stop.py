"""Handle Ctrl-C, SIGTERM and a closed terminal while a command runs."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from engine.errors import Cancelled

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""Systems send the last two when a terminal or console closes. Not every system has all of them."""


class Stop:
    """A context manager that records Ctrl-C and similar signals, so that work can stop in an orderly way.

    With `at_once` the first signal raises Cancelled immediately. Later signals never raise, since they would interrupt
    the clean-up.
    """

    def __init__(self) -> None:
        self.at_once = True
        self._signals = 0
        self._before: dict[signal.Signals, Any] = {}

    def asked(self) -> bool:
        """Return whether the user has asked to stop."""
        return self._signals > 0

    def __enter__(self) -> Stop:
        for name in NAMES:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) != signal.SIG_IGN:  # as under nohup
                self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self.at_once and self._signals == 1:
            raise Cancelled()

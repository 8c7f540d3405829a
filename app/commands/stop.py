"""Ctrl-C and SIGTERM while a command works."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from engine.errors import Cancelled


class Stop:
    """While it is entered, Ctrl-C and SIGTERM are noted instead of ending the program, for work that ends in order.

    With `at_once` the first one raises Cancelled where the program stands. Later ones never do: they would hit the
    cleaning up.
    """

    def __init__(self) -> None:
        self.at_once = True
        self._signals = 0
        self._before: dict[signal.Signals, Any] = {}

    def asked(self) -> bool:
        """Whether the user wants the work to stop."""
        return self._signals > 0

    def __enter__(self) -> Stop:
        for number in (signal.SIGINT, signal.SIGTERM):
            self._before[number] = signal.signal(number, self._note)
        return self

    def __exit__(self, *problem: object) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def _note(self, number: int, frame: FrameType | None) -> None:
        self._signals += 1
        if self.at_once and self._signals == 1:
            raise Cancelled()

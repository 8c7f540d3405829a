"""Ctrl-C, SIGTERM and a terminal that is closed, while a command works."""

from __future__ import annotations

import signal
from types import FrameType
from typing import Any

from engine.errors import Cancelled

NAMES = ("SIGINT", "SIGTERM", "SIGHUP", "SIGBREAK")
"""The last two are what systems send when a terminal or a console is closed; not every system has each."""


class Stop:
    """While it is entered, Ctrl-C and the like are noted instead of ending the program, for work that ends in order.

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

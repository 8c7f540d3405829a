"""The event loop of a window, turned by hand: what each turn takes, and where the time went.

A turn is all that happens between two looks at the queue of events, one handler or many, so that no handler takes more
than the longest turn. Nothing is put between Qt and the window: a `QApplication.notify` in Python would add some 10
microseconds to each event, and building a dialog is thousands of them.
"""

from __future__ import annotations

import os
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, NamedTuple

ROOT = Path(__file__).resolve().parents[2]
OURS = (str(ROOT / "app"), str(ROOT / "engine"))
SLOW = 0.050
"""Seconds; a turn that takes longer is kept."""
TICK = 1.0 / os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0.01
"""Seconds of the unit in which Linux counts what the cores do."""
LOOK_EVERY, LOOK_FROM = 0.004, 0.015
"""Seconds between two looks at where a turn is, and how old it is before the first."""


class Turn(NamedTuple):
    """`seconds` on the clock, those that its thread computed and those that it could have but had no core, those that
    the host of a virtual machine took from all cores, which count as computed, where it mostly was, and what was being
    done."""

    seconds: float
    computed: float
    queued: float
    stolen: float
    where: str
    doing: str

    def __str__(self) -> str:
        parts = f"{1000 * self.computed:.0f} computing, {1000 * self.queued:.0f} without a core"
        parts += f", {1000 * self.stolen:.0f} stolen" if self.stolen else ""
        words = f"{1000 * self.seconds:4.0f} ms ({parts})  {self.where or 'within Qt'}"
        return f"{words}, during {self.doing}" if self.doing else words


NONE = Turn(0.0, 0.0, 0.0, 0.0, "", "")


class Turns:
    """Turns the loop of `app`; `doing` is put down with each turn, and nothing while `on` is False."""

    def __init__(self, app: Any) -> None:
        self._app = app
        self.doing, self.on = "", True
        self._main = threading.get_ident()
        self._scheduled = _open(f"/proc/self/task/{threading.get_native_id()}/schedstat")
        self._cores = _open("/proc/stat")
        self._began = 0.0
        self._parted = False
        self._seen: Counter[str] = Counter()
        self.clear()
        threading.Thread(target=self._look, name="turns", daemon=True).start()

    def clear(self) -> None:
        """Forget what was."""
        self.count = 0
        self.longest = self.busiest = NONE
        self.slow: list[Turn] = []

    def tell(self) -> None:
        """Print the two that stand out."""
        print(f"longest turn of the event loop {self.longest}")
        print(f"longest turn computing         {self.busiest}")

    def turn(self) -> None:
        """Handle what waits."""
        self.call(self._handle)

    def call(self, work: Callable[..., object], *args: Any) -> None:
        """Something that the loop would have called, as a turn of its own."""
        if self._began:  # within a turn
            work(*args)
            return
        self._seen.clear()
        stolen = self._stolen()
        computed, queued = time.thread_time(), self._queued()
        self._began = time.perf_counter()
        try:
            work(*args)
        finally:
            seconds, self._began = time.perf_counter() - self._began, 0.0
            if not self._parted:
                times = time.thread_time() - computed, self._queued() - queued, self._stolen() - stolen
                self._keep(seconds, *times)
            self._parted = False

    def apart(self, work: Callable[..., object], *args: Any) -> None:
        """A turn of its own within one that waits for a user in a loop of events, which is not kept then."""
        began, self._began = self._began, 0.0
        try:
            self.call(work, *args)
        finally:
            self._began, self._parted = began, began > 0

    def spin(self, seconds: float) -> None:
        """Turn for so long."""
        end = time.perf_counter() + seconds
        while time.perf_counter() < end:
            self.turn()
            time.sleep(0.001)

    def wait(self, until: Callable[[], Any], limit: float = 60.0) -> None:
        """Turn until something is so."""
        end = time.perf_counter() + limit
        while not until():
            if time.perf_counter() > end:
                raise SystemExit("the window did not answer in time")
            self.spin(0.0005)

    def _handle(self) -> None:
        from PySide6.QtCore import QEvent

        self._app.processEvents()
        self._app.sendPostedEvents(None, QEvent.Type.DeferredDelete.value)  # which else waits for an event loop

    def _queued(self) -> float:
        """Seconds that this thread has waited for a core until now; 0 where the system does not tell."""
        return int(os.pread(self._scheduled, 80, 0).split()[1]) / 1e9 if self._scheduled is not None else 0.0

    def _stolen(self) -> float:
        """Seconds that the host has taken from all cores until now, in steps of a tick; 0 where nothing tells."""
        return int(os.pread(self._cores, 160, 0).split()[8]) * TICK if self._cores is not None else 0.0

    def _keep(self, seconds: float, computed: float, queued: float, stolen: float) -> None:
        if not self.on:
            return
        self.count += 1
        if seconds < max(SLOW, self.longest.seconds) and computed <= self.busiest.computed:
            return
        where = next((each for each, _ in self._seen.most_common(1)), "")
        turn = Turn(seconds, computed, queued, stolen, where, self.doing)
        self.longest = max(self.longest, turn)
        self.busiest = max(self.busiest, turn, key=lambda each: each.computed)
        if seconds > SLOW:
            self.slow.append(turn)

    def _look(self) -> None:
        """On a thread of its own: where long turns are."""
        while True:
            time.sleep(LOOK_EVERY)
            began = self._began
            if began and time.perf_counter() - began > LOOK_FROM:
                self._seen[_place(sys._current_frames().get(self._main))] += 1


def _open(name: str) -> int | None:
    """A file in which Linux tells of a thread or of the cores, open; None elsewhere."""
    path = Path(name)
    return os.open(path, os.O_RDONLY) if path.exists() else None


def _place(frame: FrameType | None) -> str:
    """The function of Tessera's that a thread is in; '' where it is in none."""
    while frame is not None:
        if frame.f_code.co_filename.startswith(OURS):
            name = Path(frame.f_code.co_filename).relative_to(ROOT).as_posix()
            return f"{name}:{frame.f_lineno} {frame.f_code.co_qualname}"
        frame = frame.f_back
    return ""

"""The table of a movie's frames, from the time stamps of its packets; no frame is decoded for it."""

from __future__ import annotations

import threading
from array import array
from bisect import bisect_left
from collections.abc import Callable
from typing import NamedTuple

from engine.movies.movie_files import MOST_FRAMES

WAIT_SECONDS = 0.5
"""The interval in which those who wait for the table tell that they are alive."""
NO_STAMP = -(1 << 63)
"""The time stamp of a packet without one."""


class Key(NamedTuple):
    """A packet that decoding can begin with."""

    pts: int
    dts: int


class Entry(NamedTuple):
    """A frame: when it is shown, and the place in the list of keys of the packet that decoding begins with."""

    pts: int
    key: int


class PacketIndex:
    """Presented frames in the order of their time stamps. One thread adds packets, others wait for frames.

    Packets outside an edit list are not frames, but decoding may begin with them. A packet with the time stamp of
    another one, or without one, is a part of a frame. If the first packet has no time stamp, the movie has none
    (`is_timed`): its frames are counted as they are decoded, from the first one on.
    """

    def __init__(self, most: int = MOST_FRAMES) -> None:
        self.most, self.is_timed, self.note = most, True, ""
        self.keys: list[Key] = []
        self._stamps, self._starts = array("q"), array("q")
        self._seen = self._untimed = 0
        self._latest = NO_STAMP
        self._complete = False
        self._changed = threading.Condition()

    def add(self, pts: int | None, dts: int | None, is_key: bool, is_shown: bool) -> bool:
        """Add the next packet. Return False if the table is full."""
        with self._changed:
            if self._seen == 0:
                self.is_timed = pts is not None
            self._seen += 1
            if dts is not None:
                self._latest = max(self._latest, dts)
            if not self.is_timed:
                self._untimed += is_shown
            elif pts is not None:
                if is_key:
                    self.keys.append(Key(pts, NO_STAMP if dts is None else dts))
                if is_shown:
                    self._insert(pts)
            self._changed.notify_all()
            return len(self._stamps) < self.most and self._untimed < self.most

    def _insert(self, pts: int) -> None:
        place = bisect_left(self._stamps, pts)
        if place < len(self._stamps) and self._stamps[place] == pts:
            return
        start = next((n for n in range(len(self.keys) - 1, -1, -1) if self.keys[n].pts <= pts), 0)
        self._stamps.insert(place, pts)
        self._starts.insert(place, start)

    def finish(self, note: str = "") -> None:
        """End the table. `note` says why it ends before the movie does."""
        with self._changed:
            self._complete, self.note = True, note
            self._changed.notify_all()

    def count(self, waits: Callable[[], None]) -> int:
        """Return the number of frames when the table is complete. `waits` is called while it is not."""
        with self._changed:
            while not self._complete:
                self._changed.wait(WAIT_SECONDS)
                waits()
            return len(self._stamps) if self.is_timed else self._untimed

    def entry(self, number: int, waits: Callable[[], None]) -> Entry | None:
        """Return a frame when its place in the table is final; None if there is none of this number.

        In a movie without time stamps, an entry says only that the frame is there.
        """
        with self._changed:
            while not self._is_final(number) and not self._complete:
                self._changed.wait(WAIT_SECONDS)
                waits()
            if not self.is_timed:
                return Entry(NO_STAMP, 0) if 0 <= number < self._untimed else None
            if not 0 <= number < len(self._stamps):
                return None
            return Entry(self._stamps[number], self._starts[number])

    def is_known(self, number: int) -> bool:
        """Return whether `entry` of a frame would not wait."""
        with self._changed:
            return self._is_final(number) or self._complete

    def _is_final(self, number: int) -> bool:
        """Return whether no later packet can come before a frame: packets come in the order of decoding."""
        if not self.is_timed:
            return number < self._untimed
        return 0 <= number < len(self._stamps) and self._stamps[number] <= self._latest

    def number_of(self, pts: int) -> int | None:
        """Return the number of the frame with this time stamp; None if there is none."""
        with self._changed:
            place = bisect_left(self._stamps, pts)
            return place if place < len(self._stamps) and self._stamps[place] == pts else None

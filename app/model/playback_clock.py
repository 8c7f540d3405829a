"""The clock of playback: which frame of a sequence to show now, and which frames to drop."""

from __future__ import annotations

import math
from collections.abc import Container, Sequence

LATE_SECONDS = 0.1
"""Frames that are late by up to this time are shown one after the other, until playback has caught up; of frames that
are later all but the newest are dropped. A moment without a free processor then costs no frame."""


class PlaybackClock:
    """Counts the frames that are due at a rate, in frames per second, from number `last` of `count` frames on.

    Numbers grow on when playback loops. `last` is the number of the frame that was shown last. Times are in seconds, of
    one monotonic clock.
    """

    def __init__(self, rate: float, count: int, last: int, loops: bool) -> None:
        self._rate, self._count, self._loops = rate, count, loops
        self._zero: float | None = None  # when number 0 was due; None before the start
        self.last, self.dropped = last, 0

    @property
    def starts(self) -> bool:
        """Whether it has yet to start."""
        return self._zero is None

    def start(self, now: float) -> None:
        """Start the clock: the frame that was shown last is due now."""
        self._zero = now - self.last / self._rate

    def wanted(self, now: float) -> int:
        """Return the number of the first frame to have decoded."""
        return self.last if self._zero is None else self._due(now) if self._is_late(now) else self.last + 1

    def wait_ms(self, now: float) -> int:
        """Return how many milliseconds later to look again: when the next frame is due, or in half a frame's time.

        For a frame that is late it is the latter: what holds it up tells when it ends.
        """
        half, wait = 0.5 / self._rate, self._until_next(now)
        return max(1, math.ceil(1000.0 * (half if self.starts or wait <= 0.0 else min(wait, half))))

    def next(self, now: float, frames: Sequence[int], decoded: Container[int], bad: Container[int]) -> int | None:
        """Return the number of the one of `frames` to show now; None to wait. Those in `bad` can't be decoded."""
        due, count = self._due(now), len(frames)
        if self._is_late(now):
            return next((n for n in range(due, self.last, -1) if frames[n % count] in decoded), None)
        number = next((n for n in range(self.last + 1, due + 1) if frames[n % count] not in bad), None)
        return number if number is not None and frames[number % count] in decoded else None

    def show(self, number: int) -> None:
        """Note that a frame is shown; those that it passes over are dropped."""
        self.dropped += number - self.last - 1
        self.last = number

    def is_over(self, now: float) -> bool:
        """Return whether the last frame has had its time, where playback does not loop."""
        if self._loops or self._zero is None:
            return False
        after = now - self._zero - self._count / self._rate
        return after >= (0.0 if self.last >= self._count - 1 else LATE_SECONDS)

    def _due(self, now: float) -> int:
        due = int((now - (self._zero or 0.0)) * self._rate)
        return due if self._loops else min(due, self._count - 1)

    def _is_late(self, now: float) -> bool:
        return self._until_next(now) < -LATE_SECONDS

    def _until_next(self, now: float) -> float:
        """Return the time until the next frame is due; negative if it is late."""
        return (self._zero or 0.0) + (self.last + 1) / self._rate - now

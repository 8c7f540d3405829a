"""The frame rate that playback achieves."""

from __future__ import annotations

from collections import deque

FRAMES = 24
"""The number of frames over which the rate is measured."""


class AchievedRate:
    """Measures the rate at which frames reach the screen."""

    def __init__(self) -> None:
        self._times: deque[float] = deque(maxlen=FRAMES)

    def clear(self) -> None:
        """Forget the frames that were shown."""
        self._times.clear()

    def add(self, now: float) -> float:
        """Count a frame that is shown at the time `now`, in seconds; return the rate, or 0 if it is not known yet."""
        self._times.append(now)
        spent = now - self._times[0]
        return (len(self._times) - 1) / spent if spent > 0.0 else 0.0

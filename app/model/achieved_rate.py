"""The frame rates of playback: those that are offered, and the one that is achieved."""

from __future__ import annotations

from collections import deque

RATES = (12.0, 23.976, 24.0, 25.0, 29.97, 30.0, 48.0, 50.0, 60.0)
"""The frame rates that the window offers, in frames per second."""
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

"""The resolution of quick frames, adapted to the time that the last ones took."""

from __future__ import annotations

QUICK_SECONDS = 0.010
"""The time limit of a quick frame."""
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)
"""Factors by which the pixels along each axis are reduced: few, so that the source is seldom resampled again."""
MARGIN = 0.8
"""A finer step is tried if it is predicted to take at most this share of the time limit."""


class Pace:
    """The resolution of quick frames of one run of ops. `seconds` is the predicted time of a frame of all pixels."""

    def __init__(self, seconds: float) -> None:
        self._step = next((n for n, step in enumerate(STEPS) if seconds <= QUICK_SECONDS * step**2), len(STEPS) - 1)
        self._late = self._early = 0

    @property
    def coarse(self) -> float:
        """The current reduction, one of STEPS."""
        return STEPS[self._step]

    def took(self, seconds: float) -> None:
        """Record the time of the last frame. Two slow frames in a row make the step coarser, two fast ones finer."""
        finer = (STEPS[self._step] / STEPS[max(self._step - 1, 0)]) ** 2
        self._late = self._late + 1 if seconds > QUICK_SECONDS / MARGIN else 0
        self._early = self._early + 1 if seconds * finer < QUICK_SECONDS * MARGIN else 0
        if self._late > 1 and self._step < len(STEPS) - 1:
            self._step += 1
        elif self._early > 1 and self._step > 0:
            self._step -= 1
        else:
            return
        self._late = self._early = 0

"""The resolution of quick frames, adapted to the time that the last ones took."""

from __future__ import annotations

QUICK_SECONDS = 0.010
"""The time limit of a quick frame."""
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)
"""Factors by which the pixels along each axis are reduced: few, so that the source is seldom resampled again."""
MARGIN = 0.8
"""A finer step is tried if it is predicted to take at most this share of the time limit."""
FIRST_SECONDS = 0.050
"""The time limit of the first frame of a finer step, for which nothing that drags keep has been made yet."""
FORGOTTEN = 0.98
"""What the time of a first frame is multiplied by after each fast one: it may have been slow by chance."""
MOST_PATIENCE = 8
"""The most fast frames in a row after which a finer step is not tried yet."""


class Pace:
    """The resolution of quick frames of one run of ops. `seconds` is the predicted time of a frame of all pixels."""

    def __init__(self, seconds: float) -> None:
        self._step = next((n for n, step in enumerate(STEPS) if seconds <= QUICK_SECONDS * step**2), len(STEPS) - 1)
        self._late = self._early = 0
        self._patience = 1
        self._is_first = True
        self._first = 0.0
        """The time that the first frame of a step would have taken for all pixels."""

    @property
    def coarse(self) -> float:
        """The current reduction, one of STEPS."""
        return STEPS[self._step]

    def took(self, seconds: float) -> None:
        """Record the time of the last frame. Two slow frames in a row make the step coarser, and some fast ones finer:
        two, and more after each coarser step. The first frame of a finer step does not count."""
        if self._is_first:
            self._first, self._is_first = seconds * self.coarse**2, False
            return
        finer = STEPS[max(self._step - 1, 0)]
        self._late = self._late + 1 if seconds > QUICK_SECONDS / MARGIN else 0
        is_early = seconds * (self.coarse / finer) ** 2 < QUICK_SECONDS * MARGIN
        self._first *= FORGOTTEN if is_early else 1.0
        self._early = self._early + 1 if is_early and self._first < FIRST_SECONDS * finer**2 else 0
        if self._late > 1 and self._step < len(STEPS) - 1:
            self._step += 1
            self._patience = min(2 * self._patience, MOST_PATIENCE)
        elif self._early > self._patience and self._step > 0:
            self._step -= 1
            self._is_first = True
        else:
            return
        self._late = self._early = 0

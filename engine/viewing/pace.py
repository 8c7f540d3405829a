"""How many pixels a quick frame may have: learned from what the last ones took."""

from __future__ import annotations

QUICK_SECONDS = 0.010
"""What a quick frame may take."""
STEPS = (1.0, 1.5, 2.0, 2.5, 3.0, 4.0, 6.0)
"""Times fewer pixels along each axis: few, so that the source is seldom resampled anew."""
MARGIN = 0.8
"""A finer step is tried where it is foretold to take no more than this share of the time."""


class Pace:
    """The coarseness of quick frames of one run of ops. `seconds` is what a frame of all pixels is thought to take."""

    def __init__(self, seconds: float) -> None:
        self._step = next((n for n, step in enumerate(STEPS) if seconds <= QUICK_SECONDS * step**2), len(STEPS) - 1)
        self._late = self._early = 0

    @property
    def coarse(self) -> float:
        """One of STEPS."""
        return STEPS[self._step]

    def took(self, seconds: float) -> None:
        """Learn from the last frame: twice in a row too long, or short enough for a finer step, changes the step."""
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

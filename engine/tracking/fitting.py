"""The similarity that most features agree on: sampled pairs (RANSAC), then least squares over those that agree.

Source: M. A. Fischler and R. C. Bolles, "Random sample consensus", Communications of the ACM 24(6), 1981.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.tracking.warp import Freedom, Points, Warp

PAIRS = 200
"""Sampled pairs: enough to find one good pair, with a certainty of 99.9 %, if a fifth of the features are right."""
FASTEST = 1.5
"""The largest change of size from one frame to the next; a larger one is a wrong pair."""


def fitted(before: Points, after: Points, freedom: Freedom, tolerance: float) -> tuple[Warp, NDArray[np.bool_]]:
    """Return the warp that takes most points within `tolerance` pixels of where they went, and which points agree."""
    agreeing = _largest_consent(before, after, freedom, tolerance)
    warp = Warp()
    for _ in range(3):
        warp = _least_squares(before[agreeing], after[agreeing], freedom)
        nearer = np.abs(warp(before) - after) <= tolerance
        if nearer.sum() < 2 or (nearer == agreeing).all():
            break
        agreeing = nearer
    return warp, agreeing


def _largest_consent(before: Points, after: Points, freedom: Freedom, tolerance: float) -> NDArray[np.bool_]:
    random = np.random.default_rng(len(before))
    first = random.integers(0, len(before), PAIRS)
    second = (first + random.integers(1, max(len(before), 2), PAIRS)) % len(before)
    with np.errstate(all="ignore"):
        factors = freedom.allowed((after[first] - after[second]) / (before[first] - before[second]))
        factors = np.where(np.abs(np.log(np.abs(factors))) <= np.log(FASTEST), factors, np.nan)
        middles = (before[first] + before[second]) / 2.0, (after[first] + after[second]) / 2.0
        shifts = middles[1] - factors * middles[0]
        misses = np.abs(factors[:, None] * before[None] + shifts[:, None] - after[None])
        agree = misses <= tolerance
    scores = np.where(agree, 1.0 - misses / (2.0 * tolerance), 0.0).sum(axis=1)
    return np.asarray(agree[int(np.argmax(scores))])


def _least_squares(before: Points, after: Points, freedom: Freedom) -> Warp:
    if not before.size:
        return Warp()
    middle, moved = complex(before.mean()), complex(after.mean())
    arms = before - middle
    factor = complex(np.vdot(arms, after - moved)) / max(float(np.vdot(arms, arms).real), 1e-9)
    factor = complex(freedom.allowed(factor)) if abs(factor) > 1e-6 else 1.0 + 0.0j
    return Warp.about(middle, factor, moved - middle)

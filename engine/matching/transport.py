"""The transfer of a whole distribution of colours to another one, as pairs of colours.

Source: Pitié, Kokaram and Dahyot, "N-dimensional probability density function transfer and its application to colour
transfer", ICCV 2005: the distributions along the axes are matched one by one, under many rotations in turn.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from engine.matching.samples import Samples

ROUNDS = 24
"""How many rotations."""
STEP = 0.6
"""How far colours go towards where one rotation would bring them."""
Matrix = NDArray[np.float64]


def transferred(source: Samples, reference: Samples) -> Samples:
    """Return where each colour of `source` goes so that all of them are distributed as `reference`."""
    moved, portions = source.copy(), (np.arange(len(source)) + 0.5) / len(source)
    known = (np.arange(len(reference)) + 0.5) / len(reference)
    for axes in rotations():
        along, wanted = moved @ axes, np.sort(reference @ axes, axis=0)
        order = np.argsort(along, axis=0, kind="stable")
        change = np.empty_like(along)
        for n in range(3):
            there = wanted[:, n] if len(known) == len(portions) else np.interp(portions, known, wanted[:, n])
            change[order[:, n], n] = there - along[order[:, n], n]
        moved += STEP * change @ axes.T
    return moved


@cache
def rotations() -> tuple[Matrix, ...]:
    """Return the axes of the rounds: those of RGB first, then evenly distributed ones, always the same."""
    random = np.random.default_rng(2005)
    found = [np.eye(3)]
    for _ in range(ROUNDS - 1):
        axes, triangle = np.linalg.qr(random.standard_normal((3, 3)))
        found.append(axes * np.sign(np.diag(triangle)))
    return tuple(found)

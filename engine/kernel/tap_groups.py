"""Taps of neighbouring results in groups, for kernels in which one thread adds up a group of results at a time.

The source pixels that a group needs are its steps. A thread reads each of them once and adds it to all results of the
group that use it, in the order of the taps, so that a result has the same bits in any group.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.kernel.taps import Taps

GROUP = 8
"""Results of a group: enough to read a source pixel seldom, few enough for the registers of a thread."""


@dataclass(frozen=True)
class TapGroups:
    """Groups of GROUP results; the last one may have fewer.

    `spans` is int32 (groups, 5): the first source pixel; the number of steps; the step in `weights` where the group's
    begin; the steps, from and to (exclusive), that all results of the group use. `weights` is float32 (steps, GROUP),
    NaN where a result does not use a step. Equal neighbouring groups share their weights.
    """

    spans: NDArray[np.int32]
    weights: NDArray[np.float32]

    @classmethod
    def of(cls, taps: Taps) -> TapGroups:
        total = len(taps.first)
        groups = -(-total // GROUP)
        results = np.arange(groups * GROUP).reshape(groups, GROUP)
        inside, results = results < total, np.minimum(results, total - 1)
        first = taps.first[results]
        begin = first.min(axis=1)
        first, count = first - begin[:, None], np.where(inside, taps.count[results], 0)
        ends = first + count
        steps = ends.max(axis=1)
        dense = np.full((groups, int(steps.max()), GROUP), np.nan, np.float32)
        group, result, tap = np.nonzero(np.arange(taps.weights.shape[1]) < count[:, :, None])
        dense[group, first[group, result] + tap, result] = taps.weights[results[group, result], tap]
        since = first.max(axis=1)
        until = np.where(inside.all(axis=1), np.maximum(ends.min(axis=1), since), since)
        new = np.ones(groups, bool)
        bits = dense.view(np.int32).reshape(groups, -1)
        new[1:] = (bits[1:] != bits[:-1]).any(axis=1)
        at = (np.cumsum(new) - 1) * dense.shape[1]
        spans = np.stack([begin, steps, at, np.minimum(since, steps), np.minimum(until, steps)], axis=1)
        return cls(spans.astype(np.int32), dense[new].reshape(-1, GROUP))


def takes_one_pixel_each(taps: Taps) -> bool:
    """Return whether every result is one source pixel, unchanged."""
    return taps.weights.shape[1] == 1 and bool((taps.weights == 1.0).all())

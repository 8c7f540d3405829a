"""How tables lie in a device's memory, the same for every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table


def packed(table: Table) -> NDArray[Any]:
    """A curve channel by channel, each followed by its last value once more; a cube with four floats an entry.

    A tree (nodes, 2, 4) as it is.
    """
    array = table.array
    if array.ndim == 2:
        return np.ascontiguousarray(np.concatenate([array, array[-1:]]).T)
    if array.ndim == 3:
        return array
    return np.concatenate([array, np.zeros((*array.shape[:3], 1), np.float32)], axis=3)

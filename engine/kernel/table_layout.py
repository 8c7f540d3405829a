"""The layout of tables in device memory, the same for every backend."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from engine.kernel.op import Table


def packed(table: Table) -> NDArray[Any]:
    """Return the array of a table as devices store it.

    A 1D LUT is stored channel by channel, with the last value of each repeated; a 3D LUT with four floats per entry; a
    tree (nodes, 2, 4) as it is.
    """
    array = table.array
    if array.ndim == 2:
        return np.ascontiguousarray(np.concatenate([array, array[-1:]]).T)
    if array.ndim == 3:
        return array
    return np.concatenate([array, np.zeros((*array.shape[:3], 1), np.float32)], axis=3)

"""What a kernel takes beside the channels of a pixel, known from its program and kept without its instructions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from engine.core.records import dataclass
from engine.kernel.host_maths import HostMaths
from engine.kernel.op import ColorOp, Table

TableKey: TypeAlias = tuple[int, str]
"""Number of the op in the sequence, and the name of its field."""


@dataclass(frozen=True, eq=False)
class Arguments:
    """Uniforms and tables, and whether a kernel reads the place and the planes of pixels.

    A program has thousands of objects, which garbage collection visits: a compiled kernel needs these few alone.
    `residual` says of each uniform whether it is the low-order part that float32 loses. `planes` is the number of
    planes that have to be given, and `paths` that of the instructions `path_distance`.
    """

    uniforms: HostMaths
    residual: NDArray[np.bool_]
    tables: tuple[TableKey, ...]
    placed: bool
    planes: int
    paths: int

    def uniform_values(self, ops: Sequence[ColorOp]) -> np.ndarray[Any, np.dtype[np.float32]]:
        """Return the uniforms as float32, computed from the sliders of `ops` (of the traced structure)."""
        with np.errstate(all="ignore"):
            exact = self.uniforms.values(ops)
            rounded = exact.astype(np.float32)
            low_order = (exact - rounded.astype(np.float64)).astype(np.float32)
        return np.where(self.residual, low_order, rounded)

    def table_values(self, ops: Sequence[ColorOp]) -> list[Table]:
        """Return the tables of `ops`, in the order of the program's table numbers."""
        return [getattr(ops[number], name) for number, name in self.tables]

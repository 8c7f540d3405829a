"""The colours that enter an entry of a grade."""

from __future__ import annotations

from itertools import takewhile
from typing import Any

import numpy as np
from numpy.typing import NDArray

from app.model.grade_rows import entries_before, path_of
from app.model.view_ops import grade_ops
from engine import Grade
from engine.color.management import Managed
from engine.grade.masking import SavedBlend, reads_place
from engine.kernel.op import ColorOp, Op


def ops_before(grade: Grade, index: int, managed: Managed, mark: Op) -> tuple[Op, ...]:
    """Return the ops whose result enters an entry of a grade, in the colour space of the entry. `mark` is an op that
    works in that space and is not an identity."""
    before = entries_before(grade.without_solo(), path_of(grade, index))
    return tuple(takewhile(lambda op: op is not mark, grade_ops(managed, grade.with_entries((*before, mark)))))


def colours_after(pixels: NDArray[Any], ops: tuple[Op, ...]) -> NDArray[np.float64]:
    """Return pixels (n, 3 or 4) as RGBA (n, 4) after ops, without filters and what depends on the place."""
    values = pixels.astype(np.float64)
    rgba = np.concatenate([values, np.ones_like(values[..., :1])], axis=-1)[..., :4]
    for op in ops:
        if isinstance(op, ColorOp) and not isinstance(op, SavedBlend) and not reads_place(op):
            rgba = op.reference(rgba)
    return rgba

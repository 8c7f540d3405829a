"""Ops as a Common LUT Format (.clf) or OpenColorIO Color Transform Format (.ctf) file: every op exactly, none baked.

OpenColorIO writes the text. Matrices that follow each other become one, and none where they cancel out. A .ctf has a
process node for every transform; a .clf only for those that SMPTE ST 2136-1 names, so that other programs than
OpenColorIO read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine.errors import GradeError
from engine.kernel.op import Op, TableKind
from engine.ocio.reasons import one_line
from engine.ocio.to_transforms import transforms_of_op, values_not_taken

PROCESS_LISTS = {".clf": "Academy/ASC Common LUT Format", ".ctf": "Color Transform Format"}
"""Suffixes, and OpenColorIO's names of the formats."""
_TABLES = r"(<(?:LUT1D|InverseLUT[13]D)(?:(?!</).)*?<Array[^>]*>|<ControlPoints>|<Slopes>)([^<]*)"
"""What comes before entries that slopes are made of, and these. Those of a forward cube keep their 8 digits."""
CANCELLED = 1e-12
"""What is left of a conversion there and back."""


def process_list(ops: Sequence[Op], suffix: str, description: str = "") -> str:
    """The text of a .clf or .ctf that does what `ops` do, first to last, on RGBA.

    GradeError names the first op that the format can't say, and why.
    """
    group = group_of(ops)
    if description:
        group.getFormatMetadata().addChildElement("Description", one_line(description))
    try:
        text = _written(group, suffix)
    except ocio.Exception as error:
        raise _refusal(ops, suffix, error) from error
    return _with_all_digits(text, ops)


def group_of(ops: Sequence[Op]) -> ocio.GroupTransform:
    """What is written, as a transform; GradeError where OpenColorIO has nothing that is an op."""
    return ocio.GroupTransform(_merged(transform for op in ops for transform in transforms_of_op(op)))


def _with_all_digits(text: str, ops: Sequence[Op]) -> str:
    """The file with the entries of curves and inverses in full: OpenColorIO writes 8 digits, float32 needs 9."""
    values = (getattr(op, name) for op in ops for name, kind in op.kinds().items() if isinstance(kind, TableKind))
    entries = [table.array.ravel() for table in values]
    if not entries:
        return text
    exact = np.unique(np.concatenate(entries))

    def whole(found: re.Match[str]) -> str:
        rows = [line.split() for line in found[2].strip().splitlines()]
        rounded = np.array([number for row in rows for number in row], np.float64)
        after = np.clip(np.searchsorted(exact, rounded), 1, len(exact) - 1)
        low, high = exact[after - 1], exact[after]
        nearest = np.where(rounded - low < high - rounded, low, high)
        numbers = iter(nearest.tolist())
        return found[1] + "\n" + "\n".join(" ".join(f"{next(numbers):.9g}" for _ in row) for row in rows) + "\n"

    return re.sub(_TABLES, whole, text, flags=re.DOTALL)


def _merged(transforms: Iterable[ocio.Transform]) -> list[ocio.Transform]:
    merged: list[ocio.Transform] = []
    for transform in transforms:
        before = merged[-1] if merged else None
        if isinstance(transform, ocio.MatrixTransform) and isinstance(before, ocio.MatrixTransform):
            merged.pop()
            matrix, offset = _affine(before)
            after, more = _affine(transform)
            matrix, offset = after @ matrix, after @ offset + more
            if np.abs(matrix - np.eye(4)).max() < CANCELLED and np.abs(offset).max() < CANCELLED:
                continue
            transform = ocio.MatrixTransform(matrix=matrix.ravel().tolist(), offset=offset.tolist())
        merged.append(transform)
    return merged


def _affine(transform: ocio.MatrixTransform) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    """Matrix and offset of what the transform does."""
    matrix, offset = np.array(transform.getMatrix()).reshape(4, 4), np.array(transform.getOffset())
    if transform.getDirection() == ocio.TRANSFORM_DIR_FORWARD:
        return matrix, offset
    inverse = np.linalg.inv(matrix)
    return inverse, -inverse @ offset


def _written(group: ocio.GroupTransform, suffix: str) -> str:
    return str(group.write(formatName=PROCESS_LISTS[suffix], config=ocio.Config.CreateRaw()))


def _refusal(ops: Sequence[Op], suffix: str, error: Exception) -> GradeError:
    """The error of the first op that can't be written by itself."""
    for op in ops:
        group = ocio.GroupTransform(transforms_of_op(op))
        try:
            _written(group, suffix)
        except ocio.Exception as alone:
            if suffix == ".ctf" or not _writable(group, ".ctf"):
                return values_not_taken(op, alone)
            alpha = " that changes alpha or takes from it" if "alpha" in str(alone) else ""
            what = f"a .clf has no process node for {op.title()}{alpha}"
            return GradeError(what, "write a .ctf, which has, or bake it into a .cube")
    return GradeError(f"OpenColorIO can't write the grade: {error}")


def _writable(group: ocio.GroupTransform, suffix: str) -> bool:
    try:
        _written(group, suffix)
    except ocio.Exception:
        return False
    return True

"""Ops as a Common LUT Format (.clf) or OpenColorIO Color Transform Format (.ctf) file: every op exactly, none baked.

OpenColorIO writes the text. Consecutive matrices become one, or none where they cancel out. A .ctf has a process node
for every transform; a .clf only for those of SMPTE ST 2136-1, so that programs other than OpenColorIO can read it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

import numpy as np
import PyOpenColorIO as ocio

from engine.errors import GradeError
from engine.grade.matrix_folding import Affine
from engine.kernel.op import Op, TableKind
from engine.ocio.reasons import one_line
from engine.ocio.to_transforms import rejected_values_error, transforms_of_op

PROCESS_LISTS = {".clf": "Academy/ASC Common LUT Format", ".ctf": "Color Transform Format"}
"""Suffixes, and OpenColorIO's names for the formats."""
_TABLES = r"(<(?:LUT1D|InverseLUT[13]D)(?:(?!</).)*?<Array[^>]*>|<ControlPoints>|<Slopes>)([^<]*)"
"""The element before entries that determine slopes, and the entries. Those of a forward 3D LUT keep 8 digits."""


def process_list(ops: Sequence[Op], suffix: str, description: str = "") -> str:
    """Return the text of a .clf or .ctf that is equivalent to `ops`, first to last, on RGBA.

    Raises GradeError, which names the first op that the format can't store, and why.
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
    """Return the ops as one transform. Raises GradeError if OpenColorIO has no equivalent of an op."""
    return ocio.GroupTransform(_merged(transform for op in ops for transform in transforms_of_op(op)))


def _with_all_digits(text: str, ops: Sequence[Op]) -> str:
    """Rewrite the entries of 1D LUTs and inverses with all digits: OpenColorIO writes 8, float32 needs 9."""
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
            one = _affine(before).then(_affine(transform))
            merged[-1:] = [] if one is None else [_transform(one)]
        else:
            merged.append(transform)
    return merged


def _affine(transform: ocio.MatrixTransform) -> Affine:
    """Return matrix and offset of a transform, with its direction applied."""
    matrix, offset = np.array(transform.getMatrix()).reshape(4, 4), np.array(transform.getOffset())
    if transform.getDirection() == ocio.TRANSFORM_DIR_FORWARD:
        return Affine(matrix, offset)
    inverse = np.linalg.inv(matrix)
    return Affine(inverse, -inverse @ offset)


def _transform(affine: Affine) -> ocio.MatrixTransform:
    return ocio.MatrixTransform(matrix=affine.matrix.ravel().tolist(), offset=affine.offset.tolist())


def _written(group: ocio.GroupTransform, suffix: str) -> str:
    return str(group.write(formatName=PROCESS_LISTS[suffix], config=ocio.Config.CreateRaw()))


def _refusal(ops: Sequence[Op], suffix: str, error: Exception) -> GradeError:
    """Return the error for the first op that can't be written by itself."""
    for op in ops:
        group = ocio.GroupTransform(transforms_of_op(op))
        try:
            _written(group, suffix)
        except ocio.Exception as alone:
            if suffix == ".ctf" or not _writable(group, ".ctf"):
                return rejected_values_error(op, alone)
            alpha = " that changes or reads alpha" if "alpha" in str(alone) else ""
            what = f"a .clf has no process node for {op.title()}{alpha}"
            return GradeError(what, "write a .ctf, or bake it into a .cube")
    return GradeError(f"OpenColorIO can't write the grade: {error}")


def _writable(group: ocio.GroupTransform, suffix: str) -> bool:
    try:
        _written(group, suffix)
    except ocio.Exception:
        return False
    return True

"""Ops -> OpenColorIO transforms: the reverse of `engine.ocio.transforms`.

An op with an equivalent transform in OpenColorIO becomes that transform. Other ops become several transforms with the
same arithmetic where possible: exposure becomes a matrix; contrast becomes a gain, a mirrored exponent and a gain.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import PyOpenColorIO as ocio

from engine.errors import GradeError
from engine.grade.blending import Mix
from engine.grade.masking import matted_name
from engine.kernel.op import ColorOp, Op
from engine.ocio.fixed_functions import fixed_function_of, has_fixed_function
from engine.ocio.grading import GRADING_OPS, grading_transform_of
from engine.ops import (
    Cdl,
    ChannelMixer,
    Contrast,
    Exponent,
    ExponentWithLinear,
    Exposure,
    InverseLut1d,
    InverseLut3d,
    Log,
    LogAffine,
    LogCamera,
    Lut1d,
    Lut3d,
    Matrix,
    Range,
    Saturation,
    WhiteBalance,
)
from engine.ops.exposure import gain_of

Transforms = list[ocio.Transform]

_NEGATIVE = {
    "clamp": ocio.NEGATIVE_CLAMP,
    "mirror": ocio.NEGATIVE_MIRROR,
    "pass": ocio.NEGATIVE_PASS_THRU,
    "linear": ocio.NEGATIVE_LINEAR,
}


def transforms_of_op(op: Op) -> Transforms:
    """Return the transforms that are equivalent to `op`, first to last. Raises GradeError if there are none."""
    if name := matted_name(op):
        raise GradeError(f"{name} has a matte, which no look file can store", "export the image, or bypass the entry")
    if not isinstance(op, ColorOp):
        raise GradeError(f"{op.title()} reads neighbouring pixels, which no look file can", "leave it out")
    if isinstance(op, Mix):
        what = f"OpenColorIO has no equivalent of a mix of {100 * op.amount:g} %"
        raise GradeError(what, "set it to 100 %, or bake it into a .cube")
    convert = _converter(op)
    if convert is None:
        raise GradeError(f"OpenColorIO has no equivalent of {op.title()}", "bake it into a .cube")
    try:
        return convert(op)
    except ocio.Exception as error:
        raise rejected_values_error(op, error) from error


def rejected_values_error(op: Op, error: Exception) -> GradeError:
    """Return the error for values of an op that OpenColorIO rejects, without the names of its classes."""
    reason = str(error).rpartition("validation failed: ")[2].strip(" .")
    return GradeError(f"{op.title()} has values that OpenColorIO does not accept: {reason}", "bake it into a .cube")


def _converter(op: Op) -> Callable[[Any], Transforms] | None:
    if has_fixed_function(op):
        return fixed_function_of
    return grading_transform_of if type(op) in GRADING_OPS else _CONVERTERS.get(type(op))


def _way(op: Any) -> ocio.TransformDirection:
    return ocio.TRANSFORM_DIR_FORWARD if op.direction == "forward" else ocio.TRANSFORM_DIR_INVERSE


def _matrix(op: Matrix) -> Transforms:
    return [ocio.MatrixTransform(matrix=list(op.matrix), offset=list(op.offset))]


def _gain(gain: float, offset: float = 0.0) -> ocio.Transform:
    """Return R, G and B times `gain`, plus `offset`. Raises GradeError if the gain is infinite."""
    if not np.isfinite(gain):
        raise GradeError("a gain of the grade is infinite", "lower its exposure")
    return ocio.MatrixTransform(
        matrix=np.diag((gain, gain, gain, 1.0)).ravel().tolist(), offset=[offset, offset, offset, 0.0]
    )


def _linear(op: ColorOp) -> Transforms:
    """Return the matrix of an op that is linear in RGB."""
    unit = op.reference(np.column_stack([np.eye(3), np.ones(3)]))[:, :3]
    matrix = np.eye(4)
    matrix[:3, :3] = unit.T
    return [ocio.MatrixTransform(matrix=matrix.ravel().tolist())]


def _contrast(op: Contrast) -> Transforms:
    power = ocio.ExponentTransform([op.contrast] * 3 + [1.0], ocio.NEGATIVE_MIRROR)
    return [_gain(1.0 / op.pivot), power, _gain(op.pivot)]


def _range(op: Range) -> Transforms:
    """Convert a range; a range with a single end shifts nothing in OpenColorIO, so a matrix does that."""
    if op.bounds == "both":
        both = ocio.RangeTransform(op.min_in, op.max_in, op.min_out, op.max_out)
        both.setStyle(ocio.RANGE_CLAMP if op.style == "clamp" else ocio.RANGE_NO_CLAMP)
        return [both]
    low = op.bounds == "low"
    shift = op.min_out - op.min_in if low else op.max_out - op.max_in
    transforms = [_gain(1.0, shift)] if shift else []
    if op.style == "clamp":
        end = ocio.RangeTransform()
        (end.setMinInValue if low else end.setMaxInValue)(op.min_out if low else op.max_out)
        (end.setMinOutValue if low else end.setMaxOutValue)(op.min_out if low else op.max_out)
        transforms.append(end)
    return transforms


def _cdl(op: Cdl) -> Transforms:
    cdl = ocio.CDLTransform(list(op.slope), list(op.offset), list(op.power), op.saturation, direction=_way(op))
    cdl.setStyle(ocio.CDL_ASC if op.style == "asc" else ocio.CDL_NO_CLAMP)
    return [cdl]


def _exponent(op: Exponent) -> Transforms:
    alpha = op.alpha if op.channels == "rgba" else 1.0
    return [ocio.ExponentTransform([*op.exponent, alpha], _NEGATIVE[op.negative])]


def _exponent_with_linear(op: ExponentWithLinear) -> Transforms:
    gamma, offset = op.alpha if op.channels == "rgba" else (1.0, 0.0)
    return [
        ocio.ExponentWithLinearTransform([*op.gamma, gamma], [*op.offset, offset], _NEGATIVE[op.negative], _way(op))
    ]


def _log(op: Log) -> Transforms:
    return [ocio.LogTransform(op.base, _way(op))]


def _log_affine(op: LogAffine) -> Transforms:
    log = ocio.LogAffineTransform(
        list(op.log_slope), list(op.log_offset), list(op.lin_slope), list(op.lin_offset), _way(op)
    )
    log.setBase(op.base)
    return [log]


def _log_camera(op: LogCamera) -> Transforms:
    return [
        ocio.LogCameraTransform(
            list(op.lin_break),
            op.base,
            list(op.log_slope),
            list(op.log_offset),
            list(op.lin_slope),
            list(op.lin_offset),
            list(op.linear_slope) if op.slope == "given" else [],
            _way(op),
        )
    ]


def _onto_0_to_1(low: Sequence[float], high: Sequence[float]) -> Transforms:
    """Return a matrix that maps low..high of each channel to 0..1; none if they are 0..1 already."""
    if (*low, *high) == (0.0, 0.0, 0.0, 1.0, 1.0, 1.0):
        return []
    extent = np.subtract(high, low)
    offset = (-np.array(low) / extent).tolist()
    return [ocio.MatrixTransform(matrix=np.diag([*(1.0 / extent), 1.0]).ravel().tolist(), offset=[*offset, 0.0])]


def _lut1d_of(op: Lut1d | InverseLut1d) -> ocio.Lut1DTransform:
    lut = ocio.Lut1DTransform(op.curve.size, op.index == "half")
    lut.setData(np.broadcast_to(op.curve.array, (op.curve.size, 3)).ravel())
    lut.setHueAdjust(ocio.HUE_DW3 if op.hue == "kept" else ocio.HUE_NONE)
    return lut


def _lut1d(op: Lut1d) -> Transforms:
    before = _onto_0_to_1((op.domain[0],) * 3, (op.domain[1],) * 3) if op.index == "uniform" else []
    return [*before, _lut1d_of(op)]


def _inverse_lut1d(op: InverseLut1d) -> Transforms:
    lut = _lut1d_of(op)
    lut.setDirection(ocio.TRANSFORM_DIR_INVERSE)
    low, high = op.domain if op.index == "uniform" else (0.0, 1.0)
    return [lut, *([_gain(high - low, low)] if (low, high) != (0.0, 1.0) else [])]


def _lut3d_of(op: Lut3d | InverseLut3d) -> ocio.Lut3DTransform:
    lut = ocio.Lut3DTransform(op.cube.size)
    lut.setData(op.cube.array.ravel())
    return lut


def _lut3d(op: Lut3d) -> Transforms:
    lut = _lut3d_of(op)
    lut.setInterpolation(ocio.INTERP_TETRAHEDRAL if op.interpolation == "tetrahedral" else ocio.INTERP_LINEAR)
    return [*_onto_0_to_1(op.low, op.high), lut]


def _inverse_lut3d(op: InverseLut3d) -> Transforms:
    lut = _lut3d_of(op)
    lut.setInterpolation(ocio.INTERP_TETRAHEDRAL)
    lut.setDirection(ocio.TRANSFORM_DIR_INVERSE)
    after = _onto_0_to_1(op.low, op.high)
    for matrix in after:
        matrix.setDirection(ocio.TRANSFORM_DIR_INVERSE)
    return [lut, *after]


_CONVERTERS: dict[type[Op], Callable[[Any], Transforms]] = {
    Cdl: _cdl,
    ChannelMixer: _linear,
    Contrast: _contrast,
    Exponent: _exponent,
    ExponentWithLinear: _exponent_with_linear,
    Exposure: lambda op: [_gain(gain_of(op.stops))],
    InverseLut1d: _inverse_lut1d,
    InverseLut3d: _inverse_lut3d,
    Log: _log,
    LogAffine: _log_affine,
    LogCamera: _log_camera,
    Lut1d: _lut1d,
    Lut3d: _lut3d,
    Matrix: _matrix,
    Range: _range,
    Saturation: _linear,
    WhiteBalance: _linear,
}

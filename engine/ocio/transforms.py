"""OpenColorIO transforms -> ops.

A processor is decomposed without OpenColorIO's optimisations: even those that it calls lossless drop clamps and NaN
handling (a no-clamp CDL and its inverse cancel out, although values are clamped in between), and Tessera fuses the ops
anyway. So the ops correspond, one for one, to `getOptimizedCPUProcessor(OPTIMIZATION_NONE)`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import PyOpenColorIO as ocio
from numpy.typing import NDArray

from engine import ops
from engine.core.colorimetry import MID_GREY
from engine.errors import GradeError, UnsupportedTransform
from engine.kernel.op import Op, Table

Ops = list[Op]

LEAST_GAMMA_ABOVE_1 = 1e-6
"""OpenColorIO clamps the gamma of an exponent with a linear part to this much above 1, and its offset above 0."""
VIDEO_POWER = 1.0 / 1.83
"""Power to which the video style of ExposureContrast raises its exposure and pivot."""
LEAST_CONTRAST = LEAST_PIVOT = 0.001
"""ExposureContrast clamps contrast and pivot to at least these."""
POSITIVE_INF, NEGATIVE_INF = 0x7C00, 0xFC00
"""Half-precision bit patterns; those of the largest and the smallest finite numbers come right before."""

_NEGATIVE = {
    ocio.NEGATIVE_CLAMP: "clamp",
    ocio.NEGATIVE_MIRROR: "mirror",
    ocio.NEGATIVE_PASS_THRU: "pass",
    ocio.NEGATIVE_LINEAR: "linear",
}


def ops_from_processor(processor: ocio.Processor) -> Ops:
    """Return the ops that are equivalent to `processor`, first to last; RGBA in and out as in the processor.

    Raises UnsupportedTransform, which names the first transform without a matching op.
    """
    return [op for transform in transforms_of(processor) for op in ops_from_transform(transform)]


def transforms_of(processor: ocio.Processor) -> list[ocio.Transform]:
    """Return the basic transforms of a processor, first to last."""
    return list(processor.createGroupTransform())


def ops_from_transform(transform: ocio.Transform) -> Ops:
    """Return the ops of one basic transform. Raises UnsupportedTransform if there are none, or for invalid values."""
    convert = _CONVERTERS.get(type(transform))
    if convert is None:
        raise UnsupportedTransform(name_of(transform))
    try:
        return convert(transform)
    except UnsupportedTransform:
        raise
    except (GradeError, OverflowError) as error:
        raise UnsupportedTransform(name_of(transform), f"has a {name_of(transform)} out of range: {error}") from error


def name_of(transform: ocio.Transform) -> str:
    """Return the name of a transform for the user, with its style if that determines what it does."""
    name = type(transform).__name__.removesuffix("Transform")
    style = getattr(transform, "getStyle", None)
    if style is None or name in ("CDL", "Range"):
        return name
    return f"{name} {_word(style())}"


def _word(value: Any) -> str:
    """Return an enumeration value without its common prefix."""
    name = str(value.name)
    for prefix in ("FIXED_FUNCTION_", "EXPOSURE_CONTRAST_", "GRADING_"):
        name = name.removeprefix(prefix)
    return name


def _inverse(transform: ocio.Transform) -> bool:
    return bool(transform.getDirection() == ocio.TRANSFORM_DIR_INVERSE)


def _direction(transform: ocio.Transform) -> str:
    return "reverse" if _inverse(transform) else "forward"


def _turned(transform: ocio.Transform, ops: Ops) -> Ops:
    """Return `ops`, or their inverses in reverse order if the transform is inverse."""
    return [op.inverse() for op in reversed(ops)] if _inverse(transform) else ops  # type: ignore[attr-defined]


def _matrix(transform: ocio.MatrixTransform) -> Ops:
    matrix, offset = transform.getMatrix(), transform.getOffset()
    diagonal = all(value == 0.0 for i, value in enumerate(matrix) if i % 5)
    return _turned(transform, [ops.Matrix(tuple(matrix), tuple(offset), "diagonal" if diagonal else "full")])


def _range(transform: ocio.RangeTransform) -> Ops:
    low, high = transform.hasMinInValue(), transform.hasMaxInValue()
    values: dict[str, Any] = {"bounds": "both" if low and high else "low" if low else "high"}
    if low:
        values |= {"min_in": transform.getMinInValue(), "min_out": transform.getMinOutValue()}
    if high:
        values |= {"max_in": transform.getMaxInValue(), "max_out": transform.getMaxOutValue()}
    if transform.getStyle() == ocio.RANGE_NO_CLAMP:
        values["style"] = "noclamp"
    return _turned(transform, [ops.Range(**values)])


def _cdl(transform: ocio.CDLTransform) -> Ops:
    style = "asc" if transform.getStyle() == ocio.CDL_ASC else "noclamp"
    sop = (transform.getSlope(), transform.getOffset(), transform.getPower())
    return [ops.Cdl(*sop, transform.getSat(), style, _direction(transform))]


def _exponent(transform: ocio.ExponentTransform) -> Ops:
    *rgb, alpha = transform.getValue()
    channels = "rgb" if alpha == 1.0 else "rgba"
    return _turned(transform, [ops.Exponent(tuple(rgb), _NEGATIVE[transform.getNegativeStyle()], alpha, channels)])


def _exponent_with_linear(transform: ocio.ExponentWithLinearTransform) -> Ops:
    gamma, offset = transform.getGamma(), transform.getOffset()
    channels = "rgb" if (gamma[3], offset[3]) == (1.0, 0.0) else "rgba"
    *gammas, alpha_gamma = (max(x, 1.0 + LEAST_GAMMA_ABOVE_1) for x in gamma)
    *offsets, alpha_offset = (max(x, LEAST_GAMMA_ABOVE_1) for x in offset)
    negative, alpha = _NEGATIVE[transform.getNegativeStyle()], (alpha_gamma, alpha_offset)
    return [ops.ExponentWithLinear(gammas, offsets, negative, _direction(transform), alpha, channels)]


def _log(transform: ocio.LogTransform) -> Ops:
    return [ops.Log(transform.getBase(), _direction(transform))]


def _log_curve(transform: ocio.LogAffineTransform | ocio.LogCameraTransform) -> dict[str, Any]:
    return {
        "log_slope": transform.getLogSideSlopeValue(),
        "log_offset": transform.getLogSideOffsetValue(),
        "lin_slope": transform.getLinSideSlopeValue(),
        "lin_offset": transform.getLinSideOffsetValue(),
        "base": transform.getBase(),
        "direction": _direction(transform),
    }


def _log_affine(transform: ocio.LogAffineTransform) -> Ops:
    return [ops.LogAffine(**_log_curve(transform))]


def _log_camera(transform: ocio.LogCameraTransform) -> Ops:
    values = _log_curve(transform) | {"lin_break": transform.getLinSideBreakValue()}
    if transform.isLinearSlopeValueSet():
        values |= {"linear_slope": transform.getLinearSlopeValue(), "slope": "given"}
    return [ops.LogCamera(**values)]


def _lut1d(transform: ocio.Lut1DTransform) -> Ops:
    curve = _finite(transform.getData()).reshape(-1, 3)
    half = transform.getInputHalfDomain()
    if half:  # beyond the largest half number, its entry applies, not that of Inf
        curve[[POSITIVE_INF, NEGATIVE_INF]] = curve[[POSITIVE_INF - 1, NEGATIVE_INF - 1]]
    if np.array_equal(curve[:, :1].repeat(3, axis=1), curve):
        curve = curve[:, :1]
    hue = "free" if transform.getHueAdjust() == ocio.HUE_NONE else "kept"
    return _turned(transform, [ops.Lut1d(Table(curve), (0.0, 1.0), "half" if half else "uniform", hue)])


def _lut3d(transform: ocio.Lut3DTransform) -> Ops:
    size = transform.getGridSize()
    cube = _finite(transform.getData()).reshape(size, size, size, 3)
    tetrahedral = transform.getInterpolation() in (ocio.INTERP_TETRAHEDRAL, ocio.INTERP_BEST)
    lut = ops.Lut3d(Table(cube), (0.0,) * 3, (1.0,) * 3, "tetrahedral" if tetrahedral else "trilinear")
    return _turned(transform, [lut])


def _finite(values: Any) -> NDArray[np.float32]:
    """Return table entries as OpenColorIO reads them: NaN as 0, Inf as the largest float32."""
    return np.nan_to_num(np.array(values, np.float32), nan=0.0)


def _exposure_contrast(transform: ocio.ExposureContrastTransform) -> Ops:
    """Convert exposure and contrast about a pivot to a gain, a power and a gain; in log space, to a straight line."""
    contrast = max(transform.getContrast() * transform.getGamma(), LEAST_CONTRAST)
    pivot = max(transform.getPivot(), LEAST_PIVOT)
    if transform.getStyle() == ocio.EXPOSURE_CONTRAST_LOGARITHMIC:
        step = transform.getLogExposureStep()
        at_pivot = max(math.log2(pivot / MID_GREY) * step + transform.getLogMidGray(), 0.0)
        moved = (transform.getExposure() * step - at_pivot) * contrast + at_pivot
        return _turned(transform, [_gain(contrast, moved)])
    curve = VIDEO_POWER if transform.getStyle() == ocio.EXPOSURE_CONTRAST_VIDEO else 1.0
    gain, pivot = 2.0 ** (transform.getExposure() * curve), pivot**curve
    if contrast == 1.0:
        return _turned(transform, [_gain(gain)])
    return _turned(transform, [_gain(gain / pivot), ops.Exponent((contrast,) * 3, "clamp"), _gain(pivot)])


def _gain(gain: float, offset: float = 0.0) -> ops.Matrix:
    """Return R, G and B times `gain`, plus `offset`."""
    diagonal: Sequence[float] = np.diag((gain, gain, gain, 1.0)).ravel().tolist()
    return ops.Matrix(tuple(diagonal), (offset, offset, offset, 0.0), "diagonal")


def _fixed_function(transform: ocio.FixedFunctionTransform) -> Ops:
    from engine.ocio.fixed_functions import fixed_function_ops  # it loads many ops

    return fixed_function_ops(transform)


def _grading(transform: ocio.Transform) -> Ops:
    from engine.ocio.grading import grading_ops  # it loads large ops

    return grading_ops(transform)


_CONVERTERS: dict[type, Callable[[Any], Ops]] = {
    ocio.MatrixTransform: _matrix,
    ocio.RangeTransform: _range,
    ocio.CDLTransform: _cdl,
    ocio.ExponentTransform: _exponent,
    ocio.ExponentWithLinearTransform: _exponent_with_linear,
    ocio.LogTransform: _log,
    ocio.LogAffineTransform: _log_affine,
    ocio.LogCameraTransform: _log_camera,
    ocio.Lut1DTransform: _lut1d,
    ocio.Lut3DTransform: _lut3d,
    ocio.ExposureContrastTransform: _exposure_contrast,
    ocio.FixedFunctionTransform: _fixed_function,
    ocio.GradingHueCurveTransform: _grading,
    ocio.GradingPrimaryTransform: _grading,
    ocio.GradingRGBCurveTransform: _grading,
    ocio.GradingToneTransform: _grading,
}

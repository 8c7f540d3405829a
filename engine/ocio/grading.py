"""OpenColorIO's grading transforms -> ops."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio

from engine.op import Op, Table
from engine.ops import GradingRgbCurve


def _is_inverse(transform: ocio.Transform) -> bool:
    return bool(transform.getDirection() == ocio.TRANSFORM_DIR_INVERSE)


def _points(curve: ocio.GradingBSplineCurve) -> Table:
    """Control points as rows of x, y and slope."""
    points = curve.getControlPoints()
    return Table(np.array([(p.x, p.y, slope) for p, slope in zip(points, curve.getSlopes(), strict=True)], np.float32))


def rgb_curve_ops(transform: ocio.GradingRGBCurveTransform) -> list[Op]:
    """The op of a GradingRGBCurve."""
    value = transform.getValue()
    red, green, blue, master = (_points(curve) for curve in (value.red, value.green, value.blue, value.master))
    scene = transform.getStyle() == ocio.GRADING_LIN and not transform.getBypassLinToLog()
    op = GradingRgbCurve.of(red, green, blue, master, "linear" if scene else "log")
    return [op.turned() if _is_inverse(transform) else op]

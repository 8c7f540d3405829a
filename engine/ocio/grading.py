"""OpenColorIO's grading transforms -> ops."""

from __future__ import annotations

import numpy as np
import PyOpenColorIO as ocio

from engine.errors import UnsupportedTransform
from engine.op import Op, Table
from engine.ops import GradingHueCurve, GradingPrimary, GradingRgbCurve, GradingTone, RgbHsy
from engine.ops.grading_hue_curve import CURVES
from engine.ops.grading_primary import HIGHEST, LOWEST


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


def primary_ops(transform: ocio.GradingPrimaryTransform) -> list[Op]:
    """The op of a GradingPrimary."""
    value = transform.getValue()
    controls = ("brightness", "contrast", "gamma", "offset", "exposure", "lift", "gain")
    op = GradingPrimary(
        **{name: _rgbm(getattr(value, name)) for name in controls},
        saturation=value.saturation,
        pivot=value.pivot,
        black=value.pivotBlack,
        white=value.pivotWhite,
        low=max(value.clampBlack, LOWEST),
        high=min(value.clampWhite, HIGHEST),
        style=_STYLES[transform.getStyle()],
    )
    return [op.turned() if _is_inverse(transform) else op]


def _rgbm(value: ocio.GradingRGBM) -> tuple[float, float, float, float]:
    return value.red, value.green, value.blue, value.master


_STYLES = {ocio.GRADING_LOG: "log", ocio.GRADING_LIN: "linear", ocio.GRADING_VIDEO: "video"}


def tone_ops(transform: ocio.GradingToneTransform) -> list[Op]:
    """The op of a GradingTone."""
    value = transform.getValue()
    controls = {"middle": value.midtones} | {
        name: getattr(value, name) for name in ("blacks", "shadows", "highlights", "whites")
    }
    numbers = {name: (c.red, c.green, c.blue, c.master, c.start, c.width) for name, c in controls.items()}
    op = GradingTone(**numbers, contrast=value.scontrast, style=_STYLES[transform.getStyle()])
    return [op.turned() if _is_inverse(transform) else op]


def hue_curve_ops(transform: ocio.GradingHueCurveTransform) -> list[Op]:
    """The curves of a GradingHueCurve, between RGB to HSY and back unless it works on HSY already."""
    value, style = transform.getValue(), _STYLES[transform.getStyle()]
    if value.getDrawCurveOnly():
        raise UnsupportedTransform("GradingHueCurve that only draws a curve")
    op = GradingHueCurve(**{name: _points(getattr(value, name)) for name in CURVES}, style=style)
    op = op.turned() if _is_inverse(transform) else op
    if transform.getRGBToHSY() == ocio.HSY_TRANSFORM_NONE:
        return [op]
    return [RgbHsy(style), op, RgbHsy(style).inverse()]

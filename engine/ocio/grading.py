"""OpenColorIO's grading transforms -> ops, and back."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import PyOpenColorIO as ocio

from engine.errors import UnsupportedTransform
from engine.kernel.op import Op, Table
from engine.ops import GradingHueCurve, GradingPrimary, GradingRgbCurve, GradingTone
from engine.ops.grading_hue_curve import CURVES
from engine.ops.grading_primary import HIGHEST, LOWEST


def _is_inverse(transform: ocio.Transform) -> bool:
    return bool(transform.getDirection() == ocio.TRANSFORM_DIR_INVERSE)


def _points(curve: ocio.GradingBSplineCurve) -> Table:
    """Return control points as rows of x, y and slope."""
    points = curve.getControlPoints()
    return Table(np.array([(p.x, p.y, slope) for p, slope in zip(points, curve.getSlopes(), strict=True)], np.float32))


def _rgb_curve_ops(transform: ocio.GradingRGBCurveTransform) -> list[Op]:
    """Return the op of a GradingRGBCurve."""
    value = transform.getValue()
    red, green, blue, master = (_points(curve) for curve in (value.red, value.green, value.blue, value.master))
    scene = transform.getStyle() == ocio.GRADING_LIN and not transform.getBypassLinToLog()
    op = GradingRgbCurve.of(red, green, blue, master, "linear" if scene else "log")
    return [op.turned() if _is_inverse(transform) else op]


def _primary_ops(transform: ocio.GradingPrimaryTransform) -> list[Op]:
    """Return the op of a GradingPrimary."""
    value = transform.getValue()
    op = GradingPrimary(
        **{name: _rgbm(getattr(value, name)) for name in _PRIMARY_CONTROLS},
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


_PRIMARY_CONTROLS = ("brightness", "contrast", "gamma", "offset", "exposure", "lift", "gain")
_TONE_CONTROLS = ("blacks", "shadows", "highlights", "whites")
_STYLES = {ocio.GRADING_LOG: "log", ocio.GRADING_LIN: "linear", ocio.GRADING_VIDEO: "video"}


def _tone_ops(transform: ocio.GradingToneTransform) -> list[Op]:
    """Return the op of a GradingTone."""
    value = transform.getValue()
    controls = {"middle": value.midtones} | {name: getattr(value, name) for name in _TONE_CONTROLS}
    numbers = {name: (c.red, c.green, c.blue, c.master, c.start, c.width) for name, c in controls.items()}
    op = GradingTone(**numbers, contrast=value.scontrast, style=_STYLES[transform.getStyle()])
    return [op.turned() if _is_inverse(transform) else op]


def _hue_curve_ops(transform: ocio.GradingHueCurveTransform) -> list[Op]:
    """Return the op of a GradingHueCurve, for RGB unless it works on HSY."""
    value, style = transform.getValue(), _STYLES[transform.getStyle()]
    if value.getDrawCurveOnly():
        raise UnsupportedTransform("GradingHueCurve that only draws a curve")
    takes = "hsy" if transform.getRGBToHSY() == ocio.HSY_TRANSFORM_NONE else "rgb"
    op = GradingHueCurve(**{name: _points(getattr(value, name)) for name in CURVES}, style=style, takes=takes)
    return [op.turned() if _is_inverse(transform) else op]


_OPS_OF: dict[type, Callable[[Any], list[Op]]] = {
    ocio.GradingHueCurveTransform: _hue_curve_ops,
    ocio.GradingPrimaryTransform: _primary_ops,
    ocio.GradingRGBCurveTransform: _rgb_curve_ops,
    ocio.GradingToneTransform: _tone_ops,
}


def grading_ops(transform: ocio.Transform) -> list[Op]:
    """Return the op of a grading transform."""
    return _OPS_OF[type(transform)](transform)


def grading_transform_of(op: Any) -> list[ocio.Transform]:
    """Return the grading transform of an op, one of `GRADING_OPS`."""
    transform, value = GRADING_OPS[type(op)](op)
    transform.setValue(value)
    if op.direction == "reverse":
        transform.setDirection(ocio.TRANSFORM_DIR_INVERSE)
    return [transform]


def _curve(points: Table, *kind: ocio.HueCurveType) -> ocio.GradingBSplineCurve:
    xy, slopes = points.array[:, :2], points.array[:, 2]
    curve = ocio.GradingBSplineCurve(xy.ravel().tolist(), *kind)
    curve.setSlopes(slopes.tolist())
    return curve


def _rgb_curve(op: GradingRgbCurve) -> tuple[ocio.Transform, Any]:
    value = ocio.GradingRGBCurve(_curve(op.red), _curve(op.green), _curve(op.blue), _curve(op.master))
    return ocio.GradingRGBCurveTransform(_style(op.style)), value


def _primary(op: GradingPrimary) -> tuple[ocio.Transform, Any]:
    value = ocio.GradingPrimary(_style(op.style))
    for name in _PRIMARY_CONTROLS:
        setattr(value, name, ocio.GradingRGBM(*getattr(op, name)))
    value.saturation, value.pivot = op.saturation, op.pivot
    value.pivotBlack, value.pivotWhite = op.black, op.white
    if op.low != LOWEST:
        value.clampBlack = op.low
    if op.high != HIGHEST:
        value.clampWhite = op.high
    return ocio.GradingPrimaryTransform(_style(op.style)), value


def _tone(op: GradingTone) -> tuple[ocio.Transform, Any]:
    value = ocio.GradingTone(_style(op.style))
    value.midtones, value.scontrast = ocio.GradingRGBMSW(*op.middle), op.contrast
    for name in _TONE_CONTROLS:
        setattr(value, name, ocio.GradingRGBMSW(*getattr(op, name)))
    return ocio.GradingToneTransform(_style(op.style)), value


def _hue_curve(op: GradingHueCurve) -> tuple[ocio.Transform, Any]:
    kinds = ocio.HueCurveType.__members__
    value = ocio.GradingHueCurve(*(_curve(getattr(op, name), kinds[name.upper()]) for name in CURVES))
    transform = ocio.GradingHueCurveTransform(_style(op.style))
    transform.setRGBToHSY(ocio.HSY_TRANSFORM_NONE if op.takes == "hsy" else ocio.HSY_TRANSFORM_1)
    return transform, value


def _style(word: str) -> ocio.GradingStyle:
    return next(style for style, name in _STYLES.items() if name == word)


GRADING_OPS: dict[type[Op], Callable[[Any], tuple[ocio.Transform, Any]]] = {
    GradingHueCurve: _hue_curve,
    GradingPrimary: _primary,
    GradingRgbCurve: _rgb_curve,
    GradingTone: _tone,
}
"""Ops with a grading transform in OpenColorIO, and functions that create it with its values."""

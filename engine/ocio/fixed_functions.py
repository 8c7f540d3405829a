"""OpenColorIO's fixed functions -> ops, and back."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import PyOpenColorIO as ocio

from engine import ops
from engine.errors import UnsupportedTransform
from engine.kernel.op import ColorOp, Op

Parameters = Sequence[float]
Build = Callable[[Parameters], ColorOp]


def _gamma_log(p: Parameters) -> ColorOp:
    mirror, lin_break, gamma, gamma_slope, gamma_offset, base, *log = p
    return ops.GammaLog(mirror, lin_break, gamma, gamma_slope, gamma_offset, base, *log)


def _double_log(p: Parameters) -> ColorOp:
    pairs = [(p[3 + i], p[7 + i]) for i in range(4)]
    return ops.DoubleLog(p[0], (p[1], p[2]), *pairs, slope=p[11], offset=p[12])


_STYLES: dict[ocio.FixedFunctionStyle, Build] = {
    ocio.FIXED_FUNCTION_ACES_RED_MOD_03: lambda p: ops.AcesRedModifier("0.3"),
    ocio.FIXED_FUNCTION_ACES_RED_MOD_10: lambda p: ops.AcesRedModifier("1.0"),
    ocio.FIXED_FUNCTION_ACES_GLOW_03: lambda p: ops.AcesGlow("0.3"),
    ocio.FIXED_FUNCTION_ACES_GLOW_10: lambda p: ops.AcesGlow("1.0"),
    ocio.FIXED_FUNCTION_ACES_DARK_TO_DIM_10: lambda p: ops.AcesDarkToDim(),
    ocio.FIXED_FUNCTION_ACES_GAMUT_COMP_13: lambda p: ops.AcesGamutCompress(p[:3], p[3:6], p[6]),
    ocio.FIXED_FUNCTION_ACES_OUTPUT_TRANSFORM_20: lambda p: ops.Aces2OutputTransform(p[0], p[1:9]),
    ocio.FIXED_FUNCTION_ACES_RGB_TO_JMH_20: lambda p: ops.Aces2Jmh(p[:8]),
    ocio.FIXED_FUNCTION_ACES_RGB_TO_HMJ_20: lambda p: ops.Aces2Jmh(p[:8], "hMJ"),
    ocio.FIXED_FUNCTION_ACES_TONESCALE_COMPRESS_20: lambda p: ops.Aces2ToneCompress(p[0]),
    ocio.FIXED_FUNCTION_ACES_GAMUT_COMPRESS_20: lambda p: ops.Aces2GamutCompress(p[0], p[1:9]),
    ocio.FIXED_FUNCTION_REC2100_SURROUND: lambda p: ops.Rec2100Surround(p[0]),
    ocio.FIXED_FUNCTION_RGB_TO_HSV: lambda p: ops.RgbHsv(),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_LOG: lambda p: ops.RgbHsy("log"),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_LIN: lambda p: ops.RgbHsy("linear"),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_VID: lambda p: ops.RgbHsy("video"),
    ocio.FIXED_FUNCTION_XYZ_TO_xyY: lambda p: ops.CieCoordinates("xyY"),
    ocio.FIXED_FUNCTION_XYZ_TO_uvY: lambda p: ops.CieCoordinates("uvY"),
    ocio.FIXED_FUNCTION_XYZ_TO_LUV: lambda p: ops.CieCoordinates("Luv"),
    ocio.FIXED_FUNCTION_LIN_TO_PQ: lambda p: ops.PqCurve(),
    ocio.FIXED_FUNCTION_LIN_TO_GAMMA_LOG: _gamma_log,
    ocio.FIXED_FUNCTION_LIN_TO_DOUBLE_LOG: _double_log,
}


def fixed_function_ops(transform: ocio.FixedFunctionTransform) -> list[Op]:
    """Return the op of a fixed function. Raises UnsupportedTransform for styles that OpenColorIO does not implement."""
    build = _STYLES.get(transform.getStyle())
    if build is None:
        raise UnsupportedTransform(f"FixedFunction {transform.getStyle().name.removeprefix('FIXED_FUNCTION_')}")
    op = build(list(transform.getParams()))
    return [op.turned() if transform.getDirection() == ocio.TRANSFORM_DIR_INVERSE else op]


Style = tuple[str, Parameters]
"""The style without its prefix, and the parameters."""

_HSY_STYLES = {"log": "LOG", "linear": "LIN", "video": "VID"}
_COORDINATES = {"xyY": "xyY", "uvY": "uvY", "Luv": "LUV"}
_STYLE_OF: dict[str, Callable[[Any], Style]] = {
    "AcesRedModifier": lambda op: (f"ACES_RED_MOD_{op.version.replace('.', '')}", ()),
    "AcesGlow": lambda op: (f"ACES_GLOW_{op.version.replace('.', '')}", ()),
    "AcesDarkToDim": lambda op: ("ACES_DARK_TO_DIM_10", ()),
    "AcesGamutCompress": lambda op: ("ACES_GAMUT_COMP_13", (*op.limit, *op.threshold, op.power)),
    "Aces2OutputTransform": lambda op: ("ACES_OUTPUT_TRANSFORM_20", (op.peak, *op.primaries)),
    "Aces2Jmh": lambda op: (f"ACES_RGB_TO_{op.order.upper()}_20", op.primaries),
    "Aces2ToneCompress": lambda op: ("ACES_TONESCALE_COMPRESS_20", (op.peak,)),
    "Aces2GamutCompress": lambda op: ("ACES_GAMUT_COMPRESS_20", (op.peak, *op.primaries)),
    "Rec2100Surround": lambda op: ("REC2100_SURROUND", (op.gamma,)),
    "RgbHsv": lambda op: ("RGB_TO_HSV", ()),
    "RgbHsy": lambda op: (f"RGB_TO_HSY_{_HSY_STYLES[op.style]}", ()),
    "CieCoordinates": lambda op: (f"XYZ_TO_{_COORDINATES[op.coordinates]}", ()),
    "PqCurve": lambda op: ("LIN_TO_PQ", ()),
    "GammaLog": lambda op: ("LIN_TO_GAMMA_LOG", [getattr(op, name) for name in op.kinds() if name != "direction"]),
    "DoubleLog": lambda op: (
        "LIN_TO_DOUBLE_LOG",
        (
            *(op.base, *op.breaks),
            *(pair[which] for which in (0, 1) for pair in (op.log_slope, op.log_offset, op.lin_slope, op.lin_offset)),
            *(op.slope, op.offset),
        ),
    ),
}


def has_fixed_function(op: Op) -> bool:
    """Return whether the op is one of OpenColorIO's fixed functions."""
    return op.registered_name() in _STYLE_OF


def fixed_function_of(op: Any) -> list[ocio.Transform]:
    """Return the fixed function of an op."""
    name, parameters = _STYLE_OF[op.registered_name()](op)
    style = ocio.FixedFunctionStyle.__members__[f"FIXED_FUNCTION_{name}"]
    way = ocio.TRANSFORM_DIR_FORWARD if op.direction == "forward" else ocio.TRANSFORM_DIR_INVERSE
    return [ocio.FixedFunctionTransform(style, list(parameters), way)]

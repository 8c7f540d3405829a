"""OpenColorIO's fixed functions -> ops."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import PyOpenColorIO as ocio

from engine.errors import UnsupportedTransform
from engine.op import ColorOp, Op
from engine.ops import (
    Aces2GamutCompress,
    Aces2Jmh,
    Aces2OutputTransform,
    Aces2ToneCompress,
    AcesDarkToDim,
    AcesGamutCompress,
    AcesGlow,
    AcesRedModifier,
    CieCoordinates,
    DoubleLog,
    GammaLog,
    PqCurve,
    Rec2100Surround,
    RgbHsv,
    RgbHsy,
)

Parameters = Sequence[float]
Build = Callable[[Parameters], ColorOp]


def _gamma_log(p: Parameters) -> GammaLog:
    mirror, lin_break, gamma, gamma_slope, gamma_offset, base, *log = p
    return GammaLog(mirror, lin_break, gamma, gamma_slope, gamma_offset, base, *log)


def _double_log(p: Parameters) -> DoubleLog:
    pairs = [(p[3 + i], p[7 + i]) for i in range(4)]
    return DoubleLog(p[0], (p[1], p[2]), *pairs, slope=p[11], offset=p[12])


_STYLES: dict[ocio.FixedFunctionStyle, Build] = {
    ocio.FIXED_FUNCTION_ACES_RED_MOD_03: lambda p: AcesRedModifier("0.3"),
    ocio.FIXED_FUNCTION_ACES_RED_MOD_10: lambda p: AcesRedModifier("1.0"),
    ocio.FIXED_FUNCTION_ACES_GLOW_03: lambda p: AcesGlow("0.3"),
    ocio.FIXED_FUNCTION_ACES_GLOW_10: lambda p: AcesGlow("1.0"),
    ocio.FIXED_FUNCTION_ACES_DARK_TO_DIM_10: lambda p: AcesDarkToDim(),
    ocio.FIXED_FUNCTION_ACES_GAMUT_COMP_13: lambda p: AcesGamutCompress(p[:3], p[3:6], p[6]),
    ocio.FIXED_FUNCTION_ACES_OUTPUT_TRANSFORM_20: lambda p: Aces2OutputTransform(p[0], p[1:9]),
    ocio.FIXED_FUNCTION_ACES_RGB_TO_JMH_20: lambda p: Aces2Jmh(p[:8]),
    ocio.FIXED_FUNCTION_ACES_RGB_TO_HMJ_20: lambda p: Aces2Jmh(p[:8], "hMJ"),
    ocio.FIXED_FUNCTION_ACES_TONESCALE_COMPRESS_20: lambda p: Aces2ToneCompress(p[0]),
    ocio.FIXED_FUNCTION_ACES_GAMUT_COMPRESS_20: lambda p: Aces2GamutCompress(p[0], p[1:9]),
    ocio.FIXED_FUNCTION_REC2100_SURROUND: lambda p: Rec2100Surround(p[0]),
    ocio.FIXED_FUNCTION_RGB_TO_HSV: lambda p: RgbHsv(),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_LOG: lambda p: RgbHsy("log"),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_LIN: lambda p: RgbHsy("linear"),
    ocio.FIXED_FUNCTION_RGB_TO_HSY_VID: lambda p: RgbHsy("video"),
    ocio.FIXED_FUNCTION_XYZ_TO_xyY: lambda p: CieCoordinates("xyY"),
    ocio.FIXED_FUNCTION_XYZ_TO_uvY: lambda p: CieCoordinates("uvY"),
    ocio.FIXED_FUNCTION_XYZ_TO_LUV: lambda p: CieCoordinates("Luv"),
    ocio.FIXED_FUNCTION_LIN_TO_PQ: lambda p: PqCurve(),
    ocio.FIXED_FUNCTION_LIN_TO_GAMMA_LOG: _gamma_log,
    ocio.FIXED_FUNCTION_LIN_TO_DOUBLE_LOG: _double_log,
}


def fixed_function_ops(transform: ocio.FixedFunctionTransform) -> list[Op]:
    """The op of a fixed function; UnsupportedTransform for a style that OpenColorIO itself does not compute."""
    build = _STYLES.get(transform.getStyle())
    if build is None:
        raise UnsupportedTransform(f"FixedFunction {transform.getStyle().name.removeprefix('FIXED_FUNCTION_')}")
    op = build(list(transform.getParams()))
    return [op.turned() if transform.getDirection() == ocio.TRANSFORM_DIR_INVERSE else op]

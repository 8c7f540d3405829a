"""All ops, by their class names. Each is imported on first use; the registry knows where it is."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from engine.core.public_names import importer
from engine.kernel.op import REGISTRY

if TYPE_CHECKING:
    from engine.ops.aces2_gamut_compress import Aces2GamutCompress as Aces2GamutCompress
    from engine.ops.aces2_jmh import Aces2Jmh as Aces2Jmh
    from engine.ops.aces2_output_transform import Aces2OutputTransform as Aces2OutputTransform
    from engine.ops.aces2_tone_compress import Aces2ToneCompress as Aces2ToneCompress
    from engine.ops.aces_dark_to_dim import AcesDarkToDim as AcesDarkToDim
    from engine.ops.aces_gamut_compress import AcesGamutCompress as AcesGamutCompress
    from engine.ops.aces_glow import AcesGlow as AcesGlow
    from engine.ops.aces_red_modifier import AcesRedModifier as AcesRedModifier
    from engine.ops.bloom import Bloom as Bloom
    from engine.ops.blur import Blur as Blur
    from engine.ops.cdl import Cdl as Cdl
    from engine.ops.channel_mixer import ChannelMixer as ChannelMixer
    from engine.ops.chromatic_aberration import ChromaticAberration as ChromaticAberration
    from engine.ops.cie_coordinates import CieCoordinates as CieCoordinates
    from engine.ops.clarity import Clarity as Clarity
    from engine.ops.color_warp import ColorWarp as ColorWarp
    from engine.ops.contrast import Contrast as Contrast
    from engine.ops.denoise import Denoise as Denoise
    from engine.ops.double_log import DoubleLog as DoubleLog
    from engine.ops.exponent import Exponent as Exponent
    from engine.ops.exponent_with_linear import ExponentWithLinear as ExponentWithLinear
    from engine.ops.exposure import Exposure as Exposure
    from engine.ops.filmic_contrast import FilmicContrast as FilmicContrast
    from engine.ops.gamma_log import GammaLog as GammaLog
    from engine.ops.grading_hue_curve import GradingHueCurve as GradingHueCurve
    from engine.ops.grading_primary import GradingPrimary as GradingPrimary
    from engine.ops.grading_rgb_curve import GradingRgbCurve as GradingRgbCurve
    from engine.ops.grading_tone import GradingTone as GradingTone
    from engine.ops.grain import Grain as Grain
    from engine.ops.halation import Halation as Halation
    from engine.ops.hdr_wheels import HdrWheels as HdrWheels
    from engine.ops.hue_luma_grid import HueLumaGrid as HueLumaGrid
    from engine.ops.inverse_lut1d import InverseLut1d as InverseLut1d
    from engine.ops.inverse_lut3d import InverseLut3d as InverseLut3d
    from engine.ops.log import Log as Log
    from engine.ops.log_affine import LogAffine as LogAffine
    from engine.ops.log_camera import LogCamera as LogCamera
    from engine.ops.log_wheels import LogWheels as LogWheels
    from engine.ops.lut1d import Lut1d as Lut1d
    from engine.ops.lut3d import Lut3d as Lut3d
    from engine.ops.matrix import Matrix as Matrix
    from engine.ops.pq_curve import PqCurve as PqCurve
    from engine.ops.premultiply import Premultiply as Premultiply
    from engine.ops.range import Range as Range
    from engine.ops.rec2100_surround import Rec2100Surround as Rec2100Surround
    from engine.ops.recovery import Recovery as Recovery
    from engine.ops.resize import Resize as Resize
    from engine.ops.rgb_hsv import RgbHsv as RgbHsv
    from engine.ops.rgb_hsy import RgbHsy as RgbHsy
    from engine.ops.saturation import Saturation as Saturation
    from engine.ops.sharpen import Sharpen as Sharpen
    from engine.ops.six_vector import SixVector as SixVector
    from engine.ops.split_tone import SplitTone as SplitTone
    from engine.ops.vibrance import Vibrance as Vibrance
    from engine.ops.vignette import Vignette as Vignette
    from engine.ops.white_balance import WhiteBalance as WhiteBalance

_HOME = {
    "Aces2GamutCompress": "aces2_gamut_compress",
    "Aces2Jmh": "aces2_jmh",
    "Aces2OutputTransform": "aces2_output_transform",
    "Aces2ToneCompress": "aces2_tone_compress",
    "AcesDarkToDim": "aces_dark_to_dim",
    "AcesGamutCompress": "aces_gamut_compress",
    "AcesGlow": "aces_glow",
    "AcesRedModifier": "aces_red_modifier",
    "Bloom": "bloom",
    "Blur": "blur",
    "Cdl": "cdl",
    "ChannelMixer": "channel_mixer",
    "ChromaticAberration": "chromatic_aberration",
    "CieCoordinates": "cie_coordinates",
    "Clarity": "clarity",
    "ColorWarp": "color_warp",
    "Contrast": "contrast",
    "Denoise": "denoise",
    "DoubleLog": "double_log",
    "Exponent": "exponent",
    "ExponentWithLinear": "exponent_with_linear",
    "Exposure": "exposure",
    "FilmicContrast": "filmic_contrast",
    "GammaLog": "gamma_log",
    "GradingHueCurve": "grading_hue_curve",
    "GradingPrimary": "grading_primary",
    "GradingRgbCurve": "grading_rgb_curve",
    "GradingTone": "grading_tone",
    "Grain": "grain",
    "Halation": "halation",
    "HdrWheels": "hdr_wheels",
    "HueLumaGrid": "hue_luma_grid",
    "InverseLut1d": "inverse_lut1d",
    "InverseLut3d": "inverse_lut3d",
    "Log": "log",
    "LogAffine": "log_affine",
    "LogCamera": "log_camera",
    "LogWheels": "log_wheels",
    "Lut1d": "lut1d",
    "Lut3d": "lut3d",
    "Matrix": "matrix",
    "PqCurve": "pq_curve",
    "Premultiply": "premultiply",
    "Range": "range",
    "Rec2100Surround": "rec2100_surround",
    "Recovery": "recovery",
    "Resize": "resize",
    "RgbHsv": "rgb_hsv",
    "RgbHsy": "rgb_hsy",
    "Saturation": "saturation",
    "Sharpen": "sharpen",
    "SixVector": "six_vector",
    "SplitTone": "split_tone",
    "Vibrance": "vibrance",
    "Vignette": "vignette",
    "WhiteBalance": "white_balance",
}
REGISTRY.announce(__name__, _HOME)
_find = importer(__name__, _HOME)
__all__ = sorted(_HOME)


def __getattr__(name: str) -> Any:
    value = _find(name)
    globals()[name] = value  # so that this is called once for each name
    return value

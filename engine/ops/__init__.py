"""All ops, by their class names."""

from engine.ops.aces2_gamut_compress import Aces2GamutCompress
from engine.ops.aces2_jmh import Aces2Jmh
from engine.ops.aces2_output_transform import Aces2OutputTransform
from engine.ops.aces2_tone_compress import Aces2ToneCompress
from engine.ops.aces_dark_to_dim import AcesDarkToDim
from engine.ops.aces_gamut_compress import AcesGamutCompress
from engine.ops.aces_glow import AcesGlow
from engine.ops.aces_red_modifier import AcesRedModifier
from engine.ops.bloom import Bloom
from engine.ops.blur import Blur
from engine.ops.cdl import Cdl
from engine.ops.channel_mixer import ChannelMixer
from engine.ops.chromatic_aberration import ChromaticAberration
from engine.ops.cie_coordinates import CieCoordinates
from engine.ops.clarity import Clarity
from engine.ops.color_warp import ColorWarp
from engine.ops.contrast import Contrast
from engine.ops.denoise import Denoise
from engine.ops.double_log import DoubleLog
from engine.ops.exponent import Exponent
from engine.ops.exponent_with_linear import ExponentWithLinear
from engine.ops.exposure import Exposure
from engine.ops.filmic_contrast import FilmicContrast
from engine.ops.gamma_log import GammaLog
from engine.ops.grading_hue_curve import GradingHueCurve
from engine.ops.grading_primary import GradingPrimary
from engine.ops.grading_rgb_curve import GradingRgbCurve
from engine.ops.grading_tone import GradingTone
from engine.ops.grain import Grain
from engine.ops.halation import Halation
from engine.ops.hdr_wheels import HdrWheels
from engine.ops.hue_luma_grid import HueLumaGrid
from engine.ops.inverse_lut1d import InverseLut1d
from engine.ops.inverse_lut3d import InverseLut3d
from engine.ops.log import Log
from engine.ops.log_affine import LogAffine
from engine.ops.log_camera import LogCamera
from engine.ops.log_wheels import LogWheels
from engine.ops.lut1d import Lut1d
from engine.ops.lut3d import Lut3d
from engine.ops.matrix import Matrix
from engine.ops.pq_curve import PqCurve
from engine.ops.premultiply import Premultiply
from engine.ops.range import Range
from engine.ops.rec2100_surround import Rec2100Surround
from engine.ops.recovery import Recovery
from engine.ops.resize import Resize
from engine.ops.rgb_hsv import RgbHsv
from engine.ops.rgb_hsy import RgbHsy
from engine.ops.saturation import Saturation
from engine.ops.sharpen import Sharpen
from engine.ops.six_vector import SixVector
from engine.ops.split_tone import SplitTone
from engine.ops.vibrance import Vibrance
from engine.ops.vignette import Vignette
from engine.ops.white_balance import WhiteBalance

__all__ = [
    "Aces2GamutCompress",
    "Aces2Jmh",
    "Aces2OutputTransform",
    "Aces2ToneCompress",
    "AcesDarkToDim",
    "AcesGamutCompress",
    "AcesGlow",
    "AcesRedModifier",
    "Bloom",
    "Blur",
    "Cdl",
    "ChannelMixer",
    "ChromaticAberration",
    "CieCoordinates",
    "Clarity",
    "ColorWarp",
    "Contrast",
    "Denoise",
    "DoubleLog",
    "Exponent",
    "ExponentWithLinear",
    "Exposure",
    "FilmicContrast",
    "GammaLog",
    "GradingHueCurve",
    "GradingPrimary",
    "GradingRgbCurve",
    "GradingTone",
    "Grain",
    "Halation",
    "HdrWheels",
    "HueLumaGrid",
    "InverseLut1d",
    "InverseLut3d",
    "Log",
    "LogAffine",
    "LogCamera",
    "LogWheels",
    "Lut1d",
    "Lut3d",
    "Matrix",
    "PqCurve",
    "Premultiply",
    "Range",
    "Rec2100Surround",
    "Recovery",
    "Resize",
    "RgbHsv",
    "RgbHsy",
    "Saturation",
    "Sharpen",
    "SixVector",
    "SplitTone",
    "Vibrance",
    "Vignette",
    "WhiteBalance",
]

"""Every op, by its class name."""

from engine.ops.blur import Blur
from engine.ops.cdl import Cdl
from engine.ops.contrast import Contrast
from engine.ops.exponent import Exponent
from engine.ops.exponent_with_linear import ExponentWithLinear
from engine.ops.exposure import Exposure
from engine.ops.log import Log
from engine.ops.log_affine import LogAffine
from engine.ops.log_camera import LogCamera
from engine.ops.lut1d import Lut1d
from engine.ops.lut3d import Lut3d
from engine.ops.matrix import Matrix
from engine.ops.range import Range
from engine.ops.resize import Resize
from engine.ops.saturation import Saturation
from engine.ops.white_balance import WhiteBalance

__all__ = [
    "Blur",
    "Cdl",
    "Contrast",
    "Exponent",
    "ExponentWithLinear",
    "Exposure",
    "Log",
    "LogAffine",
    "LogCamera",
    "Lut1d",
    "Lut3d",
    "Matrix",
    "Range",
    "Resize",
    "Saturation",
    "WhiteBalance",
]

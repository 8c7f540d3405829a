"""Pairs of images for colour matching: sources, and transforms that are known, in scene-linear AP1.

Each transform is a few ops, in the spaces that grades have them in: linear ones scene-linear, others in ACEScct.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

import resources
from engine.core.colorimetry import PRIMARIES, adaptation, to_xyz
from engine.io import read_image
from engine.kernel.op import ColorOp, Table
from engine.matching import METHODS, match
from engine.matching.delta_e import delta_e, lab_of
from engine.matching.samples import CURVE
from engine.ops import (
    Cdl,
    ChannelMixer,
    Contrast,
    Exposure,
    GradingRgbCurve,
    GradingTone,
    Matrix,
    Saturation,
    WhiteBalance,
)

Array = NDArray[np.float64]
AP1_WHITE = to_xyz(PRIMARIES["ap1"]).sum(axis=1)
TO_AP1 = (
    np.linalg.inv(to_xyz(PRIMARIES["ap1"]))
    @ adaptation(to_xyz(PRIMARIES["rec709"]).sum(axis=1), AP1_WHITE)
    @ to_xyz(PRIMARIES["rec709"])
)


def in_log(*ops: ColorOp) -> tuple[ColorOp, ...]:
    """Ops of the working space, for scene-linear values."""
    return (CURVE, *ops, CURVE.inverse())


def curve(*points: tuple[float, float]) -> Table:
    return Table([(*point, 0.0) for point in points])


STRAIGHT = GradingRgbCurve.straight()
FILM = STRAIGHT.replace(master=curve((0.0, 0.02), (0.25, 0.22), (0.45, 0.47), (0.6, 0.63), (1.0, 0.93)))
CROSSED = GradingRgbCurve.of(
    curve((0.0, 0.0), (0.4, 0.43), (1.0, 0.98)),
    curve((0.0, 0.01), (0.4, 0.4), (1.0, 1.0)),
    curve((0.0, 0.05), (0.4, 0.38), (1.0, 0.94)),
    curve((0.0, 0.0), (1.0, 1.0)),
)
CAMERA = ChannelMixer((0.92, 0.10, -0.02), (0.05, 1.02, -0.07), (0.01, -0.12, 1.11))
PRINT = Matrix((0.9, 0.08, 0.02, 0, 0.04, 0.93, 0.03, 0, 0.02, 0.06, 0.92, 0, 0, 0, 0, 1), (0.01, 0.0, -0.01, 0), "rgb")
WARM = Cdl(slope=(1.06, 1.0, 0.93), offset=(0.01, 0.0, -0.01))
TRANSFORMS: dict[str, tuple[ColorOp, ...]] = {
    "exposure +1": (Exposure(1.0),),
    "exposure -1.5": (Exposure(-1.5),),
    "white balance 4500 K": (WhiteBalance(4500.0),),
    "white balance 8500 K, tint": (WhiteBalance(8500.0, 12.0),),
    "CDL slope, offset": in_log(WARM),
    "CDL power": in_log(Cdl(power=(1.1, 1.05, 0.95))),
    "CDL offsets": in_log(Cdl(offset=(0.03, -0.01, -0.04))),
    "CDL, saturation": in_log(WARM.replace(power=(1.04, 1.0, 0.98), saturation=0.85)),
    "matrix of a camera": (CAMERA,),
    "matrix in log": in_log(PRINT),
    "contrast": (Contrast(1.2),),
    "contrast, lower": (Contrast(0.85),),
    "tone": in_log(GradingTone(shadows=(1.1, 1.0, 1.0, 1.1, 0.5, 0.0), style="log")),
    "film curve": in_log(FILM),
    "crossed curves": in_log(CROSSED),
    "saturation 0.7": (Saturation(0.7),),
    "saturation 1.3": in_log(Saturation(1.3)),
    "exposure, balance, saturation": (Exposure(0.7), WhiteBalance(5200.0), Saturation(0.85)),
    "balance, film curve": (WhiteBalance(7500.0), *in_log(FILM)),
    "CDL, crossed curves, matrix": (*in_log(WARM, CROSSED), CAMERA),
}


def sample(step: int) -> Array:
    """The sample image in AP1, every `step`th pixel."""
    pixels = read_image(resources.path("sample.exr")).pixels[::step, ::step, :3].astype(np.float64)
    return np.asarray(pixels @ TO_AP1.T)


def generated(width: int, height: int) -> Array:
    """Soft fields of colour over nine stops, with grain, and a bright light."""
    random, (y, x) = np.random.default_rng(7), np.mgrid[0:height, 0:width] / max(width, height)
    stops, hues = np.zeros((height, width)), np.zeros((height, width, 3))
    for _ in range(14):
        wave = np.sin(2.0 * np.pi * (x * random.uniform(-3, 3) + y * random.uniform(-3, 3) + random.uniform()))
        stops += wave * random.uniform(0.3, 0.9)
        hues += wave[..., None] * random.normal(0.0, 0.22, 3)
    light = 5.0 * np.exp(-((x - 0.7) ** 2 + (y - 0.2) ** 2) / 0.004)
    grain = random.normal(0.0, 0.06, (height, width, 3))
    return np.asarray(0.18 * np.exp2(np.clip(stops, -5.0, 3.5)[..., None] + hues + grain) + light[..., None])


def applied(ops: Sequence[ColorOp], rgb: Array) -> Array:
    """Pixels (..., 3) after ops, in float64."""
    rgba = np.concatenate([rgb, np.ones_like(rgb[..., :1])], axis=-1)
    for op in ops:
        rgba = op.reference(rgba)
    return rgba[..., :3]


def lab(rgb: Array) -> Array:
    """Lab of scene-linear AP1, with diffuse white at 1."""
    return lab_of(rgb @ to_xyz(PRIMARIES["ap1"]).T, AP1_WHITE)


def errors(image: Array, other: Array) -> Array:
    """CIEDE2000 of the pixels of two images that are at most four times as bright as diffuse white."""
    shown = other.max(axis=-1) < 4.0
    return delta_e(lab(image[shown]), lab(other[shown]))


def after(method: str, source: Array, ops: Sequence[ColorOp], seen: Any = np.s_[:]) -> tuple[Array, Array]:
    """The errors before and after a match of a source to its transformed self, of which only a part is `seen`."""
    wanted = applied(ops, source)
    found = match(source, wanted[seen], method)
    assert METHODS[method]
    return errors(source, wanted), errors(applied(found, source), wanted)

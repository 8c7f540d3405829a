"""Files for the tasks: plates, a renderer's image, a sequence, and plates that do not tell their colour space."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import OpenEXR

from app.shell.empty_state import SAMPLE
from engine.io import read_image

DEPTH = (2.0, 400.0)
"""The range of the depth layer, in scene units."""
AOVS = tuple(f"{each}_{kind}" for each in ("diffuse", "specular", "coat", "sss", "volume") for kind in ("key", "rim"))


def plate(folder: Path, name: str) -> Path:
    """The sample under another name."""
    path = folder / name
    shutil.copy(SAMPLE, path)
    return path


def render(folder: Path) -> Path:
    """A beauty pass with twenty AOVs, and depth in scene units."""
    pixels = read_image(SAMPLE).pixels[::4, ::4]
    planes = {name: np.ascontiguousarray(pixels[..., n]) for n, name in enumerate("RGBA")}
    for number, name in enumerate(AOVS):
        for at, channel in enumerate("RGB"):
            planes[f"{name}.{channel}"] = np.ascontiguousarray(pixels[..., at] * np.float16(0.1 + 0.05 * number))
    height, width = pixels.shape[:2]
    away = np.linspace(*DEPTH, height, dtype=np.float32)[:, None].repeat(width, axis=1)
    planes["depth.Z"] = np.ascontiguousarray(away)
    path = folder / "sc010_0040_lighting_v012.exr"
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(path))
    return path


def sequence(folder: Path) -> Path:
    """Forty frames, six of them exported before; returns the first."""
    small = folder / "small.exr"
    pixels = read_image(SAMPLE).pixels[::8, ::8]
    planes = {name: np.ascontiguousarray(pixels[..., n]) for n, name in enumerate("RGBA")}
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(small))
    shots = folder / "shots"
    shots.mkdir()
    for frame in range(1001, 1041):
        shutil.copy(small, shots / f"sc010.{frame}.exr")
    return shots / "sc010.1001.exr"


def unknown(folder: Path, name: str) -> Path:
    """A plate that does not say its colour space."""
    plates = folder / "plates"
    plates.mkdir(exist_ok=True)
    pixels = read_image(SAMPLE).pixels[::8, ::8]
    planes = {channel: np.ascontiguousarray(pixels[..., n]) for n, channel in enumerate("RGB")}
    path = plates / name
    OpenEXR.File({"compression": OpenEXR.ZIP_COMPRESSION}, planes).write(str(path))
    return path

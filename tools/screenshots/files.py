"""Files for screenshots: a wall of looks, an image with many layers, names as long as pipelines make them."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import OpenEXR

from app.shell.empty_state import SAMPLE
from engine.io import read_image

WEIGHTS = np.array([0.2126, 0.7152, 0.0722])
LOOKS: dict[str, tuple[tuple[float, float, float], tuple[float, float, float], float, float]] = {
    "Amber dusk": ((1.10, 1.00, 0.84), (0.00, 0.00, -0.01), 1.00, 1.05),
    "Autumn": ((1.12, 0.98, 0.86), (0.01, 0.00, 0.00), 1.04, 1.15),
    "Bleach": ((1.10, 1.10, 1.08), (-0.03, -0.03, -0.03), 1.12, 0.35),
    "Cobalt night": ((0.72, 0.82, 1.05), (-0.01, 0.00, 0.03), 1.10, 0.80),
    "Copper": ((1.14, 1.00, 0.90), (0.00, 0.01, 0.02), 1.06, 0.90),
    "Day for night": ((0.50, 0.58, 0.80), (0.00, 0.00, 0.02), 1.15, 0.55),
    "Faded print": ((0.90, 0.90, 0.88), (0.06, 0.06, 0.07), 0.96, 0.75),
    "Fresh green": ((0.96, 1.06, 0.96), (0.00, 0.01, 0.00), 1.00, 1.10),
    "Haze": ((0.86, 0.88, 0.90), (0.08, 0.08, 0.09), 0.94, 0.85),
    "Infra": ((1.10, 0.90, 0.95), (0.02, -0.01, 0.00), 0.98, 1.50),
    "Law office": ((1.00, 1.02, 0.96), (0.00, 0.01, 0.00), 1.08, 0.80),
    "Magenta hour": ((1.06, 0.94, 1.06), (0.01, 0.00, 0.02), 1.00, 1.10),
    "Monochrome": ((1.00, 1.00, 1.00), (0.00, 0.00, 0.00), 1.05, 0.00),
    "Neon": ((1.06, 0.98, 1.10), (-0.02, -0.02, 0.00), 1.10, 1.60),
    "Noir": ((1.20, 1.20, 1.20), (-0.08, -0.08, -0.08), 1.25, 0.00),
    "Pastel": ((0.92, 0.92, 0.94), (0.06, 0.05, 0.06), 0.88, 0.70),
    "Print 2383 emulation, warm, for the projector of the small stage v03": (
        *((1.08, 1.00, 0.92), (-0.01, -0.01, 0.00)),
        *(1.10, 1.05),
    ),
    "Sepia": ((1.10, 0.98, 0.80), (0.01, 0.00, -0.01), 1.02, 0.15),
    "Silver": ((1.06, 1.06, 1.10), (-0.01, -0.01, 0.00), 1.10, 0.25),
    "Teal and orange": ((1.12, 1.00, 0.92), (-0.03, 0.01, 0.04), 1.05, 1.15),
    "Vivid": ((1.04, 1.04, 1.04), (-0.02, -0.02, -0.02), 1.06, 1.35),
    "Winter": ((0.92, 0.98, 1.10), (0.00, 0.01, 0.02), 1.00, 0.75),
}
"""Slope, offset, power and saturation of each."""


def looks(folder: Path) -> Path:
    """A folder of 17-point cubes, and the looks of the sample."""
    made = folder / "looks"
    made.mkdir()
    axis = np.linspace(0.0, 1.0, 17)
    blue, green, red = np.meshgrid(axis, axis, axis, indexing="ij")
    grid = np.stack([red, green, blue], -1).reshape(-1, 3)
    for name, (slope, offset, power, saturation) in LOOKS.items():
        graded = np.clip(grid * slope + offset, 0.0, 1.0) ** power
        luma = (graded @ WEIGHTS)[:, None]
        rows = np.clip(luma + saturation * (graded - luma), 0.0, 1.0)
        text = "\n".join(" ".join(f"{v:.6f}" for v in row) for row in rows)
        (made / f"{name}.cube").write_text(f"LUT_3D_SIZE 17\n{text}\n", encoding="utf-8")
    for path in (SAMPLE.parent / "looks").iterdir():
        shutil.copy(path, made)
    return made


def many_layers(folder: Path) -> Path:
    """The sample with sixty AOVs, as a renderer writes them."""
    passes = (
        "diffuse",
        "specular",
        "sheen",
        "coat",
        "transmission",
        "sss",
        "emission",
        "volume",
        "shadow",
        "reflection",
    )
    kinds = ("direct", "indirect", "direct_key_light", "indirect_key_light", "albedo", "of_the_practicals_in_the_back")
    pixels = read_image(SAMPLE).pixels[::2, ::2]
    planes = {name: pixels[..., n] for n, name in enumerate("RGBA")}
    for n, name in enumerate(f"{each}_{kind}" for each in passes for kind in kinds):
        for channel in range(3):
            planes[f"{name}.{'RGB'[channel]}"] = (pixels[..., channel] * np.float16(0.2 + 0.05 * (n % 17))).copy()
    path = folder / "sc010_0040_lighting_beauty_v012.exr"
    OpenEXR.File(
        {"compression": OpenEXR.ZIP_COMPRESSION}, {k: np.ascontiguousarray(v) for k, v in planes.items()}
    ).write(str(path))
    return path


def long_named(folder: Path, number: int) -> Path:
    """The sample under a name as long as pipelines make them."""
    path = folder / f"sc010_{number:04}_comp_denoised_beauty_v012_acescg_fullres.{1001 + number}.exr"
    shutil.copy(SAMPLE, path)
    return path


def sequence(folder: Path, frames: range) -> list[Path]:
    """The sample as frames of a sequence."""
    paths = [folder / f"sc010_0040.{frame}.exr" for frame in frames]
    for path in paths:
        shutil.copy(SAMPLE, path)
    return paths

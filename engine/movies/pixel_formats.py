"""How the samples of frames lie in planes, by the names of FFmpeg's pixel formats."""

from __future__ import annotations

import re

from engine.compute.planar import PlanarFormat

_PLANAR = re.compile(r"(yuvj|yuva|yuv|gbrap|gbrp|gray)(420|422|444|)p?(9|10|12|14|16|)(le|)")
_SEMIPLANAR = {
    "nv12": ("420", 8),
    "nv16": ("422", 8),
    "nv24": ("444", 8),
    "p010le": ("420", 10),
    "p012le": ("420", 12),
    "p016le": ("420", 16),
    "p210le": ("422", 10),
    "p212le": ("422", 12),
    "p216le": ("422", 16),
    "p410le": ("444", 10),
    "p412le": ("444", 12),
    "p416le": ("444", 16),
}
_DEPTHS = (8, 9, 10, 12, 14, 16)


def planar_format(name: str, width: int, height: int) -> PlanarFormat | None:
    """Return how the samples of a pixel format of this name lie in planes; None if Tessera does not read it as it is.

    Matrix, range and siting are those of H.264 in video range, or of R'G'B'.
    """
    if name in _SEMIPLANAR:
        chroma, depth = _SEMIPLANAR[name]
        return PlanarFormat(width, height, depth, chroma, "semiplanar")
    match = _PLANAR.fullmatch(name)
    if match is None or (match[3] == "") != (match[4] == ""):
        return None
    kind, chroma, depth = match[1], match[2], int(match[3] or 8)
    if kind.startswith("yuv") != (chroma != ""):
        return None
    alpha = kind in ("yuva", "gbrap")
    if kind.startswith("gbr"):
        return PlanarFormat(width, height, depth, "444", full_range=True, matrix="identity", alpha=alpha)
    return PlanarFormat(width, height, depth, chroma or "400", alpha=alpha)


def nearest_format(is_rgb: bool, has_chroma: bool, has_alpha: bool, depth: int, chroma: str) -> str:
    """Return the name of the planar format that holds the samples of another one of this kind."""
    bits = next((each for each in _DEPTHS if each >= depth), 16)
    if bits == 9 or (has_alpha and bits == 14):
        bits = 10 if bits == 9 else 16
    end = "" if bits == 8 else f"{bits}le"
    if is_rgb:
        return f"{'gbrap' if has_alpha else 'gbrp'}{end}"
    if not has_chroma and not has_alpha:
        return f"gray{end}"
    if has_alpha and bits == 12 and chroma == "420":
        end = "16le"
    return f"{'yuva' if has_alpha else 'yuv'}{chroma}p{end}"

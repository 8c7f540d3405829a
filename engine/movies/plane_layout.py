"""How the samples of a frame lie in planes, by the name of FFmpeg's pixel format."""

from __future__ import annotations

import re
from dataclasses import asdict, dataclass
from typing import Any

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


@dataclass(frozen=True)
class PlaneLayout:
    """The planes of a frame: Y', or Y', Cb, Cr, or G', B', R' (`is_rgb`), and alpha last; 8 bits or 16-bit words.

    `chroma` is 420, 422, 444 or 400 (no chroma). In `semiplanar` packing, Cb and Cr alternate in one plane, and words
    have their bits at the top.
    """

    width: int
    height: int
    depth: int
    chroma: str
    packing: str = "planar"
    alpha: bool = False
    is_rgb: bool = False

    @property
    def sample_bytes(self) -> int:
        return 1 if self.depth == 8 else 2

    @property
    def shapes(self) -> list[tuple[int, int]]:
        """The rows of each plane, and the samples of a row."""
        full = self.height, self.width
        if self.chroma == "400":
            return [full] * (2 if self.alpha else 1)
        rows = -(-self.height // 2) if self.chroma == "420" else self.height
        columns = self.width if self.chroma == "444" else -(-self.width // 2)
        chroma = [(rows, 2 * columns)] if self.packing == "semiplanar" else [(rows, columns)] * 2
        return [full, *chroma, *([full] if self.alpha else [])]

    @property
    def frame_bytes(self) -> int:
        """The bytes of all planes of a frame."""
        return sum(rows * columns for rows, columns in self.shapes) * self.sample_bytes

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def layout_of(name: str, width: int, height: int) -> PlaneLayout | None:
    """Return the layout of a pixel format of this name; None if it is not one of planes that Tessera reads."""
    if name in _SEMIPLANAR:
        chroma, depth = _SEMIPLANAR[name]
        return PlaneLayout(width, height, depth, chroma, "semiplanar")
    match = _PLANAR.fullmatch(name)
    if match is None or (match[3] == "") != (match[4] == ""):
        return None
    kind, chroma, depth = match[1], match[2], int(match[3] or 8)
    if kind.startswith("yuv") != (chroma != ""):
        return None
    is_rgb = kind.startswith("gbr")
    chroma = chroma or ("444" if is_rgb else "400")
    return PlaneLayout(width, height, depth, chroma, alpha=kind in ("yuva", "gbrap"), is_rgb=is_rgb)


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

"""The colour tags of movies: code points of ITU-T H.273 for a colorInteropID, and mastering displays."""

from __future__ import annotations

import re

from engine.core.records import dataclass

UNSPECIFIED = 2
BT709, BT2020_NCL = 1, 9
"""Matrix coefficients of Y'CbCr."""
BT2020 = 9
_PRIMARIES = {"rec709": 1, "rec2020": BT2020, "p3d65": 12}
_TRANSFERS = {"srgb": 13, "g24": 1, "itu709": 1, "g22": 4, "g26": 17, "pq": 16, "hlg": 18, "lin": 8}
"""BT.1886, gamma 2.4, is the display curve of material that is tagged with the camera curve of BT.709."""
_SPACE = re.compile(r"(?:ocio:)?([a-z0-9]+)_([a-z0-9]+)_(scene|display)")
PQ, HLG, LINEAR = 16, 18, 8
WHITES = {PQ: 0.580689, HLG: 0.75}
"""The code of reference white, 203 cd/m2 (ITU-R BT.2408), by the code point of the transfer; 1 for other displays."""
LEAST_NITS = 0.0001
"""The black of the mastering displays of views, in candelas per square metre: the least that ST 2086 states."""


@dataclass(frozen=True)
class ColourTags:
    """Colour primaries, transfer characteristics and matrix coefficients, as code points, and the range."""

    primaries: int = UNSPECIFIED
    transfer: int = UNSPECIFIED
    matrix: int = BT709
    full_range: bool = False

    @property
    def is_hdr(self) -> bool:
        """Whether the transfer is PQ or HLG."""
        return self.transfer in (PQ, HLG)

    @property
    def matrix_name(self) -> str:
        """The name of the matrix in a PlanarFormat."""
        return "bt2020ncl" if self.matrix == BT2020_NCL else "bt709"

    def __str__(self) -> str:
        return f"{self.primaries}-{self.transfer}-{self.matrix}"


@dataclass(frozen=True)
class MasteringDisplay:
    """The display on which an image was graded (SMPTE ST 2086): x and y of red, green, blue and white, and its least
    and highest luminance in candelas per square metre."""

    primaries: tuple[float, ...]
    least: float
    most: float


@dataclass(frozen=True)
class ContentLight:
    """MaxCLL and MaxFALL of CTA-861.3 in whole candelas per square metre."""

    max_cll: int
    max_fall: int


def tags_of(interop_id: str, full_range: bool = False) -> ColourTags:
    """Return the tags of a colour space; what has no code point stays unspecified."""
    match = _SPACE.fullmatch(interop_id)
    primaries = _PRIMARIES.get(match[2], UNSPECIFIED) if match else UNSPECIFIED
    transfer = _TRANSFERS.get(match[1], UNSPECIFIED) if match else UNSPECIFIED
    wide = primaries == BT2020 or transfer in (PQ, HLG)
    return ColourTags(primaries, transfer, BT2020_NCL if wide else BT709, full_range)


def mastering_of(view: str) -> MasteringDisplay | None:
    """Return the mastering display that the name of a view states: its peak luminance, and the gamut that it is
    limited to, as in `ACES 2.0 - HDR 1000 nits (P3 D65)`. None if it states no luminance.

    A gamut that is not named is Rec.2020, the container.
    """
    from engine.core.colorimetry import PRIMARIES  # the encoder needs neither it nor NumPy

    nits = re.search(r"(\d{2,5}) ?nits?\b", view, re.IGNORECASE)
    if nits is None:
        return None
    gamuts = (("p3", r"P3"), ("rec709", r"Rec\.?709"))
    named = next((name for name, text in gamuts if re.search(text, view, re.IGNORECASE)), "rec2020")
    primaries = PRIMARIES["p3d65" if named == "p3" else named]
    return MasteringDisplay(tuple(primaries), LEAST_NITS, float(nits[1]))

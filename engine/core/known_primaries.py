"""Published primaries and whites, and the names of chromaticities for people."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from engine.core.colorimetry import CIE_XYZ, PRIMARIES

CLOSE = 2e-3
"""Tolerance in x and y of primaries: headers hold float32, and programs round to three digits."""
CLOSE_WHITE = 5e-4
"""Tolerance in x and y of whites."""
COMPUTED = "primaries "
"""Start of the name of a space that a config lacks: x,y of red, green, blue and white (`engine.ocio.primaries`)."""


class KnownPrimaries(NamedTuple):
    """Primaries and their white as x and y of red, green, blue and white, and where they are published."""

    name: str
    chromaticities: tuple[float, ...]
    source: str


D65 = (0.3127, 0.3290)
KNOWN = (
    KnownPrimaries("Rec.709", PRIMARIES["rec709"], "ITU-R BT.709-6"),
    KnownPrimaries("P3", PRIMARIES["p3d65"], "SMPTE EG 432-1; with the DCI white SMPTE RP 431-2"),
    KnownPrimaries("Adobe RGB", PRIMARIES["adobergb"], "Adobe RGB (1998) Color Image Encoding"),
    KnownPrimaries("Rec.2020", PRIMARIES["rec2020"], "ITU-R BT.2020-2"),
    KnownPrimaries("AP1 (ACEScg)", PRIMARIES["ap1"], "Academy S-2014-004"),
    KnownPrimaries("AP0 (ACES2065-1)", PRIMARIES["ap0"], "SMPTE ST 2065-1"),
    KnownPrimaries("SMPTE C", (0.63, 0.34, 0.31, 0.595, 0.155, 0.07, *D65), "SMPTE RP 145"),
    KnownPrimaries("EBU", (0.64, 0.33, 0.29, 0.60, 0.15, 0.06, *D65), "EBU Tech. 3213-E"),
    KnownPrimaries(
        "ROMM (ProPhoto)", (0.7347, 0.2653, 0.1596, 0.8404, 0.0366, 0.0001, 0.3457, 0.3585), "ISO 22028-2, ROMM RGB"
    ),
    KnownPrimaries(
        "ARRI Wide Gamut 3",
        (0.6840, 0.3130, 0.2210, 0.8480, 0.0861, -0.1020, *D65),
        "ARRI, ALEXA Log C Curve: Usage in VFX, 2012",
    ),
    KnownPrimaries(
        "ARRI Wide Gamut 4",
        (0.7347, 0.2653, 0.1424, 0.8576, 0.0991, -0.0308, *D65),
        "ARRI, LogC4 Logarithmic Color Space Specification, 2022",
    ),
    KnownPrimaries(
        "S-Gamut3",
        (0.730, 0.280, 0.140, 0.855, 0.100, -0.050, *D65),
        "Sony, Technical Summary for S-Gamut3.Cine/S-Log3 and S-Gamut3/S-Log3",
    ),
    KnownPrimaries(
        "S-Gamut3.Cine",
        (0.766, 0.275, 0.225, 0.800, 0.089, -0.087, *D65),
        "Sony, Technical Summary for S-Gamut3.Cine/S-Log3 and S-Gamut3/S-Log3",
    ),
    KnownPrimaries(
        "REDWideGamutRGB",
        (0.780308, 0.304253, 0.121595, 1.493994, 0.095612, -0.084589, *D65),
        "RED, White Paper on REDWideGamutRGB and Log3G10",
    ),
    KnownPrimaries(
        "Canon Cinema Gamut", (0.74, 0.27, 0.17, 1.14, 0.08, -0.10, *D65), "Canon, EOS C500 Firmware Update, 2014"
    ),
    KnownPrimaries("V-Gamut", (0.73, 0.28, 0.165, 0.84, 0.10, -0.03, *D65), "Panasonic, VARICAM V-Log/V-Gamut, 2014"),
    KnownPrimaries(
        "Blackmagic Wide Gamut Gen 5",
        (0.7177215, 0.3171181, 0.2280410, 0.8615690, 0.1005841, -0.0820452, 0.3127170, 0.3290312),
        "Blackmagic Design, Generation 5 Color Science, 2021",
    ),
    KnownPrimaries(
        "DaVinci Wide Gamut",
        (0.8000, 0.3130, 0.1682, 0.9877, 0.0790, -0.1155, *D65),
        "Blackmagic Design, DaVinci Resolve 17 Wide Gamut Intermediate, 2020",
    ),
    KnownPrimaries(
        "DJI D-Gamut", (0.71, 0.31, 0.21, 0.88, 0.09, -0.08, *D65), "DJI, White Paper on D-Log and D-Gamut, 2017"
    ),
    KnownPrimaries("CIE XYZ", CIE_XYZ, "OpenEXR, Technical Introduction"),
)
"""The one table of primaries that are called by a name."""
WHITES = {
    "D65": D65,
    "D50": (0.3457, 0.3585),
    "D55": (0.3324, 0.3474),
    "ACES": (0.32168, 0.33767),
    "DCI": (0.314, 0.351),
    "E": (1.0 / 3.0, 1.0 / 3.0),
    "C": (0.3101, 0.3162),
    "A": (0.4476, 0.4074),
}
"""x and y of whites: CIE 15 for D65, D50, D55, E, C and A, SMPTE ST 2065-1 for ACES, SMPTE RP 431-2 for DCI."""


def primaries_text(chromaticities: object) -> str:
    """Return the name of primaries and white, given as x and y of red, green, blue and white; '' if they are invalid.

    Without a published name, the numbers are returned.
    """
    numbers = _numbers(chromaticities)
    if not numbers:
        return ""
    rgb, white = numbers[:6], numbers[6:]
    if _apart(numbers, CIE_XYZ) < CLOSE:
        return "CIE XYZ"
    nearest = min(KNOWN, key=lambda known: _apart(rgb, known.chromaticities[:6]))
    found = _apart(rgb, nearest.chromaticities[:6]) < CLOSE
    pairs = " ".join(_pair(rgb[at : at + 2]) for at in (0, 2, 4))
    return f"{f'{nearest.name} primaries' if found else f'primaries {pairs}'}, {_white_text(white)}"


def space_text(space: str) -> str:
    """Return the name of a colour space for people: that of its primaries if a matrix is computed for them."""
    if not space.startswith(COMPUTED):
        return space
    try:
        return primaries_text([float(number) for number in space[len(COMPUTED) :].replace(",", " ").split()]) or space
    except ValueError:
        return space


def _numbers(chromaticities: object) -> tuple[float, ...]:
    """Return the eight finite numbers in a value of a header; nothing if it is anything else."""
    if not isinstance(chromaticities, list | tuple) or len(chromaticities) != 8:
        return ()
    if not all(isinstance(number, int | float) and math.isfinite(number) for number in chromaticities):
        return ()
    return tuple(float(number) for number in chromaticities)


def _white_text(white: Sequence[float]) -> str:
    nearest = min(WHITES, key=lambda name: _apart(white, WHITES[name]))
    return f"{nearest} white" if _apart(white, WHITES[nearest]) < CLOSE_WHITE else f"white {_pair(white)}"


def _pair(xy: Sequence[float]) -> str:
    return f"({xy[0]:.4g} {xy[1]:.4g})"


def _apart(one: Sequence[float], other: Sequence[float]) -> float:
    return max(abs(a - b) for a, b in zip(one, other, strict=True))

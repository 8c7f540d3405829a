"""The names of primaries and whites. OpenColorIO's built-in config says the same matrices in its own way."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from engine.core.colorimetry import PRIMARIES, aces_from
from engine.core.known_primaries import D65, KNOWN, KnownPrimaries, primaries_text, space_text
from engine.ocio.config_files import NEWEST, load_config
from engine.ocio.identify import space_for_chromaticities
from engine.ocio.primaries import primaries_name

SPACES = {
    "Rec.709": "Linear Rec.709 (sRGB)",
    "P3": "Linear P3-D65",
    "Adobe RGB": "Linear AdobeRGB",
    "Rec.2020": "Linear Rec.2020",
    "AP1 (ACEScg)": "ACEScg",
    "AP0 (ACES2065-1)": "ACES2065-1",
    "ARRI Wide Gamut 3": "Linear ARRI Wide Gamut 3",
    "ARRI Wide Gamut 4": "Linear ARRI Wide Gamut 4",
    "S-Gamut3": "Linear S-Gamut3",
    "S-Gamut3.Cine": "Linear S-Gamut3.Cine",
    "REDWideGamutRGB": "Linear REDWideGamutRGB",
    "Canon Cinema Gamut": "Linear CinemaGamut D55",
    "V-Gamut": "Linear V-Gamut",
    "Blackmagic Wide Gamut Gen 5": "Linear BMD WideGamut Gen5",
    "DaVinci Wide Gamut": "Linear DaVinci WideGamut",
    "DJI D-Gamut": "Linear D-Gamut",
}
"""The spaces that the makers' matrices in OpenColorIO are from."""


@pytest.mark.parametrize("known", KNOWN, ids=lambda known: known.name)
def test_a_table_of_published_primaries(known: KnownPrimaries) -> None:
    assert known.source and len(known.chromaticities) == 8
    assert aces_from(known.chromaticities) is not None
    assert primaries_text(known.chromaticities).startswith(known.name)
    in_header = tuple(float(np.float32(number)) for number in known.chromaticities)
    assert primaries_text(in_header) == primaries_text(list(known.chromaticities))
    if known.name in SPACES:
        config: Any = load_config(NEWEST)
        assert space_for_chromaticities(config, known.chromaticities) == SPACES[known.name]


def test_whites_have_names_of_their_own() -> None:
    rec709 = PRIMARIES["rec709"]
    assert primaries_text(rec709) == "Rec.709 primaries, D65 white"
    assert primaries_text((*rec709[:6], 0.3457, 0.3585)) == "Rec.709 primaries, D50 white"
    assert primaries_text((*PRIMARIES["p3d65"][:6], 0.314, 0.351)) == "P3 primaries, DCI white"
    assert primaries_text((*rec709[:6], 0.32, 0.35)) == "Rec.709 primaries, white (0.32 0.35)"
    own = (0.7, 0.28, 0.2, 0.75, 0.14, 0.03)
    assert primaries_text((*own, *D65)) == "primaries (0.7 0.28) (0.2 0.75) (0.14 0.03), D65 white"


@pytest.mark.parametrize("value", [None, "text", (), (0.64,) * 7, (float("nan"),) * 8, ("0.64",) * 8])
def test_what_are_no_chromaticities_has_no_name(value: object) -> None:
    assert primaries_text(value) == ""


def test_computed_spaces_are_called_by_their_primaries() -> None:
    assert space_text(primaries_name((1, 0, 0, 1, 0, 0, 1 / 3, 1 / 3))) == "CIE XYZ"
    assert space_text(primaries_name(next(k for k in KNOWN if k.name == "EBU").chromaticities)).startswith("EBU prim")
    for plain in ("ACEScg", "", "primaries of mine", "primaries 1,0"):
        assert space_text(plain) == plain

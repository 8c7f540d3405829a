"""The likely colour spaces of an image whose space nothing states, by its name and its sample type."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from engine.ocio.config import Config

MOST = 5
"""The most spaces that are offered."""
FLOATS = ("half", "float", "double")
LOGS = ("dpx", "cineon")
"""Formats whose code values are usually logarithmic."""
LINEAR = {
    "lin_ap1_scene": "usual for renders and composites in ACES",
    "lin_ap0_scene": "usual for exchange in ACES",
    "lin_rec709_scene": "usual for renders with sRGB textures",
}
ENCODED = {
    "srgb_rec709_scene": "usual for textures and stills",
    "g24_rec709_scene": "usual for video",
    "srgb_p3d65_scene": "usual for stills of phones",
}
VIDEO = {
    "g24_rec709_display": "usual for video",
    "srgb_rec709_display": "usual for recordings of screens",
    "ocio:arrilogc3_awg3_scene": "usual for ARRI cameras",
    "pq_rec2020_display": "usual for HDR video",
    "hlg_rec2020_display": "usual for HDR broadcasts and phones",
}
LOGARITHMIC = {"ocio:adx10_apd_scene": "usual for film scans", "ocio:arrilogc3_awg3_scene": "usual for ARRI cameras"}
"""colorInteropIDs of likely spaces of floats, of integers, of movies and of logarithmic formats, and why."""
HINTS = {
    r"acescg|ap1": "lin_ap1_scene",
    r"acescct": "ocio:acescct_ap1_scene",
    r"acescc": "ocio:acescc_ap1_scene",
    r"aces|aces2065|aces20651|ap0": "lin_ap0_scene",
    r"logc4": "ocio:arrilogc4_awg4_scene",
    r"logc|logc3|alogc|alexa|arri": "ocio:arrilogc3_awg3_scene",
    r"awg|awg3": "ocio:lin_awg3_scene",
    r"awg4": "ocio:lin_awg4_scene",
    r"slog3|venice|sony": "ocio:slog3_sgamut3cine_scene",
    r"sgamut3": "ocio:slog3_sgamut3_scene",
    r"vlog|varicam|vgamut": "ocio:vlog_vgamut_scene",
    r"clog2|canonlog2": "ocio:canonlog2_cgamutd55_scene",
    r"clog3|canonlog3": "ocio:canonlog3_cgamutd55_scene",
    r"log3g10|redlog|r3d": "ocio:redlog3g10_rwg_scene",
    r"rwg|redwidegamut": "ocio:lin_rwg_scene",
    r"bmdfilm|bmd|braw": "ocio:bmdfilm5_wg5_scene",
    r"davinci|dwg": "ocio:davinci_dwg_scene",
    r"dlog|dji": "ocio:djilog_dgamut_scene",
    r"applelog": "ocio:applelog_rec2020_scene",
    r"adx|adx10|scan": "ocio:adx10_apd_scene",
    r"p3|p3d65|linp3": "lin_p3d65_scene",
    r"(lin|rec|bt)?2020": "lin_rec2020_scene",
    r"linsrgb|linearsrgb|lin(ear)?709|(lin|rec|bt)709": "lin_rec709_scene",
    r"srgb|tex|texture": "srgb_rec709_scene",
}
"""Words of file names, as patterns, and the colorInteropIDs of the spaces that they hint at."""
_BETWEEN = re.compile(r"[^a-z0-9]+")


class LikelySpace(NamedTuple):
    """A colour space of a config, and why an image is likely to have it."""

    name: str
    reason: str


def likely_spaces(config: Config, path: Path, sample_type: str, format_name: str = "") -> tuple[LikelySpace, ...]:
    """Return the likely spaces of an image, the likeliest first: hints in its name, then those of its sample type.

    `sample_type` is that of its channels, `format_name` that of its file. Data spaces are left out.
    """
    found: dict[str, LikelySpace] = {}
    for name, reason in _candidates(config, path, sample_type, format_name):
        if name and name not in found and not config.is_data(name):
            found[name] = LikelySpace(name, reason)
        if len(found) == MOST:
            break
    return tuple(found.values())


def _candidates(config: Config, path: Path, sample_type: str, format_name: str) -> Iterator[tuple[str, str]]:
    from engine.ocio.identify import space_for_id

    for word, hinted in _hints(path):
        yield space_for_id(config, hinted), f'"{word}" in its name'
    if format_name == "movie":
        usual = VIDEO
    elif format_name in LOGS:
        usual = LOGARITHMIC | ENCODED
    elif sample_type in FLOATS:
        yield config.linear, "the scene-linear space of the config"
        usual = LINEAR
    else:
        usual = ENCODED
    for each, reason in usual.items():
        yield space_for_id(config, each), reason


def _hints(path: Path) -> Iterator[tuple[str, str]]:
    """Iterate over the words of a file's name, and then of its folder's, that hint at a space."""
    for text in (path.stem, path.parent.name):
        parts = [part for part in _BETWEEN.split(text.lower()) if part]
        words = [*parts, *(one + other for one, other in pairwise(parts))]
        yield from ((word, hinted) for word in words for hint, hinted in HINTS.items() if re.fullmatch(hint, word))

"""Luminance of display signals: PQ (SMPTE ST 2084) and HLG (ITU-R BT.2100)."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable

from engine.ops.pq_curve import C1, C2, C3, M1, M2

PQ, HLG = "PQ", "HLG"
PQ_PEAK, HLG_PEAK = 10000.0, 1000.0
"""Nits of the signal 1; of HLG, on the reference display of BT.2100."""
HLG_GAMMA = 1.2
"""The system gamma of HLG on a display of HLG_PEAK nits."""
HLG_A, HLG_B, HLG_C = 0.17883277, 0.28466892, 0.55991073
"""Constants of BT.2100-2, table 5."""
NAMES = {PQ: re.compile(r"(?<![a-z])pq(?![a-z])|2084", re.IGNORECASE), HLG: re.compile(r"hlg", re.IGNORECASE)}
SDR_ENCODINGS = ("sdr-video", "edr-video", "scene-linear", "data", "log")
"""Encodings of colour spaces, as OpenColorIO names them, that are neither PQ nor HLG."""


def transfer_of(names: Iterable[str], encoding: str = "") -> str:
    """Return PQ, HLG or '' for a colour space, by its name and aliases and its encoding in the config."""
    if encoding in SDR_ENCODINGS:
        return ""
    given = " ".join(names)
    return next((transfer for transfer, name in NAMES.items() if name.search(given)), "")


def signal_of(transfer: str, nits: float) -> float:
    """Return the signal, 0..1, of a grey of a luminance."""
    if transfer == PQ:
        power = (nits / PQ_PEAK) ** M1
        return float(((C1 + C2 * power) / (1.0 + C3 * power)) ** M2)
    scene = (nits / HLG_PEAK) ** (1.0 / HLG_GAMMA)
    return math.sqrt(3.0 * scene) if scene <= 1.0 / 12.0 else HLG_A * math.log(12.0 * scene - HLG_B) + HLG_C

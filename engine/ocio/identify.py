"""Which colour space of a config a colorInteropID or a file's chromaticities mean, and the ID of a space.

Where a config names no IDs, OpenColorIO's heuristics compare its spaces with those of the newest built-in config.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

import numpy as np
import PyOpenColorIO as ocio

from engine.chromaticities import BRADFORD, PRIMARIES, Matrix, adaptation, to_xyz
from engine.ocio.config import Config, Space
from engine.ocio.config_files import NEWEST, load_config
from engine.ocio.reasons import FAILURES

ACES = "ACES2065-1"
CLOSE = 2e-3
"""How far the entries of two matrices to ACES2065-1 may be apart: chromaticities are told to four digits at best."""
CAT02 = np.array([[0.7328, 0.4296, -0.1624], [-0.7036, 1.6975, 0.0061], [0.0030, 0.0136, 0.9834]])
"""XYZ to cone responses of CIE 159:2004, by which some camera makers adapt whites."""


@lru_cache(maxsize=256)
def space_for_id(config: Config, interop_id: str) -> str:
    """The colour space with a colorInteropID, perhaps of a namespace (`ocio:...`); '' if the config has none."""
    if interop_id in ("", "unknown"):
        return ""
    for name in (interop_id, interop_id.rpartition(":")[2]):
        found = next((s.name for s in config.spaces() if s.interop_id == name), "")
        if found or config.has(name):
            return found or config.resolve(name)
    newest = load_config(NEWEST)
    known = next((s.name for s in newest.spaces() if interop_id in (s.interop_id, *s.aliases)), "")
    return _same(config, newest, known) if known else ""


@lru_cache(maxsize=256)
def interop_id(config: Config, name: str) -> str:
    """The colorInteropID of a colour space; '' where it has none, as named transforms do."""
    if not config.has(name):
        return ""
    space = config.space(name)
    if space.interop_id or space.is_data:
        return space.interop_id or "data"
    same = builtin_space(config, name)
    return same.interop_id if same else ""


@lru_cache(maxsize=256)
def builtin_space(config: Config, name: str) -> Space | None:
    """The space of the newest built-in config that does the same as a colour space; None where none does."""
    newest = load_config(NEWEST)
    try:
        with config.references.alone():
            same = ocio.Config.LocateBuiltinColorSpace(config.ocio, config.resolve(name), newest.ocio)
    except FAILURES:
        return None
    return newest.space(same) if same else None


def _same(config: Config, newest: Config, name: str) -> str:
    """The config's equivalent of a space of the newest one; '' if it has none."""
    try:
        with config.references.alone():
            return str(ocio.Config.IdentifyBuiltinColorSpace(config.ocio, newest.ocio, name))
    except FAILURES:
        return ""


def space_for_chromaticities(config: Config, chromaticities: Sequence[float]) -> str:
    """The scene-linear space with these primaries and white, x and y of red, green, blue and white; '' if none.

    Whites are adapted by Bradford's method or by CAT02, as the makers of spaces do.
    """
    for cones in (BRADFORD, CAT02):
        wanted = _to_aces(chromaticities, cones)
        if wanted is None:
            return ""
        distances = {name: float(np.abs(matrix - wanted).max()) for name, matrix in _linear(config).items()}
        nearest = min(distances, key=lambda name: distances[name], default="")
        if nearest and distances[nearest] < CLOSE:
            return nearest
    return ""


@lru_cache(maxsize=16)
def _linear(config: Config) -> dict[str, Matrix]:
    """The scene-linear spaces of a config, and their matrices to ACES2065-1."""
    found = {}
    for space in config.spaces():
        if space.is_data or not config.is_linear(space.name):
            continue
        try:
            processor = _to_aces_of(config, space.name)
        except FAILURES:
            continue
        unit = np.eye(3, dtype=np.float32)
        processor.getOptimizedCPUProcessor(ocio.OPTIMIZATION_NONE).applyRGB(unit)
        found[space.name] = unit.T.astype(np.float64)
    return found


def _to_aces_of(config: Config, name: str) -> ocio.Processor:
    with config.references.alone():
        if config.role("aces_interchange"):
            return config.ocio.getProcessor(name, "aces_interchange")
        return ocio.Config.GetProcessorToBuiltinColorSpace(config.ocio, name, ACES)


def _to_aces(chromaticities: Sequence[float], cones: Matrix) -> Matrix | None:
    """The matrix from linear RGB to ACES2065-1, by that adaptation; None where the primaries are none."""
    try:
        with np.errstate(all="ignore"):
            source, target = to_xyz(chromaticities), to_xyz(PRIMARIES["ap0"])
            adapted = adaptation(source.sum(axis=1), target.sum(axis=1), cones)
            return np.asarray(np.linalg.inv(target) @ adapted @ source)
    except (np.linalg.LinAlgError, TypeError, ValueError):
        return None

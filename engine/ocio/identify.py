"""Identification of colour spaces: by colorInteropID, by a file's chromaticities, and the ID of a space.

If a config states no IDs, OpenColorIO's heuristics compare its spaces with those of the newest built-in config.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import Concatenate, ParamSpec, TypeVar
from weakref import WeakKeyDictionary

import numpy as np
import PyOpenColorIO as ocio

from engine.core.bounded_cache import BoundedCache
from engine.core.colorimetry import BRADFORD, Matrix, aces_from
from engine.ocio.config import Config, Space
from engine.ocio.config_files import NEWEST, load_config
from engine.ocio.primaries import aces_matrix, primaries_name
from engine.ocio.reasons import FAILURES

CLOSE = 2e-3
"""Largest difference between the entries of two matrices to ACES2065-1: chromaticities have four digits at best."""
CAT02 = np.array([[0.7328, 0.4296, -0.1624], [-0.7036, 1.6975, 0.0061], [0.0030, 0.0136, 0.9834]])
"""XYZ to cone responses of CIE 159:2004 (CAT02), with which some camera makers adapt whites."""

MOST_ANSWERS = 256
"""Cached results for each config."""
Words = ParamSpec("Words")
Answer = TypeVar("Answer")


def _kept(function: Callable[Concatenate[Config, Words], Answer]) -> Callable[Concatenate[Config, Words], Answer]:
    """Cache the results of a function of a config for as long as the config is in use."""
    answers: WeakKeyDictionary[Config, BoundedCache[object, tuple[Answer]]] = WeakKeyDictionary()

    @wraps(function)
    def answered(config: Config, /, *words: Words.args, **named: Words.kwargs) -> Answer:
        known = answers.setdefault(config, BoundedCache(MOST_ANSWERS))
        return known.of(words, lambda: (function(config, *words, **named),))[0]

    return answered


@_kept
def space_for_id(config: Config, interop_id: str) -> str:
    """Return the colour space with a colorInteropID, with or without a namespace (`ocio:...`); '' if there is none."""
    if interop_id in ("", "unknown"):
        return ""
    for name in (interop_id, interop_id.rpartition(":")[2]):
        found = next((s.name for s in config.spaces() if s.interop_id == name), "")
        if found or config.has(name):
            return found or config.resolve(name)
    newest = load_config(NEWEST)
    known = next((s.name for s in newest.spaces() if interop_id in (s.interop_id, *s.aliases)), "")
    return _same(config, newest, known) if known else ""


@_kept
def interop_id(config: Config, name: str) -> str:
    """Return the colorInteropID of a colour space; '' if it has none, like named transforms."""
    if not config.has(name):
        return ""
    space = config.space(name)
    if space.interop_id or space.is_data:
        return space.interop_id or "data"
    same = builtin_space(config, name)
    return same.interop_id if same else ""


@_kept
def builtin_space(config: Config, name: str) -> Space | None:
    """Return the space of the newest built-in config that is equivalent to a colour space; None if there is none."""
    newest = load_config(NEWEST)
    try:
        with config.references.alone():
            same = ocio.Config.LocateBuiltinColorSpace(config.ocio, config.resolve(name), newest.ocio)
    except FAILURES:
        return None
    return newest.space(same) if same else None


def _same(config: Config, newest: Config, name: str) -> str:
    """Return the config's equivalent of a space of the newest built-in config; '' if it has none."""
    try:
        with config.references.alone():
            return str(ocio.Config.IdentifyBuiltinColorSpace(config.ocio, newest.ocio, name))
    except FAILURES:
        return ""


def space_for_chromaticities(config: Config, chromaticities: Sequence[float]) -> str:
    """Return the scene-linear space with these primaries and white, given as x and y of red, green, blue and white.

    Whites are adapted by Bradford or CAT02, as the makers of spaces do. If the config has no such space, the name of a
    space for these primaries is returned (`engine.ocio.primaries`); '' if the numbers are not valid primaries, or the
    config has no conversion to them.
    """
    for cones in (BRADFORD, CAT02):
        wanted = aces_from(chromaticities, cones)
        if wanted is None:
            return ""
        distances = {name: float(np.abs(matrix - wanted).max()) for name, matrix in _linear(config).items()}
        nearest = min(distances, key=lambda name: distances[name], default="")
        if nearest and distances[nearest] < CLOSE:
            return nearest
    name = primaries_name(chromaticities)
    return name if config.has(name) else ""


@_kept
def _linear(config: Config) -> dict[str, Matrix]:
    """Return the scene-linear spaces of a config, and their matrices to ACES2065-1."""
    found = {}
    for space in config.spaces():
        if space.is_data or not config.is_linear(space.name):
            continue
        if (matrix := aces_matrix(config.ocio, config.references, space.name)) is not None:
            found[space.name] = matrix
    return found

"""What planes are called while they are read."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from engine.mattes.planes import ChannelPlane, CoveragePlane, FilePlane, Plane

MOST_NAMES = 2
"""The most planes that are called by their names."""


def named(planes: Iterable[Plane]) -> str:
    """Return the names of planes in a line."""
    names = dict.fromkeys(_name(plane) for plane in planes)
    return ", ".join(names) if len(names) <= MOST_NAMES else f"{len(names)} matte channels"


def _name(plane: Plane) -> str:
    if isinstance(plane, CoveragePlane):
        return f"Cryptomatte {plane.layer}"
    if isinstance(plane, FilePlane):
        return Path(plane.path).name
    return "depth" if isinstance(plane, ChannelPlane) and plane.channel == "Z" else f"channel {plane.channel}"

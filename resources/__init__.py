"""Files that ship with Tessera: the sample image, sample LUTs, and the style sheet and icons of the window."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Return the path of a resource such as `sample.exr` or `looks/soft_film.cube`."""
    return Path(__file__).resolve().parent / name

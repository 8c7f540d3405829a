"""Files that travel with Tessera: the sample image, sample looks and what the window is drawn with."""

from __future__ import annotations

from pathlib import Path


def path(name: str) -> Path:
    """Where the resource `name` lies, such as `sample.exr` or `looks/soft_film.cube`."""
    return Path(__file__).resolve().parent / name

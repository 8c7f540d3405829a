"""Stills that are dragged from the gallery onto an image or its tab, as MIME data."""

from __future__ import annotations

from collections.abc import Iterable

MIME = "application/x-tessera-stills"
"""The type of the data: IDs, one on each line."""


def ids_to_bytes(ids: Iterable[str]) -> bytes:
    """Return the data of stills with these IDs."""
    return "\n".join(ids).encode()


def ids_from_bytes(data: bytes) -> list[str]:
    """Return the IDs in the data."""
    return data.decode("ascii", "replace").split()

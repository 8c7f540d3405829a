"""Images of other formats: those that are documented, their colour tags, and others that OpenImageIO opens as well."""

from __future__ import annotations

import tempfile
from collections.abc import Iterable
from pathlib import Path

from tools.fuzz.kind import UNSUITABLE, Chance, Kind, Seed
from tools.fuzz.mutations import png, raw, segments, tiff
from tools.fuzz.operations import images
from tools.fuzz.samples.images import others, unusual

FORMATS = (
    *((b"\x89PNG", png.mutate), (b"II", tiff.mutate), (b"MM", tiff.mutate), (b"\xff\xd8", segments.jpeg)),
    *((b"SDPX", segments.dpx), (b"XPDS", segments.dpx)),
)


def by_format(data: bytes, chance: Chance) -> bytes:
    """The mutators of the file's own format."""
    mutator = next((mutate for magic, mutate in FORMATS if data.startswith(magic)), raw.mutate)
    try:
        return mutator(data, chance)
    except UNSUITABLE:
        return raw.mutate(data, chance)


def colours(data: bytes, chance: Chance) -> bytes:
    """What the file says of its colours: chunks, profiles, fields."""
    if data.startswith(png.SIGNATURE):
        return chance.choice((png.profile, png.chunks))(data, chance)
    return tiff.profile(data, chance) if data[:2] in (b"II", b"MM") else by_format(data, chance)


def documented() -> Iterable[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        return list(others(Path(folder)))


def all_others() -> Iterable[Seed]:
    with tempfile.TemporaryDirectory() as folder:
        return list(unusual(Path(folder)))


SUFFIXES = (".tif", ".tiff", ".png", ".dpx", ".jpg", ".jpeg")
TAGGED = tuple(operation for operation in images.ALL if operation.name in ("info", "view", "dry run", "export"))
KINDS = (
    Kind("image", documented, ((by_format, 4.0), (raw.mutate, 1.0)), images.ALL, weight=4.0, suffixes=SUFFIXES),
    Kind("colour tags", documented, ((colours, 4.0), (by_format, 1.0)), TAGGED, weight=1.5),
    Kind("other image", all_others, raw.ALL, images.ALL, weight=1.0),
)

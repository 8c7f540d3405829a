"""Text attributes that an export adds to the header of an EXR."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from engine.core.attribute_names import ACES_FLAG, CHROMATICITIES, INTEROP_ID, RECORDED
from engine.core.json_files import load_json
from engine.errors import GradeError, UnsupportedFile
from engine.io.exr.attributes import STRUCTURE
from engine.io.exr.header import MAX_NAME

Attributes = tuple[tuple[str, str], ...]
"""The name and the text of each."""
MOST_BYTES = 1 << 20
"""The largest text."""
NOT_TEXTS = (
    *("screenWindowCenter", "screenWindowWidth", "whiteLuminance", "adoptedNeutral", "preview", "envmap"),
    *("xDensity", "utcOffset", "longitude", "latitude", "altitude", "focus", "expTime", "aperture", "isoSpeed"),
    *("keyCode", "timeCode", "framesPerSecond", "multiView", "worldToCamera", "worldToNDC", "deepImageState"),
    *("originalDataWindow", "dwaCompressionLevel", "idManifest", "version", "maxSamplesPerPixel"),
)
"""Standard attributes of OpenEXR that hold something other than text."""
TAKEN = frozenset((*STRUCTURE, *NOT_TEXTS, *RECORDED, ACES_FLAG, CHROMATICITIES, INTEROP_ID))
"""Names that mean something else."""


def load_attributes(path: str | Path) -> Attributes:
    """Read attributes from a JSON file: an object of texts by name. UnreadableFile if it holds something else."""

    def parse(data: Any) -> Attributes:
        if not isinstance(data, dict) or not all(isinstance(text, str) for text in data.values()):
            raise GradeError("does not hold texts by name", 'write {"owner": "Ada", "comments": "Too warm"}')
        return tuple(data.items())

    return load_json(path, parse, 'write {"owner": "Ada", "comments": "Too warm"}')


def check_attributes(target: Path, attributes: Iterable[tuple[str, str]]) -> None:
    """Raise UnsupportedFile if attributes can't be written to a file."""
    for name, text in attributes:
        if target.suffix.lower() != ".exr":
            raise UnsupportedFile(target, f"can't hold the attribute {name!r}", "write an EXR")
        if name in TAKEN:
            raise UnsupportedFile(target, f"can't hold a text as {name!r}, which means something else", "rename it")
        if not 0 < len(name.encode("utf-8", "replace")) <= MAX_NAME or not f"{name}{text}".isprintable():
            what = f"can't hold the attribute {name[:40]!r}: its name is too long, or it has control characters"
            raise UnsupportedFile(target, what, "shorten it to one line")
        if len(text.encode("utf-8", "replace")) > MOST_BYTES:
            raise UnsupportedFile(target, f"can't hold so much text in the attribute {name!r}", "shorten it")

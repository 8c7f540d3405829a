"""Reading of all planes of a part through OpenEXR, for files that can't be read in pieces."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import OpenEXR
from numpy.typing import NDArray

from engine.io.exr import header as exr_header
from engine.io.exr.chunks import PartSource, assemble
from engine.io.exr.header import RawHeader
from engine.io.printed import printed

Array = NDArray[Any]


def planes_of(path: Path, part: int) -> dict[str, Array]:
    """Return the samples of every channel by name, subsampled channels at their own size.

    Errors of OpenEXR are passed on.
    """
    try:
        return _read(path, part)
    except UnicodeDecodeError:
        # OpenEXR's Python module refuses text that is not UTF-8: read the same chunks under a header without it.
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            plain = Path(folder) / "plain.exr"
            raw = exr_header.parse(path)
            assemble(plain, raw.flags, [PartSource(path, n, _without_text(h)) for n, h in enumerate(raw.headers)])
            return _read(plain, part)


def _read(path: Path, part: int) -> dict[str, Array]:
    with printed() as lines, OpenEXR.File(str(path), separate_channels=True) as file:
        if lines:  # OpenEXR skips a part that it can't decode, which shifts the indices of the others
            raise ValueError("".join(lines).rpartition(" - ")[2])
        return {name: channel.pixels for name, channel in file.channels(part).items()}


def _without_text(header: RawHeader) -> RawHeader:
    """Return the header without attributes whose text is not UTF-8."""
    kept = {name: a for name, a in header.attributes.items() if a.type != "string" or _is_text(a.data)}
    return RawHeader(kept)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True

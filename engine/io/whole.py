"""All planes of a part by OpenEXR, for what can't be read in pieces."""

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
    """Every channel's samples, with fewer of them where the channel is coarse. What OpenEXR raises, this raises."""
    try:
        return _read(path, part)
    except UnicodeDecodeError:
        # OpenEXR's Python refuses text that is not UTF-8: read the same chunks under a header without it.
        with tempfile.TemporaryDirectory(prefix="tessera-") as folder:
            plain = Path(folder) / "plain.exr"
            raw = exr_header.parse(path)
            assemble(plain, raw.flags, [PartSource(path, n, _without_text(h)) for n, h in enumerate(raw.headers)])
            return _read(plain, part)


def _read(path: Path, part: int) -> dict[str, Array]:
    with printed() as lines, OpenEXR.File(str(path), separate_channels=True) as file:
        if lines:  # it leaves out a part that it can't decode, so that others have its number
            raise ValueError("".join(lines).rpartition(" - ")[2])
        return {name: channel.pixels for name, channel in file.channels(part).items()}


def _without_text(header: RawHeader) -> RawHeader:
    """The header without the attributes whose text is in another encoding."""
    kept = {name: a for name, a in header.attributes.items() if a.type != "string" or _is_text(a.data)}
    return RawHeader(kept)


def _is_text(data: bytes) -> bool:
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True

"""Texts in the header of an EXR are changed, and every chunk keeps its bytes."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.errors import UnreadableFile
from engine.io.description import describe
from engine.io.exr.header import parse
from engine.io.exr.header_edit import write_texts
from tests.thorough import cases

PLANES = {
    name: np.random.default_rng(n).random((40, 33), np.float32).astype(np.float16) for n, name in enumerate("RGB")
}
SCANLINES = {"type": OpenEXR.scanlineimage, "compression": OpenEXR.ZIP_COMPRESSION, "note": "first"}
TILES = SCANLINES | {"type": OpenEXR.tiledimage, "tiles": OpenEXR.TileDescription()}


def written(path: Path, kind: str) -> Path:
    if kind == "parts":
        parts = [OpenEXR.Part(SCANLINES, {**PLANES}, "one"), OpenEXR.Part(TILES, {**PLANES}, "two")]
        OpenEXR.File(parts).write(str(path))
    else:
        OpenEXR.File(TILES if kind == "tiles" else SCANLINES, {**PLANES}).write(str(path))
    return path


def chunks(path: Path) -> bytes:
    raw = parse(path)
    return path.read_bytes()[raw.tables[-1] + 8 * raw.headers[-1].chunk_count() :]


@pytest.mark.parametrize("kind", cases(["scanlines", "parts"], ["tiles"]))
def test_texts_change_and_nothing_else(tmp_path: Path, kind: str) -> None:
    path = written(tmp_path / "a.exr", kind)
    before, pixels = describe(path).parts, chunks(path)
    for text in ("much longer than it was before, with an ä", "", "short"):
        write_texts(path, {"note": text, "added": "yes"})
        assert chunks(path) == pixels
        with OpenEXR.File(str(path), separate_channels=True) as file:
            assert file.header(0)["note"] == text and file.header(0)["added"] == "yes"
            for part in file.parts:
                for name, plane in PLANES.items():
                    assert np.array_equal(part.channels[name].pixels, plane)
    after = describe(path).parts
    assert [part.channels for part in after] == [part.channels for part in before]
    assert after[0].metadata == before[0].metadata | {"note": "short", "added": "yes"}
    assert [part.metadata for part in after[1:]] == [part.metadata for part in before[1:]]


def test_a_damaged_file_stays_as_it_is(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    path.write_bytes(b"\x76\x2f\x31\x01 nothing")
    with pytest.raises(UnreadableFile, match="write or copy the file again"):
        write_texts(path, {"note": "new"})
    assert path.read_bytes() == b"\x76\x2f\x31\x01 nothing" and len(list(tmp_path.iterdir())) == 1

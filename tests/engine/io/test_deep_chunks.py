"""The codecs of deep chunks, and deep tiles at every mip level."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import pytest

from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup
from engine.grade.grade import Grade
from engine.io.encoders import final_preamble
from engine.io.exr import header as exr_header
from engine.io.exr.deep_chunks import DeepChunk, DeepPart, bands, blocks, chunk_bytes
from engine.io.exr.deep_coding import DEEP_COMPRESSIONS, decode, encode
from engine.io.exr.header import RawChannel, RawHeader
from engine.io.exr.part_spec import REQUIRED
from engine.ops import Exposure

CHANNELS = (*(RawChannel(name, "half") for name in "ABGR"), RawChannel("Z", "float"))


def patterns(size: int) -> list[np.ndarray]:
    rng = np.random.default_rng(size)
    runs = np.repeat(rng.integers(0, 3, size + 1), rng.integers(1, 300, size + 1))[:size]
    steps = np.arange(size) // 2 * 7
    return [each.astype(np.uint8) for each in (rng.integers(0, 256, size), np.zeros(size), runs, steps)]


@pytest.mark.parametrize("compression", DEEP_COMPRESSIONS)
@pytest.mark.parametrize("size", [0, 1, 2, 3, 5, 126, 127, 128, 129, 255, 256, 1000, 70001])
def test_bytes_come_back(compression: str, size: int) -> None:
    for data in patterns(size):
        packed = encode(data, compression)
        assert len(packed) <= size
        assert np.array_equal(decode(packed, size, compression), data)


@pytest.mark.parametrize("compression", DEEP_COMPRESSIONS)
def test_damage_is_a_value_error_or_other_bytes_of_the_same_size(compression: str) -> None:
    data = patterns(1000)[2]
    packed = encode(data, compression)
    rng = np.random.default_rng(1)
    for _ in range(300):
        bad = bytearray(packed)
        for at in rng.integers(0, len(bad), rng.integers(1, 4)):
            bad[at] ^= int(rng.integers(1, 256))
        cut = bytes(bad[: rng.integers(1, len(bad) + 1)])
        try:
            assert decode(cut, 1000, compression).size == 1000
        except ValueError as error:
            assert str(error)


def test_bands_keep_their_limit() -> None:
    assert list(bands([3, 1, 2, 0], [5, 1, 1, 9].__getitem__, 6)) == [[3], [1, 2], [0]]
    assert list(bands([], [].__getitem__, 6)) == []


def mip_mapped(path: Path) -> Path:
    """A deep tiled image of 13 x 6 pixels with all mip levels, which no library here writes."""
    header = RawHeader().with_channels(CHANNELS).with_compression("zips").with_attributes(REQUIRED)
    for window in ("dataWindow", "displayWindow"):
        header = header.with_box(window, (0, 0, 12, 5))
    header = header.with_text("type", "deeptile").with_tiles((4, 4, 1, 1))
    rng = np.random.default_rng(2)
    chunks = []
    for number, block in enumerate(blocks(header)):
        ends = np.cumsum(rng.integers(0, 4, (block.height, block.width)), axis=1).astype(np.int32)
        count = int(ends[:, -1].sum())
        samples = {c.name: rng.uniform(0, 4, count).astype("f2" if c.type == "half" else "f4") for c in CHANNELS}
        chunks.append(chunk_bytes(DeepChunk(number, block, ends, samples), header.channels, "zips", 4))
    start = final_preamble(header)
    places = np.cumsum([0, *map(len, chunks)])[:-1] + len(start) + 8 * len(chunks)
    path.write_bytes(start + struct.pack(f"<{len(chunks)}Q", *places) + b"".join(chunks))
    return path


def test_every_mip_level_is_graded(tmp_path: Path) -> None:
    source = mip_mapped(tmp_path / "a.exr")
    options = ExportOptions(backend="cpu", threads=1, colour=ColourSetup(config="raw"))
    export_image(source, tmp_path / "b.exr", Grade([Exposure(1.0)]), options)
    parts = []
    for path in (source, tmp_path / "b.exr"):
        with path.open("rb") as file:
            part = DeepPart(file, exr_header.parse(path), 0)
            parts.append([part.decoded(part.read(number)) for number in part.numbers])
    assert len({chunk.block.place[2:] for chunk in parts[0]}) == 5
    for before, after in zip(*parts, strict=True):
        assert before.block == after.block and np.array_equal(before.ends, after.ends)
        for name in "RGB":
            assert np.array_equal(after.channels[name], 2 * before.channels[name])
        for name in "AZ":
            assert np.array_equal(after.channels[name], before.channels[name])

"""Files written from chunks that were encoded elsewhere."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from engine.compute.chunks import PackedChunks
from engine.errors import HandleError, WriteFailed
from engine.io.exr.chunks import check_complete
from engine.io.exr.header import RawChannel, RawHeader, parse
from engine.io.exr.packed_writing import PackedEncoder, chunk_head, packed_shape
from engine.io.exr.part_spec import REQUIRED
from tests.engine.io.exr import planes


def made_header(width: int, height: int, compression: str = "none", tile: int = 0) -> RawHeader:
    header = (
        RawHeader().with_channels([RawChannel("Y", "half"), RawChannel("Z", "float")]).with_compression(compression)
    )
    for name in ("dataWindow", "displayWindow"):
        header = header.with_box(name, (-3, 7, width - 4, height + 6))
    header = header.with_attributes(REQUIRED)
    return header.with_tiles((tile, tile, 0, 0)).with_text("type", "tiledimage") if tile else header


def raw_chunks(header: RawHeader) -> PackedChunks:
    """Chunks without compression, whose bytes count up."""
    shape = packed_shape(header)
    assert shape is not None
    layout, places = shape
    sizes, head = places.sizes(layout), chunk_head(header)
    offsets = np.cumsum(sizes + head) - sizes
    return PackedChunks(np.arange(int(offsets[-1] + sizes[-1])).astype(np.uint8) % 61, offsets, sizes)


@pytest.mark.parametrize("tile", [0, 4])
def test_a_file_of_raw_chunks(tile: int, tmp_path: Path) -> None:
    header, path = made_header(6, 9, tile=tile), tmp_path / "a.exr"
    packed = raw_chunks(header)
    encoder = PackedEncoder(path, path, header)
    encoder.write_chunks(packed)
    encoder.close()
    check_complete(parse(path))
    found = planes(path)
    assert found["Z"].shape == (9, 6)
    first = packed.data[packed.offsets[0] :][: 2 * (tile or 6)]
    assert found["Y"][0, : tile or 6].tobytes() == first.tobytes()


def test_chunks_that_do_not_fill_the_image_are_refused(tmp_path: Path) -> None:
    encoder = PackedEncoder(tmp_path / "a.exr", tmp_path / "b.exr", made_header(6, 9))
    with pytest.raises(HandleError, match="8 chunks don't fill an image of 9"):
        encoder.write_chunks(raw_chunks(made_header(6, 8)))
    with pytest.raises(HandleError, match="rows"):
        encoder.write(0, np.zeros((1, 6), np.uint8))
    encoder.abandon()


def test_a_file_that_lost_its_end_is_noticed(tmp_path: Path) -> None:
    header, path = made_header(6, 9), tmp_path / "a.exr"
    encoder = PackedEncoder(path, tmp_path / "b.exr", header)
    encoder.write_chunks(raw_chunks(header))
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    with pytest.raises(WriteFailed, match=r"b\.exr: could not be written completely"):
        encoder.close()


def test_parts_that_only_the_libraries_write() -> None:
    plain = made_header(6, 9)
    assert packed_shape(plain) is not None
    assert packed_shape(plain.with_compression("piz")) is None
    assert packed_shape(made_header(6, 9, tile=4).with_tiles((4, 4, 1, 0))) is None
    assert packed_shape(plain.with_channels([RawChannel("Y", "half"), RawChannel("RY", "half", 2, 2)])) is None
    assert packed_shape(made_header(20_000, 20_000, tile=20_000)) is None
    assert packed_shape(plain.with_text("type", "deepscanline")) is None

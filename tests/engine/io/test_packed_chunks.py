"""Packed chunks of EXRs: decoded by NumPy and zlib they are what OpenEXR reads, and nothing in a file is believed."""

from __future__ import annotations

import struct
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.errors import TesseraError, UnreadableFile
from engine.io.exr.chunks import offsets
from engine.io.exr.header import RawFile, parse
from engine.io.exr.packed_chunks import PackedPart, packed_layout, read_packed
from tests.engine.host_codec import HostCodec, channel
from tests.engine.io.exr import corpus_files, luminance_chroma_file, planes, samples

COMPRESSIONS = {
    "none": OpenEXR.NO_COMPRESSION,
    "rle": OpenEXR.RLE_COMPRESSION,
    "zips": OpenEXR.ZIPS_COMPRESSION,
    "zip": OpenEXR.ZIP_COMPRESSION,
}
NAMES = ("A", "B", "G", "N.x", "R", "Z", "id", "matte.R")
Planes = dict[str, np.ndarray]


def packed_of(path: Path, part: int, level: int = 0, rows: tuple[int, int] | None = None) -> PackedPart:
    """The packed chunks of a part that is supported."""
    packed = read_packed(path, part, level, rows)
    assert packed is not None
    return packed


def decoded(packed: PackedPart) -> Planes:
    """The samples of each channel."""
    result = HostCodec().decode(packed.data, packed.table, packed.layout)
    assert result.good
    return {name: channel(result.lines.buffer, packed.layout, n) for n, (name, _) in enumerate(packed.layout.channels)}


def same(mine: Planes, theirs: Planes) -> bool:
    """Whether two sets of samples have the same bits."""
    return mine.keys() == theirs.keys() and all(
        np.array_equal(mine[name].view(np.uint8), np.ascontiguousarray(theirs[name]).view(np.uint8)) for name in mine
    )


def plane(random: np.random.Generator, height: int, width: int) -> np.ndarray:
    """Samples of any type: with every trap of it, all the same, or smooth."""
    kind, style = str(random.choice(["half", "half", "float", "uint"])), int(random.integers(0, 3))
    made = samples((height, width), kind, int(random.integers(1 << 30)))
    if style == 0:
        return made
    smooth = 100.0 + 50.0 * np.sin(np.arange(width) / 9.0) * np.cos(np.arange(height) / 7.0)[:, None]
    return (smooth if style == 1 else np.full((height, width), 3.0)).astype(made.dtype)


def part(random: np.random.Generator, name: str) -> tuple[Any, Planes]:
    """A part of any supported kind, and its samples."""
    width, height = (int(v) for v in random.integers(1, 90, 2))
    x, y = (int(v) for v in random.integers(-60, 60, 2))
    chosen = random.permutation(NAMES)[: int(random.integers(1, 6))]
    made = {str(each): plane(random, height, width) for each in chosen}
    header: dict[str, Any] = {
        "name": name,
        "compression": COMPRESSIONS[str(random.choice(list(COMPRESSIONS)))],
        "dataWindow": (np.array([x, y], np.int32), np.array([x + width - 1, y + height - 1], np.int32)),
        "displayWindow": (np.array([0, 0], np.int32), np.array([50, 40], np.int32)),
        "type": OpenEXR.tiledimage if random.random() < 0.4 else OpenEXR.scanlineimage,
    }
    if header["type"] == OpenEXR.tiledimage:
        header["tiles"] = OpenEXR.TileDescription()
        header["tiles"].xSize, header["tiles"].ySize = (int(v) for v in random.integers(5, 40, 2))
    elif random.random() < 0.3:
        header["lineOrder"] = OpenEXR.DECREASING_Y
    return OpenEXR.Part(header, dict(made), name), made


@pytest.mark.parametrize("seed", range(24))
def test_generated_files_are_read_as_they_were_written(tmp_path: Path, seed: int) -> None:
    random = np.random.default_rng(seed)
    made = [part(random, f"part {n}") for n in range(int(random.integers(1, 4)))]
    path = tmp_path / "made.exr"
    OpenEXR.File([each for each, _ in made]).write(str(path))
    for number, (_, written) in enumerate(made):
        assert same(decoded(packed_of(path, number)), written)


@pytest.mark.parametrize("path", corpus_files())
def test_corpus_files_are_read_as_openexr_reads_them(path: Path) -> None:
    raw = parse(path)
    supported = [n for n, header in enumerate(raw.headers) if packed_layout(header) is not None]
    if not supported:
        assert all(read_packed(path, n) is None for n in range(len(raw.headers)))
        return
    for number in supported:
        assert same(decoded(packed_of(path, number)), planes(path, number))
        for level, size in enumerate(raw.headers[number].level_sizes()):
            shapes = {each.shape for each in decoded(packed_of(path, number, level)).values()}
            assert shapes == {(size[1], size[0])}


@pytest.mark.parametrize("path", corpus_files(damaged=True))
def test_damaged_corpus_files_are_refused_or_read_as_they_are(path: Path) -> None:
    """Whatever is accepted, all of it, is what OpenEXR reads."""
    try:
        raw = parse(path)
        for number in range(len(raw.headers)):
            packed = read_packed(path, number)
            if packed is None or packed.layout.nbytes > 1 << 26:
                continue
            result = HostCodec().decode(packed.data, packed.table, packed.layout)
            if result.good:
                assert same(decoded(packed), planes(path, number))
    except TesseraError:
        return


def write_tiles(path: Path, size: tuple[int, int], levels: bool) -> np.ndarray:
    """A tiled file of zip chunks, mip-mapped on request; its pixels."""
    y, x = np.mgrid[0 : size[1], 0 : size[0]]
    pixels = np.stack([x / size[0], y / size[1], (x + y) % 5 / 5.0], -1).astype(np.float16)
    buffer = oiio.ImageBuf(oiio.ImageSpec(*size, 3, "half"))
    buffer.set_pixels(oiio.ROI.All, pixels.astype(np.float32))
    spec = oiio.ImageSpec()
    spec.attribute("compression", "zip")
    spec.tile_width, spec.tile_height = 16, 8
    if levels:
        assert oiio.ImageBufAlgo.make_texture(oiio.MakeTxTexture, buffer, str(path), spec)
    else:
        buffer.set_write_tiles(16, 8)
        buffer.specmod().attribute("compression", "zip")
        assert buffer.write(str(path))
    return pixels


def test_mip_levels_are_read_as_openimageio_reads_them(tmp_path: Path) -> None:
    path = tmp_path / "mips.exr"
    write_tiles(path, (53, 37), True)
    sizes = parse(path).headers[0].level_sizes()
    assert len(sizes) == 6
    for level in range(len(sizes)):
        file = oiio.ImageInput.open(str(path))
        assert file is not None and file.seek_subimage(0, level)
        spec = file.spec()
        theirs = np.asarray(file.read_image(0, level, 0, 3, "half")).reshape(spec.height, spec.width, 3)
        mine = decoded(packed_of(path, 0, level))
        assert same(mine, {name: theirs[..., n] for n, name in enumerate(spec.channelnames)})
    assert read_packed(path, 0, len(sizes)) is None


@pytest.mark.parametrize("tiled", [False, True], ids=["scanlines", "tiles"])
def test_rows_are_read_in_whole_chunks(tmp_path: Path, tiled: bool) -> None:
    path = tmp_path / "rows.exr"
    if tiled:
        pixels, step = write_tiles(path, (30, 50), False), 8
    else:
        pixels, step = samples((50, 30, 3), "half"), 16
        header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
        OpenEXR.File(header, {"RGB": pixels.copy()}).write(str(path))
    packed = packed_of(path, 0, rows=(17, 33))
    assert (packed.top, packed.layout.height) == (16, 24 if tiled else 32) and packed.top % step == 0
    want = pixels[packed.top : packed.top + packed.layout.height]
    assert same(decoded(packed), {name: want[..., n] for n, name in enumerate("RGB")})
    assert len(packed.data) < path.stat().st_size


@pytest.fixture
def plain(tmp_path: Path) -> Path:
    path = tmp_path / "plain.exr"
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    OpenEXR.File(header, {"RGB": samples((40, 30, 3), "half")}).write(str(path))
    return path


def patched(path: Path, at: int, value: bytes) -> None:
    data = bytearray(path.read_bytes())
    data[at : at + len(value)] = value
    path.write_bytes(bytes(data))


def table_of(path: Path) -> tuple[RawFile, list[int]]:
    raw = parse(path)
    with path.open("rb") as file:
        return raw, list(offsets(file, raw, 0))


@pytest.mark.parametrize(
    ("field", "value"),
    [(0, 17), (0, -1), (4, -5), (4, 1 << 30)],
    ids=["another line", "a line before the image", "a negative size", "a size beyond the file"],
)
def test_a_chunk_that_is_not_what_the_header_says_is_refused(plain: Path, field: int, value: int) -> None:
    _, table = table_of(plain)
    patched(plain, table[1] + field, struct.pack("<i", value))
    with pytest.raises(UnreadableFile, match="chunks are not where"):
        read_packed(plain, 0)


@pytest.mark.parametrize("offset", [0, 5, 1 << 40, (1 << 64) - 1, -4])
def test_an_offset_that_can_not_be_is_refused(plain: Path, offset: int) -> None:
    raw, _ = table_of(plain)
    at = plain.stat().st_size + offset if offset == -4 else offset
    patched(plain, raw.tables[0] + 8, struct.pack("<Q", at))
    with pytest.raises(UnreadableFile, match="chunks are not where"):
        read_packed(plain, 0)


def test_a_chunk_that_begins_right_before_another_is_refused(plain: Path) -> None:
    raw, table = table_of(plain)
    patched(plain, raw.tables[0], struct.pack("<Q", table[1] - 4))
    with pytest.raises(UnreadableFile, match="chunks are not where"):
        read_packed(plain, 0, rows=(0, 16))


def test_chunks_that_share_an_offset_take_no_memory(plain: Path) -> None:
    raw, table = table_of(plain)
    patched(plain, raw.tables[0], struct.pack("<3Q", *[table[0]] * 3))

    def buffer(nbytes: int) -> Any:
        raise AssertionError(f"{nbytes} bytes were asked for")

    with pytest.raises(UnreadableFile, match="chunks are not where"):
        read_packed(plain, 0, buffer=buffer)


def test_a_cut_file_is_refused(plain: Path) -> None:
    plain.write_bytes(plain.read_bytes()[:-9])
    with pytest.raises(UnreadableFile):
        read_packed(plain, 0)


def test_chunks_of_another_part_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "parts.exr"
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.scanlineimage}
    parts = [OpenEXR.Part({**header}, {"RGB": samples((20, 10, 3), "half", n)}, f"p{n}") for n in range(2)]
    OpenEXR.File(parts).write(str(path))
    raw, table = table_of(path)
    with path.open("rb") as file:
        other = list(offsets(file, raw, 1))
    patched(path, raw.tables[0], struct.pack("<2Q", *other))
    with pytest.raises(UnreadableFile, match="chunks are not where"):
        read_packed(path, 0)
    assert len(table) == len(other) and read_packed(path, 1) is not None


def test_what_only_the_libraries_decode_is_left_to_them(tmp_path: Path) -> None:
    path = tmp_path / "piz.exr"
    OpenEXR.File({"compression": OpenEXR.PIZ_COMPRESSION}, {"RGB": samples((9, 9, 3), "half")}).write(str(path))
    assert read_packed(path, 0) is None
    sampled = tmp_path / "sampled.exr"
    luminance_chroma_file(sampled, *(np.ones((8, 8), np.float16) for _ in range(3)))
    assert read_packed(sampled, 0) is None

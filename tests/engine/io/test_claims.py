"""What a header claims is checked against what is on disk before any library takes memory for it."""

from __future__ import annotations

import struct
from pathlib import Path

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.errors import UnreadableFile
from engine.io import describe, read_image, tiff_header
from engine.io.exr import header as exr_header
from tests.engine.io.exr import colour, header
from tests.engine.limits import MB, bounded, needs_limits

BIG = 1500 * MB
READ = "from engine.io import describe, read_image; describe(sys.argv[1]); read_image(sys.argv[1])"


def attribute(name: str, kind: str, data: bytes) -> bytes:
    return name.encode() + b"\0" + kind.encode() + b"\0" + struct.pack("<i", len(data)) + data


def sparse_exr(path: Path, kind: str, size: int, width: int = 4, height: int = 4) -> Path:
    """An EXR with an attribute of `size` bytes that take no room on disk."""
    box = struct.pack("<4i", 0, 0, width - 1, height - 1)
    head = exr_header.MAGIC + struct.pack("<I", 2)
    head += attribute("channels", "chlist", b"Y\0" + struct.pack("<iB3xii", 1, 0, 1, 1) + b"\0")
    head += attribute("compression", "compression", b"\0") + attribute("dataWindow", "box2i", box)
    head += attribute("displayWindow", "box2i", box) + attribute("lineOrder", "lineOrder", b"\0")
    head += attribute("pixelAspectRatio", "float", struct.pack("<f", 1.0))
    head += attribute("screenWindowCenter", "v2f", bytes(8)) + attribute("screenWindowWidth", "float", bytes(4))
    with path.open("wb") as file:
        file.write(head + b"large\0" + kind.encode() + b"\0" + struct.pack("<i", size))
        file.seek(size, 1)
        file.write(b"\0")
        file.truncate(file.tell() + 8 * height + 64 * MB)
    return path


@needs_limits
@pytest.mark.parametrize("kind", ["string", "stringvector", "floatvector", "bytes", "preview", "anything"])
def test_an_attribute_that_is_not_there_takes_no_memory(kind: str, tmp_path: Path) -> None:
    path = sparse_exr(tmp_path / "sparse.exr", kind, BIG)
    assert path.stat().st_blocks * 512 < MB
    done = bounded(READ, path, memory=8 << 30)
    assert "sparse.exr: its header is too large: 1500 MB in the attribute large" in done.said
    assert done.peak < 300 * MB


def test_headers_of_a_usual_size_are_read(tmp_path: Path) -> None:
    text = "grade" * (1 << 21)
    OpenEXR.File({"tessera:grade": text}, {"RGB": colour((4, 4, 3))}).write(str(tmp_path / "a.exr"))
    assert describe(tmp_path / "a.exr").parts[0].metadata["tessera:grade"] == text
    many = {f"spectrum.{number:04}": np.zeros((2, 2), np.float16) for number in range(1500)}
    OpenEXR.File(header(), many).write(str(tmp_path / "b.exr"))
    assert len(describe(tmp_path / "b.exr").parts[0].channels) == 1500


@needs_limits
def test_pieces_and_lists_of_them_are_on_disk(tmp_path: Path) -> None:
    """A file of holes whose size allows any chunk, and any number of them."""
    for width, height in ((200_000_000, 2), (4, 500_000_000)):
        path = sparse_exr(tmp_path / f"{width}.exr", "string", 16, width, height)
        with path.open("r+b") as file:
            file.truncate(1 << 42)
        done = bounded(READ, path, memory=3 << 30)
        assert f"its header claims {width} x {height} pixels" in done.said
        assert done.peak < 300 * MB


def tiff(path: Path, tag: int, size: int, big: bool, order: str) -> Path:
    """A TIFF of 4 x 4 pixels with a tag of so many bytes, none of them on disk."""
    oiio_path = str(path)
    file = oiio.ImageOutput.create(oiio_path)
    assert file is not None
    spec = oiio.ImageSpec(4, 4, 1, "uint8")
    assert file.open(oiio_path, spec)
    file.write_image(np.zeros((4, 4, 1), np.uint8))
    file.close()
    entries = [(256, 3, 1, 4), (257, 3, 1, 4), (258, 3, 1, 8), (259, 3, 1, 1), (262, 3, 1, 1), (273, 4, 1, 16)]
    entries += [(277, 3, 1, 1), (278, 3, 1, 4), (279, 4, 1, 16), (tag, 7, size, 2048)]
    long = "Q" if big else "I"
    table = b""
    for number, kind, count, value in sorted(entries):
        packed = struct.pack(f"{order}{'H' if kind == 3 else long}", value).ljust(8 if big else 4, b"\0")
        table += struct.pack(f"{order}HH{long}", number, kind, count) + packed
    mark = b"II" if order == "<" else b"MM"
    head = mark + (struct.pack(f"{order}HHHQ", 43, 8, 0, 64) if big else struct.pack(f"{order}HI", 42, 64))
    number_of = struct.pack(f"{order}{'Q' if big else 'H'}", len(entries))
    path.write_bytes(head.ljust(64, b"\0") + number_of + table + bytes(8 if big else 4))
    with path.open("r+b") as written:
        written.truncate(2048 + size)
    return path


@needs_limits
@pytest.mark.parametrize("big", [False, True], ids=["TIFF", "BigTIFF"])
@pytest.mark.parametrize("order", ["<", ">"], ids=["II", "MM"])
@pytest.mark.parametrize("tag", [34675, 700], ids=["profile", "XMP"])
def test_a_tag_that_is_not_there_takes_no_memory(tag: int, order: str, big: bool, tmp_path: Path) -> None:
    read_image(tiff(tmp_path / "usual.tif", tag, 4096, big, order))
    path = tiff(tmp_path / "sparse.tif", tag, BIG, big, order)
    done = bounded(READ, path, memory=8 << 30)
    assert f"sparse.tif: its header is too large: 1500 MB in the tag {tag}" in done.said
    assert done.peak < 300 * MB


def test_directories_in_a_circle_end(tmp_path: Path) -> None:
    path = tmp_path / "circle.tif"
    path.write_bytes(b"II" + struct.pack("<HI", 42, 8) + struct.pack("<HHHIII", 1, 34665, 4, 1, 8, 8) + bytes(16))
    tiff_header.check_tags(path)
    with pytest.raises(UnreadableFile):
        describe(path)
    for content in (b"", b"II", b"II*\0" + bytes(12), b"MM\0+" + b"\xff" * 40, b"II*\0" + b"\xff" * 60):
        path.write_bytes(content)
        tiff_header.check_tags(path)

"""What files are said to be."""

from __future__ import annotations

import json
import os
import struct
import sys
from pathlib import Path

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.errors import UnreadableFile, UnsupportedFile
from engine.export.image import export_image
from engine.grade.grade import Grade
from engine.io import describe, open_source
from engine.io.exr import header as exr_header
from engine.io.exr.attribute_lengths import FIXED_LENGTHS
from engine.io.exr.chunks import PartSource, assemble
from engine.io.exr.header import Attribute
from engine.io.info import find_layers
from engine.ops import Exposure
from tests.engine.io.exr import colour, corpus_files, header, samples, tiles, window


def layers(*names: str) -> list[tuple[str, tuple[str, ...]]]:
    return [(layer.name, layer.channels) for layer in find_layers(names)]


def test_an_exr_is_described_from_its_header(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    channels = {"R": colour((20, 30)), "G": colour((20, 30)), "B": colour((20, 30)), "id": samples((20, 30), "uint")}
    made = header(dataWindow=window(-7, -3, 30, 20), displayWindow=window(0, 0, 64, 48))
    OpenEXR.File(made, channels).write(str(path))
    info = describe(path)
    (part,) = info.parts
    assert (info.format, part.type, part.compression, part.line_order) == ("openexr", "scanline", "zip", "increasing")
    assert part.data_window == (-7, -3, 22, 16)
    assert part.display_window == (0, 0, 63, 47)
    assert (part.width, part.height, part.pixel_aspect, part.levels, part.tile_size) == (30, 20, 2.0, 1, None)
    assert {c.name: c.type for c in part.channels} == {"R": "half", "G": "half", "B": "half", "id": "uint"}
    assert part.metadata["framesPerSecond"] == "24000/1001"
    assert part.metadata["owner"] == "ÜñïTest"
    assert part.metadata["studio:shot"] == 42
    json.dumps(part.metadata, allow_nan=False)


def test_tiles_and_levels(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    made = header(type=OpenEXR.Storage.tiledimage, tiles=tiles(16, 8))
    OpenEXR.File(made, {"RGB": colour((40, 50, 3))}).write(str(path))
    (part,) = describe(path).parts
    assert (part.type, part.tile_size, part.levels) == ("tiled", (16, 8), 1)


def test_parts_have_names_and_views(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    parts = [
        OpenEXR.Part(header(view="left"), {"RGB": colour((8, 9, 3))}, "beauty"),
        OpenEXR.Part(header(), {"Z": samples((8, 9), "float")}, "depth"),
    ]
    OpenEXR.File(parts).write(str(path))
    info = describe(path)
    assert [(p.index, p.name, p.view) for p in info.parts] == [(0, "beauty", "left"), (1, "depth", "")]


def test_layers_are_found_by_their_names() -> None:
    assert layers("A", "B", "G", "R", "Z", "id") == [("", ("R", "G", "B", "A")), ("Z", ("Z",)), ("id", ("id",))]
    assert layers("left.B", "left.G", "left.R", "left.Z") == [
        ("left", ("left.R", "left.G", "left.B")),
        ("left.Z", ("left.Z",)),
    ]
    assert layers("BY", "RY", "Y") == [("", ("Y", "RY", "BY"))]
    assert layers("A", "Y") == [("", ("Y", "A"))]
    assert layers("N.X", "N.Y", "N.Z") == [("N.X", ("N.X",)), ("N.Y", ("N.Y",)), ("N.Z", ("N.Z",))]
    assert layers("spec.red", "spec.green", "spec.blue") == [("spec", ("spec.red", "spec.green", "spec.blue"))]


def test_other_formats(tmp_path: Path) -> None:
    path = tmp_path / "a.png"
    spec = oiio.ImageSpec(12, 10, 4, "uint16")
    out = oiio.ImageOutput.create(str(path))
    assert out is not None
    assert out.open(str(path), spec)
    assert out.write_image(np.zeros((10, 12, 4), np.uint16))
    out.close()
    info = describe(path)
    (part,) = info.parts
    assert (info.format, part.type, part.width, part.height) == ("png", "image", 12, 10)
    assert [c.type for c in part.channels] == ["uint16"] * 4
    json.dumps(part.metadata, allow_nan=False)


def test_text_in_another_encoding_is_no_damage(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    OpenEXR.File(header(owner="(c) XYZ"), {"RGB": colour((8, 9, 3))}).write(str(path))
    data = path.read_bytes()
    path.write_bytes(data.replace(b"(c) XYZ", b"\xa9\xe9\xff XYZ"))
    assert describe(path).parts[0].metadata["owner"].endswith(" XYZ")
    assert open_source(path).width == 9


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "is empty"), (b"hello, world" * 99, "is not an image"), (b"\x76\x2f\x31\x01", "header")],
    ids=["empty", "text", "magic only"],
)
def test_what_is_no_image_is_named(tmp_path: Path, content: bytes, says: str) -> None:
    path = tmp_path / "a.exr"
    path.write_bytes(content)
    with pytest.raises(UnreadableFile, match=says) as caught:
        describe(path)
    assert str(caught.value).startswith(str(path))
    assert "\n" not in str(caught.value)


def test_missing_files_and_folders(tmp_path: Path) -> None:
    with pytest.raises(UnreadableFile, match="does not exist"):
        describe(tmp_path / "none.exr")
    with pytest.raises(UnreadableFile, match="is a folder"):
        describe(tmp_path)


def test_parts_and_layers_that_are_not_there(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    parts = [OpenEXR.Part(header(), {"RGB": colour((8, 9, 3))}, name) for name in ("one", "two")]
    OpenEXR.File(parts).write(str(path))
    with pytest.raises(UnsupportedFile, match="no part 'three'; its parts are: 0 one, 1 two"):
        open_source(path, part="three")
    with pytest.raises(UnsupportedFile, match="no layer 'spec'"):
        open_source(path, layer="spec")
    assert open_source(path, part="two").part.index == 1
    assert open_source(path, part="1").part.index == 1


def test_a_claim_that_the_file_cannot_hold_is_refused_before_anything_is_allocated(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    OpenEXR.File(header(dataWindow=window(0, 0, 9, 8)), {"RGB": colour((8, 9, 3))}).write(str(path))
    data = path.read_bytes()
    small, huge = struct.pack("<4i", 0, 0, 8, 7), struct.pack("<4i", 0, 0, 500_000_000, 7)
    path.write_bytes(data.replace(b"dataWindow\0box2i\0\x10\0\0\0" + small, b"dataWindow\0box2i\0\x10\0\0\0" + huge))
    with pytest.raises(UnreadableFile, match="claims 500000001 x 8 pixels"):
        describe(path)


@pytest.mark.parametrize("path", corpus_files())
def test_the_corpus_is_described_as_openexr_sees_it(path: Path) -> None:
    info = describe(path)
    with OpenEXR.File(str(path), header_only=True) as file:
        assert len(info.parts) == len(file.parts)
        for part in info.parts:
            seen = file.header(part.index)
            low, high = seen["dataWindow"]
            assert part.data_window == (*low, *high)
            assert part.compression.upper() + "_COMPRESSION" == seen["compression"].name
            assert [c.name for c in part.channels] == [c.name for c in seen["channels"]]
            assert sum(len(layer.channels) for layer in part.layers) == len(part.channels)
            json.dumps(part.metadata, allow_nan=False)


@pytest.mark.skipif(sys.platform != "linux", reason="names are text on other systems")
def test_a_name_that_is_no_text_is_said(tmp_path: Path) -> None:
    path = tmp_path / os.fsdecode(b"night\xff.exr")
    path.write_bytes(b"anything")
    with pytest.raises(UnreadableFile, match=r"night\\udcff\.exr: has a name that is not text in UTF-8; rename it"):
        describe(path)


@pytest.mark.parametrize(("across", "down", "aspect"), [(1 << 30, 1, 1.0), (1, 1 << 30, 1.0), (2, 1, 2.0)])
def test_a_pixel_aspect_that_no_exr_can_have_is_1(across: int, down: int, aspect: float, tmp_path: Path):
    path, target = tmp_path / "a.dpx", tmp_path / "a.exr"
    output = oiio.ImageOutput.create(str(path))
    assert output is not None
    output.open(str(path), oiio.ImageSpec(4, 3, 3, "uint16"))
    output.write_image(np.full((3, 4, 3), 0.5, np.float32))
    output.close()
    data = bytearray(path.read_bytes())
    struct.pack_into("<2I" if data.startswith(b"XPDS") else ">2I", data, 1628, across, down)  # SMPTE ST 268-1
    path.write_bytes(data)
    assert describe(path).parts[0].pixel_aspect == aspect
    export_image(path, target, Grade([Exposure(1.0)]))
    assert describe(target).parts[0].pixel_aspect == aspect


@pytest.mark.parametrize("kind", ["int", "float", "box2i", "lineOrder", "chromaticities", "m44f", "timecode"])
@pytest.mark.parametrize("more", [-1, 1, 7])
def test_an_attribute_whose_length_its_type_can_not_have_is_damage(kind: str, more: int, tmp_path: Path):
    """OpenEXR goes on right behind the length of such an attribute, and so misreads all that follows."""
    plain, path = tmp_path / "plain.exr", tmp_path / "a.exr"
    OpenEXR.File(header(), {name: OpenEXR.Channel(colour((4, 5))) for name in "RGB"}).write(str(plain))
    raw = exr_header.parse(plain)
    length = FIXED_LENGTHS[kind]
    for size in (0, length, length + more):
        odd = {"odd": Attribute(kind, bytes(size)), "last": Attribute("string", b"text")}
        path.unlink(missing_ok=True)
        assemble(path, raw.flags, [PartSource(plain, 0, raw.headers[0].with_attributes(odd))])
        if size in (0, length):
            assert describe(path).parts[0].metadata["last"] == "text"
        else:
            with pytest.raises(UnreadableFile, match="damaged at the attribute odd"):
                describe(path)

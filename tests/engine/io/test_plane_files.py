"""Planes of other files, fitted to the display window; and planes that are read together with the image."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.compute.backends.cpu import CpuPrimitives
from engine.core.geometry import Rect
from engine.errors import UnsupportedFile
from engine.io import describe, open_source
from engine.io.exr.mip_levels import level_part
from engine.io.plane_bands import BAND_BYTES
from engine.io.plane_locations import number_in
from engine.io.planes import PlaneOptions, PlaneReader, missing
from engine.io.selection import choose_layers
from engine.io.source import FileSource, SourceOptions
from engine.mattes.planes import ChannelPlane, CoveragePlane, FilePlane, IdPlane, Plane
from tests.engine.io.cryptomatte_files import layer, write_layers, write_parts
from tests.engine.io.exr import samples, window
from tests.engine.io.plane_readers import read

PLATE = Rect(0, 0, 40, 30)


@pytest.fixture
def plate(tmp_path: Path) -> Path:
    """An image of 40 x 30 pixels in a display window of 80 x 60."""
    channels = {"RGB": np.zeros((30, 40, 3), np.float16)}
    return write_parts(tmp_path / "shot.0012.exr", [("", (10, 20), {}, channels)])


def mask(path: Path, values: np.ndarray, name: str = "Y", **header: Any) -> Path:
    OpenEXR.File({"type": OpenEXR.scanlineimage} | header, {name: np.ascontiguousarray(values)}).write(str(path))
    return path


def test_a_file_of_the_same_size_is_read_as_it_is(plate: Path, tmp_path: Path):
    values = samples((60, 80), "float")
    mask(tmp_path / "m.exr", values)
    found = read(plate, FilePlane("m.exr"), rect=PLATE)[..., 0]
    assert np.ascontiguousarray(found).tobytes() == np.ascontiguousarray(values[20:50, 10:50]).tobytes()
    absolute = read(plate, FilePlane(str(tmp_path / "m.exr"), "Y"), rect=Rect(3, 4, 9, 8))[..., 0]
    np.testing.assert_array_equal(absolute, values[24:32, 13:22])


def test_display_windows_lie_over_each_other_wherever_their_corners_are(plate: Path, tmp_path: Path):
    values = samples((20, 30), "float")
    header: dict[str, Any] = {"dataWindow": window(105, 207, 30, 20), "displayWindow": window(100, 200, 80, 60)}
    mask(tmp_path / "m.exr", values, **header)
    found = read(plate, FilePlane("m.exr"), rect=PLATE)[..., 0]
    expected = np.zeros((60, 80), np.float32)
    expected[7:27, 5:35] = values
    np.testing.assert_array_equal(found, expected[20:50, 10:50])


@pytest.mark.parametrize(("size", "filters"), [((160, 121), "area"), ((40, 20), "catmull-rom"), ((170, 30), "mixed")])
def test_a_file_of_another_size_is_resized_as_images_are(
    size: tuple[int, int], filters: str, plate: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.setattr("engine.io.plane_bands.BAND_BYTES", 1)
    values = np.random.default_rng(2).random((size[1], size[0], 3), np.float32)
    mask(tmp_path / "m.exr", values[..., 0])
    found = read(plate, FilePlane("m.exr"), rect=PLATE)[..., 0]
    if filters != "mixed":
        expected = np.empty((60, 80, 3), np.float32)
        cpu = CpuPrimitives()
        cpu.exec_resize(cpu.upload(values), cpu.upload(expected), filters)
        np.testing.assert_array_equal(found, expected[20:50, 10:50, 0])
    part = read(plate, FilePlane("m.exr"), rect=Rect(7, 9, 20, 11))[..., 0]
    np.testing.assert_array_equal(part, found[9:20, 7:27])


def test_integers_of_other_formats_are_from_0_to_1(plate: Path, tmp_path: Path):
    values = np.random.default_rng(0).integers(0, 256, (60, 80, 4), np.uint8)
    spec = oiio.ImageSpec(80, 60, 4, "uint8")
    image: Any = oiio.ImageOutput.create(str(tmp_path / "m.png"))
    image.open(str(tmp_path / "m.png"), spec)
    image.write_image(values)
    image.close()
    found = read(plate, FilePlane("m.png"), FilePlane("m.png", "R"), rect=PLATE)
    np.testing.assert_allclose(found[..., 0], values[20:50, 10:50, 3] / 255.0, atol=1e-6)
    assert found[..., 1].max() <= 1.0


@pytest.mark.parametrize("pattern", ["m.####.exr", "m.#.exr", "m.%04d.exr", "m.@@@@.exr", "m.$F4.exr"])
def test_a_sequence_follows_the_frame(pattern: str, plate: Path, tmp_path: Path):
    for frame in (12, 13):
        mask(tmp_path / f"m.{frame:04}.exr", np.full((60, 80), frame, np.float32))
    assert (read(plate, FilePlane(pattern), rect=PLATE) == 12.0).all()
    assert (read(plate, FilePlane(pattern), rect=PLATE, frame=13) == 13.0).all()
    (lacking,) = missing(describe(plate), [FilePlane(pattern)], frame=14)
    assert lacking.kind == "file"
    assert lacking.path == tmp_path / "m.0014.exr"
    assert "m.0014.exr: does not exist" in lacking.text


@pytest.mark.parametrize(
    ("name", "number"), [("a.0012.exr", 12), ("sh010_v2.exr", 2), ("a.exr", None), ("7.exr", 7), ("a.0012", 12)]
)
def test_the_frame_is_the_last_number_of_a_name(name: str, number: int | None):
    assert number_in(name if name.endswith(".exr") else f"{name}.exr") == number


def test_a_sequence_needs_a_frame_number(tmp_path: Path):
    image = mask(tmp_path / "still.exr", np.zeros((3, 4), np.float16))
    with pytest.raises(UnsupportedFile, match="is a sequence, but the image that is graded has no frame number"):
        read(image, FilePlane("m.####.exr"), rect=Rect(0, 0, 4, 3))


def test_a_file_without_a_usual_channel_says_which_it_has(plate: Path, tmp_path: Path):
    mask(tmp_path / "one.exr", np.ones((60, 80), np.float32), "holdout")
    assert (read(plate, FilePlane("one.exr"), rect=PLATE) == 1.0).all()
    channels = {"a.x": np.zeros((6, 8), np.float32), "b.x": np.zeros((6, 8), np.float32)}
    OpenEXR.File({"type": OpenEXR.scanlineimage}, channels).write(str(tmp_path / "two.exr"))
    with pytest.raises(UnsupportedFile, match=r"two.exr: has no channel Y, A or R; name one of its channels: a.x, b.x"):
        read(plate, FilePlane("two.exr"), rect=PLATE)
    with pytest.raises(UnsupportedFile, match=r"two.exr: has no channel 'c'"):
        read(plate, FilePlane("two.exr", "c"), rect=PLATE)


@pytest.fixture
def everything(tmp_path: Path) -> Path:
    made = layer(ranks=6, size=(90, 130))
    more: dict[str, Any] = {
        "Z": samples((130, 90), "float"),
        "id": samples((130, 90), "uint"),
        "mask": samples((130, 90), "half"),
    }
    mask(tmp_path / "m.exr", samples((130, 90), "float", 9))
    return write_layers(tmp_path / "all.exr", [made], **more)


PLANES: tuple[Plane, ...] = (
    CoveragePlane("CryptoObject", ("*_1", "*_2")),
    ChannelPlane("Z"),
    IdPlane("id", (1, 0xFFFFFFFF)),
    ChannelPlane("mask"),
    ChannelPlane("A"),
    FilePlane("m.exr"),
)


@pytest.mark.parametrize("passthrough", [True, False])
def test_planes_that_are_read_with_the_image_are_the_same(passthrough: bool, everything: Path):
    expected = read(everything, *PLANES, rect=Rect(0, 0, 90, 130))
    source = open_source(everything, options=SourceOptions(passthrough=passthrough))
    planes, cpu = source.plane_source(PLANES), CpuPrimitives()
    assert planes.pixel_bytes == 24
    assert source.pixel_bytes >= 24
    for y in range(0, 130, 24):
        band = Rect(0, max(0, y - 3), 90, min(130, y + 27) - max(0, y - 3))
        plain = source.read(band)
        assert plain.graded[0].shape == (band.height, 90, 4)
        for rect in (band, Rect(5, band.y + 2, 30, band.height - 3), Rect(0, max(0, band.y - 9), 90, band.height)):
            rect = rect.clipped(90, 130)
            images = [np.array(cpu.download(each)) for each in planes.handles(cpu, PLANES, rect)]
            assert [image.shape for image in images] == [(rect.height, rect.width, 4)] * 2
            found = np.concatenate(images, 2)[..., : len(PLANES)]
            assert (
                np.ascontiguousarray(found).tobytes()
                == np.ascontiguousarray(expected[rect.y : rect.bottom, rect.x : rect.right]).tobytes()
            )
    some = (PLANES[2], PLANES[0])
    (image,) = planes.handles(cpu, some, Rect(0, 110, 90, 9))
    np.testing.assert_array_equal(np.array(cpu.download(image))[..., :2], expected[110:119][..., [2, 0]])
    source.close()


def test_samples_of_the_image_are_not_decoded_again(everything: Path, monkeypatch: pytest.MonkeyPatch):
    source = open_source(everything, options=SourceOptions(passthrough=True))
    planes = source.plane_source(PLANES[:5])
    assert planes.fixed_bytes == 0
    monkeypatch.setattr("engine.io.plane_samples.SampleReader.rows", lambda *asked: pytest.fail("decoded again"))
    counted: list[Rect] = []
    reader = source._live()
    decode = reader.read

    def counting(rect: Rect) -> np.ndarray:
        counted.append(rect)
        return decode(rect)

    monkeypatch.setattr(reader, "read", counting)
    for y in range(0, 130, 32):  # whole chunks, which are not kept otherwise
        source.read(Rect(0, y, 90, min(32, 130 - y)))
    assert sum(rect.height for rect in counted) == 130
    planes.handles(CpuPrimitives(), PLANES[:5], Rect(0, 96, 90, 32))
    source.close()


def test_memory_apart_from_the_image_is_bounded_and_said(everything: Path):
    source = open_source(everything)
    planes = source.plane_source((PLANES[0], PLANES[5]))
    assert 8 * 90 * 130 < planes.fixed_bytes < 100 * (8 + 12) * 90 * 130
    whole = PlaneReader(describe(everything), describe(everything).parts[0], options=PlaneOptions(budget=1))
    whole.read(PLANES, Rect(0, 0, 90, 130))
    assert whole.used <= 20 * 90 * 130  # the last band is kept, whatever the budget
    whole.close()
    source.close()


def test_planes_of_a_smaller_mip_level(tmp_path: Path):
    values = np.random.default_rng(0).random((64, 96, 4), np.float32)
    spec = oiio.ImageSpec(96, 64, 4, "float")
    spec.channelnames = ("R", "G", "B", "Z")
    texture = oiio.ImageBuf(spec)
    texture.set_pixels(oiio.ROI(0, 96, 0, 64, 0, 1, 0, 4), values)
    oiio.ImageBufAlgo.make_texture(oiio.MakeTxTexture, texture, str(tmp_path / "a.exr"), spec)
    info = describe(tmp_path / "a.exr")
    part = level_part(info.parts[0], (48, 32))
    source = FileSource(info, part, choose_layers(info, info.parts[0], None), SourceOptions(level=1))
    planes, cpu = source.plane_source((ChannelPlane("Z"),)), CpuPrimitives()
    source.read(Rect(0, 0, 48, 32))
    (image,) = planes.handles(cpu, (ChannelPlane("Z"),), Rect(0, 0, 48, 32))
    expected = values[..., 3].reshape(32, 2, 48, 2).mean((1, 3))
    np.testing.assert_allclose(np.array(cpu.download(image))[..., 0], expected, atol=1e-6)
    source.close()


def test_bands_of_a_large_file_on_a_small_image_are_small(plate: Path, tmp_path: Path):
    mask(tmp_path / "m.exr", np.zeros((12, 4096), np.float16), displayWindow=window(0, 0, 4096, 1 << 16))
    opened = PlaneReader(describe(plate), describe(plate).parts[0])
    try:
        assert opened.limit([FilePlane("m.exr")]) < 2 * BAND_BYTES
    finally:
        opened.close()


@pytest.mark.parametrize("path", ["", "a\0b.exr", "%09999999999d.exr", f"%0{'9' * 5000}d.exr", "x" * 5000, "\ud800"])
def test_names_that_no_file_has_are_missing_files(path: str, plate: Path):
    (lacking,) = missing(describe(plate), [FilePlane(path)])
    assert lacking.kind == "file"
    assert path or "an image matte has no file" in lacking.text

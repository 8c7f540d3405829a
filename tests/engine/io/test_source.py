"""Pixels out of files."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.core.geometry import Rect, tiles
from engine.errors import UnreadableFile
from engine.io import open_source, read_image
from engine.io.band_rows import band_rows
from engine.io.exr import luminance_chroma
from engine.io.library_readers import OiioReader
from tests.engine.io.exr import (
    CORPUS,
    colour,
    corpus_files,
    header,
    luminance_chroma_file,
    planes,
    same_bits,
    samples,
    window,
)
from tests.engine.io.exr import tiles as tile_description


def write(path: Path, channels: dict[str, Any], **more: Any) -> Path:
    OpenEXR.File(header(**more), dict(channels)).write(str(path))  # the library changes the dict
    return path


@pytest.mark.parametrize("kind", ["half", "float"])
@pytest.mark.parametrize("tiled", [False, True])
def test_any_region_is_what_the_file_holds(tmp_path: Path, kind: str, tiled: bool) -> None:
    pixels = samples((150, 131, 4), kind)
    more = {"type": OpenEXR.Storage.tiledimage, "tiles": tile_description(32, 24)} if tiled else {}
    path = write(tmp_path / "a.exr", {"RGBA": pixels}, dataWindow=window(-20, -30, 131, 150), **more)
    source = open_source(path)
    assert (source.width, source.height, source.channels, source.dtype) == (131, 150, 4, pixels.dtype)
    overlapping = [Rect(0, y, 131, min(50, 150 - y)) for y in range(0, 150, 31)]
    inner = [Rect(40, 70, 33, 41), Rect(0, 149, 131, 1), Rect(130, 0, 1, 1), Rect(40, 71, 30, 20)]
    for rect in [*overlapping, *tiles(131, 150, 40), *inner, Rect(0, 0, 131, 150)]:
        region = source.read_region(rect)
        assert region.flags.c_contiguous
        assert same_bits(region, pixels[rect.y : rect.bottom, rect.x : rect.right])
        region[...] = 0  # what was handed out is the reader's own to change
    source.close()
    with pytest.raises(UnreadableFile, match="was closed"):
        source.read_region(Rect(0, 0, 1, 1))


def test_overlapping_bands_are_decoded_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = write(tmp_path / "a.exr", {"RGB": colour((320, 16, 3))})
    source = open_source(path)
    decoded = []
    reader = source._live()
    read = reader.read

    def noted(rect: Rect) -> np.ndarray:
        decoded.append(rect.height)
        return read(rect)

    monkeypatch.setattr(reader, "read", noted)
    for y in range(0, 320, 64):
        source.read_region(Rect(0, max(y - 3, 0), 16, min(y + 67, 320) - max(y - 3, 0)))
    assert sum(decoded) == 320


def test_layers_of_one_part(tmp_path: Path) -> None:
    shape = (33, 17)
    channels = {name: colour(shape, seed=n) for n, name in enumerate(["R", "G", "B", "spec.R", "spec.G", "spec.B"])}
    channels |= {"Z": samples(shape, "float"), "spec.A": colour(shape, "float", 9)}
    path = write(tmp_path / "a.exr", channels)
    main = read_image(path)
    assert main.pixels.dtype == np.float16
    assert same_bits(main.pixels, np.stack([channels[c] for c in "RGB"], -1))
    spec = read_image(path, layer="spec")
    assert spec.pixels.dtype == np.float32
    assert np.array_equal(spec.pixels, np.stack([channels[f"spec.{c}"].astype(np.float32) for c in "RGBA"], -1))
    depth = read_image(path, layer="Z")
    assert same_bits(depth.pixels, np.stack([channels["Z"]] * 3, -1))


def test_grey_with_alpha(tmp_path: Path) -> None:
    y, a = colour((9, 8), seed=1), colour((9, 8), seed=2)
    image = read_image(write(tmp_path / "a.exr", {"Y": y, "A": a}))
    assert same_bits(image.pixels, np.stack([y, y, y, a], -1))


def test_the_first_flat_part_with_colour_is_the_default(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    parts = [
        OpenEXR.Part(header(), {"Z": samples((8, 9), "float")}, "depth"),
        OpenEXR.Part(header(), {"RGB": colour((8, 9, 3))}, "beauty"),
    ]
    OpenEXR.File(parts).write(str(path))
    assert open_source(path).part.name == "beauty"
    assert open_source(path, part="depth").layer.channels == ("Z",)


def test_an_image_is_read_in_bands_of_whole_chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engine.io.band_rows.BAND_SAMPLES", 10_000)
    read, decoded = OiioReader.read, list[Rect]()

    def noted(self: OiioReader, rect: Rect) -> np.ndarray:
        decoded.append(rect)
        return read(self, rect)

    monkeypatch.setattr(OiioReader, "read", noted)
    channels = {"RGBA": samples((333, 20, 4), "half"), "Z": samples((333, 20), "float")}
    path = write(tmp_path / "a.exr", channels, compression=OpenEXR.PIZ_COMPRESSION)
    assert same_bits(read_image(path, threads=1).pixels, channels["RGBA"])
    assert [(rect.y, rect.height) for rect in decoded] == [(0, 128), (128, 128), (256, 77)]
    y = samples((333, 20), "float")
    assert same_bits(read_image(write(tmp_path / "y.exr", {"Y": y})).pixels, np.stack([y, y, y], -1))


def test_bands_have_chunks_for_all_threads() -> None:
    assert [band_rows(1 << 22, 16, threads) for threads in (1, 2, 9)] == [64, 128, 576]
    assert band_rows(4 * 3840, 16, 2) == 320


@pytest.mark.parametrize(
    ("suffix", "kind", "scale"), [(".png", "uint16", 65535), (".tif", "float", 1), (".jpg", "uint8", 255)]
)
def test_other_formats_are_read_in_bands(tmp_path: Path, suffix: str, kind: str, scale: int) -> None:
    path = tmp_path / f"a{suffix}"
    pixels = np.random.default_rng(3).uniform(0, 1, (70, 20, 3)).astype(np.float32)
    out = oiio.ImageOutput.create(str(path))
    assert out is not None
    assert out.open(str(path), oiio.ImageSpec(20, 70, 3, kind))
    assert out.write_image(pixels)
    out.close()
    expected = oiio.ImageBuf(str(path)).get_pixels("float")
    source = open_source(path)
    got = np.concatenate([source.read_region(Rect(0, y, 20, min(16, 70 - y))) for y in range(0, 70, 16)])
    assert got.dtype == np.float32
    assert np.abs(got - expected).max() <= 0.5 / scale
    assert np.array_equal(source.read_region(Rect(3, 5, 7, 9)), got[5:14, 3:10])


def test_a_file_cut_off_in_its_pixels_says_where(tmp_path: Path) -> None:
    path = write(tmp_path / "a.exr", {"RGB": samples((320, 64, 3), "half")}, dataWindow=window(0, 100, 64, 320))
    data = path.read_bytes()
    path.write_bytes(data[: len(data) * 3 // 4])
    source = open_source(path)
    source.read_region(Rect(0, 0, 64, 160))
    with pytest.raises(UnreadableFile, match=r"is cut off or damaged at scanline 3\d\d "):
        source.read_region(Rect(0, 160, 64, 160))


def test_luminance_chroma_becomes_the_colours_it_was_made_of(tmp_path: Path) -> None:
    path = tmp_path / "yc.exr"
    v, u = np.mgrid[0:64, 0:96].astype(np.float32) / 64
    rgb = np.stack([1 + 0.5 * np.sin(u * 3), 1 + 0.4 * np.cos(v * 3), 0.8 + 0.3 * np.sin(u + v)], -1)
    y = rgb @ np.array([0.2126, 0.7152, 0.0722], np.float32)
    luminance_chroma_file(path, y, (rgb[..., 0] - y) / y, (rgb[..., 2] - y) / y)
    image = read_image(path)
    assert image.part.is_luminance_chroma
    assert image.pixels.dtype == np.float16
    error = np.abs(image.pixels.astype(np.float32) - rgb)
    assert error[14:-14, 14:-14].max() < 4e-3
    assert error.max() < 0.05  # the chroma filter runs over the edge


def test_luminance_weights_are_rec709s() -> None:
    assert np.allclose(luminance_chroma.luminance_weights(), [0.2126, 0.7152, 0.0722], atol=1e-4)


@pytest.mark.parametrize(
    "line", [(0.0,) * 8, (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3, 0.0), (np.nan,) * 8, (0.3, 0.3) * 4]
)
def test_luminance_of_primaries_that_span_no_colours_is_rec709s(line: tuple[float, ...]) -> None:
    assert np.array_equal(luminance_chroma.luminance_weights(line), luminance_chroma.luminance_weights())


def test_grey_luminance_chroma_stays_exactly_grey(tmp_path: Path) -> None:
    path = tmp_path / "yc.exr"
    y = colour((16, 16)) + np.float16(0.1)
    luminance_chroma_file(path, y, 0 * y, 0 * y)
    assert same_bits(read_image(path).pixels, np.stack([y, y, y], -1))


@pytest.mark.parametrize("path", corpus_files())
def test_the_corpus_reads_as_openexr_decodes_it(path: Path) -> None:
    image = read_image(path)
    assert image.pixels.shape[:2] == (image.part.height, image.part.width)
    if image.part.is_deep or image.part.is_luminance_chroma:
        assert np.isfinite(image.pixels).all()
        assert 0.01 < image.pixels.mean(dtype=np.float64) < 1
        return
    decoded = planes(path, image.part.index)
    names = image.layer.channels if not image.layer.is_grey else image.layer.channels * 3
    assert same_bits(image.pixels, np.stack([decoded[name] for name in names], -1))


def test_luminance_is_kept_in_a_real_luminance_chroma_file() -> None:
    path = CORPUS / "LuminanceChroma" / "CrissyField.exr"
    if not path.exists():
        pytest.skip("no corpus beside the repository")
    rgb = read_image(path).pixels.astype(np.float32)
    y = planes(path)["Y"].astype(np.float32)
    error = np.abs(rgb @ luminance_chroma.luminance_weights() - y) / np.maximum(y, 0.05)
    assert np.median(error) < 1e-3
    assert np.quantile(error, 0.999) < 5e-3

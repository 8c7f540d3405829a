"""Graded pixels into files: what is carried through, and what is written."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.compute.streaming import RegionPixels
from engine.core.geometry import Rect
from engine.errors import HandleError, UnsupportedFile
from engine.io import describe, open_output, open_source, read_image
from engine.io.exr import writer as exr_target
from engine.io.exr.header import parse
from engine.io.exr.passthrough import passthrough_spec
from engine.io.output import source_options
from engine.io.output_options import OutputOptions
from engine.io.source import SourceOptions
from tests.engine.io.exr import (
    PASSTHROUGH,
    attributes,
    colour,
    copy_image,
    grade,
    header,
    luminance_chroma_file,
    planes,
    same_bits,
    samples,
    tiles,
    window,
)

TILED = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(32, 24)}
GATHERED = "These channels can't be written in pieces: all of them were collected first."
LOSSLESS = ["NO", "RLE", "ZIPS", "ZIP", "PIZ", "PXR24", "ZSTD", "HTJ2K256", "HTJ2K32"]


def write(path: Path, channels: dict[str, Any], **more: Any) -> Path:
    OpenEXR.File(header(**more), dict(channels)).write(str(path))  # the library changes the dict
    return path


def everything(shape: tuple[int, int], floats: bool = True) -> dict[str, np.ndarray]:
    """Colours to grade, and channels of all types to carry."""
    channels = {name: colour(shape, seed=n) for n, name in enumerate("RGBA")}
    channels |= {
        "spec.R": samples(shape, "half", 5),
        "id": samples(shape, "uint", 6),
        "mask.A": samples(shape, "uint", 7),
    }
    return channels | ({"Z": samples(shape, "float", 8), "N.x": samples(shape, "float", 9)} if floats else {})


def assert_graded(before: dict[str, np.ndarray], after: dict[str, np.ndarray], names: str, gain: float = 2.0) -> None:
    """`names` are brightened, everything else is the same to the bit."""
    assert set(after) == set(before)
    for name, plane in before.items():
        expected = plane * plane.dtype.type(gain) if name in names.split() else plane
        assert same_bits(after[name], expected), name


@pytest.mark.parametrize("compression", LOSSLESS)
@pytest.mark.parametrize("more", [{}, TILED], ids=["lines", "tiles"])
def test_what_is_not_graded_is_carried_bit_for_bit(tmp_path: Path, compression: str, more: dict[str, Any]) -> None:
    kind = getattr(OpenEXR, f"{compression}_COMPRESSION")
    channels = everything((100, 77))
    windows = {"dataWindow": window(-11, -5, 77, 100), "displayWindow": window(3, 4, 50, 40)}
    source = write(tmp_path / "a.exr", channels, compression=kind, **windows, **more)
    before = planes(source)
    notes = grade(source, tmp_path / "b.exr", band=40)
    assert notes == ([GATHERED] if compression in ("PXR24", "ZSTD", "HTJ2K256", "HTJ2K32") else [])
    assert_graded(before, planes(tmp_path / "b.exr"), "R G B")
    assert attributes(tmp_path / "b.exr") == attributes(source)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.exr", "b.exr"]


@pytest.mark.parametrize("compression", ["DWAA", "DWAB", "B44A", "LJ2K"])
@pytest.mark.parametrize("more", [{}, TILED], ids=["lines", "tiles"])
def test_ids_survive_lossy_compressions(tmp_path: Path, compression: str, more: dict[str, Any]) -> None:
    kind = getattr(OpenEXR, f"{compression}_COMPRESSION")
    channels = everything((100, 77), floats=False)
    channels["spec.R"] = colour((100, 77))
    source = write(tmp_path / "a.exr", channels, compression=kind, **more)
    before = planes(source)
    notes = grade(source, tmp_path / "b.exr", band=40)
    after = planes(tmp_path / "b.exr")
    assert same_bits(after["id"], before["id"])
    assert same_bits(after["mask.A"], before["mask.A"])
    assert attributes(tmp_path / "b.exr") == attributes(source)
    assert [note for note in notes if "is lossy" in note]
    assert sorted(p.name for p in tmp_path.iterdir()) == ["a.exr", "b.exr"]


def test_one_type_is_written_without_a_second_copy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The header is put in place; only other parts and another line order need the file written again."""
    monkeypatch.setattr(exr_target, "assemble", lambda *_: pytest.fail("the file was written twice"))
    for name, more in (("lines", {}), ("tiles", TILED)):
        source = write(tmp_path / f"{name}.exr", everything((50, 60)), **more)
        grade(source, tmp_path / f"{name}2.exr")
    bare = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.Storage.scanlineimage}
    OpenEXR.File(bare, {"RGB": colour((20, 30, 3))}).write(str(tmp_path / "bare.exr"))
    grade(tmp_path / "bare.exr", tmp_path / "bare2.exr")
    assert attributes(tmp_path / "bare.exr") == attributes(tmp_path / "bare2.exr")


def test_a_few_bytes_of_header_more_than_the_least_are_kept(tmp_path: Path) -> None:
    """Between the bare header and one with room for the stand-in's filler, the file is put together anew."""
    for n in range(12):
        bare = {"compression": OpenEXR.ZIP_COMPRESSION, "type": OpenEXR.Storage.scanlineimage, "a": "x" * n}
        OpenEXR.File(bare, {"RGB": colour((20, 30, 3))}).write(str(tmp_path / "a.exr"))
        grade(tmp_path / "a.exr", tmp_path / "b.exr", force=True, gain=1.0)
        assert attributes(tmp_path / "a.exr") == attributes(tmp_path / "b.exr")
        assert same_bits(planes(tmp_path / "a.exr")["G"], planes(tmp_path / "b.exr")["G"])


def test_other_parts_are_carried_whole(tmp_path: Path) -> None:
    shape = (64, 48)
    names = everything(shape)
    parts = [
        OpenEXR.Part(header(view="left", **TILED), {"id": names["id"], "Z": names["Z"]}, "ids"),
        OpenEXR.Part(header(view="right", name="beauty"), {"RGBA": colour((*shape, 4)), "Z": names["Z"]}, "beauty"),
        OpenEXR.Part(header(dataWindow=window(-9, 9, 48, 64)), {"spec.R": names["spec.R"]}, "spec"),
    ]
    source = tmp_path / "a.exr"
    OpenEXR.File(parts).write(str(source))
    before = [planes(source, n) for n in range(3)]
    assert grade(source, tmp_path / "b.exr") == []
    assert [part.name for part in describe(tmp_path / "b.exr").parts] == ["ids", "beauty", "spec"]
    for n in range(3):
        after = planes(tmp_path / "b.exr", n)
        assert_graded(before[n], after, "R G B" if n == 1 else "")
        assert attributes(tmp_path / "b.exr", n) == attributes(source, n)
    seen = oiio.ImageBuf(str(tmp_path / "b.exr"), 1, 0)
    assert np.array_equal(np.asarray(seen.get_pixels("half"))[..., 0], before[1]["R"] * np.float16(2))


def test_the_order_of_lines_is_kept(tmp_path: Path) -> None:
    channels = {"RGB": colour((100, 20, 3))}
    source = write(tmp_path / "a.exr", channels, lineOrder=OpenEXR.LineOrder.DECREASING_Y)
    before = planes(source)
    grade(source, tmp_path / "b.exr")
    assert describe(tmp_path / "b.exr").parts[0].line_order == "decreasing"
    assert_graded(before, planes(tmp_path / "b.exr"), "R G B")
    assert attributes(tmp_path / "b.exr") == attributes(source)


@pytest.mark.parametrize(("band", "tile"), [(1, 0), (7, 0), (200, 0), (64, 16), (50, 33), (24, 77)])
@pytest.mark.parametrize("more", [{}, TILED], ids=["lines", "tiles"])
def test_regions_of_any_shape_make_the_same_file(tmp_path: Path, band: int, tile: int, more: dict[str, Any]) -> None:
    source = write(tmp_path / "a.exr", everything((100, 77)), **more)
    before = planes(source)
    grade(source, tmp_path / "b.exr", band=band, tile=tile)
    assert_graded(before, planes(tmp_path / "b.exr"), "R G B")


def test_carried_channels_with_a_halo_around_what_is_read(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((100, 77)))
    before = planes(source)
    with_halo = open_source(source, options=PASSTHROUGH)
    out = open_output(tmp_path / "b.exr", with_halo)
    out.init(77, 100, 4)
    ahead: list[tuple[Rect, RegionPixels]] = []
    for y in range(0, 100, 10):
        top, bottom = max(y - 4, 0), min(y + 14, 100)
        region = with_halo.read(Rect(0, top, 77, bottom - top))
        pixels = region.graded[0][y - top : y - top + 10].copy()
        pixels[..., :3] *= 2
        ahead.append((Rect(0, y, 77, 10), replace(region, graded=(pixels,))))
        if len(ahead) == 7:
            for each in ahead:
                out.write(*each)
            ahead = []
    for each in ahead:
        out.write(*each)
    out.finish()
    assert_graded(before, planes(tmp_path / "b.exr"), "R G B")


def test_a_source_must_be_opened_with_what_the_output_copies(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((10, 12)))
    out = open_output(tmp_path / "b.exr", open_source(source))
    with pytest.raises(HandleError, match=r"without the channels that b\.exr copies"):
        out.init(12, 10, 4)
    opened = open_source(source, options=PASSTHROUGH)
    out = open_output(tmp_path / "b.exr", opened)
    out.init(12, 10, 4)
    whole = Rect(0, 0, 12, 10)
    with pytest.raises(HandleError, match="lacks the channels"):
        out.write_region(whole, opened.read_region(whole))
    out.abort()


@pytest.mark.parametrize(
    ("size", "asked", "passthrough"),
    [
        ((12, 10), {}, True),
        ((12, 10), {"only_graded": True}, False),
        ((12, 10), {"only_graded": True, "graded": False}, True),
        ((6, 5), {}, False),
        ((4, 3), {"crop": "2,2,4,3"}, True),
        ((12, 10), {"crop": "2,2,4,3"}, False),
    ],
)
def test_all_channels_are_read_only_if_some_are_copied(
    tmp_path: Path, size: tuple[int, int], asked: dict[str, Any], passthrough: bool
) -> None:
    info = describe(write(tmp_path / "a.exr", everything((10, 12))))
    (part,) = info.parts
    asked = {"target": tmp_path / "b.exr"} | asked
    options = source_options(OutputOptions(**asked), info, part, part.layers[:1], size)
    assert options == SourceOptions(passthrough=passthrough)
    plain = OutputOptions(**asked | {"target": tmp_path / "b.tif", "type": "float", "graded": True})
    assert source_options(plain, info, part, part.layers[:1], size) == SourceOptions(as_float=True)


def test_the_header_of_the_source_stays_as_it_is(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((10, 12)), **TILED)
    raw = parse(source)
    before = dict(raw.headers[0].attributes)
    (part,) = describe(source).parts
    asked = OutputOptions(tmp_path / "b.exr", "float", "piz", storage="scanline", output_space="lin_ap1_scene")
    spec = passthrough_spec(asked, raw, part, part.layers[:1], (6, 5), [4])
    assert spec.header.size == (6, 5) and spec.carried == () and spec.notes
    assert dict(raw.headers[0].attributes) == before


def test_reading_ahead_in_another_thread(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((400, 77)))
    before = planes(source)
    opened = open_source(source, options=PASSTHROUGH)
    out = open_output(tmp_path / "b.exr", opened)
    out.init(77, 400, 4)
    rects = [Rect(0, y, 77, 20) for y in range(0, 400, 20)]
    with ThreadPoolExecutor(1) as pool:
        ahead = [pool.submit(opened.read, rect) for rect in rects]
        for rect, region in zip(rects, ahead, strict=True):
            region.result().graded[0][..., :3] *= 2
            out.write(rect, region.result())
    out.finish()
    assert_graded(before, planes(tmp_path / "b.exr"), "R G B")


def test_another_pixel_type_is_for_the_graded_channels_alone(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((40, 30)))
    grade(source, tmp_path / "b.exr", type="float", gain=1.0)
    before, after = planes(source), planes(tmp_path / "b.exr")
    for name in before:
        if name in "RGBA":
            assert same_bits(after[name], before[name].astype(np.float32))
        else:
            assert same_bits(after[name], before[name])
    grade(tmp_path / "b.exr", tmp_path / "c.exr", type="half", gain=1.0)
    assert all(same_bits(planes(tmp_path / "c.exr")[name], before[name]) for name in before)


def test_a_float_result_does_not_pass_through_half(tmp_path: Path) -> None:
    pixels = colour((40, 30, 3))
    source = write(tmp_path / "a.exr", {"RGB": pixels, "Z": samples((40, 30), "float")})
    grade(source, tmp_path / "b.exr", type="float", gain=1.1)
    assert same_bits(planes(tmp_path / "b.exr")["R"], pixels[..., 0].astype(np.float32) * np.float32(1.1))


def test_a_named_layer_is_graded_and_the_main_one_carried(tmp_path: Path) -> None:
    channels = {name: colour((40, 30), seed=n) for n, name in enumerate(["R", "G", "B", "s.R", "s.G", "s.B", "A"])}
    source = write(tmp_path / "a.exr", channels)
    before = planes(source)
    grade(source, tmp_path / "b.exr", layer="s")
    assert_graded(before, planes(tmp_path / "b.exr"), "s.R s.G s.B")


def test_compression_and_its_level(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", {"RGB": colour((200, 200, 3))})
    sizes = {}
    for asked in ("none", "zip:1", "zip:9", "piz", "dwaa:10", "dwaa:500"):
        target = tmp_path / f"{asked.replace(':', '')}.exr"
        grade(source, target, compression=asked)
        assert describe(target).parts[0].compression == asked.partition(":")[0]
        sizes[asked] = target.stat().st_size
    assert sizes["dwaa:500"] < sizes["dwaa:10"] < sizes["none"]
    assert sizes["zip:9"] <= sizes["zip:1"] < sizes["none"]
    for wrong in ("zap", "piz:3", "dwaa:much"):
        with pytest.raises(UnsupportedFile, match=r"compression|can't use"):
            open_output(tmp_path / "x.exr", None, compression=wrong)


def test_grey_becomes_colour_and_says_so(tmp_path: Path) -> None:
    y, z = colour((40, 30)), samples((40, 30), "float")
    notes = grade(write(tmp_path / "a.exr", {"Y": y, "Z": z}), tmp_path / "b.exr")
    after = planes(tmp_path / "b.exr")
    assert set(after) == {"R", "G", "B", "Z"}
    assert all(same_bits(after[c], y * np.float16(2)) for c in "RGB")
    assert same_bits(after["Z"], z)
    assert any("in place of the channel Y" in note for note in notes)


def test_luminance_chroma_becomes_colour_and_its_ids_stay(tmp_path: Path) -> None:
    y, ids = colour((40, 30)) + np.float16(0.1), samples((40, 30), "uint")
    luminance_chroma_file(tmp_path / "a.exr", y, 0 * y + np.float16(0.1), 0 * y, ids)
    expected = read_image(tmp_path / "a.exr").pixels * np.float16(2)
    notes = grade(tmp_path / "a.exr", tmp_path / "b.exr")
    after = planes(tmp_path / "b.exr")
    assert set(after) == {"R", "G", "B", "id"}
    assert all(same_bits(after[c], expected[..., n]) for n, c in enumerate("RGB"))
    assert same_bits(after["id"], ids)
    assert any("in place of luminance and chroma" in note for note in notes)
    assert copy_image(tmp_path / "a.exr", tmp_path / "c.exr") == []
    assert (tmp_path / "c.exr").read_bytes() == (tmp_path / "a.exr").read_bytes()


def test_data_is_not_graded(tmp_path: Path) -> None:
    source = write(tmp_path / "a.exr", everything((8, 9)))
    with pytest.raises(UnsupportedFile, match="graded 'Z', which is data"):
        open_output(tmp_path / "b.exr", open_source(source, layer="Z"))


def test_an_image_of_another_size(tmp_path: Path) -> None:
    windows = {"dataWindow": window(10, 20, 40, 60), "displayWindow": window(0, 0, 100, 80)}
    source = open_source(write(tmp_path / "a.exr", everything((60, 40)), **windows))
    out = open_output(tmp_path / "b.exr", source)
    out.init(20, 30, 4)
    out.write_region(Rect(0, 0, 20, 30), colour((30, 20, 4)))
    out.finish()
    (part,) = describe(tmp_path / "b.exr").parts
    assert part.data_window == (5, 10, 24, 39)
    assert part.display_window == (0, 0, 49, 39)
    assert [c.name for c in part.channels] == ["A", "B", "G", "R"]
    assert any("size of the image" in note and "id" in note for note in out.notes)

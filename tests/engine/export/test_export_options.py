"""What the options of an export do to the file: layers, windows, size, storage, levels, the header."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import OpenEXR
import OpenImageIO as oiio
import pytest

from engine.errors import GradeError, UnsupportedFile
from engine.export.image import export_image, preview_export
from engine.export.options import ExportOptions
from engine.export.provenance import grade_from_image
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import FileLook, Grade
from engine.io import describe, read_image
from engine.ops import Blur, Cdl, Exposure, Lut3d, Saturation
from tests.engine.io.exr import attributes, colour, header, planes, same_bits, samples, tiles, window

STOP = Grade([Exposure(1.0)])
TILED = {"type": OpenEXR.Storage.tiledimage, "tiles": tiles(16, 24)}


def options(**changes: Any) -> ExportOptions:
    fields: dict[str, Any] = {"backend": "cpu", "threads": 1, "force": True, **changes}
    return ExportOptions(**fields)


def shot(path: Path, **more: Any) -> Path:
    """60 x 40 pixels at (-10, 5) under a display window of 50 x 50 at (0, 0)."""
    channels: dict[str, Any] = {"RGBA": colour((40, 60, 4)), "Z": samples((40, 60), "float")}
    channels |= {"id": samples((40, 60), "uint"), "spec.R": colour((40, 60), seed=1)}
    channels |= {"spec.G": colour((40, 60), seed=2), "spec.B": colour((40, 60), seed=3)}
    about = header(dataWindow=window(-10, 5, 60, 40), displayWindow=window(0, 0, 50, 50), **more)
    OpenEXR.File(about, channels).write(str(path))
    return path


@pytest.fixture(params=[{}, TILED], ids=["lines", "tiles"])
def image(tmp_path, request):
    return shot(tmp_path / "a.exr", **request.param)


@pytest.fixture
def out(tmp_path):
    return tmp_path / "b.exr"


def test_several_layers_are_graded_in_one_pass(image, out):
    export_image(image, out, STOP, options(layer=("", "spec")))
    before, after = planes(image), planes(out)
    for name, plane in before.items():
        gain = np.float16(2 if name in ("R", "G", "B", "spec.R", "spec.G", "spec.B") else 1)
        assert same_bits(after[name], plane * gain if gain != 1 else plane), name
    assert attributes(out)["tessera:layers"] == "main, spec"


def test_only_graded_leaves_the_rest_out(image, out):
    report = export_image(image, out, STOP, options(only_graded=True, layer="spec"))
    assert set(planes(out)) == {"spec.R", "spec.G", "spec.B"}
    assert report.notes == ()
    export_image(image, out, Grade(), options(only_graded=True))
    assert set(planes(out)) == set("RGBA")
    assert same_bits(planes(out)["A"], planes(image)["A"])


@pytest.mark.parametrize(
    ("crop", "data", "display"),
    [
        ("data", (-10, 5, 49, 44), (-10, 5, 49, 44)),
        ("display", (0, 5, 49, 44), (0, 0, 49, 49)),
        ("-20,7,33,11", (-10, 7, 12, 17), (-20, 7, 12, 17)),
    ],
)
@pytest.mark.parametrize("grade", [STOP, Grade()], ids=["graded", "copied"])
def test_a_crop_cuts_every_channel(image, out, crop, data, display, grade):
    export_image(image, out, grade, options(crop=crop))
    (part,) = describe(out).parts
    assert (part.data_window, part.display_window) == (data, display)
    rows, columns = slice(data[1] - 5, data[3] - 4), slice(data[0] + 10, data[2] + 11)
    after = planes(out)
    for name, plane in planes(image).items():
        gain = np.float16(2 if name in "RGB" and grade.entries else 1)
        wanted = plane[rows, columns]
        assert same_bits(after[name], np.ascontiguousarray(wanted * gain if gain != 1 else wanted)), name


def test_a_crop_of_a_blur_is_the_blur_of_the_whole(image, out):
    grade = Grade([Blur(7.0)])
    export_image(image, out.with_name("whole.exr"), grade, options(type="float"))
    export_image(image, out, grade, options(type="float", crop="3,9,20,20", tile=8))
    whole = read_image(out.with_name("whole.exr")).pixels
    np.testing.assert_allclose(read_image(out).pixels, whole[4:24, 13:33], rtol=1e-5, atol=1e-6)


def test_the_crop_moves_the_display_window_of_all_parts(tmp_path, out):
    parts = [
        OpenEXR.Part(header(displayWindow=window(0, 0, 30, 20)), {"RGB": colour((20, 30, 3))}, "beauty"),
        OpenEXR.Part(header(displayWindow=window(0, 0, 30, 20)), {"Z": samples((20, 30), "float")}, "depth"),
    ]
    OpenEXR.File(parts).write(str(tmp_path / "a.exr"))
    export_image(tmp_path / "a.exr", out, STOP, options(crop="2,2,10,10"))
    beauty, depth = describe(out).parts
    assert beauty.display_window == depth.display_window == beauty.data_window == (2, 2, 11, 11)
    assert same_bits(planes(out, 1)["Z"], planes(tmp_path / "a.exr", 1)["Z"])
    report = export_image(tmp_path / "a.exr", out, STOP, options(resize=(15, 10)))
    assert [part.name for part in describe(out).parts] == ["beauty"]
    assert any("left out: the parts depth" in note for note in report.notes)


@pytest.mark.parametrize("crop", ["100,100,5,5", "middle", "1,2,3", "0,0,0,5"])
def test_a_crop_that_can_not_be(image, out, crop):
    with pytest.raises(UnsupportedFile, match="crop"):
        export_image(image, out, STOP, options(crop=crop))
    assert not out.exists()


@pytest.mark.parametrize("name", ["area", "lanczos3"])
def test_resize_scales_windows_after_the_crop(image, out, name):
    report = export_image(image, out, STOP, options(crop="data", resize=(30, 20), filter=name, layer=("", "spec")))
    (part,) = describe(out).parts
    assert part.data_window == part.display_window == (-5, 2, 24, 21)
    assert [c.name for c in part.channels] == ["A", "B", "G", "R", "spec.B", "spec.G", "spec.R"]
    assert any("size of the image" in note and "id" in note and "Z" in note for note in report.notes)
    if name == "area":
        plane = planes(image)["spec.G"].astype(np.float32) * 2
        mean = (plane[0::2, 0::2] + plane[1::2, 0::2] + plane[0::2, 1::2] + plane[1::2, 1::2]) / 4
        np.testing.assert_allclose(planes(out)["spec.G"], mean, rtol=1e-3)


@pytest.mark.parametrize(("storage", "size"), [("scanline", None), ("tiled", (64, 64)), ("tiled:20", (20, 20))])
def test_storage(image, out, storage, size):
    export_image(image, out, STOP, options(storage=storage))
    (part,) = describe(out).parts
    assert part.tile_size == size
    before, after = planes(image), planes(out)
    assert all(same_bits(after[n], p * np.float16(2) if n in "RGB" else p) for n, p in before.items())
    assert np.array_equal(np.asarray(oiio.ImageBuf(str(out)).get_pixels("half"))[..., 0], after["R"])
    export_image(image, out, Grade(), options(storage=storage))
    assert describe(out).parts[0].tile_size == size
    assert all(same_bits(planes(out)[n], p) for n, p in before.items())


@pytest.mark.parametrize("change", [{"storage": "strips"}, {"storage": "tiled:0"}, {"compression": "zip:11"}])
def test_what_is_not_written(image, out, change):
    with pytest.raises(UnsupportedFile):
        export_image(image, out, STOP, options(**change))
    with pytest.raises(UnsupportedFile, match="holds one layer"):
        export_image(image, out.with_suffix(".tif"), STOP, options(layer=("", "spec")))


# -- the header


def test_the_grade_is_reported_and_read_back(image, out, tmp_path):
    cube = np.random.default_rng(1).uniform(0, 1, (5, 5, 5, 3))
    cdl = Cdl(slope=(1.1, 1, 1))
    grade = Grade([FileLook("look.cube", (Lut3d(cube),)), cdl, Saturation(0.5)])
    export_image(image, out, grade, options())
    kept = grade_from_image(out)
    assert kept is not None
    assert kept.entries == grade.entries
    assert (kept.colour.working, kept.colour.config[:7]) == ("ACEScct", "ocio://")
    assert grade_from_image(image) is None
    written = attributes(out)
    assert written["tessera:cdl"].startswith("slope 1.1")
    assert written["tessera:software"] == "Tessera"
    assert written["tessera:version"]
    export_image(out, tmp_path / "c.exr", STOP, options())
    assert grade_from_image(tmp_path / "c.exr") == kept.with_entries([*grade.entries, *STOP.entries])
    export_image(out, tmp_path / "c.exr", STOP, options(layer="spec"))
    assert grade_from_image(tmp_path / "c.exr") == kept.with_entries(STOP.entries)


def test_a_damaged_record_is_an_error_of_one_line(image, out):
    export_image(image, out, STOP, options())
    out.write_bytes(out.read_bytes().replace(b'{"tessera"', b'{"tess"era'))
    with pytest.raises(GradeError, match="damaged"):
        grade_from_image(out)


COLOUR = {
    "chromaticities": (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329),
    "whiteLuminance": 100.0,
    "adoptedNeutral": np.array([0.3, 0.3], np.float32),
    "acesImageContainerFlag": 1,
    "colorInteropID": "lin_rec709_scene",
}


@pytest.mark.parametrize(
    ("setup", "viewing", "space"),
    [
        ({}, None, None),
        ({"output": "Linear Rec.709 (sRGB)"}, None, None),
        ({"input": "lin_rec709_scene"}, None, None),
        ({"config": "raw"}, None, None),
        ({"input": "ACEScg"}, None, "lin_ap1_scene"),
        ({"output": "ACEScg"}, None, "lin_ap1_scene"),
        ({"output": "ACEScct"}, None, "ocio:acescct_ap1_scene"),
        ({"config": "studio-config-v2.2.0_aces-v1.3_ocio-v2.4", "output": "P3-DCI - Display"}, None, "unknown"),
        ({}, Viewing("Rec.1886 Rec.709 - Display", "Un-tone-mapped"), "g24_rec709_display"),
    ],
)
def test_colour_metadata_follows_the_space(tmp_path, out, setup, viewing, space):
    OpenEXR.File(header(**COLOUR), {"RGB": colour((8, 8, 3))}).write(str(tmp_path / "a.exr"))
    export_image(tmp_path / "a.exr", out, STOP, options(colour=ColourSetup(**setup), viewing=viewing))
    before, after = attributes(tmp_path / "a.exr"), attributes(out)
    if space is None:
        assert {name: after[name] for name in COLOUR} == {name: before[name] for name in COLOUR}
        return
    assert set(COLOUR) & set(after) == {"colorInteropID"}
    assert after["colorInteropID"] == space
    with OpenEXR.File(str(out), header_only=True) as file:
        assert OpenEXR.checkColorMetadata(file.header()) == int(OpenEXR.ColorMetadataWarning.OK)


@pytest.mark.parametrize(
    ("name", "compression", "line"),
    [
        ("b.tif", "dwaa", "'dwaa' is not a valid TIF compression; use one of none, lzw, zip, packbits"),
        ("b.tif", "lzw:3", "can't use 'lzw:3'; lzw has no level"),
        ("b.jpg", "jpeg:0", "can't use 'jpeg:0'; the level of jpeg is from 1 to 100"),
        ("b.png", "zip", "is PNG, whose compression can't be chosen; write an EXR or a TIFF"),
        ("b.dpx", "zip", "is DPX, whose compression can't be chosen; write an EXR or a TIFF"),
    ],
)
def test_a_compression_that_a_format_lacks_is_refused(image, tmp_path, name, compression, line):
    with pytest.raises(UnsupportedFile, match=re.escape(f"{name}: {line}")):
        export_image(image, tmp_path / name, STOP, options(compression=compression))
    assert not (tmp_path / name).exists()


def test_other_formats_are_compressed_as_asked(image, tmp_path):
    sizes = []
    for name, compression in (("b.tif", "none"), ("c.tif", "zip:9"), ("b.jpg", "jpeg:95"), ("c.jpg", "jpeg:20")):
        export_image(image, tmp_path / name, STOP, options(compression=compression))
        sizes.append((tmp_path / name).stat().st_size)
    assert sizes[0] > sizes[1]
    assert sizes[2] > sizes[3]


def test_a_dry_run_writes_nothing_and_tells_the_same(image, out):
    asked = options(crop="display", storage="tiled:32", compression="piz")
    preview = preview_export(image, out, STOP, asked)
    assert not out.exists()
    assert sorted(path.name for path in out.parent.iterdir()) == ["a.exr"]
    assert any(line.strip() == "compression = zip" for line in preview.before)
    assert any(line.strip() == "storage = tiles of 32 x 32" for line in preview.after)
    report = export_image(image, out, STOP, asked)
    assert preview.notes == report.notes
    assert preview_export(out, out, Grade(), options()).before == preview.after
    same = preview_export(image, out, Grade(), options())
    assert same.before == same.after


def test_json_of_the_record_is_small(image, out):
    export_image(image, out, STOP, options())
    assert json.loads(attributes(out)["tessera:grade"])["entries"] == [{"op": "Exposure", "stops": 1.0}]

"""What PNG, TIFF, JPEG and DPX files say of their colours, and the space that this means in a config."""

from __future__ import annotations

import struct
import zlib
from pathlib import Path
from typing import Any

import numpy as np
import OpenImageIO as oiio
import pytest

from engine.color.management import manage
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.grade.colour_settings import ColourSetup, InputSpace
from engine.grade.grade import Grade
from engine.io import describe
from engine.io.colour_tags import TAG, TAG_SPACES, gamut_of
from engine.io.icc import IccColours, read_icc
from engine.io.icc_writing import icc_profile
from engine.ocio import load_config
from engine.ops import Exposure
from tests.engine import ocio_corpus as corpus
from tests.engine.io.exr import attributes
from tests.engine.shows import write_show

SRGB, P3, CG = "sRGB Encoded Rec.709 (sRGB)", "sRGB Encoded P3-D65", "ocio://cg-config-latest"


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


def written(path: Path, **attributes: Any) -> Path:
    """A small grey image by OpenImageIO; `__` in a name stands for a colon."""
    spec = oiio.ImageSpec(4, 4, 3, "uint16" if path.suffix != ".jpg" else "uint8")
    for name, value in attributes.items():
        if isinstance(value, bytes):
            spec.attribute(name, oiio.TypeDesc(f"uint8[{len(value)}]"), np.frombuffer(value, np.uint8))
        elif isinstance(value, tuple):
            spec.attribute(name, f"int[{len(value)}]", value)
        else:
            spec.attribute(name.replace("__", ":"), value)
    output = oiio.ImageOutput.create(str(path))
    assert output is not None
    assert output.open(str(path), spec), output.geterror()
    output.write_image(np.full((4, 4, 3), 0.5, np.float32))
    output.close()
    return path


def png(path: Path, **chunks: bytes) -> Path:
    """A PNG of one grey pixel with those chunks before its pixels, by hand."""
    parts = {"IHDR": struct.pack(">2I5B", 1, 1, 8, 0, 0, 0, 0), **chunks, "IDAT": zlib.compress(b"\0\x80"), "IEND": b""}
    body = b"".join(
        struct.pack(">I", len(data)) + name.encode() + data + struct.pack(">I", zlib.crc32(name.encode() + data))
        for name, data in parts.items()
    )
    path.write_bytes(b"\x89PNG\r\n\x1a\n" + body)
    return path


def chrm(*xy: float) -> bytes:
    """White, red, green and blue, as the chunk has them."""
    return struct.pack(">8I", *(round(100000 * value) for value in xy))


def found(path: Path, config: str = CG) -> InputSpace:
    return manage(ColourSetup(config), path, describe(path).parts[0].metadata).found


def described_by_oiio(path: Path) -> Any:
    file = oiio.ImageInput.open(str(path))
    assert file is not None
    return file.spec().getattribute("oiio:ColorSpace")


def profile(name: str) -> bytes:
    colours = pytest.importorskip("PySide6.QtGui").QColorSpace
    return bytes(colours(getattr(colours.NamedColorSpace, name)).iccProfile().data())


@pytest.mark.parametrize(
    ("points", "space", "as_oiio"),
    [
        ((1, 13, 0, 1), SRGB, True),
        ((12, 13, 0, 1), P3, True),
        ((1, 8, 0, 1), "Linear Rec.709 (sRGB)", True),
        ((1, 4, 0, 1), "Gamma 2.2 Encoded Rec.709", True),
        ((1, 1, 0, 1), "Rec.1886 Rec.709 - Display", True),
        ((9, 16, 0, 1), "Rec.2100-PQ - Display", True),
        ((9, 1, 0, 1), "", False),  # OpenImageIO takes what it does not know for sRGB
        ((9, 16, 0, 0), "", False),  # narrow range
        ((2, 2, 0, 1), "", False),
    ],
)
def test_code_points_of_a_png(tmp_path, points, space, as_oiio):
    image = written(tmp_path / "a.png", CICP=points)
    known = found(image)
    words = f"code points {'/'.join(map(str, points))} (CICP)"
    assert known.space == space and words in known.origin
    assert known.origin == (f"from the {words}" if space else f"unknown (the config has no space for the {words})")
    assert (described_by_oiio(image) in describe(image).parts[0].metadata.get(TAG_SPACES, ())) == as_oiio


GAMMA = {one: struct.pack(">I", round(100000 / one)) for one in (1.0, 1.8, 2.2, 2.4, 3.0)}
D65, REC709 = (0.3127, 0.329), (0.64, 0.33, 0.3, 0.6, 0.15, 0.06)
ADOBE = (0.64, 0.33, 0.21, 0.71, 0.15, 0.06)


@pytest.mark.parametrize(
    ("chunks", "space", "words"),
    [
        ({}, SRGB, "default of PNG, sRGB"),
        ({"sRGB": b"\0"}, SRGB, "sRGB chunk"),
        ({"sRGB": b"\0", "gAMA": GAMMA[2.2], "cHRM": chrm(*D65, *ADOBE)}, SRGB, "sRGB chunk"),
        ({"gAMA": GAMMA[2.2]}, "Gamma 2.2 Encoded Rec.709", "gamma of 2.2 (gAMA)"),
        ({"gAMA": GAMMA[1.8]}, "Gamma 1.8 Encoded Rec.709", "gamma of 1.8 (gAMA)"),
        ({"gAMA": GAMMA[1.0]}, "Linear Rec.709 (sRGB)", "gamma of 1 (gAMA)"),
        ({"gAMA": GAMMA[2.2], "cHRM": chrm(*D65, *REC709)}, "Gamma 2.2 Encoded Rec.709", "primaries (gAMA, cHRM)"),
        ({"gAMA": GAMMA[2.2], "cHRM": chrm(*D65, *ADOBE)}, "Gamma 2.2 Encoded AdobeRGB", "primaries (gAMA, cHRM)"),
        ({"gAMA": GAMMA[1.0], "cHRM": chrm(*D65, *ADOBE)}, "Linear AdobeRGB", "gamma of 1 and primaries"),
        ({"gAMA": GAMMA[3.0]}, "", "gamma of 3 (gAMA)"),
        ({"gAMA": b"\0\0\0\0"}, "", "gamma of inf (gAMA)"),
        ({"gAMA": GAMMA[2.2], "cHRM": chrm(*D65, *D65, *D65, *D65)}, "", "gamma of 2.2 and primaries"),
        ({"cHRM": chrm(*D65, *ADOBE)}, "", "cHRM chunk without a curve"),
    ],
)
def test_chunks_of_a_png(tmp_path, chunks, space, words):
    known = found(png(tmp_path / "a.png", **chunks))
    assert known.space == space and words in known.origin and known.stated == bool(space)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".jpg"])
@pytest.mark.parametrize(
    ("name", "space"),
    [
        ("SRgb", SRGB),
        ("SRgbLinear", "Linear Rec.709 (sRGB)"),
        ("AdobeRgb", "Gamma 2.2 Encoded AdobeRGB"),
        ("DisplayP3", P3),
        ("ProPhotoRgb", ""),
    ],
)
def test_icc_profiles(tmp_path, suffix, name, space):
    known = found(written(tmp_path / f"a{suffix}", ICCProfile=profile(name)))
    assert known.space == space and "ICC profile " in known.origin and known.stated == bool(space)


@pytest.mark.parametrize(
    ("name", "primaries"),  # as their standards publish them: IEC 61966-2-1, BT.2020, SMPTE EG 432-1
    [
        ("SRgb", (0.64, 0.33, 0.3, 0.6, 0.15, 0.06, 0.3127, 0.329)),
        ("Bt2020", (0.708, 0.292, 0.17, 0.797, 0.131, 0.046, 0.3127, 0.329)),
        ("DisplayP3", (0.68, 0.32, 0.265, 0.69, 0.15, 0.06, 0.3127, 0.329)),
    ],
)
def test_the_primaries_of_a_profile_are_the_published_ones(name, primaries):
    assert read_icc(profile(name)).primaries == pytest.approx(primaries, abs=5e-4)


def test_profiles_of_all_sorts():
    sound = profile("DisplayP3")
    assert read_icc(sound).curve == "srgb"
    assert read_icc(b"") == read_icc(bytes(500)) == IccColours()
    rng = np.random.default_rng(3)
    for _ in range(300):
        damaged = bytearray(sound[: rng.integers(1, len(sound))])
        for place in rng.integers(0, len(damaged), 4):
            damaged[place] = rng.integers(0, 256)
        read_icc(bytes(damaged))  # nothing but IccColours comes of it


@pytest.mark.skipif(not corpus.CORPUS.is_dir(), reason="needs the files of shared/corpus")
def test_profiles_of_the_corpus():
    names = ("1.icc", "3.icm", "pc2.icc")
    adobe, srgb, tables = (read_icc((corpus.CORPUS / f"icc-test-{name}").read_bytes()) for name in names)
    assert (adobe.curve, srgb.curve, tables.curve) == ("g22", "srgb", "")


@pytest.mark.parametrize(
    ("transfer", "primaries", "space", "as_oiio"),
    [
        ("ITU-R 709-4", "ITU-R 709-4", "Rec.1886 Rec.709 - Display", "srgb_rec709_scene"),
        ("SMPTE 274M", "User defined", "Rec.1886 Rec.709 - Display", None),
        ("Linear", "SMPTE 274M", "Linear Rec.709 (sRGB)", "lin_rec709_scene"),
        ("Linear", "User defined", "", "lin_rec709_scene"),
        ("Printing density", "Printing density", "", None),
        ("Logarithmic", "Printing density", "", "KodakLog"),
        ("ITU-R 601-5 system M", "ITU-R 601-5 system M", "", None),
    ],
)
def test_fields_of_a_dpx(tmp_path, transfer, primaries, space, as_oiio):
    image = written(tmp_path / "a.dpx", dpx__Transfer=transfer, dpx__Colorimetric=primaries)
    known = found(image)
    assert (known.space, described_by_oiio(image)) == (space, as_oiio)
    assert f"DPX transfer {transfer}, colorimetry {primaries}" in known.origin


def test_who_says_nothing_is_asked(tmp_path):
    for image in (written(tmp_path / "a.dpx"), written(tmp_path / "a.tif")):
        assert found(image) == InputSpace() and TAG not in describe(image).parts[0].metadata
    assert found(written(tmp_path / "a.jpg")) == InputSpace(SRGB, "from the default of JPEG, sRGB", True)
    exif = {"oiio__ColorSpace": "srgb_rec709_scene"}
    for name in ("b.jpg", "b.tif"):
        assert found(written(tmp_path / name, **exif)).origin == "from the Exif colour space sRGB"


def test_a_camera_that_denies_srgb_is_believed(tmp_path):
    known = found(written(tmp_path / "a.jpg", Exif__ColorSpace=65535))
    assert known == InputSpace("", "unknown (the config has no space for the Exif colour space, which is uncalibrated)")


def test_a_grey_profile_has_a_curve_alone(tmp_path):
    tag = b"curv\0\0\0\0" + struct.pack(">IH", 1, round(2.2 * 256)) + b"\0\0"
    table = struct.pack(">I4s2I", 1, b"kTRC", 144, 14) + tag
    grey = bytes(16) + b"GRAYXYZ " + bytes(12) + b"acsp" + bytes(88) + table
    assert read_icc(grey) == IccColours(None, "g22", None, True)
    assert found(written(tmp_path / "a.tif", ICCProfile=grey)).space == "Gamma 2.2 Encoded Rec.709"


def test_rules_of_a_show_come_before_tags(tmp_path):
    config = write_show(tmp_path / "show")
    assert found(png(tmp_path / "a_matte_1.png", sRGB=b"\0"), str(config)).origin == "from the file rule Mattes"
    assert found(png(tmp_path / "shot.png", sRGB=b"\0"), str(config)).space == ""


def test_film_scans_are_found_by_the_names_that_configs_have(tmp_path):
    config = tmp_path / "film.ocio"
    scan = written(tmp_path / "a.dpx", dpx__Transfer="Printing density", dpx__Colorimetric="Printing density")
    text = write_show(tmp_path / "show").read_text()
    assert "Plate Log" in text
    config.write_text(text.replace("Plate Log", "Cineon"))
    assert found(scan, str(config)).space == "Cineon"


BY_CHUNKS = ("g18_rec709_scene", "g24_rec709_scene", "lin_rec2020_scene", "pq_rec2020_display", "pq_p3d65_display")
BY_PROFILE = ("g22_rec709_scene", "lin_rec709_scene", "srgb_p3d65_scene", "lin_ap1_scene", "g22_adobergb_scene")


@pytest.mark.parametrize(
    ("suffix", "output"),
    [
        *((suffix, name) for suffix in (".png", ".tif", ".jpg") for name in ("srgb_rec709_scene", *BY_PROFILE)),
        *((".png", name) for name in BY_CHUNKS),
        *((".dpx", name) for name in ("g24_rec709_display", "lin_rec709_scene")),
    ],
)
def test_exports_are_read_back_in_the_space_they_were_written_in(tmp_path, suffix, output):
    source, target = png(tmp_path / "a.png", sRGB=b"\0"), tmp_path / f"b{suffix}"
    report = export_image(source, target, Grade([Exposure(-1.0)]), ExportOptions(colour=ColourSetup(output=output)))
    assert found(target, "").space == load_config().resolve(output)
    assert not any("can't be tagged with the colour space" in note for note in report.notes)


@pytest.mark.parametrize("suffix", [".png", ".tif", ".jpg", ".dpx"])
def test_what_a_format_can_not_say_is_reported(tmp_path, suffix):
    source, target = png(tmp_path / "a.png", sRGB=b"\0"), tmp_path / f"b{suffix}"
    report = export_image(source, target, Grade(), ExportOptions(colour=ColourSetup(output="ARRI LogC4")))
    what = f"{suffix[1:].upper()} can't be tagged with the colour space ocio:arrilogc4_awg4_scene"
    words = f"{what}: set it by hand when you read it."
    assert words in report.notes
    assert TAG_SPACES not in describe(target).parts[0].metadata or suffix in (".png", ".jpg")  # whose default is sRGB


@pytest.mark.parametrize(
    ("space", "primaries", "curve"),
    [
        ("srgb_p3d65_display", "DciP3D65", "SRgb"),
        ("g22_adobergb_scene", "AdobeRgb", "Gamma"),
        ("lin_rec2020_scene", "Bt2020", "Linear"),
        ("g24_rec709_display", "SRgb", "Gamma"),
        ("lin_ap1_scene", "Custom", "Linear"),
    ],
)
def test_profiles_are_read_by_others(space, primaries, curve):
    colours = pytest.importorskip("PySide6.QtGui").QColorSpace
    read = colours.fromIccProfile(icc_profile(space))
    assert read.isValid() and (read.primaries().name, read.transferFunction().name) == (primaries, curve)
    assert read.transferFunction().name != "Gamma" or f"g{round(10 * read.gamma())}" == space[:3]
    assert gamut_of(read_icc(icc_profile(space)).primaries) == space.split("_")[1]


def test_a_space_that_is_no_curve_on_primaries_has_no_profile():
    for space in ("", "unknown", "data", "ocio:arrilogc4_awg4_scene", "pq_rec2020_display", "srgb_xyz_scene"):
        assert icc_profile(space) == b""


def test_an_exr_of_a_tagged_image_says_its_space(tmp_path):
    source, target = png(tmp_path / "a.png", sRGB=b"\0"), tmp_path / "a.exr"
    export_image(source, target, Grade([Exposure(-1.0)]))
    assert attributes(target)["colorInteropID"] == "srgb_rec709_scene"

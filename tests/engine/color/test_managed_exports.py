"""Exports with colour management: the spaces on the way, what the header and the chunks say of the result."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import OpenEXR
import pytest

from engine.color.management import manage
from engine.errors import UnreadableFile
from engine.export.image import export_image
from engine.export.options import ExportOptions
from engine.export.provenance import grade_from_image
from engine.grade.colour_settings import ColourSetup, Viewing
from engine.grade.grade import Grade
from engine.io import read_image
from engine.ocio import load_config
from engine.ops import Exposure
from tests.engine import ocio_corpus as corpus
from tests.engine.io.exr import attributes
from tests.engine.ocio_grades import CDL, GRADE, by_opencolorio
from tests.engine.tagged import AP0, REC709, found, shot

CPU = ExportOptions(backend="cpu", threads=1, type="float", force=True)


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


def test_an_export_goes_the_same_way(tmp_path):
    source, target = shot(tmp_path / "a.exr", colorInteropID="lin_rec709_scene"), tmp_path / "b.exr"
    grade = Grade(GRADE.entries, ColourSetup(output="ACES2065-1"))
    report = export_image(source, target, grade, CPU)
    expected = "Linear Rec.709 (sRGB) (from colorInteropID lin_rec709_scene) -> ACEScct -> ACES2065-1"
    assert report.colour == expected
    rgba = np.concatenate([read_image(source).pixels, np.ones((6, 8, 1), np.float32)], axis=-1).reshape(-1, 4)
    way = manage(grade.colour, source, {"colorInteropID": "lin_rec709_scene"})
    wanted = corpus.exact(by_opencolorio(way.config, way), rgba.astype(np.float64)).reshape(6, 8, 4)
    np.testing.assert_allclose(read_image(target).pixels, wanted[..., :3], rtol=1e-5, atol=2e-6)
    assert attributes(target)["colorInteropID"] == "lin_ap0_scene"
    kept = grade_from_image(target)
    assert kept == Grade(grade.entries, ColourSetup(way.config.source, "", "ACEScct", "ACES2065-1"))
    again = export_image(source, tmp_path / "c.exr", kept, CPU)
    assert again.colour == expected
    assert (tmp_path / "c.exr").read_bytes() == target.read_bytes()


@pytest.mark.parametrize("header", [{"chromaticities": AP0}, {}], ids=["chromaticities", "flag alone"])
def test_an_aces_container_stays_one_as_long_as_it_is_one(tmp_path, header):
    source, target = tmp_path / "a.exr", tmp_path / "b.exr"
    rgb = np.linspace(0.0, 4.0, 144, dtype=np.float16).reshape(6, 8, 3)
    OpenEXR.File({"compression": OpenEXR.NO_COMPRESSION, "acesImageContainerFlag": 1, **header}, {"RGB": rgb}).write(
        str(source)
    )
    same = ExportOptions(**vars(CPU) | {"type": "source"})
    assert export_image(source, target, Grade([CDL]), same).notes == ()
    assert attributes(target)["acesImageContainerFlag"] == "1"
    report = export_image(source, target, Grade([CDL]), ExportOptions(**vars(same) | {"compression": "zip"}))
    assert report.notes == (
        "The file is no longer an ACES container: those have half channels in uncompressed scanlines.",
    )
    assert "acesImageContainerFlag" not in attributes(target)
    assert attributes(target).get("colorInteropID", "") == ("" if header else "lin_ap0_scene")
    assert found(target).space == "ACES2065-1"


def chunks(path: Path) -> dict[bytes, bytes]:
    """The chunks of a PNG, by name."""
    data, at, found = path.read_bytes(), 8, {}
    while at < len(data):
        size = int.from_bytes(data[at : at + 4], "big")
        found[data[at + 4 : at + 8]] = data[at + 8 : at + 8 + size]
        at += size + 12
    return found


@pytest.mark.parametrize(
    ("setup", "viewing", "expected"),
    [
        ({}, None, {b"gAMA": (100000).to_bytes(4, "big")}),
        ({"input": "", "config": "raw"}, None, {}),
        ({}, Viewing("sRGB - Display"), {b"sRGB": b"\x03"}),
        ({}, Viewing("Display P3 - Display"), {b"cICP": b"\x0c\x0d\x00\x01"}),
        ({}, Viewing("Rec.2100-PQ - Display"), {b"cICP": b"\x09\x10\x00\x01"}),
        ({"output": "ACEScct"}, None, {}),
    ],
    ids=str,
)
def test_a_png_says_what_it_can_of_its_space(tmp_path, setup, viewing, expected):
    source, target = shot(tmp_path / "a.exr", chromaticities=REC709), tmp_path / "b.png"
    asked = ExportOptions(**vars(CPU) | {"type": "source", "colour": ColourSetup(**setup), "viewing": viewing})
    export_image(source, target, Grade([CDL]), asked)
    found = chunks(target)
    assert {name: found.get(name) for name in expected} == expected
    assert bool({b"sRGB", b"gAMA", b"cICP", b"iCCP"} & set(found)) == bool(expected)


def test_options_count_before_the_grade(tmp_path):
    source, target = shot(tmp_path / "a.exr", colorInteropID="lin_rec709_scene"), tmp_path / "b.exr"
    grade = Grade([CDL], ColourSetup(working="ACEScg", output="ACES2065-1"))
    asked = ExportOptions(**vars(CPU) | {"colour": ColourSetup(working="ACEScc")})
    assert export_image(source, target, grade, asked).colour.endswith("-> ACEScc -> ACES2065-1")
    shown = ExportOptions(**vars(CPU) | {"viewing": Viewing("", "Un-tone-mapped")})
    assert export_image(source, target, grade, shown).colour.endswith("-> ACEScg -> sRGB - Display / Un-tone-mapped")


def test_the_header_tells_of_two_grades_only_in_the_same_spaces(tmp_path):
    source = shot(tmp_path / "a.exr", colorInteropID="lin_rec709_scene")
    once, again = tmp_path / "b.exr", tmp_path / "c.exr"
    export_image(source, once, Grade([CDL], ColourSetup(output="ACEScg")), CPU)
    both = Grade([CDL, Exposure(1.0)], ColourSetup(load_config().source, "", "ACEScct", "ACEScg"))
    assert export_image(once, again, Grade([Exposure(1.0)]), CPU).notes == ()
    assert grade_from_image(again) == both
    export_image(source, tmp_path / "d.exr", both, CPU)
    np.testing.assert_allclose(read_image(tmp_path / "d.exr").pixels, read_image(again).pixels, rtol=1e-6, atol=1e-6)
    elsewhere = Grade([Exposure(1.0)], ColourSetup(working="ACEScc"))
    report = export_image(once, again, elsewhere, CPU)
    assert report.notes == ("The header records only this grade: the previous one was made in other colour spaces.",)
    kept = grade_from_image(again)
    assert kept is not None
    assert kept.entries == elsewhere.entries
    shown = ExportOptions(**vars(CPU) | {"viewing": Viewing("", "Un-tone-mapped")})
    export_image(source, once, Grade([CDL]), shown)
    assert attributes(once)["tessera:view"] == "sRGB - Display / Un-tone-mapped"
    assert export_image(once, again, Grade([Exposure(1.0)]), CPU).notes == report.notes
    assert "tessera:view" not in attributes(again)


def test_a_broken_config_leaves_the_target_as_it_is(tmp_path):
    source, target = shot(tmp_path / "a.exr", colorInteropID="lin_rec709_scene"), tmp_path / "b.exr"
    target.write_bytes(b"mine")
    asked = ExportOptions(**vars(CPU) | {"colour": ColourSetup(str(tmp_path / "gone.ocio"))})
    with pytest.raises(UnreadableFile, match=r"gone\.ocio: does not exist"):
        export_image(source, target, Grade([CDL]), asked)
    assert target.read_bytes() == b"mine"
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.exr", "b.exr"]

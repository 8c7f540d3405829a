"""Tokens in the names of exported files."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.services.export_names import DEFAULT, expand, parts_of, propose, remembered, with_version
from engine.errors import TesseraError


@pytest.mark.parametrize(
    ("source", "name"),
    [
        ("plate.exr", "plate_graded.exr"),
        ("sc010.1012.exr", "sc010_graded.1012.exr"),
        ("beauty_v012.exr", "beauty_v012_graded.exr"),
        ("sc010.####.exr", "sc010_graded.####.exr"),
        ("sc010_%04d.exr", "sc010_graded.####.exr"),
        ("sc010.1-9x2#.exr", "sc010_graded.####.exr"),
        ("a.b.@.exr", "a.b_graded.@.exr"),
        ("####.exr", "_graded.####.exr"),
    ],
)
def test_the_default_name(source: str, name: str):
    assert expand(DEFAULT, parts_of(Path("/in") / source, "", "")) == name


def test_every_token_has_a_value_for_a_file_name():
    parts = parts_of(Path("/in/sc010.####.exr"), "diffuse", "sRGB - Display")
    text = "/out/{name}/{layer}/{name}_{layer}_{version}_{colourspace}.{frame}.exr"
    assert expand(text, parts) == "/out/sc010/diffuse/sc010_diffuse_{version}_sRGB-Display.####.exr"
    assert expand("{name}_{layer}_{colorspace}.exr", parts_of(Path("a.exr"), "", "")) == "a_rgba.exr"
    assert expand("/a{b}/{name}.exr", parts) == "/a{b}/sc010.exr"
    with pytest.raises(TesseraError, match="is not a token"):
        expand("/out/{shot}_{name}.exr", parts)


def test_the_version_is_the_next_free_one(tmp_path: Path):
    for name in ("g_v001.1001.exr", "G_V003.1001.exr", "g_v009x.exr", "h_v012.exr"):
        (tmp_path / name).touch()
    wanted = tmp_path / "g_{version}.####.exr"
    assert with_version(wanted) == tmp_path / "g_v004.####.exr"
    assert with_version(wanted, [tmp_path / "g_v004.####.exr"]) == tmp_path / "g_v005.####.exr"
    assert with_version(tmp_path / "{version}" / "k_{version}.exr") == tmp_path / "v001" / "k_v001.exr"
    (tmp_path / "v007").mkdir()
    assert with_version(tmp_path / "{version}" / "k_{version}.exr") == tmp_path / "v008" / "k_v008.exr"
    assert with_version(tmp_path / "k.exr") == tmp_path / "k.exr"


@pytest.mark.parametrize(
    ("typed", "versioned", "kept"),
    [
        ("{name}_final.{frame}.tif", False, ("", "{name}_final.{frame}.tif")),
        ("/in/sc010_final.####.exr", False, ("", "{name}_final.{frame}.exr")),
        ("/out/sc010_final_v003.####.exr", False, ("/out", "{name}_final_v003.{frame}.exr")),
        ("/out/sc010_final_v003.####.exr", True, ("/out", "{name}_final_{version}.{frame}.exr")),
        ("/out/other.####.tif", False, ("/out", "{name}_graded.{frame}.tif")),
        ("sub/{name}.exr", False, ("/in/sub", "{name}.exr")),
    ],
)
def test_what_is_remembered_of_a_destination(typed: str, versioned: bool, kept: tuple[str, str]):
    source = Path("/in/sc010.####.exr")
    assert remembered(typed, source, parts_of(source, "", ""), versioned) == kept


def test_a_sequence_is_proposed_a_place_for_its_frames():
    source = Path("/in/s.####.exr")
    assert propose("", "{name}_a.exr", source, True) == "/in/{name}_a.{frame}.exr"
    assert propose("/out", "{name}_a.####.exr", source, True) == "/out/{name}_a.####.exr"
    assert propose("/out", "{name}_a.exr", Path("/in/s.exr"), False) == "/out/{name}_a.exr"

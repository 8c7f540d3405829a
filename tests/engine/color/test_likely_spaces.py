"""What colour space an image is likely to have, and spaces that are assumed where nothing states one."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engine.color.likely_spaces import HINTS, MOST, likely_spaces
from engine.color.management import manage
from engine.core.colorimetry import PRIMARIES
from engine.grade.colour_settings import RAW, ColourSetup, InputSpace
from engine.ocio import load_config
from engine.ocio.identify import space_for_id
from tests.engine.shows import write_show

ASSUMED = InputSpace("lin_ap1", "from your rule for plates")


@pytest.fixture(autouse=True)
def no_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OCIO", raising=False)


def names(path: str, sample_type: str = "half", format_name: str = "openexr", config: Any = None) -> list[str]:
    return [each.name for each in likely_spaces(config or load_config(), Path(path), sample_type, format_name)]


def test_floats_are_scene_linear_and_integers_encoded() -> None:
    assert names("/show/beauty.1001.exr") == ["ACEScg", "ACES2065-1", "Linear Rec.709 (sRGB)"]
    assert names("/show/a.tif", "uint8", "tiff")[0] == "sRGB Encoded Rec.709 (sRGB)"
    assert names("/show/scan.1.dpx", "uint16", "dpx")[0] == "ADX10"
    assert names("/show/plate.mov", "uint16", "movie")[:2] == ["Rec.1886 Rec.709 - Display", "sRGB - Display"]


@pytest.mark.parametrize(
    ("path", "space"),
    [
        ("/show/A001_logc4_x.exr", "ARRI LogC4"),
        ("/show/A001_Log-C.exr", "ARRI LogC3 (EI800)"),
        ("/show/plate_S-Log3.exr", "S-Log3 S-Gamut3.Cine"),
        ("/show/redlog/b.exr", "Log3G10 REDWideGamutRGB"),
        ("/show/wall_srgb.exr", "sRGB Encoded Rec.709 (sRGB)"),
        ("/show/comp_aces.exr", "ACES2065-1"),
    ],
)
def test_names_hint_at_spaces(path: str, space: str) -> None:
    first, *_ = likely_spaces(load_config(), Path(path), "half")
    assert first.name == space and "in its name" in first.reason
    assert len(set(names(path))) == len(names(path)) <= MOST
    assert "ACEScg" in names(path)


def test_parts_of_words_are_no_hints() -> None:
    assert names("/show/catalogc_facescan.exr") == names("/show/beauty.exr")


def test_every_hint_is_a_space_of_the_built_in_config() -> None:
    config = load_config()
    assert all(space_for_id(config, hinted) for hinted in HINTS.values())


def test_a_config_offers_only_what_it_has(tmp_path: Path) -> None:
    config = load_config(str(write_show(tmp_path)))
    offered = names("/show/beauty.exr", config=config)
    assert offered[0] == config.linear
    assert all(config.has(name) and not config.is_data(name) for name in offered)


def test_an_assumed_space_comes_last(tmp_path: Path) -> None:
    path = tmp_path / "a.exr"
    found = manage(ColourSetup(), path, {}, assumed=ASSUMED).found
    assert found == InputSpace("ACEScg", "from your rule for plates", assumed=True)
    stated = {"chromaticities": PRIMARIES["rec709"]}
    assert manage(ColourSetup(), path, stated, assumed=ASSUMED).input == "Linear Rec.709 (sRGB)"
    given = manage(ColourSetup(input="ACES2065-1"), path, {}, assumed=ASSUMED).found
    assert given == InputSpace("ACES2065-1", "as given")
    assert manage(ColourSetup(RAW), path, {}, assumed=ASSUMED).input == ""
    assert manage(ColourSetup(), path, {}).found == InputSpace()


def test_the_result_of_an_assumed_space_is_named_in_its_header(tmp_path: Path) -> None:
    assert manage(ColourSetup(), tmp_path / "a.exr", {}, assumed=ASSUMED).interop_id() == "lin_ap1_scene"


def test_an_assumed_space_that_the_config_lacks_leaves_the_image_unknown(tmp_path: Path) -> None:
    assumed = InputSpace("Show Log", "from your rule for plates")
    found = manage(ColourSetup(), tmp_path / "a.exr", {}, assumed=assumed).found
    assert found == InputSpace(origin="unknown (the config has no Show Log from your rule for plates)")

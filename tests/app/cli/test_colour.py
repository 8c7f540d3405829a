"""Colour on the command line: spaces, displays and looks by name, `tessera colorspaces`, and what goes wrong."""

from __future__ import annotations

import json

import numpy as np
import OpenEXR
import pytest

from engine import Grade, save_grade
from engine.grade.colour_settings import ColourSetup
from engine.io import describe, read_image
from engine.ops import Exposure
from tests.app.command_line import CDL, QUICK, run
from tests.engine.shows import write_show


@pytest.fixture(autouse=True)
def no_variable(monkeypatch):
    monkeypatch.delenv("OCIO", raising=False)


@pytest.fixture
def linear(tmp_path):
    """An image of linear Rec.709 light."""
    rgb = np.linspace(0.0, 2.0, 3 * 48, dtype=np.float32).reshape(6, 8, 3)
    header = {"compression": OpenEXR.ZIP_COMPRESSION, "colorInteropID": "lin_rec709_scene"}
    OpenEXR.File(header, {"RGB": rgb}).write(str(tmp_path / "linear.exr"))
    return tmp_path / "linear.exr"


def said(capsys) -> str:
    return capsys.readouterr().err


def test_an_export_tells_its_spaces(linear, out, capsys):
    words = ("--cdl", CDL, "--progress", "bar", *QUICK)
    assert run("export", linear, out, *words) == 0
    expected = "Linear Rec.709 (sRGB) (from colorInteropID lin_rec709_scene) -> ACEScct -> Linear Rec.709 (sRGB)"
    assert said(capsys).splitlines()[-1] == f"{out}: {expected}"
    spaces = ("--input", "lin_ap1", "--working", "ACEScc", "--output", "aces_interchange", "--force")
    assert run("export", linear, out, *words, *spaces) == 0
    assert said(capsys).splitlines()[-1] == f"{out}: ACEScg (as given) -> ACEScc -> ACES2065-1"
    assert describe(out).parts[0].metadata["colorInteropID"] == "lin_ap0_scene"


def test_a_dry_run_tells_them_too(linear, out, capsys):
    assert run("export", linear, out, "--output", "ACEScg", "--dry-run") == 0
    shown = capsys.readouterr()
    assert "+  colorInteropID = lin_ap1_scene\n" in shown.out
    expected = "Linear Rec.709 (sRGB) (from colorInteropID lin_rec709_scene) -> ACEScct -> ACEScg"
    assert shown.err == f"tessera: {out}: {expected}\n"


def test_spaces_display_and_view_reach_the_pixels(linear, out):
    before = read_image(linear).pixels
    assert run("export", linear, out, "--output", "ACEScg", "--type", "float", *QUICK) == 0
    ap1 = np.array(
        [[0.6130974, 0.3395231, 0.0473795], [0.0701937, 0.9163539, 0.0134524], [0.0206156, 0.1095698, 0.8698147]]
    )
    np.testing.assert_allclose(read_image(out).pixels, before @ ap1.T, atol=2e-6)
    words = ("--display", "sRGB - Display", "--view", "Un-tone-mapped", "--type", "float", "--force", *QUICK)
    assert run("export", linear, out, *words) == 0
    encoded = np.where(before <= 0.0031308, before * 12.92, 1.055 * np.maximum(before, 1e-9) ** (1 / 2.4) - 0.055)
    np.testing.assert_allclose(read_image(out).pixels, encoded, atol=1e-5)
    assert describe(out).parts[0].metadata["colorInteropID"] == "srgb_rec709_display"


def test_a_config_with_variables_and_looks(linear, out, tmp_path):
    config = write_show(tmp_path / "show")
    words = ("--config", config, "--input", "Plate", "--display", "Monitor", "--type", "float", "--force", *QUICK)

    def red(*more):
        assert run("export", linear, out, *words, *more) == 0
        return read_image(out).pixels[3, 3, 0]

    video, film, other = red(), red("--view", "Film"), red("--view", "Film", "--context", "SHOT=sc020")
    assert video < film < other
    assert red("--view", "Film", "--looks", "none") == video
    assert red("--looks", "Shot") == film
    assert red("--view", "film", "--looks", "-shot") < video
    assert red("--view", "film", "--context", "shot=sc020") == other


@pytest.mark.parametrize(
    ("words", "telling"),
    [
        (("--input", "ACESgc"), "has no colour space 'ACESgc'; available: ACEScg"),
        (("--output", "Raw"), "Raw is a data space, not a colour space to convert to; choose another space"),
        (("--display", "Monitr"), "has no display 'Monitr'; available: "),
        (("--view", "Untone"), "the display sRGB - Display has no view 'Untone'; available: "),
        (("--view", "Raw", "--looks", "zz"), "has no look 'zz'; available: ACES 1.3 Reference"),
        (("--view", "Raw", "--looks", "-zz"), "has no look 'zz'; available: ACES 1.3 Reference"),
        (("--input", "sRGB - Curv"), "has no colour space 'sRGB - Curv'; available: sRGB - Curve"),
        (("--context", "SHOT=a"), "has no context variable 'SHOT'; it has none"),
        (("--config", "raw", "--input", "ACEScg"), "--input has no effect with --config raw, which converts"),
        (("--config", "raw", "--context", "A=1"), "--context has no effect with --config raw, which converts"),
        (("--looks", "none"), "--looks belong to a view; give --display or --view"),
        (("--config", "gone.ocio"), "gone.ocio: does not exist; give an .ocio or .ocioz file"),
        (("--config", "ocio://no"), "there is no built-in config 'no'; available: ocio://cg-config"),
    ],
    ids=" ".join,
)
def test_a_name_that_is_not_there_is_one_line(linear, out, capsys, words, telling):
    assert run("export", linear, out, *words, *QUICK) == 1
    line = said(capsys)
    assert line.startswith("tessera: ")
    assert line.count("\n") == 1
    assert telling in line
    assert list(out.parent.iterdir()) == []


def test_an_unknown_image_is_not_converted(shot, out, capsys):
    assert run("export", shot, out, "--output", "ACEScg", *QUICK) == 1
    assert "colour space is unknown, so it can't be converted to ACEScg; specify its input space" in said(capsys)
    assert run("export", shot, out, "--output", "ACEScg", "--context", "nonsense") == 2


def test_the_variable_counts(linear, out, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("OCIO", str(tmp_path / "gone.ocio"))
    assert run("export", linear, out, "--cdl", CDL, *QUICK) == 1
    line = said(capsys)
    assert line.startswith(f"tessera: {tmp_path / 'gone.ocio'}: does not exist (from $OCIO); correct $OCIO")
    assert run("export", linear, out, "--cdl", CDL, "--config", "raw", *QUICK) == 0


def test_colorspaces(tmp_path, capsys):
    config = write_show(tmp_path)
    assert run("colorspaces", "--config", config) == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in (
        "Plates/",
        "Plate Log log",
        "scene_linear Plate",
        "Plate scene-linear; also plate_lin",
        "Monitor",
        "Film, looks Shot",
        "Shot, in Plate Log",
    ):
        assert line in lines
    assert {"Curve also crv", "SHOT sc010", "ocio://studio-config-v1.0.0_aces-v1.3_ocio-v2.1"} <= set(lines)
    assert run("colorspaces", "--json") == 0
    about = json.loads(capsys.readouterr().out)
    assert about["roles"]["scene_linear"] == "ACEScg"
    assert about["displays"]["sRGB - Display"][0]["space"] == "sRGB - Display"
    assert ("ACEScg", ["ACES"]) in [(space["name"], space["family"]) for space in about["spaces"]]


def test_info_tells_the_space(linear, shot, tmp_path, capsys):
    assert run("info", linear) == 0
    assert "  colour space    Linear Rec.709 (sRGB), from colorInteropID lin_rec709_scene\n" in capsys.readouterr().out
    assert run("info", shot) == 0
    assert "  colour space    unknown\n" in capsys.readouterr().out
    assert run("info", linear, "--json", "--config", write_show(tmp_path)) == 0
    (part,) = json.loads(capsys.readouterr().out)["parts"]
    assert (part["colour_space"], part["colour_space_origin"]) == ("", "unknown")


def test_info_tells_the_setup_of_a_grade(linear, out, tmp_path, capsys):
    setup = ColourSetup(working="ACEScc", context=(("SHOT", "sc010"),))
    save_grade(Grade([Exposure(1.0)], setup), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    assert "  colour: working ACEScc, context (SHOT sc010)\n" in capsys.readouterr().out
    assert run("info", tmp_path / "g.json", "--json") == 0
    assert json.loads(capsys.readouterr().out)["colour"] == {"working": "ACEScc", "context": {"SHOT": "sc010"}}
    assert run("export", linear, out, "--exposure", "1", "--working", "ACEScc", *QUICK) == 0
    capsys.readouterr()
    assert run("info", out) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("  grade that it was written with")
    assert lines[at + 1].startswith("    colour: config ocio://studio-config")
    assert lines[at + 1].endswith(", working ACEScc")


def test_bake_goes_the_same_way(tmp_path, capsys):
    target = tmp_path / "a.cube"
    assert run("bake", CDL, target, "--input", "ACEScct", "--display", "sRGB - Display", "--size", "9") == 0
    assert "from ACEScct to sRGB - Display / ACES 2.0" in capsys.readouterr().out
    assert run("bake", CDL, tmp_path / "a.cc", "--input", "ACEScct", "--display", "sRGB - Display") == 1
    assert "one CDL can't store a display and a view" in said(capsys)

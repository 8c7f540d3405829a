"""`tessera info`."""

from __future__ import annotations

import json

import numpy as np
import OpenEXR
import pytest

from engine import Grade, save_grade
from engine.grade.keys import with_key
from engine.ops import Exposure
from tests.app.command_line import CDL, LUT, run


def test_info_of_an_image(shot, capsys):
    assert run("info", shot) == 0
    text = capsys.readouterr().out
    for telling in ("40 x 30", "scanline", "zip", "half", "(0, 0) - (39, 29)", "a person"):
        assert telling in text
    assert run("info", shot, "--json") == 0
    part = json.loads(capsys.readouterr().out)["parts"][0]
    assert (part["width"], part["height"]) == (40, 30)
    assert {channel["name"]: channel["type"] for channel in part["channels"]} == dict.fromkeys("RGB", "half")
    assert part["layers"][0]["channels"] == ["R", "G", "B"]


def test_info_of_looks_and_grades(tmp_path, capsys):
    assert run("info", CDL) == 0
    assert "slope (1.05, 1.04, 1.01)" in capsys.readouterr().out
    assert run("info", LUT, "--json") == 0
    ops = json.loads(capsys.readouterr().out)["ops"]
    assert ops[-1]["op"] == "Lut3d"
    assert ops[-1]["cube"]["size"] == 33
    save_grade(Grade([Exposure(0.5)]), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    assert "Exposure: stops 0.5" in capsys.readouterr().out


def test_info_lists_keys(tmp_path, capsys):
    entry = with_key(with_key(Exposure(), "stops", 1, 0.25), "stops", 9, 1.0, "hold")
    for frame in range(9):
        entry = with_key(entry, "mix", frame, frame / 10.0)
    save_grade(Grade([entry]), tmp_path / "g.json")
    assert run("info", tmp_path / "g.json") == 0
    lines = [line.strip() for line in capsys.readouterr().out.splitlines()]
    assert lines[-2:] == ["keys of mix: 9 from frame 0 to 8", "keys of stops: 0.25 at 1 (smooth), 1 at 9 (hold)"]
    assert run("info", tmp_path / "g.json", "--json") == 0
    assert json.loads(capsys.readouterr().out)["entries"][0]["keys"]["stops"][1] == [9, 1.0, "hold"]


def test_info_survives_odd_metadata(tmp_path, capsys):
    path = tmp_path / "odd.exr"
    header = {"nan": float("nan"), "note": "two\nlines \x1b[31m", "long": "x" * 5000}
    OpenEXR.File(header, {"Y": np.zeros((2, 2), np.float32)}).write(str(path))
    assert run("info", path) == 0
    text = capsys.readouterr().out
    assert "\x1b" not in text
    assert max(map(len, text.splitlines())) < 200
    assert run("info", path, "--json") == 0
    json.loads(capsys.readouterr().out, parse_constant=lambda word: pytest.fail(word))


@pytest.mark.parametrize(
    ("chromaticities", "space", "primaries"),
    [
        ((1.0, 0.0, 0.0, 1.0, 0.0, 0.0, 1 / 3, 1 / 3), "from chromaticities, by a computed matrix", "CIE XYZ"),
        (
            (0.684, 0.313, 0.221, 0.848, 0.0861, -0.102, 0.3127, 0.329),
            "Linear ARRI Wide Gamut 3, from chromaticities",
            "ARRI Wide Gamut 3 primaries, D65 white",
        ),
    ],
)
def test_primaries_have_names(tmp_path, capsys, chromaticities, space, primaries):
    path = tmp_path / "a.exr"
    OpenEXR.File({"chromaticities": chromaticities}, {"Y": np.zeros((2, 2), np.float32)}).write(str(path))
    assert run("info", path) == 0
    text = capsys.readouterr().out
    assert f"{space}\n  primaries       {primaries}\n" in text
    assert run("info", path, "--json") == 0
    assert json.loads(capsys.readouterr().out)["parts"][0]["primaries"] == primaries


def test_an_image_without_chromaticities_has_no_primaries(shot, capsys):
    assert run("info", shot) == 0
    assert "  primaries " not in capsys.readouterr().out
